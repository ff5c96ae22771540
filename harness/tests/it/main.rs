//! Tests of the judge through its public surface and through the real binary.

mod report_formats;
mod report_hostile;
mod report_sample;
mod report_schema;
mod target_curl;
mod target_deployment;
mod target_file;
mod target_guard;
mod target_http;
mod target_pace;
mod target_payload;
mod target_sample;
