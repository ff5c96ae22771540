//! The rows that a world starts with, built once and shared by every world of the same seed.

use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;
use serde_json::Value;

use crate::settings::SettingsError;

/// The seed rows of a seed world under a set of answers.
pub struct Seeded {
    answers: Answers,
}

impl Seeded {
    /// Builds the rows.
    ///
    /// # Errors
    /// [`SettingsError::SeedWorld`].
    pub fn new(_world: &SeedWorld, answers: Answers) -> Result<Self, SettingsError> {
        Ok(Self { answers })
    }

    /// The answers that the rows were rendered by.
    pub const fn answers(&self) -> &Answers {
        &self.answers
    }

    /// Who and what there is to call it with. Shape: `{"applications": [{"client_id",
    /// "client_secret", "scopes": [], "company"}], "users": {company: [email]}, "workflows":
    /// [{"id", "company", "name", "type", "status"}]}`.
    pub fn describe(&self) -> Value {
        Value::Null
    }
}
