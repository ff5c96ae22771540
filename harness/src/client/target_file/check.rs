//! Checks a parsed target file, and resolves its secrets. Each mistake has its place.

use std::collections::BTreeMap;
use std::path::PathBuf;

use moot_fixtures::contract::{Endpoint, Operation, REQUESTS_PER_MINUTE_MAX, Scopes};
use moot_fixtures::nearest::hint_or_all;
use secrecy::{ExposeSecret, SecretString};
use serde_saphyr::Spanned;
use url::Url;

use crate::client::target_file::error::FileError;
use crate::client::target_file::model::{
    AdminChoice, ApplicationCredentials, FileHeader, FileLimits, LEDGER, TargetFile,
};
use crate::client::target_file::operator::OPERATOR;
use crate::client::target_file::places::KeyPlaces;
use crate::client::target_file::secret::{ValueSource, Variables};
use crate::client::target_file::shape::{
    AdminShape, ApplicationShape, ApplicationShapes, EndpointShapes, TargetFileShape,
};
use crate::client::target_file::{address, endpoint};
use crate::scenario::model::NEEDS;

/// Seconds of the longest deadline.
const DEADLINE_SECONDS_MAX: u16 = 600;

/// Seconds for which a list may be waited for.
const SETTLE_SECONDS_MAX: u16 = 60;

/// Bytes of the shortest secret. Shorter ones are not searched for in finished reports.
const SECRET_BYTES_MIN: usize = 8;
/// As [`SECRET_BYTES_MIN`], on loopback. Shorter secrets are not masked.
const SECRET_BYTES_MIN_LOOPBACK: usize = 4;

/// Checks one file.
pub(crate) struct TargetFileReader<'a> {
    /// As given.
    pub(crate) file: String,
    /// The folder of relative paths.
    pub(crate) folder: PathBuf,
    /// For `$NAME`.
    pub(crate) variables: Variables<'a>,
}

impl TargetFileReader<'_> {
    /// The file's meaning.
    ///
    /// # Errors
    /// The first mistake.
    pub(crate) fn check(
        &self,
        shape: TargetFileShape,
        stem: String,
    ) -> Result<TargetFile, FileError> {
        let base_url = self.base_url(&shape.base_url)?;
        let is_loopback = address::is_loopback(&base_url);
        let secret =
            |source: &Spanned<ValueSource>, what: &str| self.secret(source, what, is_loopback);
        let optional = |source: &Option<Spanned<ValueSource>>, what: &str| {
            source.as_ref().map(|source| secret(source, what)).transpose()
        };
        Ok(TargetFile {
            name: shape.name.unwrap_or(stem),
            applications: self.applications(&shape.applications, is_loopback)?,
            bindings: shape.bindings,
            endpoints: self.endpoints(shape.endpoints)?,
            consent: shape.consent.into_iter().collect(),
            limits: self.limits(shape.limits, is_loopback)?,
            tolerate: self.tolerate(shape.tolerate)?,
            expected: shape.expected.map(|path| self.folder.join(path)),
            answers: shape.answers.map(|path| self.folder.join(path)),
            ca_file: shape.tls.ca_file.map(|path| self.folder.join(path)),
            headers: self.headers(&shape.headers, is_loopback)?,
            expired_token: optional(&shape.expired_token, "expired_token")?,
            revoked_token: optional(&shape.revoked_token, "revoked_token")?,
            admin: match &shape.admin {
                AdminShape::Auto => AdminChoice::Auto,
                AdminShape::None => AdminChoice::None,
                AdminShape::Token(source) => AdminChoice::Token(secret(source, "admin.token")?),
            },
            operator: (shape.operator)
                .map(|operator| operator.check(&self.file, &self.folder))
                .transpose()?,
            ledger: self.folder.join(shape.ledger.unwrap_or_else(|| LEDGER.into())),
            base_url,
            places: KeyPlaces::default(),
        })
    }

    fn base_url(&self, source: &Spanned<ValueSource>) -> Result<Url, FileError> {
        let text = self.value(source, "base_url")?;
        address::base(text.expose_secret()).map_err(|message| self.at(source, message))
    }

    fn applications(
        &self,
        shapes: &ApplicationShapes,
        is_loopback: bool,
    ) -> Result<BTreeMap<String, ApplicationCredentials>, FileError> {
        let rows = [
            ("main", &shapes.main, Scopes::READ_WRITE),
            ("reader", &shapes.reader, Scopes::READ),
            ("writer", &shapes.writer, Scopes::WRITE),
            ("other_company", &shapes.other_company, Scopes::READ),
        ];
        let mut applications = BTreeMap::new();
        for (role, shape, default) in rows {
            let Some(shape) = shape else { continue };
            let application = self.application(shape, role, default, is_loopback)?;
            if ["reader", "writer"].contains(&role) && application.scopes != default {
                return Err(self.at(
                    shape,
                    format!("`applications.{role}` is an application scoped `{default}` alone"),
                ));
            }
            let same = |(_, known): &(&String, &ApplicationCredentials)| {
                known.client_id == application.client_id
            };
            if let Some((other, _)) = applications.iter().find(same) {
                return Err(self.at(
                    shape,
                    format!("`applications.{role}` has the client id of `applications.{other}`; it is another application"),
                ));
            }
            applications.insert(role.to_owned(), application);
        }
        Ok(applications)
    }

    fn application(
        &self,
        shape: &Spanned<ApplicationShape>,
        name: &str,
        default: Scopes,
        is_loopback: bool,
    ) -> Result<ApplicationCredentials, FileError> {
        let within = &shape.value;
        let id = self.value(&within.client_id, &format!("applications.{name}.client_id"))?;
        let scopes = within.scopes.clone().map_or(default, Scopes::from);
        if scopes.is_empty() {
            return Err(self.at(shape, format!("`applications.{name}.scopes` names no scope")));
        }
        Ok(ApplicationCredentials {
            client_id: id.expose_secret().to_owned(),
            client_secret: self.secret(
                &within.client_secret,
                &format!("applications.{name}.client_secret"),
                is_loopback,
            )?,
            scopes,
        })
    }

    fn endpoints(
        &self,
        shapes: EndpointShapes,
    ) -> Result<BTreeMap<Operation, Endpoint>, FileError> {
        let given = [
            (Operation::GetWorkflowSchema, shapes.workflow_schema),
            (Operation::CreateWebhook, shapes.create_webhook),
            (Operation::RevokeToken, shapes.revoke_token),
        ];
        let mut endpoints = BTreeMap::new();
        for (operation, text) in given {
            let Some(text) = text else { continue };
            let endpoint = endpoint::parse(&text.value, operation.method().as_str())
                .map_err(|message| self.at(&text, message))?;
            if operation.path().contains("{id}") && !endpoint.path.contains("{id}") {
                return Err(self.at(&text, "the path has no `{id}`".to_owned()));
            }
            endpoints.insert(operation, endpoint);
        }
        Ok(endpoints)
    }

    fn limits(
        &self,
        limits: Option<Spanned<FileLimits>>,
        is_loopback: bool,
    ) -> Result<FileLimits, FileError> {
        let Some(limits) = limits else { return Ok(FileLimits::default()) };
        let rates = [
            ("requests_per_minute", Some(limits.value.requests_per_minute)),
            ("token_requests_per_minute", limits.value.token_requests_per_minute),
        ];
        for (name, rate) in rates.into_iter().filter_map(|(name, rate)| Some((name, rate?))) {
            check_rate(rate, is_loopback)
                .map_err(|message| self.at(&limits, format!("`limits.{name}`: {message}")))?;
        }
        let deadlines = [
            ("silence_seconds", limits.value.silence_seconds),
            ("exchange_seconds", limits.value.exchange_seconds),
        ];
        for (name, seconds) in deadlines {
            if !(1..=DEADLINE_SECONDS_MAX).contains(&seconds) {
                let range = format!("a deadline is 1 to {DEADLINE_SECONDS_MAX} seconds");
                return Err(self.at(&limits, format!("`limits.{name}`: {range}")));
            }
        }
        if limits.value.settle_seconds > SETTLE_SECONDS_MAX {
            let range = format!("a list is waited for 0 to {SETTLE_SECONDS_MAX} seconds");
            return Err(self.at(&limits, format!("`limits.settle_seconds`: {range}")));
        }
        Ok(limits.value)
    }

    fn tolerate(&self, names: Vec<Spanned<String>>) -> Result<Vec<String>, FileError> {
        names
            .into_iter()
            .map(|name| {
                // A scenario's name has a slash. The run checks whether there is such a scenario.
                let word = name.value.as_str();
                if word.contains('/') || word == OPERATOR || NEEDS.contains(&word) {
                    return Ok(name.value);
                }
                let near = hint_or_all(&name.value, &NEEDS);
                Err(self.at(
                    &name,
                    format!("`{}` is neither a need nor a scenario FILE/ID; {near}", name.value),
                ))
            })
            .collect()
    }

    fn headers(
        &self,
        headers: &BTreeMap<String, Spanned<ValueSource>>,
        is_loopback: bool,
    ) -> Result<Vec<FileHeader>, FileError> {
        headers
            .iter()
            .map(|(name, source)| {
                let name = name.to_ascii_lowercase();
                if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
                    return Err(self.at(source, format!("`{name}` is not a name of a header")));
                }
                let what = format!("headers.{name}");
                let value = if sounds_secret(&name) {
                    self.secret(source, &what, is_loopback)?
                } else {
                    self.value(source, &what)?
                };
                if http::HeaderValue::from_str(value.expose_secret()).is_err() {
                    return Err(self.at(source, format!("`{what}` is not a value of a header")));
                }
                Ok(FileHeader { name, value, is_secret: !source.value.is_literal() })
            })
            .collect()
    }

    /// A value that may be literal anywhere.
    fn value(&self, source: &Spanned<ValueSource>, what: &str) -> Result<SecretString, FileError> {
        source
            .value
            .resolve(&self.folder, self.variables)
            .map_err(|message| self.at(source, format!("`{what}`: {message}")))
    }

    /// A value that may be literal only for a loopback address.
    fn secret(
        &self,
        source: &Spanned<ValueSource>,
        what: &str,
        is_loopback: bool,
    ) -> Result<SecretString, FileError> {
        if source.value.is_literal() && !is_loopback {
            return Err(self.at(
                source,
                format!(
                    "`{what}` stands in the file itself, which only a loopback address may; write \
                     `$NAME`, `{{file: PATH}}` or `{{command: [WORD, …]}}`"
                ),
            ));
        }
        let value = self.value(source, what)?;
        check_secret(&value, what, is_loopback).map_err(|message| self.at(source, message))?;
        Ok(value)
    }

    fn at<T>(&self, spanned: &Spanned<T>, message: String) -> FileError {
        FileError::at(&self.file, spanned, message)
    }
}

/// Checks that a secret can be kept out of reports.
///
/// # Errors
/// Where it is too short.
pub(crate) fn check_secret(
    value: &SecretString,
    what: &str,
    is_loopback: bool,
) -> Result<(), String> {
    let least = if is_loopback { SECRET_BYTES_MIN_LOOPBACK } else { SECRET_BYTES_MIN };
    match value.expose_secret().len() < least {
        true => Err(format!(
            "`{what}` is shorter than {least} bytes: it could not be told from other text, and so \
             not be kept out of reports; use a longer secret"
        )),
        false => Ok(()),
    }
}

/// Checks a rate a minute, from a file or a command line.
///
/// # Errors
/// Where only a loopback address may have this rate.
pub(crate) fn check_rate(rate: u32, is_loopback: bool) -> Result<(), String> {
    match rate {
        _ if is_loopback => Ok(()),
        0 => Err("0, unpaced, is for loopback addresses only".to_owned()),
        rate if rate > REQUESTS_PER_MINUTE_MAX => Err(format!(
            "{rate} a minute is more than the service serves ({REQUESTS_PER_MINUTE_MAX}, §8)"
        )),
        _ => Ok(()),
    }
}

fn sounds_secret(header: &str) -> bool {
    ["auth", "cookie", "key", "token", "secret", "password"]
        .iter()
        .any(|word| header.contains(word))
}
