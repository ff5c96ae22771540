//! The acts that can be drawn, from `acts/*.yaml`.
//!
//! Every check of an act is a row of the register, as in any scenario. The implicit checks judge each exchange too.
//! Acts check nothing that the specification leaves open.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use moot_fixtures::yaml;
use proptest::strategy::{BoxedStrategy, Strategy, Union};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::case::Act;
use super::inputs::InputKind;

/// An act of a file: steps with places for inputs.
///
/// `${name}` stands for the input with this name, and `${name.member}` for a member of it. A text that is only such a
/// place becomes the value itself, of any type.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ActTemplate {
    /// How often it is drawn, relative to the others.
    weight: u32,
    /// See [`Act::needs`]. Every act also needs `read`.
    #[serde(default)]
    needs: Vec<String>,
    /// See [`Act::creations`].
    #[serde(default)]
    creations: u32,
    /// See [`Act::compares`].
    #[serde(default)]
    compares: bool,
    /// Its inputs by name.
    #[serde(default)]
    draw: BTreeMap<String, InputKind>,
    /// Steps of the scenario language.
    steps: Vec<Value>,
}

const FILES: [&str; 7] = [
    include_str!("acts/reading.yaml"),
    include_str!("acts/comparing.yaml"),
    include_str!("acts/isolation.yaml"),
    include_str!("acts/requests.yaml"),
    include_str!("acts/uploads.yaml"),
    include_str!("acts/webhooks.yaml"),
    include_str!("acts/tokens.yaml"),
];

static ALL: LazyLock<Vec<ActTemplate>> =
    LazyLock::new(|| FILES.into_iter().flat_map(yaml::embedded::<Vec<_>>).collect());

/// An act that may be sent to a target that meets these needs of scenarios.
pub(super) fn act(met_needs: &BTreeSet<&str>) -> BoxedStrategy<Act> {
    let is_met = |need: &String| met_needs.contains(need.as_str());
    let allowed = ALL.iter().filter(|template| template.needs.iter().all(is_met));
    Union::new_weighted(allowed.map(|it| (it.weight, it.strategy())).collect()).boxed()
}

impl ActTemplate {
    fn strategy(&'static self) -> BoxedStrategy<Act> {
        let inputs: Vec<BoxedStrategy<Value>> =
            self.draw.values().map(InputKind::strategy).collect();
        inputs.prop_map(|values| self.act(&self.draw.keys().cloned().zip(values).collect())).boxed()
    }

    fn act(&'static self, inputs: &Map<String, Value>) -> Act {
        let Self { needs, creations, compares, steps, .. } = self;
        let steps = steps.iter().map(|step| fill(step, inputs)).collect();
        Act { steps, needs, creations: *creations, compares: *compares }
    }
}

/// The template with its inputs.
fn fill(template: &Value, inputs: &Map<String, Value>) -> Value {
    match template {
        Value::String(text) => {
            let whole = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
            match whole.and_then(|path| input(path, inputs)) {
                Some(value) => value.clone(),
                None => fill_text(text, inputs).into(),
            }
        }
        Value::Array(items) => items.iter().map(|item| fill(item, inputs)).collect(),
        // Of two members with the same name, the later one counts.
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| (fill_text(name, inputs), fill(value, inputs)))
            .collect(),
        other => other.clone(),
    }
}

fn fill_text(text: &str, inputs: &Map<String, Value>) -> String {
    let mut parts = text.split("${");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (path, rest) = part.split_once('}').unwrap_or((part, ""));
        out.push_str(input(path, inputs).and_then(Value::as_str).unwrap_or_default());
        out.push_str(rest);
    }
    out
}

fn input<'i>(path: &str, inputs: &'i Map<String, Value>) -> Option<&'i Value> {
    match path.split_once('.') {
        Some((name, member)) => inputs.get(name)?.get(member),
        None => inputs.get(path),
    }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::{ALL, BTreeSet, Strategy, act};
    use crate::explore::case::{Case, files};
    use crate::scenario::model::NEEDS;

    #[test]
    fn every_act_of_the_files_is_a_scenario_with_all_places_filled() {
        let mut runner = TestRunner::deterministic();
        for (number, template) in (1..).zip(ALL.iter()) {
            let act = template.strategy().new_tree(&mut runner).expect("it is drawn").current();
            let text = format!("{:?}", act.steps);
            assert!(!text.contains("${"), "{text}");
            assert!(act.needs.iter().all(|need| NEEDS.contains(&need.as_str())), "{:?}", act.needs);
            files("acts", &[Case { number, met_needs: BTreeSet::new(), acts: vec![act] }])
                .expect("it is a scenario");
        }
    }

    #[test]
    fn a_target_that_may_only_be_read_is_sent_nothing_that_creates() {
        let mut runner = TestRunner::deterministic();
        let acts = act(&BTreeSet::from(["read"]));
        for _ in 0..200 {
            let act = acts.new_tree(&mut runner).expect("it is drawn").current();
            assert_eq!((act.needs.len(), act.creations), (0, 0), "{act:?}");
        }
    }
}
