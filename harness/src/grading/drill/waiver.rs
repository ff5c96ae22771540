//! Waivers: failures of drills that somebody answers for, until a day.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judge::{DrillEnd, DrillResult};
use super::table;

/// A waiver, as in the file of `--waivers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// The id of the drill.
    pub drill: String,
    /// Why it may fail.
    pub reason: String,
    /// Who answers for it.
    pub owner: String,
    /// The last day on which it counts, such as `2026-12-31`.
    pub expires: String,
}

/// A waiver and what it did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaiverUse {
    /// The waiver.
    #[serde(flatten)]
    pub waiver: Waiver,
    /// The day on which it was judged.
    pub judged_on: String,
    /// Why it does not count: it is expired or excuses nothing.
    pub fault: Option<String>,
}

impl Waiver {
    /// Reads the file of `--waivers`: a list.
    ///
    /// # Errors
    /// What is wrong with it, as text.
    pub fn read(text: &str) -> Result<Vec<Self>, String> {
        let all: Vec<Self> = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
        for waiver in &all {
            let Self { drill, reason, owner, expires } = waiver;
            if table::get(drill).is_none() {
                return Err(format!("there is no drill `{drill}`; `moot drill --list` shows all"));
            }
            if reason.trim().is_empty() || owner.trim().is_empty() {
                return Err(format!("the waiver of `{drill}` needs a reason and an owner"));
            }
            if expires.parse::<jiff::civil::Date>().is_err() {
                return Err(format!("`expires` of `{drill}` is a day such as 2026-12-31"));
            }
        }
        Ok(all)
    }

    /// What it excuses among results.
    pub(super) fn used(&self, drills: &[DrillResult], today: &str) -> WaiverUse {
        let excused = |it: &DrillResult| {
            it.drill == self.drill && !matches!(it.end, DrillEnd::Held | DrillEnd::NotApplicable)
        };
        let fault = if self.expires.as_str() < today {
            Some(format!("the waiver of {} expired on {}", self.drill, self.expires))
        } else if !drills.iter().any(excused) {
            Some(format!("the waiver of {} excuses nothing: remove it", self.drill))
        } else {
            None
        };
        WaiverUse { waiver: self.clone(), judged_on: today.to_owned(), fault }
    }
}
