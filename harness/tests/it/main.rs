//! Tests of the judge through its public surface and through the real binary.

mod check_implicit;
mod check_matcher;
mod check_place;
mod check_support;
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
mod target_pace;
mod target_payload;
mod target_sample;
