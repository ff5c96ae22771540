//! An account as JUnit XML: a case for each rule of conduct that is judged in any traffic.
//!
//! A broken `must` is a failure. A broken `should` or `hint` passes, with the finding in `system-out`.

use moot_fixtures::conduct;
use moot_fixtures::contract::Severity;
use quick_junit::{NonSuccessKind, Report as Junit, TestCase, TestCaseStatus, TestSuite};

use super::account::Account;
use super::finding::ConductFinding;
use super::rules::judged_rules;

/// The XML document.
///
/// # Errors
/// The error of the serialiser, as text.
pub fn render(account: &Account) -> Result<String, String> {
    let mut suite = TestSuite::new("conduct");
    suite.add_property(("moot_version", env!("CARGO_PKG_VERSION")));
    for rule in judged_rules().filter_map(conduct::get) {
        let found: Vec<&ConductFinding> =
            account.findings.iter().filter(|finding| finding.rule == rule.id).collect();
        let text = found.iter().map(|it| described(it)).collect::<Vec<_>>().join("\n");
        let is_failure = !found.is_empty() && rule.severity == Severity::Must;
        let status = if is_failure {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(rule.severity.as_str()).set_message(rule.sentence.clone());
            status.set_description(text.clone());
            status
        } else {
            TestCaseStatus::success()
        };
        let mut case = TestCase::new(rule.id.clone(), status);
        if !is_failure && !text.is_empty() {
            case.set_system_out(text);
        }
        suite.add_test_case(case);
    }
    let mut junit = Junit::new("moot");
    junit.add_test_suite(suite);
    junit.to_string().map_err(|error| error.to_string())
}

fn described(finding: &ConductFinding) -> String {
    let ConductFinding { seen, instead, clause, excerpt, .. } = finding;
    let excerpt = excerpt.as_deref().unwrap_or_default();
    format!("{seen} ({clause})\n{instead}\n{excerpt}")
}
