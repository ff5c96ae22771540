//! A connection to the database.

use std::time::Duration;

use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, NoTls, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::PostgresAddress;
use super::error::PostgresError;

/// A parameter of a statement with its type.
pub(crate) type SqlParameter<'p> = (&'p (dyn ToSql + Sync), Type);

/// One connection. Dropping it ends it.
pub(crate) struct DatabaseConnection {
    client: Client,
    timeout: Duration,
}

/// Connects. Statements that take longer than `timeout` fail, also on the server. Call it on the runtime that
/// will drive the connection.
pub(crate) async fn connect(
    address: &PostgresAddress,
    purpose: &str,
    timeout: Duration,
) -> Result<DatabaseConnection, PostgresError> {
    let mut config = address.config.clone();
    config.application_name(format!("moot/{purpose}"));
    let milliseconds = timeout.as_millis();
    config.options(format!("-c statement_timeout={milliseconds} -c lock_timeout={milliseconds}"));
    let failed = |error| PostgresError::connect(&address.shown, &error);
    let connecting = async {
        // Results of the drivers are dropped: statements on a broken connection return its error.
        Ok(match &address.tls {
            Some(tls) => {
                let connector = MakeRustlsConnect::new((**tls).clone());
                let (client, driver) = config.connect(connector).await.map_err(failed)?;
                drop(tokio::spawn(driver));
                client
            }
            None => {
                let (client, driver) = config.connect(NoTls).await.map_err(failed)?;
                drop(tokio::spawn(driver));
                client
            }
        })
    };
    let client = within(timeout.max(Duration::from_secs(1)), connecting).await?;
    Ok(DatabaseConnection { client, timeout })
}

impl DatabaseConnection {
    /// Runs one statement without preparing it, so that a connection pooler may be used.
    pub(crate) async fn query(
        &self,
        statement: &str,
        parameters: &[SqlParameter<'_>],
    ) -> Result<Vec<Row>, PostgresError> {
        let query = self.client.query_typed(statement, parameters);
        // Longer than the timeout on the server, so that the server's error is reported.
        let patience = self.timeout + self.timeout / 4;
        within(patience, async { query.await.map_err(|error| PostgresError::statement(&error)) })
            .await
    }

    /// Runs several statements.
    pub(crate) async fn run(&self, statements: &str) -> Result<(), PostgresError> {
        let run = self.client.batch_execute(statements);
        within(self.timeout, async { run.await.map_err(|error| PostgresError::statement(&error)) })
            .await
    }

    /// Whether the connection has ended.
    pub(crate) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }
}

async fn within<T>(
    time: Duration,
    work: impl Future<Output = Result<T, PostgresError>>,
) -> Result<T, PostgresError> {
    let ended = tokio::time::timeout(time, work).await;
    ended.unwrap_or_else(|_| Err(PostgresError::Timeout(time.as_secs().max(1))))
}
