//! Pages in a real browser.

mod console;
mod driver;
mod report;
mod served;
