//! The automatic progression of a legal request: its goal and its pace. The goal is `archived`, or depends on a
//! reserved counterparty address.

use std::borrow::Cow;
use std::collections::BTreeMap;

use jiff::Timestamp;
use moot_fixtures::contract::LegalRequestStatus;
use serde::{Deserialize, Serialize};

use crate::value::clock::later;
use crate::value::email::reserved_goal;
use crate::value::settings::Progression;

/// Seconds for each step of a request with a reserved address, if other requests do not change automatically.
const RESERVED_STEP_SECONDS: u32 = 1;

/// The goal and the pace of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ProgressionPlan {
    pub(crate) goal: LegalRequestStatus,
    pub(crate) pace: Pace,
}

/// The trigger of the next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pace {
    /// After this time.
    Timed { seconds: u32, next_at: Timestamp },
    /// After this number of reads of the request.
    OnRead {
        reads: u32,
        /// Reads since the last step.
        read: u32,
    },
}

impl ProgressionPlan {
    /// The plan of a new request with these text fields; `None` if its status does not change automatically.
    pub(crate) fn of(
        progression: Progression,
        texts: &BTreeMap<Cow<'static, str>, String>,
        now: Timestamp,
    ) -> Option<Self> {
        let reserved = ["counterparty_email", "counterparty_signer_email"]
            .into_iter()
            .find_map(|field| reserved_goal(texts.get(field)?));
        let goal = reserved.unwrap_or(LegalRequestStatus::Archived);
        let timed = |seconds: u32| Pace::Timed { seconds, next_at: later(now, u64::from(seconds)) };
        let pace = match progression {
            Progression::Manual if reserved.is_some() => timed(RESERVED_STEP_SECONDS),
            Progression::Manual => return None,
            Progression::Timed { seconds } => timed(seconds),
            Progression::OnRead { reads } => Pace::OnRead { reads, read: 0 },
            Progression::Immediate => timed(0),
        };
        Some(Self { goal, pace })
    }

    /// The plan after a step at this time.
    pub(crate) fn after_step(self, at: Timestamp) -> Self {
        let pace = match self.pace {
            Pace::Timed { seconds, .. } => {
                Pace::Timed { seconds, next_at: later(at, u64::from(seconds)) }
            }
            Pace::OnRead { reads, .. } => Pace::OnRead { reads, read: 0 },
        };
        Self { pace, ..self }
    }
}
