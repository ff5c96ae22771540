//! Waivers: drills that may fail until a date, each with a reason and an owner.

use jiff::civil::Date;
use moot_fixtures::conduct::DrillEnd;
use moot_fixtures::{DataError, yaml};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::judge::DrillResult;
use super::table;

/// A waiver, as in the file of `--waivers`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Waiver {
    /// The id of the drill.
    pub drill: String,
    /// Why it may fail.
    pub reason: String,
    /// The person or team that is responsible.
    pub owner: String,
    /// The last day on which it is valid, such as `2026-12-31`.
    pub expires: String,
}

/// A waiver with its effect on a certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WaiverUse {
    /// The waiver.
    #[serde(flatten)]
    pub waiver: Waiver,
    /// The date on which it was applied.
    pub judged_on: String,
    /// The reason why it does not count: it expired, or no drill needs it.
    pub fault: Option<String>,
}

impl Waiver {
    /// Reads the list in the file of `--waivers`. `file` names it in errors.
    ///
    /// # Errors
    /// The first mistake in it.
    pub fn read(file: &str, text: &str) -> Result<Vec<Self>, DataError> {
        let all: Vec<Self> = yaml::read(file, text)?;
        for (index, waiver) in all.iter().enumerate() {
            let refused = |key: &str, message: String| {
                let place = yaml::locate(text, &[&index.to_string(), key]);
                Err(DataError::new(file, message).at(place))
            };
            let Self { drill, reason, owner, expires } = waiver;
            if table::get(drill).is_none() {
                let message = format!("there is no drill `{drill}`; `moot drill --list` shows all");
                return refused("drill", message);
            }
            for (key, value) in [("reason", reason), ("owner", owner)] {
                if value.trim().is_empty() {
                    return refused(
                        key,
                        format!("the waiver of `{drill}` needs a reason and an owner"),
                    );
                }
            }
            // `Date` also parses other forms, but dates are compared as texts.
            if !expires.parse::<Date>().is_ok_and(|date| date.to_string() == *expires) {
                let message = format!("`expires` of `{drill}` must be a date such as 2026-12-31");
                return refused("expires", message);
            }
        }
        Ok(all)
    }

    /// Applies it to results.
    pub(super) fn apply(&self, drills: &[DrillResult], today: &str) -> WaiverUse {
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

#[cfg(test)]
mod tests {
    use super::Waiver;

    #[test]
    fn a_wrong_waiver_has_its_place() {
        let row = |drill: &str, owner: &str, expires: &str| {
            format!("- drill: {drill}\n  reason: known\n  owner: '{owner}'\n  expires: {expires}\n")
        };
        let sound = row("limited", "us", "2026-12-31");
        assert!(Waiver::read("w.yaml", &sound).is_ok());
        for (wrong, place) in [
            (row("limitedd", "us", "2026-12-31"), (5, 10)),
            (row("stalled", " ", "2026-12-31"), (7, 10)),
            (row("stalled", "us", "soon"), (8, 12)),
            (row("stalled", "us", "'20261231'"), (8, 12)),
            (row("stalled", "us", "2026-12-31T00:00"), (8, 12)),
        ] {
            let error = Waiver::read("w.yaml", &(sound.clone() + &wrong)).expect_err("it is wrong");
            let found = error.place.map(|place| (place.line, place.column));
            assert_eq!(found, Some(place), "{error}");
        }
    }
}
