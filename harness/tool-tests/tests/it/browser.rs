//! Pages in a real browser.

mod console;
mod console_axe;
mod console_drills;
mod console_hostile;
mod console_many;
mod driver;
mod filled;
mod pages_axe;
mod pictures;
mod report;
mod served;
