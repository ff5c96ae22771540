//! Applying the armed faults of a world to a call.

use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use super::World;
use crate::value::message::call::{Call, Head};
use crate::value::message::reply::Responder;
use crate::value::message::response::Response;
use crate::world::fault::{self, Strike, Struck};

impl World {
    /// The fault that strikes an admitted call. Each call counts the hits of a fault.
    pub(crate) fn strike(&self, call: &Call<'_>) -> Option<Strike> {
        self.faults.strike(Struck {
            operation: Some(call.admitted.operation),
            application: call.admitted.principal.map(|principal| principal.application),
            head: &call.head,
        })
    }

    /// The answer of a fault that replaces the operation; `None` if the operation runs first.
    pub(crate) fn struck_before(
        &self,
        now: Timestamp,
        call: &Call<'_>,
        strike: &Strike,
    ) -> Option<Response> {
        if !strike.is_before() {
            return None;
        }
        let reply = self.reply(now, call.head.path, call.admitted.serial);
        let nothing = reply.empty(500);
        fault::damage(&reply, Some(call.admitted.operation), strike.kinds(), &nothing)
    }

    /// The answer as a fault leaves it; without the fault if the answer has nothing to damage.
    pub(crate) fn struck(
        &self,
        now: Timestamp,
        call: &Call<'_>,
        strike: Option<Strike>,
        response: Response,
    ) -> (Response, Option<Strike>) {
        let Some(strike) = strike else { return (response, None) };
        let reply = self.reply(now, call.head.path, call.admitted.serial);
        self.damaged(&reply, Some(call.admitted.operation), strike, response)
    }

    /// The refusal of a call whose path or method is of no operation, as a fault leaves it.
    pub(crate) fn struck_refusal(
        &self,
        now: Timestamp,
        head: &Head<'_>,
        serial: u64,
        response: Response,
    ) -> (Response, Option<Strike>) {
        let struck = Struck { operation: None, application: None, head };
        let Some(strike) = self.faults.strike(struck) else { return (response, None) };
        self.damaged(&self.reply(now, head.path, serial), None, strike, response)
    }

    fn damaged(
        &self,
        reply: &Responder<'_>,
        operation: Option<Operation>,
        strike: Strike,
        response: Response,
    ) -> (Response, Option<Strike>) {
        match fault::damage(reply, operation, strike.kinds(), &response) {
            Some(damaged) => (damaged, Some(strike)),
            None => {
                self.faults.missed(&strike);
                (response, None)
            }
        }
    }
}
