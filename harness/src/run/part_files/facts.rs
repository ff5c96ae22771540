//! What a part belongs to, as fingerprints: parts are joined only where all of them are the same.

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
pub(super) const FORMAT_VERSION: u32 = 1;

/// Something in which all parts of a run agree, in the order in which it is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, EnumIter)]
#[serde(rename_all = "snake_case")]
pub enum PartFact {
    /// What they are parts of.
    Kind,
    /// How many shards there are.
    Shards,
    /// The seed.
    Seed,
    /// The target and what it offers, without its secrets.
    Target,
    /// Rows of the register, and questions.
    Register,
    /// Options that decide verdicts: `--strict`, selectors, `--exclude`.
    Options,
    /// The scenarios, their content, and which shard walks which.
    Plan,
    /// The world of the mock in this process.
    World,
    /// Answers of the mock, and answers that are pinned.
    Answers,
    /// Known failures.
    Expected,
    /// What may stay not run.
    Tolerate,
}

/// A value or a fingerprint for each fact.
pub type PartFacts = BTreeMap<PartFact, String>;

impl PartFact {
    /// How two parts differ in it, a clause.
    pub fn difference(self, (one, other): &(String, String)) -> String {
        match self {
            Self::Kind => format!("a part of `moot {one}`, and one of `moot {other}`"),
            Self::Shards => format!("one of {one} shards, one of {other}"),
            Self::Seed => format!("seed {one}, and seed {other}"),
            Self::Target => "the target is another, or it offers something else (consent, applications, bindings)".to_owned(),
            Self::Register => "the register of requirements is another".to_owned(),
            Self::Plan => {
                "the plan is another (the scenarios, or the costs by which they were assigned)"
                    .to_owned()
            }
            Self::Options => {
                "the options are others (--strict, selectors, --exclude, --smoke or --snapshots)"
                    .to_owned()
            }
            Self::World => "the world of the mock is another".to_owned(),
            Self::Answers => "the answers, or the pinned answers, are others".to_owned(),
            Self::Expected => "the known failures are others".to_owned(),
            Self::Tolerate => "what may stay not run (`tolerate`) is another".to_owned(),
        }
    }
}

/// The facts of a run: what it was asked for, and what it found out.
pub fn run_facts(options: &RunOptions, plan: &ShardPlan, part: &RunPart) -> PartFacts {
    let asked = json!([
        options.strict,
        options.selectors,
        options.excluded,
        options.tolerates_unmet_needs,
        format!("{:?}", options.snapshots),
        options.target.defects,
    ]);
    let target = &part.target;
    let about = &target.description;
    // A token of an earlier run is on one machine, and shard 1 alone uses it.
    let is_shared = |need: &&String| !["expired_token", "revoked_token"].contains(&need.as_str());
    let needs: Vec<&String> = part.met_needs.iter().filter(is_shared).collect();
    let destination = json!([about.base_url, about.class, target.is_mock, target.pages_max, needs]);
    let rows: Vec<(&str, u16)> =
        plan.scenarios.iter().map(|it| (it.name.as_str(), it.shard)).collect();
    PartFacts::from([
        (PartFact::Shards, plan.count.to_string()),
        (PartFact::Seed, options.target.seed.to_string()),
        (PartFact::Target, fingerprint(&destination)),
        (PartFact::Register, register_fingerprint()),
        (PartFact::Options, fingerprint(&asked)),
        (PartFact::Plan, fingerprint(&(rows, suite_fingerprint(&options.files)))),
        (PartFact::World, fingerprint(&options.target.world.as_deref())),
        (PartFact::Answers, fingerprint(&(&options.target.answers, &target.pins))),
        (PartFact::Expected, fingerprint(&part.expected.entries)),
        (PartFact::Tolerate, fingerprint(&target.tolerate)),
    ])
}

/// The fingerprint of the register and the questions of this program.
pub fn register_fingerprint() -> String {
    fingerprint(&(INTERFACE_VERSION, register::all(), questions::all()))
}

/// Of the content of scenario files, wherever they are.
pub(crate) fn suite_fingerprint(files: &[ScenarioFile]) -> String {
    let all = plan::select(files, &[]).unwrap_or_default();
    let contents: Vec<String> = all
        .iter()
        .map(|planned| {
            let shown = format!("{:?} {:?}", planned.file.requirements, planned.scenario);
            // Every place of a scenario has the path of its file.
            shown.replace(&format!("{:?}", planned.scenario.at.file), "")
        })
        .collect();
    fingerprint(&contents)
}

/// The SHA-256 of its JSON.
///
/// # Panics
/// Never: what is given has no map with keys that are not texts, and no number that JSON lacks.
pub fn fingerprint(value: &impl Serialize) -> String {
    let text = serde_json::to_vec(value).expect("values of ours have a JSON form");
    format!("{:x}", Sha256::digest(text))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::suite_fingerprint;
    use crate::scenario::load;
    use crate::scenario::validate::IdCheck;

    #[track_caller]
    fn of(folder: &str, title: &str) -> String {
        let text = format!(
            "section: \"4.6\"\ntitle: A sample\nscenarios:\n  - id: lists\n    title: {title}\n    \
             needs: [read]\n    steps:\n      - request: GET /v1/requests\n        token: read\n        \
             expect:\n          list-legal-requests.status-200: {{ status: 200 }}\n"
        );
        let texts = vec![(format!("{folder}/a.yaml"), Arc::from(text))];
        suite_fingerprint(&load::suite(texts, IdCheck::Register).expect("sound"))
    }

    #[test]
    fn the_folder_of_a_suite_does_not_count_and_its_content_does() {
        assert_eq!(of("/home/a", "One"), of("/build/b", "One"));
        assert_ne!(of("/home/a", "One"), of("/home/a", "Two"));
        let bundled = || suite_fingerprint(&load::bundled().expect("sound"));
        assert_eq!(bundled(), bundled());
    }
}
