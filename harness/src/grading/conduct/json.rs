//! An account as the JSON report of `moot exec`, and the JSON Schema of this report.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde_json::{Value, json};

use super::account::Account;

/// Version of the file format.
const SCHEMA_VERSION: u32 = 1;

/// The JSON report of `moot exec`.
#[derive(Serialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct ConductReport<'a> {
    /// The version of this format.
    #[schemars(extend("const" = SCHEMA_VERSION))]
    schema_version: u32,
    /// The version of Moot.
    moot_version: &'a str,
    /// The exit code of the command, or 1 if it broke a rule of `--fail-on`.
    exit_code: u8,
    /// The calls of the command, counted and judged.
    conduct: &'a Account,
}

/// The report, with the exit code of `moot exec`.
pub fn render(account: &Account, exit_code: u8) -> Value {
    json!(ConductReport {
        schema_version: SCHEMA_VERSION,
        moot_version: env!("CARGO_PKG_VERSION"),
        exit_code,
        conduct: account,
    })
}

/// The JSON Schema of the report.
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = generator.into_root_schema_for::<ConductReport<'_>>().to_value();
    schema["title"] = "The JSON report of `moot exec`".into();
    schema
}
