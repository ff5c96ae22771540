//! `--state postgres://…`: a mock that shares its state with others.

use moot_mock::shell::{Node, PostgresAddress, SiteOptions};

use super::error::CommandError;

/// Environment variables with the password of the database, and with the name of a file that has it.
const PASSWORD: &str = "PGPASSWORD";
const PASSWORD_FILE: &str = "MOOT_STATE_PASSWORD_FILE";

/// Opens the node at this address of a database.
///
/// # Errors
/// A wrong address, or a database that can't be used.
pub(super) async fn open(
    address: &str,
    site: SiteOptions,
    name: String,
) -> Result<Node, CommandError> {
    let password = password()?;
    let address = PostgresAddress::read(address, password.as_deref())
        .map_err(|error| CommandError::usage(format!("--state: {error}")))?;
    let log = std::sync::Arc::new(|line: &str| {
        use std::io::Write;
        // A closed terminal is not a reason to stop the mock.
        let _ = writeln!(std::io::stderr().lock(), "moot mock: {line}");
    });
    Node::start(site, address, name, log)
        .await
        .map_err(|error| CommandError::usage(format!("the mock can't start: {error}")))
}

fn password() -> Result<Option<String>, CommandError> {
    let Some(path) = std::env::var_os(PASSWORD_FILE) else {
        return Ok(std::env::var(PASSWORD).ok());
    };
    let text = std::fs::read_to_string(&path).map_err(|error| {
        CommandError::usage(format!("{PASSWORD_FILE}: {}: {error}", path.display()))
    })?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}
