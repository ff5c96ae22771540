//! Errors of the database, with advice.

use tokio_postgres::error::SqlState;

/// Why a database can't be used. No text has a password.
#[derive(Debug, Clone, thiserror::Error)]
pub enum PostgresError {
    /// The address on the command line.
    #[error("the address of the database: {0}")]
    Address(String),
    /// A connection could not be made.
    #[error("{shown} cannot be reached: {cause}; {advice}")]
    Connect {
        /// The address, without secrets.
        shown: String,
        /// The error.
        cause: String,
        /// Advice for the user.
        advice: &'static str,
    },
    /// A statement failed.
    #[error("the database refused a statement: {0}")]
    Statement(String),
    /// A newer version of Moot made the tables.
    #[error(
        "the tables of moot have version {found}, and this moot knows versions up to {known}: \
         start a moot of the version that made them, or a newer one"
    )]
    NewerSchema {
        /// The version in the database.
        found: i32,
        /// The newest version that this build knows.
        known: i32,
    },
    /// No reply in time.
    #[error("the database did not answer within {0} seconds")]
    Timeout(u64),
}

impl PostgresError {
    /// A failed connection, with advice.
    pub(super) fn connect(shown: &str, error: &tokio_postgres::Error) -> Self {
        Self::Connect { shown: shown.to_owned(), cause: causes(error), advice: advice(error) }
    }

    /// A failed statement.
    pub(crate) fn statement(error: &tokio_postgres::Error) -> Self {
        let cause = causes(error);
        match error.code() {
            Some(code) if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
                Self::Statement(format!("{cause}; {}", advice(error)))
            }
            _ => Self::Statement(cause),
        }
    }
}

fn advice(error: &tokio_postgres::Error) -> &'static str {
    let Some(code) = error.code() else {
        return "check host, port, the password in PGPASSWORD or MOOT_STATE_PASSWORD_FILE, and TLS: a \
                server on another machine must offer TLS with a certificate that is valid for its name \
                (`sslrootcert=FILE` names your own CA)";
    };
    match code {
        code if *code == SqlState::INVALID_PASSWORD => {
            "check the user and the password in PGPASSWORD or MOOT_STATE_PASSWORD_FILE"
        }
        code if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            "create the user, and allow it in pg_hba.conf"
        }
        code if *code == SqlState::INVALID_CATALOG_NAME => "create it: `createdb NAME`",
        code if *code == SqlState::TOO_MANY_CONNECTIONS => {
            "each mock needs up to four connections: raise max_connections, or close others"
        }
        code if *code == SqlState::INSUFFICIENT_PRIVILEGE => {
            "allow the user to connect, to create tables (`grant create on schema public to USER`), and \
             to use those of moot, which belong to the user that created them"
        }
        _ => "see the log of the database",
    }
}

/// The error with its causes. The driver's own text has only the outermost one.
fn causes(error: &tokio_postgres::Error) -> String {
    if let Some(database) = error.as_db_error() {
        return database.message().to_owned();
    }
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
