//! Pages in a real browser.

mod accessible;
mod console;
mod driver;
mod report;
mod served;
