//! The tests of the mock from outside its modules, in one binary.

mod defect_tour;
mod defects;
mod shell_control;
mod shell_deliveries;
mod shell_embed;
mod shell_sandboxes;
mod shell_server;
mod shell_settings;
mod shell_support;
mod shell_transports;
mod shell_uploads;
