//! The control plane over HTTP: JSON requests and responses, problems for errors, an OpenAPI document.
//!
//! [`crate::control::ControlAction`] has the actions on one world, `site_action` those on the site.
//! `routes` derives the routes and their members from the JSON Schemas of both enums. These calls do not
//! count for the rate limit, and they are not in the journal.

mod events;
mod handler;
mod members;
mod openapi;
mod perform;
mod routes;
mod site_action;

pub(crate) use handler::call;
