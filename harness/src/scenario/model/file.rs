//! A file of scenarios, and the keys of a scenario.

use std::sync::Arc;

use moot_fixtures::nearest;
use moot_fixtures::yaml::YamlNode;
use serde_json::{Value, json};

use super::for_each::ForEach;
use super::own_requirement::OwnRequirement;
use super::step::Step;
use crate::scenario::language::form::{List, NewName, OrDefault, SchemaDefinitions, YamlForm};
use crate::scenario::language::keys::{Keys, MapSchema, keyed};
use crate::scenario::language::reader::{MapFields, ScenarioReader};
use crate::scenario::language::text_forms::{ClauseNumber, Clock, Progression, RateLimit, Slug};
use crate::scenario::text::Location;

/// The largest number of needs, tags or receivers of one scenario.
const WORDS_MAX: usize = 50;

/// A file of scenarios.
#[derive(Debug, Clone)]
pub struct ScenarioFile {
    /// The name of the file without its extension: `04_05_create_legal_request`.
    pub stem: String,
    /// The clause of the specification.
    pub section: String,
    /// The title, for people.
    pub title: String,
    /// Requirements that are not in the register. The checks of the suite may name them.
    pub requirements: Vec<OwnRequirement>,
    /// In the order of the file.
    pub scenarios: Vec<Scenario>,
    /// The whole text of the file, for messages.
    pub text: Arc<str>,
}

keyed! {
    /// The keys of a file of scenarios.
    pub(in crate::scenario) struct ScenarioFileKeys("the file") {
        /// The clause of the specification, in quotes.
        section: String as ClauseNumber,
        /// The title of the file.
        title: String,
        /// Requirements of your own, beside those of the register. Checks name them by their id.
        requirements: Vec<OwnRequirement> as OrDefault<List<OwnRequirement, 1, 500>>,
        /// The scenarios, in order.
        scenarios: Vec<Scenario> as List<Scenario, 1, 500>,
    }
}

keyed! {
    /// One scenario.
    #[derive(Debug, Clone)]
    pub struct Scenario("a scenario") {
        /// A slug that is unique in the suite.
        id: String as Slug,
        /// The rule, as a sentence.
        title: String,
        /// Capabilities of the target. The scenario is not run if one is missing.
        needs: Vec<String> as OrDefault<List<Need, 1, WORDS_MAX>>,
        /// Words for selecting scenarios: `tag:WORD`.
        tags: Vec<String> as OrDefault<List<String, 1, WORDS_MAX>>,
        /// Settings of the sandbox, if the target is a mock.
        sandbox: Sandbox as OrDefault<Sandbox>,
        /// Names of webhook receivers.
        receivers: Vec<String> as OrDefault<List<NewName, 1, WORDS_MAX>>,
        /// Runs the scenario once for each row.
        for_each: Option<ForEach>,
        /// Whether a scenario that fails on a deployment runs again. Only two failures count.
        confirm: bool as OrDefault<bool>,
        /// The steps, in order.
        steps: Vec<Step>,
    }
    with {
        /// The place of the id.
        at: Location,
    }
}

impl Scenario {
    /// Whether it needs this capability of the target.
    pub fn needs(&self, need: &str) -> bool {
        self.needs.iter().any(|known| known == need)
    }

    /// The settings of its sandbox. A scenario that needs `load` tests the rate limit, so its sandbox has one.
    pub fn sandbox_settings(&self) -> Sandbox {
        let mut settings = self.sandbox.clone();
        if self.needs("load") {
            settings.rate_limit.get_or_insert_with(|| "enforce".to_owned());
        }
        settings
    }
}

/// The capabilities that a scenario may name in `needs`.
pub const NEEDS: [&str; 22] = [
    "read",
    "write",
    "delete",
    "load",
    "admin",
    "operator.set_status",
    "operator.add_comment",
    "operator.restart",
    "operator.advance_clock",
    "operator.revoke_token",
    "fetch",
    "second_company",
    "read_write_application",
    "reader_application",
    "writer_application",
    "expired_token",
    "revoked_token",
    "receiver",
    "workflow_generated",
    "workflow_third_party",
    "workflow_single_signer",
    "workflow_multiple_signers",
];

keyed! {
    /// Settings of the sandbox, if the target is a mock.
    #[derive(Debug, Clone, Default)]
    pub struct Sandbox("`sandbox`") {
        /// The name of a bundled world. Default: `demo`, or that of `--world`.
        world: Option<String>,
        /// The name of bundled answers, or `random:SEED`. Default: those of the mock.
        answers: Option<String>,
        /// `real`, `frozen` or `frozen:TIME`. Default: `real`.
        clock: Option<String> as Option<Clock>,
        /// `enforce`, `observe` or `off`. Default: `enforce` if the scenario needs `load`, else `observe`.
        rate_limit: Option<String> as Option<RateLimit>,
        /// `manual`, `timed`, `timed:SECONDS`, `on-read`, `on-read:N` or `immediate`. Default: that of the mock.
        progression: Option<String> as Option<Progression>,
    }
}

/// The place of the key `id` in the same map.
impl Keys for Location {
    fn names(_: &mut Vec<&'static str>) {}

    fn describe(_: &mut SchemaDefinitions, _: &mut MapSchema) {}

    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        Some(reader.at(fields.get("id")?.span))
    }
}

/// A member of [`NEEDS`].
struct Need;

impl YamlForm<String> for Need {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<String> {
        let need = reader.plain(node, what)?;
        if NEEDS.contains(&need) {
            return Some(need.to_owned());
        }
        let help = nearest::hint_or_all(need, &NEEDS);
        reader.refuse_with(node.span, format!("unknown need `{need}`"), Some(help))
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        json!({ "enum": NEEDS })
    }
}
