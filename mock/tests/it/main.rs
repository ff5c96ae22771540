//! The tests of the mock from outside its modules, in one binary.

mod address;
mod arbitrary;
mod defect_tour;
mod defects;
mod performance;
mod shell_control;
mod shell_deliveries;
mod shell_determinism;
mod shell_drills;
mod shell_embed;
mod shell_faults;
mod shell_fetch;
mod shell_fetch_server;
mod shell_guard;
mod shell_hostile;
mod shell_journal;
mod shell_sandboxes;
mod shell_server;
mod shell_settings;
#[cfg(feature = "state")]
mod shell_state;
mod shell_support;
mod shell_tls;
mod shell_transports;
mod shell_uploads;
mod support;

mod activity;
mod admission;
mod answers;
mod control;
mod create_legal_request;
mod create_legal_request_files;
mod deliveries;
mod kept;
mod laws;
mod limiter;
mod lists;
mod progression;
mod repository_documents;
mod seeds;
mod tokens;
mod webhooks;
