//! Reading a target file: from text to a checked value, every mistake with line and column.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use moot_fixtures::contract::{Operation, Scopes};
use secrecy::{ExposeSecret, SecretString};
use serde_saphyr::Spanned;
use url::Url;

use super::secret::{Environment, Source};
use super::shape::{AdminShape, ApplicationShape, ApplicationShapes, EndpointShapes, Shape};
use super::{
    AdminChoice, Application, FileApplications, FileBindings, FileHeader, FileLimits, TargetFile,
};
use crate::scenario::model::NEEDS;
use crate::target::address;
use crate::target::endpoint::Endpoint;

/// A target file is at most so long.
const FILE_BYTES_MAX: u64 = 1024 * 1024;
/// More requests a minute than the service serves (§8) are asked of loopback addresses only.
const REQUESTS_PER_MINUTE_MAX: u32 = moot_fixtures::contract::REQUESTS_PER_MINUTE_MAX;
/// Where the ledger is unless the file says otherwise.
const LEDGER: &str = ".moot/ledger.ndjson";

/// A mistake in a target file. Shown as `FILE:LINE:COLUMN: message`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", place(file, *line, *column))]
pub struct FileError {
    /// The file, as given.
    pub file: String,
    /// From 1; 0 where the whole file is meant.
    pub line: u64,
    /// From 1, in characters.
    pub column: u64,
    /// What is wrong, and what would be right.
    pub message: String,
}

fn place(file: &str, line: u64, column: u64) -> String {
    if line == 0 { format!("{file}: ") } else { format!("{file}:{line}:{column}: ") }
}

/// Reads a target file and the secrets it names.
///
/// # Errors
/// The first mistake.
pub fn read(path: &Path) -> Result<TargetFile, FileError> {
    let file = path.display().to_string();
    let whole = |message: String| FileError { file: file.clone(), line: 0, column: 0, message };
    let length = std::fs::metadata(path)
        .map_err(|error| whole(format!("the target file cannot be read: {error}")))?
        .len();
    if length > FILE_BYTES_MAX {
        return Err(whole(format!("the target file is longer than {FILE_BYTES_MAX} bytes")));
    }
    let text = std::fs::read_to_string(path)
        .map_err(|error| whole(format!("the target file cannot be read: {error}")))?;
    from_text(&text, path, &|name| std::env::var(name).ok())
}

/// Reads the text of a target file; `path` names it, and its folder is where relative paths begin.
///
/// # Errors
/// The first mistake.
pub fn from_text(
    text: &str,
    path: &Path,
    environment: Environment<'_>,
) -> Result<TargetFile, FileError> {
    let reader = Reader {
        file: path.display().to_string(),
        folder: path.parent().map(Path::to_path_buf).unwrap_or_default(),
        environment,
    };
    let options = serde_saphyr::options! { strict_booleans: true, with_snippet: false };
    let shape = serde_saphyr::from_str_with_options::<Shape>(text, options)
        .map_err(|error| reader.syntax(&error))?;
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    reader.check(shape, stem.unwrap_or_default())
}

/// A target that is only an address: no consent, credentials from `MOOT_CLIENT_ID` and
/// `MOOT_CLIENT_SECRET`, which a moot mock does without.
///
/// # Errors
/// Where it is no base address.
pub fn from_url(text: &str, environment: Environment<'_>) -> Result<TargetFile, FileError> {
    let base_url = address::base(text).map_err(|message| FileError {
        file: "--target".to_owned(),
        line: 0,
        column: 0,
        message,
    })?;
    let filled = |name| environment(name).filter(|value| !value.is_empty());
    let main = filled("MOOT_CLIENT_ID").zip(filled("MOOT_CLIENT_SECRET")).map(|(id, secret)| {
        Application {
            client_id: id,
            client_secret: SecretString::from(secret),
            scopes: Scopes::READ_WRITE,
        }
    });
    Ok(TargetFile {
        name: address::shown_host(&base_url),
        base_url,
        applications: FileApplications { main, ..FileApplications::default() },
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
        expired_token: None,
        revoked_token: None,
        ledger: PathBuf::from(LEDGER),
    })
}

struct Reader<'a> {
    file: String,
    folder: PathBuf,
    environment: Environment<'a>,
}

impl Reader<'_> {
    fn check(&self, shape: Shape, stem: String) -> Result<TargetFile, FileError> {
        let base_url = self.base_url(&shape.base_url)?;
        let is_loopback = address::is_loopback(&base_url);
        let secret = |source: &Spanned<Source>, what: &str| self.secret(source, what, is_loopback);
        let optional = |source: &Option<Spanned<Source>>, what: &str| {
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
            ledger: shape.ledger.map_or_else(|| LEDGER.into(), |path| self.folder.join(path)),
            base_url,
        })
    }

    fn base_url(&self, source: &Spanned<Source>) -> Result<Url, FileError> {
        let text = self.value(source, "base_url")?;
        address::base(text.expose_secret()).map_err(|message| self.at(source, message))
    }

    fn applications(
        &self,
        shapes: &ApplicationShapes,
        is_loopback: bool,
    ) -> Result<FileApplications, FileError> {
        let one = |shape: &Option<Spanned<ApplicationShape>>, name: &str, default: Scopes| {
            shape
                .as_ref()
                .map(|shape| self.application(shape, name, default, is_loopback))
                .transpose()
        };
        let applications = FileApplications {
            main: one(&shapes.main, "main", Scopes::READ_WRITE)?,
            reader: one(&shapes.reader, "reader", Scopes::READ)?,
            writer: one(&shapes.writer, "writer", Scopes::WRITE)?,
            other_company: one(&shapes.other_company, "other_company", Scopes::READ)?,
        };
        let fixed = [
            (&applications.reader, &shapes.reader, Scopes::READ, "reader"),
            (&applications.writer, &shapes.writer, Scopes::WRITE, "writer"),
        ];
        for (application, shape, scopes, name) in fixed {
            if let (Some(application), Some(shape)) = (application, shape)
                && application.scopes != scopes
            {
                return Err(self.at(
                    shape,
                    format!("`applications.{name}` is an application scoped `{scopes}` alone"),
                ));
            }
        }
        Ok(applications)
    }

    fn application(
        &self,
        shape: &Spanned<ApplicationShape>,
        name: &str,
        default: Scopes,
        is_loopback: bool,
    ) -> Result<Application, FileError> {
        let within = &shape.value;
        let id = self.value(&within.client_id, &format!("applications.{name}.client_id"))?;
        let scopes = within.scopes.clone().map_or(default, Scopes::from);
        if scopes.is_empty() {
            return Err(self.at(shape, format!("`applications.{name}.scopes` names no scope")));
        }
        Ok(Application {
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
            let endpoint = Endpoint::parse(&text.value, operation.method().as_str())
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
            ("requests_per_minute", limits.value.requests_per_minute),
            ("token_requests_per_minute", limits.value.token_requests_per_minute),
        ];
        for (name, rate) in rates {
            check_rate(rate, is_loopback)
                .map_err(|message| self.at(&limits, format!("`limits.{name}`: {message}")))?;
        }
        Ok(limits.value)
    }

    fn tolerate(&self, names: Vec<Spanned<String>>) -> Result<Vec<String>, FileError> {
        names
            .into_iter()
            .map(|name| {
                // A scenario's name has a slash; whether there is such a scenario, the run knows.
                if name.value.contains('/') || NEEDS.contains(&name.value.as_str()) {
                    return Ok(name.value);
                }
                let near = did_you_mean(&name.value, &NEEDS);
                Err(self.at(
                    &name,
                    format!("`{}` is neither a need nor a scenario FILE/ID{near}", name.value),
                ))
            })
            .collect()
    }

    fn headers(
        &self,
        headers: &BTreeMap<String, Spanned<Source>>,
        is_loopback: bool,
    ) -> Result<Vec<FileHeader>, FileError> {
        headers
            .iter()
            .map(|(name, source)| {
                let name = name.to_ascii_lowercase();
                if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
                    return Err(self.at(source, format!("`{name}` is no name of a header")));
                }
                let what = format!("headers.{name}");
                let value = if sounds_secret(&name) {
                    self.secret(source, &what, is_loopback)?
                } else {
                    self.value(source, &what)?
                };
                if http::HeaderValue::from_str(value.expose_secret()).is_err() {
                    return Err(self.at(source, format!("`{what}` is no value of a header")));
                }
                Ok(FileHeader { name, value, is_secret: !source.value.is_literal() })
            })
            .collect()
    }

    /// A value that may be literal anywhere.
    fn value(&self, source: &Spanned<Source>, what: &str) -> Result<SecretString, FileError> {
        source
            .value
            .resolve(&self.folder, self.environment)
            .map_err(|message| self.at(source, format!("`{what}`: {message}")))
    }

    /// A value that may be literal only for a loopback address.
    fn secret(
        &self,
        source: &Spanned<Source>,
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
        self.value(source, what)
    }

    fn at<T>(&self, spanned: &Spanned<T>, message: String) -> FileError {
        let (line, column) = (spanned.referenced.line(), spanned.referenced.column());
        FileError { file: self.file.clone(), line, column, message }
    }

    fn syntax(&self, error: &serde_saphyr::Error) -> FileError {
        let error = error.without_snippet();
        let message = match error {
            serde_saphyr::Error::SerdeUnknownField { field, expected, .. } => {
                format!("unknown key `{field}`{}", did_you_mean(field, expected))
            }
            serde_saphyr::Error::SerdeMissingField { field, .. } => {
                format!("the key `{field}` is missing")
            }
            other => without_place(&other.to_string()),
        };
        let (line, column) = error.location().map_or((0, 0), |at| (at.line(), at.column()));
        FileError { file: self.file.clone(), line, column, message }
    }
}

/// Checks a rate a minute, from a file or a command line.
///
/// # Errors
/// Where only a loopback address may have this rate.
pub(in crate::target) fn check_rate(rate: u32, is_loopback: bool) -> Result<(), String> {
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

/// `; did you mean …?`, or what there is.
fn did_you_mean(given: &str, known: &[&str]) -> String {
    let near = known
        .iter()
        .map(|name| (strsim::damerau_levenshtein(given, name), *name))
        .filter(|(distance, name)| *distance <= 1 + name.chars().count() / 3)
        .min();
    match near {
        Some((_, name)) => format!("; did you mean `{name}`?"),
        None => format!("; there are {}", known.join(", ")),
    }
}

/// The message of the YAML reader without its own way of telling the place.
fn without_place(message: &str) -> String {
    let place = regex::Regex::new(r"(?i)\s*\(?(at )?line \d+,? col(umn)? \d+\)?:?\s*");
    let text = place.map_or_else(|_| message.into(), |place| place.replace_all(message, " "));
    text.trim().trim_end_matches([':', ',']).replace('\n', " ")
}
