//! `moot mock -v`: prints a line for each call. Without `-v`, a terminal shows a line for each refused call.

use std::sync::Arc;

use moot_fixtures::journal::fault_text;
use moot_mock::shell::{CallWatch, WatchedCall};

use super::screen::Screen;
use crate::exchange::escape;
use crate::report::terminal::{Detail, paint};
use crate::verdict::Verdict;

/// The width of the method's column, in characters.
const METHOD_WIDTH: usize = 6;

/// Prints calls to stderr: with -v all calls, else the refused ones, if stderr is a terminal.
pub(super) fn call_watch(screen: &Screen) -> Option<CallWatch> {
    let refused_only = match screen.detail() {
        Detail::Verbose => false,
        Detail::Normal if screen.shows_progress() => true,
        Detail::Normal | Detail::Quiet => return None,
    };
    let screen = screen.clone();
    Some(Arc::new(move |call: WatchedCall| {
        if !refused_only || call.status >= 400 {
            // A closed terminal is not a reason to stop the mock.
            let _ = screen.note(&format!("{}\n", line(&call)));
        }
    }))
}

/// `12:04:31.250 GET /v1/requests demo-main 200 served list_legal_requests 3 ms`.
fn line(call: &WatchedCall) -> String {
    let time = call.at.strftime("%H:%M:%S%.3f").to_string();
    let verdict = match call.status {
        ..400 => Verdict::Pass,
        400..500 => Verdict::Warn,
        500.. => Verdict::Fail,
    };
    let reason = match (&call.problem, call.faults.as_slice()) {
        (None, []) => String::new(),
        (Some(problem), []) => format!(" {problem}"),
        (_, faults) => format!(" fault {}", fault_text(faults)),
    };
    let decision = format!("{}{reason}", call.decision);
    let operation = call.operation.map_or("(no operation)", |operation| operation.as_str());
    format!(
        "{} {} {} {} {} {} {} {}",
        paint::dim(&time),
        paint::bold(format!("{:<METHOD_WIDTH$}", escape::line(&call.method))),
        escape::line(&call.path),
        paint::name(escape::line(call.application.as_deref().unwrap_or("-"))),
        paint::verdict(verdict, call.status.to_string()),
        escape::line(&decision),
        paint::dim(operation),
        paint::dim(format!("{} ms", call.milliseconds)),
    )
}

#[cfg(test)]
mod tests {
    use moot_fixtures::contract::Operation;

    use super::{WatchedCall, line};
    use crate::report::terminal::paint::plain;

    #[test]
    fn a_line_has_all_of_a_call() {
        let served = WatchedCall {
            at: "2026-11-22T12:04:31.25Z".parse().expect("a time"),
            sandbox: None,
            method: "GET".to_owned(),
            path: "/v1/requests?page=2".to_owned(),
            operation: Some(Operation::ListLegalRequests),
            application: Some("demo-main".to_owned()),
            status: 200,
            decision: "served",
            problem: None,
            faults: Vec::new(),
            milliseconds: 3,
        };
        let refused = WatchedCall {
            application: None,
            status: 401,
            decision: "token",
            problem: Some("token_expired".to_owned()),
            ..served.clone()
        };
        for (call, expected) in [
            (
                served,
                "12:04:31.250 GET    /v1/requests?page=2 demo-main 200 served list_legal_requests 3 ms",
            ),
            (
                refused,
                "12:04:31.250 GET    /v1/requests?page=2 - 401 token token_expired \
                 list_legal_requests 3 ms",
            ),
        ] {
            assert_eq!(plain(&line(&call)), expected);
        }
    }
}
