//! Integration tests of the harness.

mod report_formats;
mod report_hostile;
mod report_sample;
mod report_schema;
