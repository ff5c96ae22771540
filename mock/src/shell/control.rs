//! The control plane over HTTP: JSON in and out, problems for errors, its own OpenAPI document.
//!
//! What an action does is the core's ([`crate::control`]) or, for sandboxes and the waiting for
//! deliveries, the site's. Never here: the rate limit and the journal, which it does not touch.
//! Start at [`routes`]: the table that router and document derive from.

mod actions;
mod exchanges;
mod fault;
mod members;
mod openapi;
mod requests;
mod router;
mod routes;

pub(crate) use router::call;
