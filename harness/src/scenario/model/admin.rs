//! The step `admin`: a call of the control plane.

use super::expectation::Check;
use super::place::Place;
use crate::scenario::language::form::OrDefault;
use crate::scenario::language::keys::keyed;
use crate::scenario::language::text_forms::AdminCall;
use crate::scenario::text::{Json, Text};

keyed! {
    /// `admin`.
    #[derive(Debug, Clone)]
    pub struct AdminStep {
        /// `METHOD /path` below `/__admin`.
        "admin" => call: Text as AdminCall,
        /// The body.
        json: Option<Json>,
        /// Checks on the response.
        expect: Vec<Check> as OrDefault<Vec<Check>>,
        /// New names, and the place of each value.
        capture: Vec<(String, Place)> as OrDefault<Vec<(String, Place)>>,
    }
}
