//! A case: a sequence of acts, as a scenario.
//!
//! A case runs, shrinks and is saved as the same scenario text. So a saved case fails again in the same way.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::scenario::model::{NEEDS, ScenarioFile};
use crate::scenario::{diagnostic, load};

/// One act of a case: steps with drawn inputs. It creates or looks up the objects that it needs, so that any
/// subsequence of a case is a case.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// Steps of the scenario language.
    pub steps: Vec<Value>,
    /// The needs of a scenario with this act ([`NEEDS`]).
    pub needs: &'static [String],
    /// The number of calls that may create an object.
    pub creations: u32,
    /// Whether it compares responses, which other clients could change in between. A failure then counts only if it
    /// occurs twice.
    pub compares: bool,
}

/// A sequence of acts, with its number in the draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Case {
    /// Starts with 1.
    pub number: u64,
    /// The needs that the target meets. Its acts may have only these.
    pub met_needs: BTreeSet<&'static str>,
    pub acts: Vec<Act>,
}

impl Case {
    /// The id of its scenario: `case-17`.
    pub fn id(&self) -> String {
        format!("case-{}", self.number)
    }

    pub(super) fn scenario(&self) -> Value {
        let is_needed = |need: &&str| {
            *need == "read" || self.acts.iter().any(|act| act.needs.iter().any(|it| it == need))
        };
        let needs: Vec<&str> = NEEDS.into_iter().filter(is_needed).collect();
        let acts = self.acts.iter().zip(1..);
        let steps: Vec<Value> =
            acts.flat_map(|(act, place)| number_steps(&act.steps, place)).collect();
        let mut scenario = json!({
            "id": self.id(), "title": "Drawn by moot explore", "needs": needs, "steps": steps,
        });
        if self.acts.iter().any(|act| act.compares) {
            scenario["confirm"] = true.into();
        }
        scenario
    }
}

/// The steps, each with a name that begins with the number of its act.
fn number_steps(steps: &[Value], number: usize) -> Vec<Value> {
    let mut steps = steps.to_vec();
    for step in &mut steps {
        if let Some(Value::String(name)) = step.get_mut("name") {
            *name = format!("{number}. {name}");
        }
        for inner in ["steps", "finally"] {
            if let Some(Value::Array(steps)) = step.get_mut(inner) {
                *steps = number_steps(steps, number);
            }
        }
    }
    steps
}

/// The name of a step without the number that [`number_steps`] wrote.
pub(super) fn act_name(step: &str) -> &str {
    step.split_once(". ").map_or(step, |(_, name)| name)
}

/// The scenario file of these cases.
pub fn text(cases: &[Case]) -> String {
    let scenarios: Vec<Value> = cases.iter().map(Case::scenario).collect();
    let file = json!({ "section": "4", "title": "Explored", "scenarios": scenarios });
    // JSON is YAML too.
    let options =
        serde_saphyr::ser_options! { compact_list_indent: false, prefer_block_scalars: false };
    serde_saphyr::to_string_with_options(&file, options).unwrap_or_else(|_| file.to_string())
}

/// The scenario file of these cases, as it is read. `stem` is the first half of the names of the scenarios.
///
/// # Errors
/// The reader of scenarios refuses it, which is a bug of ours.
pub fn files(stem: &str, cases: &[Case]) -> Result<Arc<Vec<ScenarioFile>>, String> {
    let source = (format!("{stem}.yaml"), Arc::from(text(cases)));
    load::suite(vec![source]).map(Arc::new).map_err(|mistakes| {
        let first =
            mistakes.first().map(|mistake| diagnostic::render(mistake, false)).unwrap_or_default();
        format!("a drawn case is not a scenario, which is a bug of moot: {first}")
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::json;

    use super::{Act, Case, act_name, number_steps, text};

    #[test]
    fn the_number_of_an_act_is_no_part_of_its_name() {
        let steps = number_steps(&[json!({ "name": "a page", "request": "GET /v1/requests" })], 3);
        assert_eq!(steps[0]["name"], "3. a page");
        assert_eq!(act_name("3. a page"), "a page");
    }

    #[test]
    fn a_scenario_is_written_as_people_write_it() {
        let step = json!({
            "name": "a page", "request": "GET /v1/requests", "token": "read",
            "query": { "page": "1", "status": "no" },
            "expect": { "a.b": { "status": [200, 404], "/x": { "equals": {} } } },
        });
        let act = Act { steps: vec![step], needs: &[], creations: 0, compares: false };
        let case = Case { number: 1, met_needs: BTreeSet::new(), acts: vec![act] };
        insta::assert_snapshot!(text(&[case]), @r#"
        section: "4"
        title: Explored
        scenarios:
          - id: case-1
            title: Drawn by moot explore
            needs:
              - read
            steps:
              - name: 1. a page
                request: GET /v1/requests
                token: read
                query:
                  page: "1"
                  status: "no"
                expect:
                  a.b:
                    status:
                      - 200
                      - 404
                    /x:
                      equals: {}
        "#);
    }
}
