//! Tests of the judge.

mod target_curl;
mod target_deployment;
mod target_file;
mod target_guard;
mod target_http;
mod target_mock;
mod target_pace;
mod target_payload;
mod target_sample;
