//! `moot coverage`: every row of the register, and whether something checks it.

use std::collections::BTreeMap;

use moot_fixtures::contract::Requirement;
use moot_fixtures::register;
use serde_json::json;

use super::failure::{Failure, INCONCLUSIVE};
use super::line::CoverageArguments;
use super::screen::Screen;
use super::suite;
use super::verified::Verified;
use crate::report::text::Detail;
use crate::report::text::paint::{left, right};
use crate::verdict::Verdict;

/// What there is for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cover {
    Checked,
    Observed,
    Unverifiable,
    Nothing,
}

impl Cover {
    const ALL: [Self; 4] = [Self::Checked, Self::Observed, Self::Unverifiable, Self::Nothing];

    fn of(row: &Requirement, verified: &Verified) -> Self {
        let id = row.id.as_str();
        if !verified.scenarios(id).is_empty() || !verified.implicit(id).is_empty() {
            Self::Checked
        } else if row.question.as_deref().is_some_and(|q| !verified.observers(q).is_empty()) {
            Self::Observed
        } else if row.unverifiable.is_some() {
            Self::Unverifiable
        } else {
            Self::Nothing
        }
    }

    const fn as_str(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Observed => "observed",
            Self::Unverifiable => "not verifiable",
            Self::Nothing => "nothing",
        }
    }

    const fn color(self) -> Verdict {
        match self {
            Self::Checked => Verdict::Pass,
            Self::Observed => Verdict::Observed,
            Self::Unverifiable => Verdict::NotApplicable,
            Self::Nothing => Verdict::Fail,
        }
    }
}

/// Exit 3 where a row has neither a check nor a reason.
pub(super) fn coverage(arguments: CoverageArguments, screen: &Screen) -> Result<u8, Failure> {
    let verified = Verified::by(&suite::files(&arguments.scenarios, screen.color())?);
    let rows: Vec<(&Requirement, Cover)> =
        register::all().iter().map(|row| (row, Cover::of(row, &verified))).collect();
    if screen.is_json() {
        let shape = |(row, cover): &(&Requirement, Cover)| {
            json!({
                "id": row.id,
                "section": row.section,
                "level": row.level,
                "cover": cover.as_str(),
                "scenarios": verified.scenarios(&row.id),
                "implicit": verified.implicit(&row.id),
                "unverifiable": row.unverifiable,
            })
        };
        screen.json(&json!({ "requirements": rows.iter().map(shape).collect::<Vec<_>>() }))?;
    } else {
        screen.print(&text(&rows, screen))?;
    }
    let is_whole = rows.iter().all(|(_, cover)| *cover != Cover::Nothing);
    Ok(if is_whole { 0 } else { INCONCLUSIVE })
}

fn text(rows: &[(&Requirement, Cover)], screen: &Screen) -> String {
    let paint = screen.paint();
    let mut sections: BTreeMap<Vec<u32>, (&str, BTreeMap<Cover, usize>)> = BTreeMap::new();
    for (row, cover) in rows {
        let section = sections.entry(order(&row.section)).or_default();
        section.0 = &row.section;
        *section.1.entry(*cover).or_default() += 1;
    }
    let heads: String = Cover::ALL.iter().map(|cover| right(cover.as_str(), 16)).collect();
    let mut out = format!("{}\n", paint.dim(&format!("{}{heads}", left("§", 6))));
    let mut totals = BTreeMap::new();
    for (section, counts) in sections.values() {
        for (cover, count) in counts {
            *totals.entry(*cover).or_default() += count;
        }
        out.push_str(&format!("{}{}\n", left(section, 6), cells(counts, screen)));
    }
    out.push_str(&format!("{}{}\n", left("all", 6), cells(&totals, screen)));
    for (row, cover) in rows {
        let shows = match cover {
            Cover::Nothing => true,
            Cover::Checked | Cover::Observed | Cover::Unverifiable => {
                screen.detail() == Detail::Verbose
            }
        };
        if shows {
            let cover = paint.verdict(cover.color(), &left(cover.as_str(), 14));
            out.push_str(&format!("\n{cover} {}\n  {}\n", paint.name(&row.id), row.sentence));
        }
    }
    out
}

/// `4.10` comes after `4.9`.
fn order(section: &str) -> Vec<u32> {
    section.split('.').map(|number| number.parse().unwrap_or(u32::MAX)).collect()
}

fn cells(counts: &BTreeMap<Cover, usize>, screen: &Screen) -> String {
    let cell = |cover: &Cover| match counts.get(cover) {
        None => screen.paint().dim(&right("·", 16)),
        Some(count) => screen.paint().verdict(cover.color(), &right(&count.to_string(), 16)),
    };
    Cover::ALL.iter().map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn sections_are_ordered_by_their_numbers() {
        assert!(order("4.9") < order("4.10"));
        assert!(order("4") < order("4.1"));
        assert!(order("4.14") < order("5"));
    }
}
