//! The control plane over HTTP: JSON in and out, problems for errors, its own OpenAPI document.
//!
//! [`crate::control::ControlAction`] has the actions on one world, `site_action` those on the site.
//! `routes` derives the routes, and what members they take, from the JSON Schemas of both enums. The
//! rate limit and the journal do not see these calls.

mod events;
mod handler;
mod members;
mod openapi;
mod perform;
mod routes;
mod site_action;

pub(crate) use handler::call;
