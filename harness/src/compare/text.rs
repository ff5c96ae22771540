//! A comparison as text. Its texts are escaped already.

use strum::VariantArray;

use super::comparison::{ComparedSide, DifferenceClass, SideDifference, TargetComparison};
use crate::exchange::escape;
use crate::report::color_of;
use crate::report::terminal::{Detail, Table, paint};
use crate::verdict::result::RunOutcome;
use crate::verdict::{Verdict, pluralize, sentence_case};

/// The highest numbers of lines and characters of one reading.
const READING_LINES_MAX: usize = 6;
const READING_CHARACTERS_MAX: usize = 400;

/// The pairs of further readings that are shown without `-v`.
const FURTHER_SHOWN: usize = 2;

/// The highest number of characters of an answer in the table of answers.
const ANSWER_CHARACTERS_MAX: usize = 56;

/// The whole text.
pub fn text(comparison: &TargetComparison, detail: Detail) -> String {
    let mut page = ComparisonText { out: String::new(), detail };
    if detail > Detail::Quiet {
        page.head(comparison);
        page.classes(comparison);
    }
    for class in
        [DifferenceClass::AViolates, DifferenceClass::BViolates, DifferenceClass::BothViolate]
    {
        page.violations(comparison, class);
    }
    page.answers(comparison);
    page.undecidable(comparison);
    if detail > Detail::Quiet {
        page.not_compared(comparison);
    }
    page.summary(comparison);
    page.out
}

struct ComparisonText {
    out: String,
    detail: Detail,
}

impl ComparisonText {
    fn line(&mut self, line: &str) {
        self.out.push_str(line.trim_end());
        self.out.push('\n');
    }

    fn head(&mut self, comparison: &TargetComparison) {
        self.line(&format!(
            "{} {}\n",
            paint::bold(format!("moot {}", comparison.moot_version)),
            paint::dim(format!("compares by interface {}", comparison.interface_version)),
        ));
        let sides = [("A", &comparison.a), ("B", &comparison.b)];
        let mut table = Table::new(2);
        for (name, side) in sides {
            let class = format!("({}, alone exit {})", side.class, side.exit_code);
            let (name, word) = (name.to_owned(), side.word.clone());
            table.row([name, word, paint::name(address(side)), paint::dim(class)]);
        }
        for (line, (_, side)) in table.render().lines().zip(sides) {
            self.line(line);
            if let Some(trouble) = &side.trouble {
                self.line(&format!("    {} {trouble}", paint::verdict(Verdict::Error, "error:")));
            }
            if !side.stale.is_empty() {
                let sign = paint::verdict(Verdict::Drift, "drift:");
                let stale = side.stale.join(", ");
                self.line(&format!("    {sign} expected failures that did not happen: {stale}"));
            }
        }
        self.line("");
    }

    fn classes(&mut self, comparison: &TargetComparison) {
        let mut table = Table::with_numbers(2, 1..3);
        table.row(["", "differences", "places"].map(paint::dim));
        for class in DifferenceClass::VARIANTS.iter().copied() {
            let count = comparison.of(class).count();
            let places: usize = comparison.of(class).map(|one| one.places.len()).sum();
            let name = class.as_ref().to_owned();
            table.row(match count {
                0 => [name, paint::dim("·"), paint::dim("·")],
                _ => {
                    let count = paint::verdict(color(class), count.to_string());
                    [name, count, places.to_string()]
                }
            });
        }
        self.out.push_str(&table.render());
        self.line("");
    }

    fn violations(&mut self, comparison: &TargetComparison, class: DifferenceClass) {
        let all: Vec<&SideDifference> = comparison.of(class).collect();
        if all.is_empty() {
            return;
        }
        self.line(&paint::bold(sentence_case(class.as_ref())));
        for one in all {
            let verdict = one.verdict.unwrap_or(Verdict::Fail);
            let clause = match (&one.section, one.level) {
                (Some(section), Some(level)) => format!("§{section} {level}"),
                (_, _) => String::new(),
            };
            self.line(&format!(
                "  {} {}  {}",
                paint::verdict(verdict, format!("{} {}", mark(verdict), verdict.as_str())),
                paint::name(&one.subject),
                paint::dim(&clause),
            ));
            if let Some(sentence) = &one.sentence {
                self.line(&format!("    {sentence}"));
            }
            self.row("message", &one.message);
            if let Some(known) = &one.known {
                self.row("known", known);
            }
            self.readings(one);
            if !one.also.is_empty() {
                self.row("with it", &format!("{} broken by this", are(&one.also)));
            }
            if let Some(curl) = one.curl.as_ref().filter(|_| self.detail > Detail::Quiet) {
                // Whole: a part of a command cannot be run.
                self.line(&format!("    {} {curl}", paint::dim(format!("{:<8}", "repeat"))));
            }
            self.line("");
        }
    }

    fn answers(&mut self, comparison: &TargetComparison) {
        let all: Vec<&SideDifference> = comparison.of(DifferenceClass::BothAllowed).collect();
        if !all.is_empty() {
            self.line(&paint::bold("Both allowed: open questions that they answer differently"));
            let mut table = Table::new(2);
            table.row(["§", "question", "A", "B"].map(paint::dim));
            for one in &all {
                let answer =
                    |text| paint::verdict(Verdict::Drift, escape::cut(text, ANSWER_CHARACTERS_MAX));
                let section = paint::dim(one.section.as_deref().unwrap_or_default());
                table.row([section, paint::name(&one.subject), answer(&one.a), answer(&one.b)]);
            }
            let table = table.render();
            let places = std::iter::once(None).chain(all.iter().map(Some));
            for (line, one) in table.lines().zip(places) {
                self.line(line);
                let Some(one) = one else { continue };
                self.further_readings(one);
                if self.detail == Detail::Verbose {
                    self.places(&one.places);
                }
            }
            self.line("");
        }
        for (side, is_first) in [("A", true), ("B", false)] {
            let only = comparison.answered_by_one.iter().filter(|it| it.a.is_some() == is_first);
            let only: Vec<&str> = only.map(|it| it.question.as_str()).collect();
            if !only.is_empty() && self.detail > Detail::Quiet {
                let said = format!("only {side} answered {}", only.join(", "));
                self.line(&format!("{}\n", paint::dim(&said)));
            }
        }
    }

    fn undecidable(&mut self, comparison: &TargetComparison) {
        let all: Vec<&SideDifference> = comparison.of(DifferenceClass::Undecidable).collect();
        if all.is_empty() {
            return;
        }
        self.line(&paint::bold("Undecidable: a person must decide which side is right"));
        for one in all {
            let sign = paint::verdict(Verdict::NotRun, "?");
            let about = paint::dim(&one.message);
            self.line(&format!("  {sign} {}  {about}", paint::name(&one.subject)));
            self.readings(one);
            self.line("");
        }
    }

    fn readings(&mut self, one: &SideDifference) {
        self.row("A", &one.a);
        self.row("B", &one.b);
        self.further_readings(one);
        self.places(&one.places);
    }

    fn further_readings(&mut self, one: &SideDifference) {
        let shown = if self.detail == Detail::Verbose { usize::MAX } else { FURTHER_SHOWN };
        for pair in one.further_readings.iter().take(shown) {
            self.row("or A", &pair.a);
            self.row("or B", &pair.b);
        }
        let left = one.further_readings.len().saturating_sub(shown);
        if left > 0 {
            self.row("", &format!("and {left} more; -v shows them"));
        }
    }

    /// A name, and a value that may have several lines.
    fn row(&mut self, name: &str, value: &str) {
        let value = escape::cut(value, READING_CHARACTERS_MAX);
        for (at, line) in value.lines().take(READING_LINES_MAX).enumerate() {
            let name = if at == 0 { name } else { "" };
            let name = paint::dim(format!("{name:<8}"));
            self.line(&format!("    {name} {line}"));
        }
    }

    fn places(&mut self, places: &[String]) {
        for (at, place) in self.detail.some_of(places).iter().enumerate() {
            let name = if at == 0 { "seen at" } else { "" };
            let said = paint::dim(format!("{name:<8} {place}"));
            self.line(&format!("    {said}"));
        }
    }

    fn not_compared(&mut self, comparison: &TargetComparison) {
        if comparison.not_compared.is_empty() {
            return;
        }
        self.line(&paint::bold("Not compared"));
        for one in &comparison.not_compared {
            let count = paint::verdict(Verdict::NotRun, format!("{:>5}", one.names.len()));
            let tolerated =
                if one.is_tolerated { paint::dim("  tolerated") } else { String::new() };
            self.line(&format!(" {count} {}{tolerated}", one.reason));
            for name in self.detail.some_of(&one.names) {
                self.line(&format!("       {}", paint::dim(&name)));
            }
        }
        self.line("");
    }

    fn summary(&mut self, comparison: &TargetComparison) {
        let outcome = comparison.outcome;
        let has_known = comparison.differences.iter().any(|one| one.known.is_some());
        let word = match outcome {
            RunOutcome::Conformant if has_known => "as expected",
            RunOutcome::Conformant => "the same",
            RunOutcome::Usage | RunOutcome::Internal | RunOutcome::Unreachable => outcome.as_str(),
            RunOutcome::Incomplete if comparison.differences.is_empty() => outcome.as_str(),
            RunOutcome::NonConformant | RunOutcome::Incomplete | RunOutcome::Drifted => "different",
        };
        self.line(&format!("{}: {}", paint::verdict(color_of(outcome), word), comparison.meaning));
        let compared = comparison.compared;
        let follow_ups = match compared.follow_ups {
            0 => String::new(),
            count => format!(", {count} could not be compared behind these differences"),
        };
        let scale = format!(
            "{} and {} of {} on both sides{follow_ups}, exit {}",
            pluralize(compared.checks, "check"),
            pluralize(compared.exchanges, "response"),
            pluralize(compared.scenarios, "scenario"),
            comparison.exit_code,
        );
        self.line(&format!("  {}", paint::dim(&scale)));
        self.line(&format!("  {} {}", paint::dim("repeat with"), comparison.reproduce));
    }
}

fn address(side: &ComparedSide) -> &str {
    match side.base_url.as_str() {
        "" => "(not opened)",
        address => address,
    }
}

const fn mark(verdict: Verdict) -> &'static str {
    if matches!(verdict, Verdict::Warn) { "!" } else { "✗" }
}

const fn color(class: DifferenceClass) -> Verdict {
    match class {
        DifferenceClass::AViolates | DifferenceClass::BViolates | DifferenceClass::BothViolate => {
            Verdict::Fail
        }
        DifferenceClass::BothAllowed => Verdict::Drift,
        DifferenceClass::Undecidable => Verdict::NotRun,
    }
}

/// `a is`, `a and b are`, `a, b and c are`.
fn are(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => format!("{only} is"),
        [first @ .., last] => format!("{} and {last} are", first.join(", ")),
    }
}
