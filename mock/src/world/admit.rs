//! Admits or refuses a call before its body is read: limit, route, token, scope, in this order.

use jiff::Timestamp;
use moot_fixtures::contract::{CheckOrder, Operation, TokenNeed};
use moot_fixtures::journal::RuleGroup;

use super::{World, reading};
use crate::value::message::call::{Admission, AdmittedCall, Head};
use crate::value::message::problem::Problem;
use crate::value::message::response::Response;
use crate::value::message::route::RouteMatch;
use crate::value::settings::RateLimitMode;
use crate::world::authorise;
use crate::world::journal::{CallEffects, Occurrence};
use crate::world::limiter::Limiter;

/// Facts about a call that were found before it was refused, for the journal.
#[derive(Default)]
struct AdmissionTrace {
    operation: Option<Operation>,
    application: Option<u32>,
}

/// The reason for refusing a call before a world gets it.
#[cfg(feature = "server")]
#[derive(Debug, Clone, Copy)]
pub(crate) enum UnservedReason<'a> {
    /// The head breaks a rule of HTTP.
    Malformed(&'a str),
    /// The sandbox does not exist.
    NoSandbox(&'a str),
}

impl World {
    /// Admits a call, or refuses it; a refusal is kept in the journal.
    pub fn admit(&self, now: Timestamp, head: &Head<'_>) -> Admission {
        match &self.hook {
            Some(hook) => hook.admit(self, now, head),
            None => self.admit_unhooked(now, head),
        }
    }

    /// The admission of the core itself.
    pub(crate) fn admit_unhooked(&self, now: Timestamp, head: &Head<'_>) -> Admission {
        let serial = self.next_serial();
        let mut seen = AdmissionTrace::default();
        match self.admitted(now, head, serial, &mut seen) {
            Ok(admitted) => Admission::Admitted(admitted),
            Err(problem) => {
                let response = self.refused(now, head, serial, &seen, &problem);
                Admission::Refused(response, serial)
            }
        }
    }

    /// The response to a call that no world serves, in the form of its operation. The limiter does not count
    /// it.
    #[cfg(feature = "server")]
    pub(crate) fn unserved(
        &self,
        now: Timestamp,
        head: &Head<'_>,
        why: UnservedReason<'_>,
    ) -> Response {
        let operation = match self.seed_data().router.find(head.method, head.path) {
            RouteMatch::Found(operation, _) => Some(operation),
            RouteMatch::WrongMethod(..) | RouteMatch::Unknown => None,
        };
        let problem = match (why, operation) {
            (
                UnservedReason::Malformed(detail),
                Some(Operation::CreateAccessToken | Operation::RevokeToken),
            ) => Problem::token_failure(400, "invalid_request", detail),
            (UnservedReason::Malformed(detail), _) => Problem::parameter_missing(detail),
            (UnservedReason::NoSandbox(detail), _) => {
                Problem { detail: detail.to_owned(), ..Problem::unknown_path(self.answers()) }
            }
        };
        let serial = self.next_serial();
        let seen = AdmissionTrace { operation, application: None };
        self.refused(now, head, serial, &seen, &problem)
    }

    /// The response to a refused call, which is recorded in the journal.
    fn refused(
        &self,
        now: Timestamp,
        head: &Head<'_>,
        serial: u64,
        seen: &AdmissionTrace,
        problem: &Problem,
    ) -> Response {
        let response = self.responder(now, head.path, serial).problem(problem);
        let response = self.with_drills(seen.operation, response);
        let (response, fault) = if problem.rule_group == RuleGroup::Route {
            self.faulted_refusal(now, head, serial, response)
        } else {
            (response, None)
        };
        self.journal.record(&Occurrence {
            serial,
            at: now,
            read_at: now,
            head,
            body: None,
            operation: seen.operation,
            application: seen.application,
            response: &response,
            effects: CallEffects::default(),
            fault: fault.as_ref(),
        });
        response
    }

    fn admitted(
        &self,
        now: Timestamp,
        head: &Head<'_>,
        serial: u64,
        seen: &mut AdmissionTrace,
    ) -> Result<AdmittedCall, Problem> {
        let answers = self.answers();
        let routed = self.seed_data().router.find(head.method, head.path);
        if let RouteMatch::Found(operation, _) = &routed {
            // Set before the limit is checked, so that the journal names the operation of a 429.
            seen.operation = Some(*operation);
        }
        self.limit(now, head, &self.limiter)?;
        let (operation, id) = match routed {
            RouteMatch::Found(operation, id) => (operation, id),
            RouteMatch::WrongMethod(operation, allowed) => {
                return Err(Problem::wrong_method(answers, operation, &allowed));
            }
            RouteMatch::Unknown => return Err(Problem::unknown_path(answers)),
        };
        if let (Operation::CreateAccessToken, Some(limiter)) = (operation, &self.token_limiter) {
            self.limit(now, head, limiter)?;
        }
        let principal = match authorise::need(operation, answers) {
            TokenNeed::None => None,
            need @ (TokenNeed::Read | TokenNeed::Write) => {
                let principal = authorise::authenticate(self, now, head.headers)?;
                seen.application = Some(principal.application);
                if answers.check_order == CheckOrder::ExistenceFirst
                    && let Some(problem) = id.as_deref().and_then(|id| self.missing(operation, id))
                {
                    return Err(problem);
                }
                authorise::authorise(need, &principal, answers)?;
                Some(principal)
            }
        };
        let reading = reading(operation, answers);
        Ok(AdmittedCall { serial, at: now, operation, id, principal, reading })
    }

    /// The refusal of an unknown id. `None` if the object exists, or the operation takes no id.
    pub(crate) fn missing(&self, operation: Operation, id: &str) -> Option<Problem> {
        let is_there = match operation {
            Operation::GetWorkflow | Operation::GetWorkflowSchema => {
                self.seed_data().workflow_of(id).is_some()
            }
            Operation::GetLegalRequest | Operation::GetLegalRequestActivity => {
                self.legal_request(id).is_some()
            }
            Operation::GetRepositoryDocument => self.document(id).is_some(),
            Operation::DeleteWebhook => self.webhook(id).is_some(),
            _ => return None,
        };
        (!is_there).then(|| Problem::no_object(self.answers(), operation, id))
    }

    fn limit(&self, now: Timestamp, head: &Head<'_>, limiter: &Limiter) -> Result<(), Problem> {
        let is_enforced = match self.state().rate_limit {
            RateLimitMode::Off => return Ok(()),
            RateLimitMode::Observe => false,
            RateLimitMode::Enforce => true,
        };
        match limiter.take(head.client, now) {
            Err(retry_after_seconds) if is_enforced => Err(Problem::rate_limited(
                self.answers(),
                limiter.calls_max,
                retry_after_seconds,
                self.state().clock.is_frozen(),
            )),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}
