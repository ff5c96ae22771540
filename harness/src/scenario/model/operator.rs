//! The step `operator`: an action at the target that a client cannot take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::{Display, EnumDiscriminants, EnumIter, EnumString, IntoEnumIterator, VariantNames};

use crate::scenario::language::form::{Integer, Word};
use crate::scenario::language::keys::{Keys, keyed};
use crate::scenario::language::reader::{MapFields, ScenarioReader};
use crate::scenario::names::{Names, UnknownName};
use crate::scenario::text::Text;

/// The longest move of the clock, in seconds: a year.
const ADVANCED_SECONDS_MAX: u64 = 366 * 24 * 60 * 60;

/// An order to the operator of a target.
#[derive(Debug, Clone, PartialEq, Eq, EnumDiscriminants)]
#[strum_discriminants(
    name(OperatorAction),
    derive(PartialOrd, Ord, Display, EnumIter, EnumString, VariantNames),
    derive(Serialize, Deserialize, JsonSchema),
    serde(rename_all = "snake_case"),
    strum(serialize_all = "snake_case"),
    doc = "An action of the operator of a target. `operator.command` gets its name as the verb."
)]
pub enum OperatorOrder {
    /// Changes the status of a legal request.
    SetStatus {
        /// The id of the legal request.
        id: String,
        /// One of the twelve statuses.
        status: String,
    },
    /// Comments on a legal request.
    AddComment {
        /// The id of the legal request.
        id: String,
        /// The comment.
        comment: String,
    },
    /// Stops the service and starts it again.
    Restart,
    /// Moves the clock of the service forward.
    AdvanceClock {
        /// The number of seconds.
        seconds: u64,
    },
    /// Revokes an access token.
    RevokeToken {
        /// The access token.
        token: String,
    },
}

impl OperatorAction {
    /// The entry of `needs` of a scenario with such a step.
    pub fn need(self) -> String {
        format!("operator.{self}")
    }

    /// The action with this need.
    pub fn of_need(need: &str) -> Option<Self> {
        need.strip_prefix("operator.")?.parse().ok()
    }

    /// The action in words, as in "cannot set the status of a request".
    pub const fn what(self) -> &'static str {
        match self {
            Self::SetStatus => "set the status of a request",
            Self::AddComment => "comment on a request",
            Self::Restart => "restart the service",
            Self::AdvanceClock => "move the clock of the service",
            Self::RevokeToken => "revoke a token",
        }
    }

    /// The keys of a step with this action, beside `operator`.
    const fn keys(self) -> &'static [&'static str] {
        match self {
            Self::SetStatus => &["id", "status"],
            Self::AddComment => &["id", "comment"],
            Self::Restart => &[],
            Self::AdvanceClock => &["seconds"],
            Self::RevokeToken => &["token"],
        }
    }
}

impl OperatorOrder {
    pub fn action(&self) -> OperatorAction {
        self.into()
    }
}

/// Every key of a step `operator` beside `operator` itself.
const KEYS: [&str; 5] = ["id", "status", "comment", "seconds", "token"];

keyed! {
    /// A step `operator`. Each action needs some of its keys, and has no others.
    #[derive(Debug, Clone)]
    pub struct OperatorStep {
        /// The action.
        "operator" => action: OperatorAction as Word,
        /// The legal request of `set_status` or `add_comment`.
        id: Option<Text>,
        /// The status of `set_status`.
        status: Option<Text>,
        /// The text of `add_comment`.
        comment: Option<Text>,
        /// By how many seconds `advance_clock` moves the clock.
        seconds: Option<u64> as Option<Integer<1, ADVANCED_SECONDS_MAX>>,
        /// The access token of `revoke_token`.
        token: Option<Text>,
    }
}

impl OperatorStep {
    /// Reads the keys of the step, and refuses those that do not belong to its action.
    pub(super) fn read(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let step = Self::read_keys(reader, fields)?;
        let action = step.action;
        for key in KEYS {
            match (action.keys().contains(&key), fields.key(key)) {
                (false, Some(given)) => {
                    let message = format!("`operator: {action}` has no key `{key}`");
                    return reader.refuse(given.span, message);
                }
                (true, None) => {
                    let message = format!("`operator: {action}` needs the key `{key}`");
                    return reader.refuse(fields.start(), message);
                }
                (true, Some(_)) | (false, None) => {}
            }
        }
        Some(step)
    }

    /// The schema of [`OperatorAction::keys`].
    pub(super) fn rule() -> Value {
        let one_of = OperatorAction::iter().map(|action| {
            let mut required = vec!["operator"];
            required.extend(action.keys());
            let others = KEYS.iter().filter(|key| !action.keys().contains(key));
            let others: Vec<_> = others.map(|key| json!({ "required": [key] })).collect();
            json!({
                "required": required,
                "properties": { "operator": { "const": action } },
                "not": { "anyOf": others },
            })
        });
        json!({ "oneOf": one_of.collect::<Vec<_>>() })
    }

    /// The texts that may have names in them.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        [&self.id, &self.status, &self.comment, &self.token].into_iter().flatten()
    }

    /// The order with the values of its names.
    ///
    /// # Errors
    /// A name without a value.
    pub fn render(&self, names: &Names) -> Result<OperatorOrder, UnknownName> {
        // A key that belongs to the action is given.
        let text = |key: &Option<Text>| {
            key.as_ref().map_or_else(|| Ok(String::new()), |text| text.render_text(names))
        };
        let (id, status) = (text(&self.id)?, text(&self.status)?);
        let (comment, token) = (text(&self.comment)?, text(&self.token)?);
        Ok(match self.action {
            OperatorAction::SetStatus => OperatorOrder::SetStatus { id, status },
            OperatorAction::AddComment => OperatorOrder::AddComment { id, comment },
            OperatorAction::Restart => OperatorOrder::Restart,
            OperatorAction::AdvanceClock => {
                OperatorOrder::AdvanceClock { seconds: self.seconds.unwrap_or_default() }
            }
            OperatorAction::RevokeToken => OperatorOrder::RevokeToken { token },
        })
    }
}
