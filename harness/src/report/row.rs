//! The JSON of scenarios, steps and checks in the JSON report and in the event stream.

use serde::ser::{Serialize, SerializeStruct, Serializer};

use crate::verdict::result::{
    CheckResult, RunOutcome, ScenarioResult, StepResult, Subject, seconds,
};

/// A result, with the serialisation of the JSON report.
pub(super) struct ReportRow<'a, T>(pub(super) &'a T);

/// Serialises a list of results.
pub(super) fn rows<T, S: Serializer>(all: &[T], serializer: S) -> Result<S::Ok, S::Error>
where
    for<'a> ReportRow<'a, T>: Serialize,
{
    serializer.collect_seq(all.iter().map(ReportRow))
}

/// Serialises an outcome as its name.
pub(super) fn outcome<S: Serializer>(of: &RunOutcome, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(of.as_str())
}

impl Serialize for ReportRow<'_, ScenarioResult> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let scenario = self.0;
        let mut out = serializer.serialize_struct("ScenarioResult", 8)?;
        out.serialize_field("name", &scenario.name)?;
        out.serialize_field("title", &scenario.title)?;
        out.serialize_field("verdict", &scenario.verdict)?;
        out.serialize_field("not_run", &scenario.not_run.as_ref().map(|why| &why.reason))?;
        if let Some(known) = &scenario.known {
            out.serialize_field("known", known)?;
        }
        out.serialize_field("duration_seconds", &seconds(scenario.duration))?;
        out.serialize_field("place", &scenario.at)?;
        let steps: Vec<_> = scenario.steps.iter().map(ReportRow).collect();
        out.serialize_field("steps", &steps)?;
        out.end()
    }
}

impl Serialize for ReportRow<'_, StepResult> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let step = self.0;
        let mut out = serializer.serialize_struct("StepResult", 4)?;
        out.serialize_field("name", &step.name)?;
        out.serialize_field("verdict", &step.verdict)?;
        out.serialize_field("duration_seconds", &seconds(step.duration))?;
        let numbers: Vec<u64> = step.exchanges.iter().map(|exchange| exchange.number).collect();
        out.serialize_field("exchanges", &numbers)?;
        out.end()
    }
}

impl Serialize for ReportRow<'_, CheckResult> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let check = self.0;
        let mut out = serializer.serialize_struct("CheckResult", 17)?;
        out.serialize_field("id", &check.id())?;
        let kind = match &check.subject {
            Subject::Requirement(_) => "requirement",
            Subject::Question(_) => "question",
            Subject::Snapshot(_) => "snapshot",
        };
        out.serialize_field(kind, check.subject.as_str())?;
        out.serialize_field("section", &check.section)?;
        out.serialize_field("level", &check.level)?;
        out.serialize_field("sentence", &check.sentence())?;
        out.serialize_field("remedy", &check.remedy())?;
        out.serialize_field("verdict", &check.verdict)?;
        out.serialize_field("scenario", &check.scenario)?;
        out.serialize_field("step", &check.step)?;
        out.serialize_field("message", &check.message)?;
        out.serialize_field("expected", &check.expected)?;
        out.serialize_field("actual", &check.actual)?;
        out.serialize_field("pointer", &check.pointer)?;
        out.serialize_field("place", &check.place)?;
        out.serialize_field("exchange", &check.exchange_number())?;
        out.serialize_field("curl", &check.curl)?;
        if let Some(known) = &check.known {
            out.serialize_field("known", known)?;
        }
        out.end()
    }
}
