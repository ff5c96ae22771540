//! Reports: one result, many formats.
//!
//! A [`Report`] is the masked result of a run with its findings. Each format renders a report and nothing else:
//! [`text`], [`json`], [`junit`], [`html`], [`markdown`], [`github`], [`ndjson`]. [`crate::exchange::escape`] makes
//! texts for people harmless. Nothing here judges, and nothing here opens a file.

mod answer_row;
mod document;
mod exchange;
mod finding_cause;
mod findings;
pub mod github;
pub mod html;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod ndjson;
mod notice;
mod numbering;
mod result_json;
mod script;
pub mod terminal;
pub mod text;
mod values;

use strum::{Display, EnumString, IntoStaticStr, VariantArray};

use crate::exchange::masks::Secrets;
use crate::verdict::Verdict;
use crate::verdict::result::{RunOutcome, RunResult};
use document::MaskAndEscape;
pub use document::Report;
pub use findings::Finding;
pub(crate) use findings::findings;
pub use findings::section_order;
use terminal::{Detail, paint};

/// The format of a report.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Display,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = unknown_format)]
pub enum Format {
    /// For a person at a terminal.
    Text,
    /// For programs; the schema is `harness/schemas/report.json`.
    Json,
    /// For CI systems that read JUnit.
    Junit,
    /// One page for a browser.
    Html,
    /// The summary of a CI step.
    Markdown,
    /// Annotations of a GitHub workflow. The command also appends the Markdown report to the job summary.
    Github,
    /// A line for each event of the run.
    Ndjson,
}

/// A report can't be made: an internal error, exit 70.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// The rendered report contains a secret of the run, so it is not written.
    #[error("the {0} report contains a secret of the run and was not written")]
    SecretFound(Format),
    /// The renderer failed.
    #[error("the {0} report could not be rendered: {1}")]
    Renderer(Format, String),
}

impl Format {
    /// The name on the command line.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn unknown_format(text: &str) -> String {
    let names: Vec<&str> = Format::VARIANTS.iter().map(|format| format.as_str()).collect();
    format!("`{text}` is not a kind of report; there are {}", names.join(", "))
}

/// Renders a whole report, and scans it for the secrets of the run. A text report has colours. Of an event stream, it
/// is the last line: [`ndjson`] renders the others during the run.
///
/// # Errors
/// It contains a secret, or the renderer failed.
pub fn render(format: Format, result: &RunResult, detail: Detail) -> Result<String, RenderError> {
    let secrets = Secrets::of(&result.masks);
    let fault = |error: String| RenderError::Renderer(format, error);
    let people = || Report::new(result, &MaskAndEscape(&secrets));
    let text = match format {
        Format::Text => text::render(&people(), detail),
        Format::Json => json::render(&Report::new(result, &secrets)).map_err(fault)?,
        Format::Junit => junit::render(&people()).map_err(fault)?,
        Format::Html => html::render(&people()).map_err(fault)?,
        Format::Markdown => markdown::render(&people()).map_err(fault)?,
        Format::Github => github::render(&people()),
        Format::Ndjson => ndjson::last_line(result, &secrets)?,
    };
    if secrets.is_in(&paint::plain(&text)) {
        Err(RenderError::SecretFound(format))
    } else {
        Ok(text)
    }
}

/// The verdict in whose colour an outcome is shown.
pub(crate) const fn color_of(outcome: RunOutcome) -> Verdict {
    match outcome {
        RunOutcome::Conformant => Verdict::Pass,
        RunOutcome::NonConformant => Verdict::Fail,
        RunOutcome::Incomplete | RunOutcome::Unreachable => Verdict::NotRun,
        RunOutcome::Drifted => Verdict::Drift,
        RunOutcome::Usage | RunOutcome::Internal => Verdict::Error,
    }
}

/// Adds a line for each of these names that has a value.
fn add_values(out: &mut String, values: &[(&str, &str)]) {
    for (name, value) in values.iter().filter(|(_, value)| !value.is_empty()) {
        out.push_str(&format!("\n{name}: {}", value.trim_end()));
    }
}
