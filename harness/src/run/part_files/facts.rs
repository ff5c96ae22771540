//! Facts about the run of a part, as values or fingerprints. Parts are joined only if all facts are equal.

use std::collections::BTreeMap;

use moot_fixtures::contract::INTERFACE_VERSION;
use moot_fixtures::{questions, register};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};
use strum::EnumIter;

use crate::run::RunOptions;
use crate::run::part::RunPart;
use crate::run::shard::ShardPlan;
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan;

/// Version of the format of parts. Other versions are refused.
pub(super) const FORMAT_VERSION: u32 = 2;

/// A fact about a run that is the same in all its parts. Facts are compared in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, EnumIter)]
#[serde(rename_all = "snake_case")]
pub enum PartFact {
    /// The command.
    Kind,
    /// The number of shards.
    Shards,
    /// The seed.
    Seed,
    /// The target and the needs that it meets, without its secrets.
    Target,
    /// Rows of the register, and questions.
    Register,
    /// Options that decide verdicts: `--strict`, selectors, `--exclude`.
    Options,
    /// The scenarios, their content, and their shards.
    Plan,
    /// The world of the mock in this process.
    World,
    /// Answers of the mock, and pinned answers.
    Answers,
    /// Known failures.
    Expected,
    /// The needs and scenarios that may stay not run.
    Tolerate,
}

/// A value or a fingerprint for each fact except the kind and the number of shards.
pub type PartFacts = BTreeMap<PartFact, String>;

impl PartFact {
    /// A clause that says how two parts differ in this fact.
    pub fn difference(self, (one, other): &(String, String)) -> String {
        match self {
            Self::Kind => format!("a part of `moot {one}`, and one of `moot {other}`"),
            Self::Shards => format!("one of {one} shards, one of {other}"),
            Self::Seed => format!("seed {one}, and seed {other}"),
            Self::Target => "the target is a different one, or it offers something else (consent, applications, bindings)".to_owned(),
            Self::Register => "the register of requirements is different".to_owned(),
            Self::Plan => {
                "the plan is different (the scenarios, or the costs by which they were assigned)"
                    .to_owned()
            }
            Self::Options => {
                "the options are different (--strict, selectors, --exclude, --smoke or --snapshots)"
                    .to_owned()
            }
            Self::World => "the world of the mock is different".to_owned(),
            Self::Answers => "the answers, or the pinned answers, are different".to_owned(),
            Self::Expected => "the known failures are different".to_owned(),
            Self::Tolerate => "`tolerate`, the list of what may stay not run, is different".to_owned(),
        }
    }
}

/// The facts of a run: its options, and its findings about the target.
pub(super) fn run_facts(options: &RunOptions, plan: &ShardPlan, part: &RunPart) -> PartFacts {
    let chosen = json!([
        options.strict,
        options.selectors,
        options.excluded,
        options.tolerates_unmet_needs,
        options.snapshots.as_ref().map(|(mode, _)| format!("{mode:?}")),
        options.target.defects,
    ]);
    let target = &part.target;
    let about = &target.description;
    // Only one machine has a token of an earlier run, and only shard 1 uses it.
    let is_shared = |need: &&String| !["expired_token", "revoked_token"].contains(&need.as_str());
    let unmet: Vec<&String> = target.unmet.keys().filter(is_shared).collect();
    let destination = json!([about.base_url, about.class, target.is_mock, target.pages_max, unmet]);
    let rows: Vec<(&str, u16)> =
        plan.scenarios.iter().map(|it| (it.name.as_str(), it.shard)).collect();
    PartFacts::from([
        (PartFact::Seed, options.target.seed.to_string()),
        (PartFact::Target, fingerprint(&destination)),
        (PartFact::Options, fingerprint(&chosen)),
        (PartFact::Plan, fingerprint(&(rows, suite_fingerprint(&options.files)))),
        (PartFact::World, fingerprint(&options.target.world.as_deref())),
        (PartFact::Answers, fingerprint(&(&options.target.answers, &target.pins))),
        (PartFact::Expected, fingerprint(&part.expected.entries)),
        (PartFact::Tolerate, fingerprint(&target.tolerate)),
    ])
}

/// The fingerprint of the register and the questions of this program.
pub(super) fn register_fingerprint() -> String {
    fingerprint(&(INTERFACE_VERSION, register::all(), questions::all()))
}

/// The fingerprint of the content of scenario files, without their paths.
fn suite_fingerprint(files: &[ScenarioFile]) -> String {
    let all = plan::select(files, &[]).unwrap_or_default();
    let contents: Vec<String> = all
        .iter()
        .map(|planned| {
            let shown = format!("{:?} {:?}", planned.file.requirements, planned.scenario);
            // Every location in a scenario has the path of its file.
            shown.replace(&format!("{:?}", planned.scenario.at.file), "")
        })
        .collect();
    fingerprint(&contents)
}

/// The SHA-256 of its JSON.
///
/// # Panics
/// Never: the values have no map with keys that are not strings, and no number that JSON lacks.
pub fn fingerprint(value: &impl Serialize) -> String {
    let text = serde_json::to_vec(value).expect("values of ours have a JSON form");
    format!("{:x}", Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::suite_fingerprint;
    use crate::scenario::load;

    #[track_caller]
    fn of(folder: &str, title: &str) -> String {
        let text = format!(
            "section: \"4.6\"\ntitle: A sample\nscenarios:\n  - id: lists\n    title: {title}\n    \
             needs: [read]\n    steps:\n      - request: GET /v1/requests\n        token: read\n        \
             expect:\n          list-legal-requests.status-200: {{ status: 200 }}\n"
        );
        let texts = vec![(format!("{folder}/a.yaml"), Arc::from(text))];
        suite_fingerprint(&load::suite(texts).expect("sound"))
    }

    #[test]
    fn the_fingerprint_of_a_suite_depends_on_its_content_and_not_on_its_folder() {
        assert_eq!(of("/home/a", "One"), of("/build/b", "One"));
        assert_ne!(of("/home/a", "One"), of("/home/a", "Two"));
        let bundled = || suite_fingerprint(&load::bundled().expect("sound"));
        assert_eq!(bundled(), bundled());
    }
}
