//! The address of the service, with the credentials and ids for its client.

/// The reason why the task of the client failed.
pub type MisbehaviourError = Box<dyn std::error::Error + Send + Sync>;

/// The service, as the environment variables of `moot exec` describe it.
#[derive(Debug, Clone)]
pub(super) struct ServicePlace {
    /// The base address.
    pub(super) base_url: String,
    /// Client id of an application with both scopes.
    pub(super) client_id: String,
    /// Its secret.
    pub(super) client_secret: String,
    /// Client id of an application with the scope `read`.
    pub(super) reader_id: String,
    /// Its secret.
    pub(super) reader_secret: String,
    /// Email of a user of the company.
    pub(super) requester_email: String,
    /// Id of a workflow that generates a document.
    pub(super) workflow_id: String,
}

impl ServicePlace {
    /// Reads the environment variables.
    ///
    /// # Errors
    /// A variable is not set.
    pub(super) fn from_environment() -> Result<Self, MisbehaviourError> {
        let variable = |name: &str| {
            std::env::var(name)
                .map_err(|_| format!("{name} is not set; run it under `moot exec` or `moot drill`"))
        };
        Ok(Self {
            base_url: variable("MOOT_BASE_URL")?,
            client_id: variable("MOOT_CLIENT_ID")?,
            client_secret: variable("MOOT_CLIENT_SECRET")?,
            reader_id: variable("MOOT_READER_CLIENT_ID")?,
            reader_secret: variable("MOOT_READER_CLIENT_SECRET")?,
            requester_email: variable("MOOT_REQUESTER_EMAIL")?,
            workflow_id: variable("MOOT_GENERATED_WORKFLOW_ID")?,
        })
    }
}
