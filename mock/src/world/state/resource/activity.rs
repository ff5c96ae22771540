//! An entry of a legal request's activity log (§2.5).

use jiff::Timestamp;
use moot_fixtures::contract::{ActivityWording, Answers, LegalRequestStatus, Presence};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::value::message::json::ResourceJson;
use crate::value::timestamp;

/// The kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ActivityKind {
    /// The request was created.
    Created,
    /// Its status changed.
    StatusChange { from: LegalRequestStatus, to: LegalRequestStatus },
    /// A user left a comment.
    Comment,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Activity {
    pub(crate) id: String,
    pub(crate) at: Timestamp,
    pub(crate) happening: ActivityKind,
    pub(crate) comment: Option<Box<str>>,
}

/// The `action` of a status change (§2.5).
const STATUS_CHANGE: &str = "status_change";

impl Activity {
    /// The JSON of §2.5.
    pub(crate) fn json(&self, answers: &Answers) -> ResourceJson<'_, Value> {
        let action = match self.happening {
            ActivityKind::Created => &answers.activity_actions.created,
            ActivityKind::StatusChange { .. } => STATUS_CHANGE,
            ActivityKind::Comment => &answers.activity_actions.comment,
        };
        let mut attributes = json!({
            "action": action,
            "description": self.description(answers.activity_wording),
            "comment": self.comment,
        });
        if answers.activity_additional_data == Presence::Object {
            attributes["additional_data"] = self.additional_data();
        }
        attributes["created_at"] = timestamp::text(answers.timestamps, self.at).into();
        ResourceJson { id: &self.id, resource_type: "activity_log", attributes }
    }

    fn description(&self, wording: ActivityWording) -> String {
        match self.happening {
            ActivityKind::Created => "Request created".to_owned(),
            ActivityKind::Comment => "Comment added".to_owned(),
            ActivityKind::StatusChange { to, .. } => {
                format!("Status changed to {}", worded(to, wording))
            }
        }
    }

    fn additional_data(&self) -> Value {
        match self.happening {
            ActivityKind::StatusChange { from, to } => json!({ "from": from, "to": to }),
            ActivityKind::Created | ActivityKind::Comment => json!({}),
        }
    }
}

fn worded(status: LegalRequestStatus, wording: ActivityWording) -> String {
    let value = status.as_str();
    match wording {
        ActivityWording::Value => value.to_owned(),
        ActivityWording::Words => {
            let (first, rest) = value.split_at(1);
            format!("{}{}", first.to_uppercase(), rest.replace('_', " "))
        }
    }
}
