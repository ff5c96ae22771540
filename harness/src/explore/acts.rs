//! All kinds of acts that can be drawn.

mod comparing;
mod isolation;
mod menu;
mod reading;
mod requests;
mod tokens;
mod uploads;
mod webhooks;

use proptest::strategy::BoxedStrategy;

use super::act::Act;
use super::means::Means;
use menu::Menu;

/// An act that a target with these means may be sent.
pub(super) fn act(means: &Means) -> BoxedStrategy<Act> {
    let mut menu = Menu::new(means.clone());
    reading::add(&mut menu);
    comparing::add(&mut menu);
    isolation::add(&mut menu);
    requests::add(&mut menu);
    uploads::add(&mut menu);
    webhooks::add(&mut menu);
    tokens::add(&mut menu);
    menu.act()
}
