//! What a client used of the control plane, which only the mock has.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How often a route of the control plane was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ControlUse {
    /// The method.
    pub method: String,
    /// The route below `/__admin`.
    pub path: String,
    /// How often.
    pub calls: u64,
    /// How many of them were refused, because the route is not offered to a client.
    pub refused: u64,
}

impl ControlUse {
    /// As text: `POST /clock ×3, 3 refused`.
    pub fn shown(&self) -> String {
        let Self { method, path, calls, refused } = self;
        let refused = match refused {
            0 => String::new(),
            refused => format!(", {refused} refused"),
        };
        format!("{method} {path} ×{calls}{refused}")
    }
}

/// Reads what was used of the control plane.
///
/// # Errors
/// The value is not a set of journals.
pub fn control_uses(journals: &Value) -> Result<Vec<ControlUse>, serde_json::Error> {
    match &journals["control"] {
        Value::Null => Ok(Vec::new()),
        uses => Vec::deserialize(uses),
    }
}
