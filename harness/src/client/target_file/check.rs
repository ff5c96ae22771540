//! Checks a parsed target file, and resolves its secrets. Each mistake has its place.

use std::collections::BTreeMap;
use std::path::PathBuf;

use moot_fixtures::contract::{Endpoint, Operation, REQUESTS_PER_MINUTE_MAX, Scopes};
use moot_fixtures::nearest::hint_or_all;
use moot_fixtures::{DataError, yaml};
use secrecy::{ExposeSecret, SecretString};

use crate::client::target_file::model::{
    AdminChoice, ApplicationCredentials, FileHeader, FileLimits, LEDGER, TargetFile,
};
use crate::client::target_file::operator::{FileOperator, OPERATOR, absolute};
use crate::client::target_file::places::KeyPlaces;
use crate::client::target_file::secret::{ValueSource, Variables};
use crate::client::target_file::shape::{
    ApplicationShape, ApplicationShapes, EndpointShapes, TargetFileShape,
};
use crate::client::target_file::{address, endpoint};
use crate::scenario::model::NEEDS;

/// The longest timeout.
const TIMEOUT_SECONDS_MAX: u16 = 600;

/// The longest time for waiting until a list shows a change.
const SETTLE_SECONDS_MAX: u16 = 60;

/// The length of the shortest secret. Finished reports are not scanned for shorter ones.
const SECRET_BYTES_MIN: usize = 8;
/// As [`SECRET_BYTES_MIN`], on loopback. Shorter secrets are not masked.
const SECRET_BYTES_MIN_LOOPBACK: usize = 4;

/// Checks a target file.
pub(crate) struct TargetFileReader<'a> {
    /// The path as given by the user.
    pub(crate) file: String,
    /// Its text, for finding the places of mistakes.
    pub(crate) text: &'a str,
    /// The folder of relative paths.
    pub(crate) folder: PathBuf,
    /// For `$NAME`.
    pub(crate) variables: Variables<'a>,
    /// Whether the base address is on loopback.
    pub(crate) is_loopback: bool,
}

impl TargetFileReader<'_> {
    /// # Errors
    /// The first mistake.
    pub(crate) fn check(
        mut self,
        shape: TargetFileShape,
        stem: String,
    ) -> Result<TargetFile, DataError> {
        let base_url = self.value(&shape.base_url, &["base_url"])?;
        let base_url = address::base(base_url.expose_secret())
            .map_err(|message| self.mistake(&["base_url"], message))?;
        self.is_loopback = address::is_loopback(&base_url);
        let optional = |source: &Option<ValueSource>, key: &str| {
            source.as_ref().map(|source| self.secret(source, &[key])).transpose()
        };
        Ok(TargetFile {
            name: shape.name.unwrap_or(stem),
            applications: self.applications(&shape.applications)?,
            bindings: shape.bindings,
            endpoints: self.endpoints(shape.endpoints)?,
            consent: shape.consent,
            limits: self.limits(shape.limits)?,
            tolerate: self.tolerate(shape.tolerate)?,
            expected: shape.expected.map(|path| self.folder.join(path)),
            answers: shape.answers.map(|path| self.folder.join(path)),
            ca_file: shape.tls.ca_file.map(|path| self.folder.join(path)),
            headers: self.headers(&shape.headers)?,
            expired_token: optional(&shape.expired_token, "expired_token")?,
            revoked_token: optional(&shape.revoked_token, "revoked_token")?,
            admin: match &shape.admin {
                AdminChoice::Auto => AdminChoice::Auto,
                AdminChoice::None => AdminChoice::None,
                AdminChoice::Token(source) => {
                    AdminChoice::Token(self.secret(source, &["admin", "token"])?)
                }
            },
            operator: shape.operator.map(|operator| self.operator(operator)).transpose()?,
            ledger: self.folder.join(shape.ledger.unwrap_or_else(|| LEDGER.into())),
            base_url,
            places: KeyPlaces::new(&self.file, self.text),
        })
    }

    fn applications(
        &self,
        shapes: &ApplicationShapes,
    ) -> Result<BTreeMap<String, ApplicationCredentials>, DataError> {
        let rows = [
            ("main", &shapes.main, Scopes::READ_WRITE),
            ("reader", &shapes.reader, Scopes::READ),
            ("writer", &shapes.writer, Scopes::WRITE),
            ("other_company", &shapes.other_company, Scopes::READ),
        ];
        let mut applications = BTreeMap::new();
        for (role, shape, default) in rows {
            let Some(shape) = shape else { continue };
            let application = self.application(shape, role, default)?;
            let refused = |message: String| {
                let message = format!("`applications.{role}` {message}");
                Err(self.mistake(&["applications", role], message))
            };
            if ["reader", "writer"].contains(&role) && application.scopes != default {
                return refused(format!("must have only the scope `{default}`"));
            }
            let same = |(_, known): &(&String, &ApplicationCredentials)| {
                known.client_id == application.client_id
            };
            if let Some((other, _)) = applications.iter().find(same) {
                return refused(format!(
                    "has the client id of `applications.{other}`, but must be another application"
                ));
            }
            applications.insert(role.to_owned(), application);
        }
        Ok(applications)
    }

    fn application(
        &self,
        shape: &ApplicationShape,
        role: &str,
        default: Scopes,
    ) -> Result<ApplicationCredentials, DataError> {
        let id = self.value(&shape.client_id, &["applications", role, "client_id"])?;
        let scopes = shape.scopes.clone().map_or(default, Scopes::from);
        if scopes.is_empty() {
            let message = format!("`applications.{role}.scopes` names no scope");
            return Err(self.mistake(&["applications", role], message));
        }
        let secret = &["applications", role, "client_secret"];
        let sources = [&shape.client_id, &shape.client_secret];
        Ok(ApplicationCredentials {
            client_id: id.expose_secret().to_owned(),
            client_secret: self.secret(&shape.client_secret, secret)?,
            scopes,
            variables: sources.into_iter().filter_map(ValueSource::variable).collect(),
        })
    }

    fn endpoints(
        &self,
        shapes: EndpointShapes,
    ) -> Result<BTreeMap<Operation, Endpoint>, DataError> {
        let given = [
            (Operation::GetWorkflowSchema, shapes.workflow_schema),
            (Operation::CreateWebhook, shapes.create_webhook),
            (Operation::RevokeToken, shapes.revoke_token),
        ];
        let mut endpoints = BTreeMap::new();
        for (operation, text) in given {
            let Some(text) = text else { continue };
            let endpoint = endpoint::parse(&text.value, operation.method().as_str());
            let has_id = |endpoint: &Endpoint| endpoint.path.contains("{id}");
            let endpoint = endpoint.and_then(|endpoint| {
                match operation.path().contains("{id}") && !has_id(&endpoint) {
                    true => Err("the path has no `{id}`".to_owned()),
                    false => Ok(endpoint),
                }
            });
            let endpoint = endpoint.map_err(|message| {
                // The key may have one of two names, so its place cannot be found by its name.
                DataError::new(&self.file, message).at(Some(text.referenced.into()))
            })?;
            endpoints.insert(operation, endpoint);
        }
        Ok(endpoints)
    }

    fn limits(&self, limits: Option<FileLimits>) -> Result<FileLimits, DataError> {
        let limits = limits.unwrap_or_default();
        let mistake = |name: &str, message: &str| {
            self.mistake(&["limits"], format!("`limits.{name}`: {message}"))
        };
        let rates = [
            ("requests_per_minute", Some(limits.requests_per_minute)),
            ("token_requests_per_minute", limits.token_requests_per_minute),
        ];
        for (name, rate) in rates.into_iter().filter_map(|(name, rate)| Some((name, rate?))) {
            check_rate(rate, self.is_loopback).map_err(|message| mistake(name, &message))?;
        }
        let timeouts = [
            ("silence_seconds", limits.silence_seconds),
            ("exchange_seconds", limits.exchange_seconds),
        ];
        for (name, seconds) in timeouts {
            if !(1..=TIMEOUT_SECONDS_MAX).contains(&seconds) {
                let range = format!("a timeout must be from 1 to {TIMEOUT_SECONDS_MAX} seconds");
                return Err(mistake(name, &range));
            }
        }
        if limits.settle_seconds > SETTLE_SECONDS_MAX {
            let range = format!("the time for a list is 0 to {SETTLE_SECONDS_MAX} seconds");
            return Err(mistake("settle_seconds", &range));
        }
        Ok(limits)
    }

    fn tolerate(&self, words: Vec<String>) -> Result<Vec<String>, DataError> {
        for (index, word) in words.iter().enumerate() {
            // The name of a scenario has a slash.
            if !word.contains('/') && word != OPERATOR && !NEEDS.contains(&word.as_str()) {
                let near = hint_or_all(word, &NEEDS);
                let message = format!("`{word}` is neither a need nor a scenario FILE/ID; {near}");
                return Err(self.mistake(&["tolerate", &index.to_string()], message));
            }
        }
        Ok(words)
    }

    fn headers(
        &self,
        headers: &BTreeMap<String, ValueSource>,
    ) -> Result<Vec<FileHeader>, DataError> {
        headers
            .iter()
            .map(|(key, source)| {
                let (path, name) = (&["headers", key], key.to_ascii_lowercase());
                if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
                    return Err(self.mistake(path, format!("`{name}` is not the name of a header")));
                }
                let value = match sounds_secret(&name) {
                    true => self.secret(source, path)?,
                    false => self.value(source, path)?,
                };
                if http::HeaderValue::from_str(value.expose_secret()).is_err() {
                    let message = format!("`headers.{name}` is not the value of a header");
                    return Err(self.mistake(path, message));
                }
                Ok(FileHeader { name, value, is_secret: !source.is_literal() })
            })
            .collect()
    }

    fn operator(&self, operator: FileOperator) -> Result<FileOperator, DataError> {
        let FileOperator::Command(mut command) = operator else { return Ok(operator) };
        if let Some((key, message)) = command.mistake() {
            return Err(self.mistake(&["operator", key], message));
        }
        command.folder = absolute(&self.folder);
        Ok(FileOperator::Command(command))
    }

    /// Resolves a value. It may always be literal.
    fn value(&self, source: &ValueSource, path: &[&str]) -> Result<SecretString, DataError> {
        source
            .resolve(&self.folder, self.variables)
            .map_err(|message| self.mistake(path, format!("`{}`: {message}", named(path))))
    }

    /// Resolves a secret. It may be literal only for a loopback address.
    fn secret(&self, source: &ValueSource, path: &[&str]) -> Result<SecretString, DataError> {
        if source.is_literal() && !self.is_loopback {
            let message = format!(
                "`{}` is in the file itself, which is allowed only for a loopback address; write \
                 `$NAME`, `{{file: PATH}}` or `{{command: [WORD, …]}}`",
                named(path)
            );
            return Err(self.mistake(path, message));
        }
        let value = self.value(source, path)?;
        check_secret(&value, &named(path), self.is_loopback)
            .map_err(|message| self.mistake(path, message))?;
        Ok(value)
    }

    /// A mistake in the value at this path.
    fn mistake(&self, path: &[&str], message: impl Into<String>) -> DataError {
        DataError::new(&self.file, message).at(yaml::locate(self.text, path))
    }
}

/// A path for messages.
fn named(path: &[&str]) -> String {
    path.join(".").to_ascii_lowercase()
}

/// Checks that a secret is long enough to be kept out of reports.
///
/// # Errors
/// It is too short.
pub(crate) fn check_secret(
    value: &SecretString,
    what: &str,
    is_loopback: bool,
) -> Result<(), String> {
    let least = if is_loopback { SECRET_BYTES_MIN_LOOPBACK } else { SECRET_BYTES_MIN };
    match value.expose_secret().len() < least {
        true => Err(format!(
            "`{what}` is shorter than {least} bytes. Reports could contain such a text by chance, so it cannot be kept \
             out of them; use a longer secret"
        )),
        false => Ok(()),
    }
}

/// Checks a rate per minute, from a file or the command line.
///
/// # Errors
/// Only a loopback address may have this rate.
pub(crate) fn check_rate(rate: u32, is_loopback: bool) -> Result<(), String> {
    match rate {
        _ if is_loopback => Ok(()),
        0 => Err("0 (no pace) is for loopback addresses only".to_owned()),
        rate if rate > REQUESTS_PER_MINUTE_MAX => Err(format!(
            "{rate} per minute is more than the limit of the service ({REQUESTS_PER_MINUTE_MAX}, §8)"
        )),
        _ => Ok(()),
    }
}

fn sounds_secret(header: &str) -> bool {
    ["auth", "cookie", "key", "token", "secret", "password"]
        .iter()
        .any(|word| header.contains(word))
}
