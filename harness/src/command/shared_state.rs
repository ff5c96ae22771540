//! `--state postgres://…`: a mock that shares its data with others.

use std::fs;
use std::io::{Write as _, stderr};
use std::sync::Arc;

use moot_mock::shell::{Node, PostgresAddress, SiteOptions};

use super::error::CommandError;

/// Environment variables: the password of the database, and a file that contains it.
const PASSWORD: &str = "PGPASSWORD";
const PASSWORD_FILE: &str = "MOOT_STATE_PASSWORD_FILE";

/// Opens a node with the data of this database.
///
/// # Errors
/// The address is wrong, or the database can't be used.
pub(super) async fn open(
    address: &str,
    site: SiteOptions,
    name: String,
) -> Result<Node, CommandError> {
    let password = password()?;
    let address = PostgresAddress::read(address, password.as_deref())
        .map_err(|error| CommandError::usage(format!("--state: {error}")))?;
    let log = Arc::new(|line: &str| {
        // A closed terminal is not a reason to stop the mock.
        let _ = writeln!(stderr().lock(), "moot mock: {line}");
    });
    Ok(Node::start(site, address, name, log).await?)
}

fn password() -> Result<Option<String>, CommandError> {
    let Some(path) = std::env::var_os(PASSWORD_FILE) else {
        return Ok(std::env::var(PASSWORD).ok());
    };
    let text = fs::read_to_string(&path).map_err(|error| {
        CommandError::usage(format!("{PASSWORD_FILE}: {}: {error}", path.display()))
    })?;
    Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
}
