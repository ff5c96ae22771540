//! Reads a target file, or builds one from an address.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use moot_fixtures::contract::Scopes;
use moot_fixtures::{DataError, yaml};
use secrecy::SecretString;

use crate::client::target_file::address;
use crate::client::target_file::check::{TargetFileReader, check_secret};
use crate::client::target_file::model::{
    AdminChoice, ApplicationCredentials, FileBindings, FileLimits, LEDGER, TargetFile,
};
use crate::client::target_file::places::KeyPlaces;
use crate::client::target_file::secret::Variables;
use crate::scenario::yaml_file;

/// Reads a target file and the secrets it names.
///
/// # Errors
/// The first mistake.
pub fn read(path: &Path) -> Result<TargetFile, DataError> {
    if matches!(path.try_exists(), Ok(false)) {
        let message = format!(
            "there is no such file; name a target file, or give a base address like `{}`",
            address::EXAMPLE
        );
        return Err(DataError::new(&path.display().to_string(), message));
    }
    let text = yaml_file::text(path, "target file")?;
    from_text(&text, path, &|name| std::env::var(name).ok())
}

/// Reads the text of a target file. Relative paths begin in the folder of `path`.
///
/// # Errors
/// The first mistake.
pub fn from_text(
    text: &str,
    path: &Path,
    variables: Variables<'_>,
) -> Result<TargetFile, DataError> {
    let reader = TargetFileReader {
        file: path.display().to_string(),
        text,
        folder: path.parent().map(Path::to_path_buf).unwrap_or_default(),
        variables,
        is_loopback: false,
    };
    let shape = yaml::read(&reader.file, text)?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    reader.check(shape, stem.unwrap_or_default())
}

/// Builds a target file from an address: without consent, with credentials from `MOOT_CLIENT_ID` and
/// `MOOT_CLIENT_SECRET`. A mock needs no credentials.
///
/// # Errors
/// It is not a base address.
pub fn from_url(text: &str, variables: Variables<'_>) -> Result<TargetFile, DataError> {
    let refused = |message: String| DataError::new("the address of the target", message);
    let base_url = address::base(text).map_err(refused)?;
    let filled = |name| variables(name).filter(|value| !value.is_empty());
    let variables = ["MOOT_CLIENT_ID", "MOOT_CLIENT_SECRET"];
    let main =
        filled(variables[0]).zip(filled(variables[1])).map(|(id, secret)| ApplicationCredentials {
            client_id: id,
            client_secret: SecretString::from(secret),
            scopes: Scopes::READ_WRITE,
            variables: variables.map(str::to_owned).into(),
        });
    if let Some(main) = &main {
        let is_loopback = address::is_loopback(&base_url);
        check_secret(&main.client_secret, variables[1], is_loopback).map_err(refused)?;
    }
    Ok(TargetFile {
        name: address::shown_host(&base_url),
        base_url,
        applications: main.map(|main| ("main".to_owned(), main)).into_iter().collect(),
        bindings: FileBindings::default(),
        endpoints: BTreeMap::new(),
        consent: BTreeSet::new(),
        limits: FileLimits::default(),
        tolerate: Vec::new(),
        expected: None,
        answers: None,
        ca_file: None,
        headers: Vec::new(),
        admin: AdminChoice::Auto,
        operator: None,
        expired_token: None,
        revoked_token: None,
        ledger: PathBuf::from(LEDGER),
        places: KeyPlaces::default(),
    })
}
