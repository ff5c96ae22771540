//! The step `operator`: an action at the target that a client cannot take.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use strum::{Display, EnumDiscriminants, EnumIter, EnumString, IntoEnumIterator, VariantNames};

use crate::scenario::language::form::{Integer, SchemaDefinitions, Word};
use crate::scenario::language::keys::{Keys, MapSchema, keyed};
use crate::scenario::language::reader::{MapFields, ScenarioReader};
use crate::scenario::names::{Names, UnknownName};
use crate::scenario::text::Text;

/// The longest move of the clock, in seconds: a year.
const ADVANCED_SECONDS_MAX: u64 = 366 * 24 * 60 * 60;

/// An order to the operator of a target. In a scenario, its texts may have names in them.
#[derive(Debug, Clone, PartialEq, Eq, EnumDiscriminants)]
#[strum_discriminants(
    name(OperatorAction),
    derive(PartialOrd, Ord, Display, EnumIter, EnumString, VariantNames),
    derive(Serialize, Deserialize, JsonSchema),
    serde(rename_all = "snake_case"),
    strum(serialize_all = "snake_case"),
    doc = "An action of the operator of a target. `operator.command` gets its name as the verb."
)]
pub enum OperatorOrder<T = String> {
    /// Changes the status of a legal request.
    SetStatus {
        /// The id of the legal request.
        id: T,
        /// One of the twelve statuses.
        status: T,
    },
    /// Comments on a legal request.
    AddComment {
        /// The id of the legal request.
        id: T,
        /// The comment.
        comment: T,
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
        token: T,
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

impl<T> OperatorOrder<T> {
    pub fn action(&self) -> OperatorAction {
        self.into()
    }

    /// The texts that may have names in them.
    pub fn texts(&self) -> Vec<&T> {
        match self {
            Self::SetStatus { id, status } => vec![id, status],
            Self::AddComment { id, comment } => vec![id, comment],
            Self::RevokeToken { token } => vec![token],
            Self::Restart | Self::AdvanceClock { .. } => Vec::new(),
        }
    }
}

impl OperatorOrder<Text> {
    /// The order with the values of its names.
    ///
    /// # Errors
    /// A name without a value.
    pub fn render(&self, names: &Names) -> Result<OperatorOrder, UnknownName> {
        let text = |text: &Text| text.render_text(names);
        Ok(match self {
            Self::SetStatus { id, status } => {
                OperatorOrder::SetStatus { id: text(id)?, status: text(status)? }
            }
            Self::AddComment { id, comment } => {
                OperatorOrder::AddComment { id: text(id)?, comment: text(comment)? }
            }
            Self::Restart => OperatorOrder::Restart,
            Self::AdvanceClock { seconds } => OperatorOrder::AdvanceClock { seconds: *seconds },
            Self::RevokeToken { token } => OperatorOrder::RevokeToken { token: text(token)? },
        })
    }
}

/// Every key of a step `operator` beside `operator` itself.
const KEYS: [&str; 5] = ["id", "status", "comment", "seconds", "token"];

keyed! {
    /// The keys of a step `operator`. Each action needs some of them, and has no others.
    struct OperatorKeys {
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

impl Keys for OperatorOrder<Text> {
    fn names(names: &mut Vec<&'static str>) {
        OperatorKeys::names(names);
    }

    fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
        OperatorKeys::describe(definitions, map);
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
        map.rules.push(json!({ "oneOf": one_of.collect::<Vec<_>>() }));
    }

    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let OperatorKeys { action, id, status, comment, seconds, token } =
            OperatorKeys::read_keys(reader, fields)?;
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
        Some(match action {
            OperatorAction::SetStatus => Self::SetStatus { id: id?, status: status? },
            OperatorAction::AddComment => Self::AddComment { id: id?, comment: comment? },
            OperatorAction::Restart => Self::Restart,
            OperatorAction::AdvanceClock => Self::AdvanceClock { seconds: seconds? },
            OperatorAction::RevokeToken => Self::RevokeToken { token: token? },
        })
    }
}
