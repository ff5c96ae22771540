//! Compares the response of a step with its snapshot. A difference is drift, never a violation.

use moot_fixtures::contract::Operation;
use moot_fixtures::stored_places;
use moot_snapshots::{Comparison, Metadata, NewSnapshot, RawResponse, StoreMode, StoredPlaces};

use crate::scenario::model::SnapshotRule;
use crate::scenario::{ScenarioName, StepName};
use crate::verdict::Verdict;
use crate::verdict::check::{Document, MismatchKind};
use crate::verdict::result::{CheckResult, Subject};

use super::judge;
use super::scenario_run::ScenarioRun;

/// Compares or records the response. Returns no check if snapshots are off.
pub(super) fn judge(
    run: &mut ScenarioRun<'_>,
    rule: &SnapshotRule,
    document: &Document,
) -> Option<CheckResult> {
    let (mode, folder) = run.shared.options.snapshots.as_ref()?;
    let content = content(run, rule, document);
    let metadata = Metadata {
        scenario: scenario(run).to_string(),
        step: if run.is_row { run.label.name.clone() } else { run.label.to_string() },
        target_class: run.shared.target.description().class.to_string(),
        register_version: moot_fixtures::contract::INTERFACE_VERSION.to_owned(),
        source: run.planned.scenario.at.file.to_string(),
    };
    let (name, is_row) = (name(run), run.is_row);
    let mut log = run.shared.snapshots.lock();
    let (name, comparison) = match is_row {
        true => log.rows.check(folder, &name, &metadata, &content, *mode),
        false => {
            let comparison = moot_snapshots::check(folder, &name, &metadata, &content, *mode);
            (name, comparison)
        }
    };
    let worst = log.used.entry(name.clone()).or_insert(Comparison::Match);
    if comparison > *worst {
        worst.clone_from(&comparison);
    }
    if let Comparison::Missing { new } | Comparison::Mismatch { new, .. } = &comparison {
        let recorded = NewSnapshot { name: name.clone(), metadata, content: new.clone() };
        log.new.insert(name.clone(), recorded);
    }
    drop(log);
    let mut result = judge::origin(run).blank(&name, None, document.exchange.clone());
    result.subject = Subject::Snapshot(name.into());
    result.section = run.planned.file.section.clone().into();
    result.place = Some(run.planned.scenario.at.clone());
    verdict(&mut result, comparison, *mode);
    Some(result)
}

fn content(run: &mut ScenarioRun<'_>, rule: &SnapshotRule, document: &Document) -> String {
    // The address of a sandbox and the run tag differ in every run.
    let request = document.exchange.as_ref().map(|exchange| &exchange.request);
    if let Some(base) = request.and_then(|it| it.url.strip_suffix(it.path.as_str())) {
        run.placeholders.hide_base(base);
    }
    run.placeholders.hide(&run.shared.options.target.run_tag, "tag");
    let response = RawResponse {
        status: document.status.unwrap_or(0),
        headers: &document.headers,
        json: document.json.as_deref(),
        text: &String::from_utf8_lossy(&document.body),
    };
    let content = run.placeholders.response(response, &stored(document), &rule.redact);
    run.shared.options.masks.mask(&content)
}

/// The places of the response with values that clients stored. Only a documented success has such places.
fn stored(document: &Document) -> StoredPlaces {
    let is_success = document.status.is_some_and(|status| (200..300).contains(&status));
    let schema = document.operation.filter(|_| is_success).and_then(Operation::success_schema);
    let places = schema.map_or(&[][..], stored_places::places).iter();
    StoredPlaces::new(places.map(|place| (place.path.clone(), place.types.clone())))
}

fn verdict(result: &mut CheckResult, comparison: Comparison, mode: StoreMode) {
    match comparison {
        Comparison::Match | Comparison::Added | Comparison::Updated => {
            result.verdict = Verdict::Pass;
        }
        Comparison::Missing { .. } | Comparison::Mismatch { .. } if mode == StoreMode::Collect => {
            result.verdict = Verdict::Pass;
        }
        Comparison::Missing { .. } => {
            result.verdict = Verdict::Drift;
            result.mismatch = Some(MismatchKind::Absent);
            "the step has no snapshot; record one with --snapshots record"
                .clone_into(&mut result.message);
        }
        Comparison::Mismatch { diff, changes, .. } => {
            result.changes = changes;
            result.verdict = Verdict::Drift;
            "the response differs from its snapshot".clone_into(&mut result.message);
            result.actual = diff;
        }
        Comparison::Error(why) => {
            result.verdict = Verdict::Error;
            result.message = format!("the snapshot cannot be used: {why}");
        }
    }
}

/// `STEM/SCENARIO__STEP`, in characters that every file system accepts. Rows of a loop over data of the target share
/// one name, because that data changes. Other rows of a loop within a scenario get a number.
fn name(run: &mut ScenarioRun<'_>) -> String {
    let name = name_of(&scenario(run), &run.label);
    if run.is_row {
        return name;
    }
    let count = run.snapshot_names.entry(name.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { name } else { format!("{name}__{count}") }
}

/// The name for all rows and repetitions of a step.
fn name_of(scenario: &ScenarioName, step: &StepName) -> String {
    let (stem, id) = (slug(&scenario.stem), slug(&scenario.in_file()));
    format!("{stem}/{id}__{}", slug(&step.name))
}

/// The name of the scenario, with its row if the scenario file states the rows.
fn scenario(run: &ScenarioRun<'_>) -> ScenarioName {
    let is_written =
        run.planned.scenario.for_each.as_ref().is_some_and(|rows| rows.rows.is_written());
    if is_written { (*run.name).clone() } else { run.planned.name() }
}

/// A text in characters that every file system accepts.
pub(crate) fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars() {
        if character.is_ascii_alphanumeric() || character == '-' {
            slug.push(character);
        } else if !slug.ends_with('_') {
            slug.push('_');
        }
    }
    slug.trim_matches('_').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{name_of, slug};
    use crate::scenario::{ScenarioName, StepName};

    #[test]
    fn names_have_only_characters_that_every_file_system_accepts() {
        assert_eq!(slug("from-schema[read write]"), "from-schema_read_write");
        assert_eq!(slug("POST /v1/requests"), "POST_v1_requests");
    }

    #[test]
    fn rows_and_repetitions_share_a_name_and_the_name_of_the_step_is_whole() {
        let scenario = ScenarioName::new("my #1", "walk");
        for (name, expected) in
            [("read", "my_1/walk__read"), ("document #2 [new]", "my_1/walk__document_2_new")]
        {
            let step = StepName { repetition: 3, ..StepName::new(name, &["ab12".to_owned()]) };
            assert_eq!(name_of(&scenario, &step), expected);
        }
        let step = StepName::new("read", &[]);
        assert_eq!(name_of(&scenario.with_row("a"), &step), "my_1/walk_a__read");
    }
}
