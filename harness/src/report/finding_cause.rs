//! Which failed check shows the same fault as another one, or its cause.

use moot_snapshots::{ChangedPlace, SnapshotChange};

use crate::verdict::check::{MismatchKind, ResponsePart};
use crate::verdict::result::CheckResult;

/// Finds the check among these that shows the same fault of the same response, or its cause. A step that repeats its
/// request keeps one result of each check, so the same fault may be in another response of the step.
pub(super) fn partner(checks: &[CheckResult], at: usize, among: &[usize]) -> Option<usize> {
    let check = &checks[at];
    let exchange = check.exchange_number().filter(|_| !check.is_snapshot())?;
    let explains = |other: &&usize| {
        let other = &checks[**other];
        if other.exchange_number() == Some(exchange) {
            return is_same(other, check) || is_cause(other, check) || is_same_error(other, check);
        }
        let is_one_step = (&other.scenario, &other.step) == (&check.scenario, &check.step);
        let is_of_member = is_one_step && check.pointer.is_some();
        is_of_member && (is_same(other, check) || is_schema_cause(other, check))
    };
    among.iter().find(explains).copied()
}

fn is_same(a: &CheckResult, b: &CheckResult) -> bool {
    let (place, other) = (normal_pointer(a), normal_pointer(b));
    // One value at one place, even if the checks expect different values.
    let is_one_value = place.as_deref().is_some_and(|place| !place.is_empty()) && place == other;
    let is_alike =
        is_one_value || ((&a.mismatch, &a.part) == (&b.mismatch, &b.part) && place == other);
    a.actual == b.actual && (is_alike || (a.is_of_status() && b.is_of_status()))
}

/// Whether `error` is a server error, and `check` a check of the same requirement on its status.
fn is_same_error(error: &CheckResult, check: &CheckResult) -> bool {
    is_server_error(error) && error.subject == check.subject && check.is_of_status()
}

/// Whether `by` fails for a reason that makes `check` fail too. A response with a wrong status has other content, so
/// that the checks of a scenario on that content fail too. Implicit checks hold for every response, but a server that
/// fails may not write a problem. A body that breaks its schema explains failures at that place and below it, and absent
/// members and wrong types anywhere: a schema finding counts the other places that are wrong.
fn is_cause(by: &CheckResult, check: &CheckResult) -> bool {
    let is_other_content = by.is_of_status() && !by.is_implicit() && !check.is_implicit();
    let is_of_schema = matches!(by.mismatch, Some(MismatchKind::Schema { .. }))
        && check.pointer.is_some()
        && matches!(check.mismatch, Some(MismatchKind::Absent | MismatchKind::Type));
    is_other_content
        || (is_server_error(by) && check.is_implicit())
        || is_of_schema
        || is_schema_cause(by, check)
}

fn is_schema_cause(by: &CheckResult, check: &CheckResult) -> bool {
    let (Some(MismatchKind::Schema { keyword, members }), Some(at)) =
        (&by.mismatch, &check.pointer)
    else {
        return false;
    };
    let below = by.pointer.as_deref().and_then(|pointer| at.strip_prefix(pointer));
    let is_in = |rest: &str, name: &str| {
        let rest = rest.strip_prefix('/').and_then(|rest| rest.strip_prefix(name));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match (keyword.as_str(), below) {
        (_, None) => false,
        ("required", Some(rest)) => {
            check.mismatch == Some(MismatchKind::Absent)
                && members.iter().any(|name| is_in(rest, name))
        }
        ("type", Some(rest)) => rest.is_empty() || rest.starts_with('/'),
        (_, Some(rest)) => rest.is_empty() && matches!(check.mismatch, Some(MismatchKind::Type)),
    }
}

pub(super) fn is_server_error(check: &CheckResult) -> bool {
    check.mismatch == Some(MismatchKind::ServerError)
}

/// The pointer with `*` for indices: `/data/3/name` is `/data/*/name`.
pub(super) fn normal_pointer(check: &CheckResult) -> Option<String> {
    let is_index =
        |segment: &str| !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
    let segments = check.pointer.as_ref()?.split('/');
    let segments = segments.map(|segment| if is_index(segment) { "*" } else { segment });
    Some(segments.collect::<Vec<_>>().join("/"))
}

/// Whether the change is the failure of this check: the same status, header, or member of the body.
pub(super) fn explains(by: &CheckResult, change: &SnapshotChange) -> bool {
    match (&change.place, normal_pointer(by)) {
        (ChangedPlace::Status, None) => {
            by.part == Some(ResponsePart::Status)
                && change.value.as_deref() == Some(by.actual.as_str())
        }
        (ChangedPlace::Header(name), None) => by.part == Some(ResponsePart::Header(name.clone())),
        (ChangedPlace::Body(place), Some(pointer)) => match place.strip_prefix(&pointer) {
            Some("") => true,
            // The pointer of a missing or unexpected member is that of the object around it.
            Some(member) => match &by.mismatch {
                Some(MismatchKind::Schema { members, .. }) => {
                    members.iter().any(|known| member.strip_prefix('/') == Some(known))
                }
                _ => false,
            },
            None => false,
        },
        (ChangedPlace::Status | ChangedPlace::Header(_), Some(_)) => false,
        (ChangedPlace::Body(_), None) => false,
    }
}
