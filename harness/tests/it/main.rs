//! Tests of the judge through its public surface and through the real binary.

mod command_documents;
mod command_explain;
mod command_line;
mod command_mock;
mod command_run;
mod command_snapshot;
mod command_support;
mod register;
mod report_formats;
mod report_hostile;
mod report_sample;
mod report_schema;
mod scenario_broken;
mod scenario_bundled;
mod scenario_examples;
mod target_curl;
mod target_deployment;
mod target_file;
mod target_guard;
mod target_http;
mod target_mock;
mod target_pace;
mod target_payload;
mod target_sample;
