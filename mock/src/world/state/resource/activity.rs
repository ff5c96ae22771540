//! An entry of a legal request's activity log (§2.5).

use jiff::Timestamp;
use moot_fixtures::contract::{ActivityWording, Answers, LegalRequestStatus, Presence};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::value::message::json::ResourceJson;
use crate::value::short_id::ShortId;
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
    pub(crate) id: ShortId,
    pub(crate) at: Timestamp,
    pub(crate) happening: ActivityKind,
    pub(crate) comment: Option<Box<str>>,
}

/// `attributes` of an entry.
#[derive(Debug, Serialize)]
pub(crate) struct ActivityAttributes<'a> {
    action: &'a str,
    description: String,
    comment: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_data: Option<Map<String, Value>>,
    created_at: String,
}

/// The `action` of a status change (§2.5).
const STATUS_CHANGE: &str = "status_change";

impl Activity {
    /// The JSON of §2.5.
    pub(crate) fn json<'a>(
        &'a self,
        answers: &'a Answers,
    ) -> ResourceJson<'a, ActivityAttributes<'a>> {
        ResourceJson {
            id: self.id.as_str(),
            resource_type: "activity_log",
            attributes: ActivityAttributes {
                action: match self.happening {
                    ActivityKind::Created => &answers.activity_actions.created,
                    ActivityKind::StatusChange { .. } => STATUS_CHANGE,
                    ActivityKind::Comment => &answers.activity_actions.comment,
                },
                description: self.description(answers.activity_wording),
                comment: self.comment.as_deref(),
                additional_data: match answers.activity_additional_data {
                    Presence::Object => Some(self.additional_data()),
                    Presence::Absent => None,
                },
                created_at: timestamp::text(answers.timestamps, self.at),
            },
        }
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

    fn additional_data(&self) -> Map<String, Value> {
        let mut members = Map::new();
        if let ActivityKind::StatusChange { from, to } = self.happening {
            members.insert("from".to_owned(), from.as_str().into());
            members.insert("to".to_owned(), to.as_str().into());
        }
        members
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
