//! Applying the armed faults of a world to a call, and recording the call.

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use super::World;
use crate::value::message::call::{Call, Head};
use crate::value::message::responder::Responder;
use crate::value::message::response::Response;
use crate::world::fault::{self, AppliedFault};
use crate::world::journal::{CallEffects, Occurrence};

impl World {
    /// The fault that affects an admitted call. Counts the call as a hit of the fault.
    pub(crate) fn apply_fault(&self, call: &Call<'_>) -> Option<AppliedFault> {
        let application = call.admitted.principal.map(|principal| principal.application);
        self.faults.apply(&call.head, Some(call.admitted.operation), application)
    }

    /// The response of a fault that replaces the operation, recorded. `None` if the operation runs first.
    pub(crate) fn replaced_by(
        &self,
        now: Timestamp,
        call: &Call<'_>,
        fault: Option<&AppliedFault>,
    ) -> Option<Response> {
        let fault = fault.filter(|fault| fault.is_before())?;
        let responder = self.responder(now, call.head.path, call.admitted.serial);
        let nothing = responder.empty(500);
        let response =
            fault::damage(&responder, Some(call.admitted.operation), fault.effects(), &nothing)?;
        self.record(now, call, &response, CallEffects::default(), Some(fault));
        Some(response)
    }

    /// The response of an operation as it leaves: with the additions of the drills, then as a fault leaves it, and
    /// recorded.
    pub(crate) fn completed(
        &self,
        now: Timestamp,
        call: &Call<'_>,
        fault: Option<AppliedFault>,
        response: Response,
        effects: CallEffects,
    ) -> Response {
        let operation = Some(call.admitted.operation);
        let response = self.with_drills(operation, response);
        let (response, fault) = match fault {
            Some(fault) => {
                let responder = self.responder(now, call.head.path, call.admitted.serial);
                self.damaged(&responder, operation, fault, response)
            }
            None => (response, None),
        };
        self.record(now, call, &response, effects, fault.as_ref());
        response
    }

    /// Records an admitted call in the journal.
    pub(crate) fn record(
        &self,
        now: Timestamp,
        call: &Call<'_>,
        response: &Response,
        effects: CallEffects,
        fault: Option<&AppliedFault>,
    ) {
        let Call { head, admitted, body, fetched: _ } = call;
        self.journal.record(&Occurrence {
            serial: admitted.serial,
            at: admitted.at,
            read_at: now,
            head,
            body: Some(body),
            operation: Some(admitted.operation),
            application: admitted.principal.map(|principal| principal.application),
            response,
            effects,
            fault,
        });
    }

    /// The refusal of a call whose path or method is of no operation, as a fault leaves it.
    pub(crate) fn faulted_refusal(
        &self,
        now: Timestamp,
        head: &Head<'_>,
        serial: u64,
        response: Response,
    ) -> (Response, Option<AppliedFault>) {
        let Some(fault) = self.faults.apply(head, None, None) else { return (response, None) };
        self.damaged(&self.responder(now, head.path, serial), None, fault, response)
    }

    /// The response as a fault leaves it; without the fault if the response has nothing to damage.
    fn damaged(
        &self,
        responder: &Responder<'_>,
        operation: Option<Operation>,
        fault: AppliedFault,
        response: Response,
    ) -> (Response, Option<AppliedFault>) {
        match fault::damage(responder, operation, fault.effects(), &response) {
            Some(damaged) => (damaged, Some(fault)),
            None => {
                self.faults.undo(&fault);
                (response, None)
            }
        }
    }
}
