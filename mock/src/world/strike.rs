//! Applying the armed faults of a world to a call, and recording the call.

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use super::World;
use crate::value::message::call::{Call, Head};
use crate::value::message::responder::Responder;
use crate::value::message::response::Response;
use crate::world::fault::{self, Strike};
use crate::world::journal::{CallEffects, Occurrence};

impl World {
    /// The fault that strikes an admitted call. Each call counts the hits of a fault.
    pub(crate) fn strike(&self, call: &Call<'_>) -> Option<Strike> {
        let application = call.admitted.principal.map(|principal| principal.application);
        self.faults.strike(&call.head, Some(call.admitted.operation), application)
    }

    /// The response of a fault that replaces the operation, recorded. `None` if the operation runs first.
    pub(crate) fn replaced_by(
        &self,
        now: Timestamp,
        call: &Call<'_>,
        strike: Option<&Strike>,
    ) -> Option<Response> {
        let strike = strike.filter(|strike| strike.is_before())?;
        let responder = self.responder(now, call.head.path, call.admitted.serial);
        let nothing = responder.empty(500);
        let response =
            fault::damage(&responder, Some(call.admitted.operation), strike.effects(), &nothing)?;
        self.record(now, call, &response, CallEffects::default(), Some(strike));
        Some(response)
    }

    /// The response of an operation as it leaves: with the additions of the drills, then as a fault leaves it, and
    /// recorded.
    pub(crate) fn completed(
        &self,
        now: Timestamp,
        call: &Call<'_>,
        strike: Option<Strike>,
        response: Response,
        effects: CallEffects,
    ) -> Response {
        let operation = Some(call.admitted.operation);
        let response = self.with_drills(operation, response);
        let (response, strike) = match strike {
            Some(strike) => {
                let responder = self.responder(now, call.head.path, call.admitted.serial);
                self.damaged(&responder, operation, strike, response)
            }
            None => (response, None),
        };
        self.record(now, call, &response, effects, strike.as_ref());
        response
    }

    /// Records an admitted call in the journal.
    pub(crate) fn record(
        &self,
        now: Timestamp,
        call: &Call<'_>,
        response: &Response,
        effects: CallEffects,
        fault: Option<&Strike>,
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
    pub(crate) fn struck_refusal(
        &self,
        now: Timestamp,
        head: &Head<'_>,
        serial: u64,
        response: Response,
    ) -> (Response, Option<Strike>) {
        let Some(strike) = self.faults.strike(head, None, None) else { return (response, None) };
        self.damaged(&self.responder(now, head.path, serial), None, strike, response)
    }

    /// The response as a fault leaves it; without the fault if the response has nothing to damage.
    fn damaged(
        &self,
        responder: &Responder<'_>,
        operation: Option<Operation>,
        strike: Strike,
        response: Response,
    ) -> (Response, Option<Strike>) {
        match fault::damage(responder, operation, strike.effects(), &response) {
            Some(damaged) => (damaged, Some(strike)),
            None => {
                self.faults.missed(&strike);
                (response, None)
            }
        }
    }
}
