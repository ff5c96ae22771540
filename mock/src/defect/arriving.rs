//! A call at admission, as a defect sees it.

use http::header::AUTHORIZATION;
use jiff::Timestamp;

use crate::call::{Admission, Admitted, Head, Principal};
use crate::operation;
use crate::route::Routed;
use crate::token::Grant;
use crate::world::World;

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

    /// What its bearer token says, valid or not.
    pub(crate) fn grant(&self) -> Option<Grant> {
        let text = self.head.headers.get(AUTHORIZATION)?.to_str().ok()?;
        let (_, token) = text.split_once(' ')?;
        self.world.sealer().open(token)
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
                operation,
                id,
                principal,
                reading: operation::reading(operation, self.world.answers()),
            }),
            Routed::WrongMethod(_) | Routed::Unknown => refused,
        }
    }
}
