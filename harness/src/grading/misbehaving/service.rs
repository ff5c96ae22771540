//! Where the service is, and who calls it.

/// Why an errand ended early.
pub type MisbehaviourError = Box<dyn std::error::Error + Send + Sync>;

/// The service as the variables of `moot exec` name it.
#[derive(Debug, Clone)]
pub struct ServicePlace {
    /// Its base address.
    pub base_url: String,
    /// An application that may read and write.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
    /// An application that may only read.
    pub reader_id: String,
    /// Its secret.
    pub reader_secret: String,
    /// A user of the company.
    pub requester_email: String,
    /// A workflow that generates its document.
    pub workflow_id: String,
}

impl ServicePlace {
    /// Reads the environment variables.
    ///
    /// # Errors
    /// One is not set.
    pub fn from_environment() -> Result<Self, MisbehaviourError> {
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
