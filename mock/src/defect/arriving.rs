//! A call at admission, as a defect sees it.

use http::header::{AUTHORIZATION, HeaderValue};
use jiff::Timestamp;
use moot_fixtures::contract::Operation;

use crate::message::call::{Admission, Admitted, Head, Principal};
use crate::message::route::Routed;
use crate::value::token::Grant;
use crate::world::World;
use crate::world::reading;

/// A call that arrives.
pub(crate) struct Arriving<'a> {
    pub(crate) world: &'a World,
    pub(crate) now: Timestamp,
    pub(crate) head: &'a Head<'a>,
}

impl Arriving<'_> {
    /// The `type` of the problem by which it was refused.
    pub(crate) fn problem(admission: &Admission) -> Option<&str> {
        match admission {
            Admission::Refused(response) => Some(&response.refused.as_ref()?.problem),
            Admission::Admitted(_) => None,
        }
    }

    /// Its bearer token, valid or not.
    pub(crate) fn bearer(&self) -> Option<&str> {
        let text = self.head.headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (scheme, token) = text.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token)
    }

    /// The operation that it is for.
    pub(crate) fn operation(&self) -> Option<Operation> {
        match self.world.seeded().router().find(self.head.method, self.head.path) {
            Routed::Found(operation, _) => Some(operation),
            Routed::WrongMethod(_) | Routed::Unknown => None,
        }
    }

    /// What is said of the call if its token is no token.
    pub(crate) fn as_if_invalid(&self) -> Admission {
        let mut headers = self.head.headers.clone();
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer none"));
        self.world.admit_unhooked(self.now, &Head { headers: &headers, ..*self.head })
    }

    /// What its bearer token says, valid or not.
    pub(crate) fn grant(&self) -> Option<Grant> {
        self.world.sealer().open(self.bearer()?)
    }

    /// The caller of a grant, valid or not.
    pub(crate) fn principal(&self, grant: Grant) -> Option<Principal> {
        let application = self.world.seeded().application(grant.application)?;
        Some(Principal {
            application: grant.application,
            company: application.company,
            scopes: grant.scopes,
        })
    }

    /// Admits the call as that of `principal`, whatever it carries; `refused` where it has no route.
    pub(crate) fn let_in(&self, principal: Option<Principal>, refused: Admission) -> Admission {
        let head = self.head;
        match self.world.seeded().router().find(head.method, head.path) {
            Routed::Found(operation, id) => Admission::Admitted(Admitted {
                serial: self.world.next_serial(),
                at: self.now,
                operation,
                id,
                principal,
                reading: reading(operation, self.world.answers()),
            }),
            Routed::WrongMethod(_) | Routed::Unknown => refused,
        }
    }
}
