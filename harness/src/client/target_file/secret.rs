//! The source of a value that may be secret: `$NAME`, `{file}`, `{command}`, or a literal.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use secrecy::SecretString;
use serde::{Deserialize, Deserializer};

use crate::client::target_file::private_file;
use crate::client::target_file::text_or_keys::text_or_keys;

/// The time limit for the command of a secret.
const COMMAND_SECONDS_MAX: u64 = 30;
/// The time for reading the rest of the output after the command has exited. A program that it started in the
/// background may keep the pipe open forever.
const LAST_OUTPUT: Duration = Duration::from_millis(200);
/// The rest of a longer output is not read.
const OUTPUT_BYTES_MAX: usize = 64 * 1024;

/// Reads an environment variable. Tests pass a function of their own.
pub type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The source of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValueSource {
    /// The value itself.
    Literal(String),
    /// `$NAME`.
    Variable(String),
    /// `{file: …}`, with mode 0600. The path is relative to the target file.
    File(PathBuf),
    /// `{command: […]}`: its output, without the last line end.
    Command(Vec<String>),
}

impl ValueSource {
    /// Reads the value from its source.
    ///
    /// # Errors
    /// A clause that names the variable, file or command.
    pub(crate) fn resolve(
        &self,
        folder: &Path,
        variables: Variables<'_>,
    ) -> Result<SecretString, String> {
        let text = match self {
            Self::Literal(text) => text.clone(),
            Self::Variable(name) => variables(name)
                .ok_or_else(|| format!("the environment variable `{name}` is not set"))?,
            Self::File(path) => {
                without_line_end(&private_file::read(&folder.join(path))?).to_owned()
            }
            Self::Command(words) => from_command(words)?,
        };
        if text.is_empty() {
            return Err(match self {
                Self::Variable(name) => format!("the environment variable `{name}` is empty"),
                Self::Literal(_) | Self::File(_) | Self::Command(_) => "it is empty".to_owned(),
            });
        }
        Ok(SecretString::from(text))
    }

    /// The name of its environment variable.
    pub(crate) fn variable(&self) -> Option<String> {
        match self {
            Self::Variable(name) => Some(name.clone()),
            Self::Literal(_) | Self::File(_) | Self::Command(_) => None,
        }
    }

    /// Whether the value is in the target file itself.
    pub(crate) const fn is_literal(&self) -> bool {
        matches!(self, Self::Literal(_))
    }
}

fn from_command(words: &[String]) -> Result<String, String> {
    let (program, arguments) = words.split_first().ok_or("the command has no words")?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .map_err(|error| format!("the command `{program}` cannot be run: {error}"))?;
    let output = child.stdout.take().ok_or("the command has no output")?;
    let mut output = output.take(OUTPUT_BYTES_MAX as u64);
    let (sender, pieces) = mpsc::channel();
    std::thread::spawn(move || {
        let mut piece = [0; 4096];
        while let Ok(length @ 1..) = output.read(&mut piece)
            && sender.send(piece[..length].to_vec()).is_ok()
        {}
    });
    let status = wait(&mut child, program)?;
    if !status.success() {
        return Err(format!("the command `{program}` failed: {status}"));
    }
    let mut bytes = Vec::new();
    let until = Instant::now() + LAST_OUTPUT;
    while let Ok(piece) = pieces.recv_timeout(until.saturating_duration_since(Instant::now())) {
        bytes.extend(piece);
    }
    let text =
        String::from_utf8(bytes).map_err(|_| format!("the output of `{program}` is not UTF-8"))?;
    Ok(without_line_end(&text).to_owned())
}

fn wait(
    child: &mut std::process::Child,
    program: &str,
) -> Result<std::process::ExitStatus, String> {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if started.elapsed() < Duration::from_secs(COMMAND_SECONDS_MAX) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            Ok(None) => {
                // The result is the same if ending the process fails.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!(
                    "the command `{program}` did not exit within {COMMAND_SECONDS_MAX} s"
                ));
            }
            Err(error) => return Err(format!("the command `{program}` failed: {error}")),
        }
    }
}

fn without_line_end(text: &str) -> &str {
    let Some(line) = text.strip_suffix('\n') else { return text };
    line.strip_suffix('\r').unwrap_or(line)
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "ValueSource")]
#[serde(deny_unknown_fields)]
struct SourceKeys {
    /// A file with the value, mode 0600, relative to the file that names it.
    file: Option<PathBuf>,
    /// A program that prints the value, with its arguments. No shell is used.
    command: Option<Vec<String>>,
}

impl JsonSchema for ValueSource {
    fn schema_name() -> Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`$NAME` (an environment variable), `{file: PATH}`, `{command: [WORD, …]}`, or the value.",
            "anyOf": [
                { "type": "string", "minLength": 1 },
                { "allOf": [generator.subschema_for::<SourceKeys>()], "minProperties": 1, "maxProperties": 1 },
            ],
        })
    }
}

impl<'de> Deserialize<'de> for ValueSource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_keys(
            deserializer,
            "`$NAME`, `{file: PATH}` or `{command: [WORD, …]}`",
            |text| {
                Ok(match text.strip_prefix('$') {
                    Some(name) if is_variable_name(name) => Self::Variable(name.to_owned()),
                    Some(_) | None => Self::Literal(text.to_owned()),
                })
            },
            |keys: SourceKeys| match (keys.file, keys.command) {
                (Some(path), None) => Ok(Self::File(path)),
                (None, Some(words)) => Ok(Self::Command(words)),
                (None, None) => Err("expected `file` or `command`"),
                (Some(_), Some(_)) => Err("expected `file` or `command`, not both"),
            },
        )
    }
}

fn is_variable_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
