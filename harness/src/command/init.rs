//! `moot init`: writes a target file with comments, a GitHub workflow, and a line for `.gitignore`.

use std::fs;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::json;

use super::doctor;
use super::error::CommandError;
use super::files::{unreadable, write_file};
use super::screen::Screen;
use super::target_arguments::TargetArguments;
use crate::client::target_file::address;

#[derive(Debug, Args)]
pub(super) struct InitArguments {
    /// Base address of the deployment, without `/v1` [default: asked for at the terminal]
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// E-mail address of a user of the company, for `requester_email` [default: asked for at the terminal]
    #[arg(long, value_name = "EMAIL")]
    requester_email: Option<String>,
    /// Things that a run may do beyond reading, separated by commas. Without it, a run only reads
    #[arg(long, value_delimiter = ',', value_parser = CONSENTS)]
    consent: Vec<String>,
    /// The target file to write
    #[arg(long, value_name = "FILE", default_value = "target.yaml")]
    file: PathBuf,
    /// Write no GitHub workflow
    #[arg(long)]
    no_workflow: bool,
    /// Then try the target, as `moot doctor` does. This sends some reads and a token request
    #[arg(long = "try")]
    is_tried: bool,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

const TARGET: &str = include_str!("init/target.yaml");
const WORKFLOW: &str = include_str!("init/workflow.yml");
/// The GitHub workflow, in the folder of the repository.
const WORKFLOW_FILE: &str = ".github/workflows/moot.yml";
const GITIGNORE: &str = ".gitignore";
/// The folder that git must ignore: it has the ledger of runs.
const IGNORED: &str = ".moot/";
/// Needs that a consent meets.
const CONSENTS: [&str; 4] = ["write", "delete", "load", "fetch"];
/// Needs that a fresh target file does not meet.
const UNMET: [&str; 8] = [
    "admin",
    "operator",
    "second_company",
    "reader_application",
    "writer_application",
    "expired_token",
    "revoked_token",
    "receiver",
];

/// Exit 0 if the files are written, or with `--try` the exit code of `moot doctor`; 2 if a file exists.
pub(super) fn init(arguments: InitArguments, screen: &Screen) -> Result<u8, CommandError> {
    let base_url = value_or_prompt(arguments.base_url.clone(), "base_url", "--base-url")?;
    let base_url = base_url.ok_or_else(|| {
        CommandError::usage("the base address of the deployment is missing")
            .help("name it: --base-url https://legal.example.com/api")
    })?;
    address::base(&base_url).map_err(|why| CommandError::usage(why).of_option("--base-url"))?;
    let email = value_or_prompt(
        arguments.requester_email.clone(),
        "requester_email (empty: none)",
        "--requester-email",
    )?;
    let file = &arguments.file;
    let mut written =
        vec![(file.clone(), target_file(&base_url, email.as_deref(), &arguments.consent))];
    if !arguments.no_workflow {
        let workflow = WORKFLOW.replace("TARGET", &file.display().to_string());
        written.push((PathBuf::from(WORKFLOW_FILE), with_version(&workflow)));
    }
    let existing = written.iter().find(|(path, _)| path.exists() && !arguments.force);
    if let Some((path, _)) = existing {
        return Err(CommandError::usage(format!("{} exists", path.display()))
            .help("--force replaces it; --file names another target file; --no-workflow writes no workflow"));
    }
    // JSON is one document, at the end.
    let say = |line: String| if screen.is_json() { Ok(()) } else { screen.print(&line) };
    for (path, text) in &written {
        write_file(path, text)?;
        say(format!("wrote {}\n", path.display()))?;
    }
    let is_ignored_now = ignore()?;
    if is_ignored_now {
        say(format!("added {IGNORED} to {GITIGNORE}\n"))?;
    }
    if arguments.is_tried {
        let target = Some(file.display().to_string());
        return doctor::doctor(TargetArguments { target, ..Default::default() }, screen);
    }
    let next = format!("moot doctor --target {}", file.display());
    let paths: Vec<&PathBuf> = written.iter().map(|(path, _)| path).collect();
    screen.show(
        || json!({ "written": paths, "added_to_gitignore": is_ignored_now, "next": next }),
        || format!("next: {next}\n"),
    )?;
    Ok(0)
}

/// A value from the command line, or from the terminal. `None` if there is neither.
fn value_or_prompt(
    given: Option<String>,
    key: &str,
    flag: &str,
) -> Result<Option<String>, CommandError> {
    let cannot = |error| {
        CommandError::usage(format!("the terminal cannot be read: {error}"))
            .help(format!("use {flag}"))
    };
    let mut stdin = std::io::stdin().lock();
    if given.is_some() || !std::io::stdin().is_terminal() {
        return Ok(given);
    }
    let mut stderr = std::io::stderr();
    write!(stderr, "{key}: ").and_then(|()| stderr.flush()).map_err(cannot)?;
    let mut line = String::new();
    stdin.read_line(&mut line).map_err(cannot)?;
    Ok(Some(line.trim().to_owned()).filter(|line| !line.is_empty()))
}

fn with_version(text: &str) -> String {
    text.replace("VERSION", env!("CARGO_PKG_VERSION"))
}

/// A string of YAML, quoted if necessary. JSON strings are YAML.
fn yaml_string(value: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || ":/.@_-+".contains(c);
    let starts_plain = value.starts_with(|c: char| c.is_ascii_alphabetic());
    match starts_plain && value.chars().all(is_plain) {
        true => value.to_owned(),
        false => serde_json::Value::from(value).to_string(),
    }
}

fn target_file(base_url: &str, email: Option<&str>, consent: &[String]) -> String {
    let bindings = match email {
        Some(email) => format!("bindings: {{ requester_email: {} }}", yaml_string(email)),
        None => "# bindings: { requester_email: someone@your-company.example }".to_owned(),
    };
    let is_refused = |need: &&str| !consent.iter().any(|given| given == need);
    let tolerated: Vec<&str> = CONSENTS.into_iter().filter(is_refused).chain(UNMET).collect();
    with_version(TARGET)
        .replace("BASE_URL", &yaml_string(base_url))
        .replace("BINDINGS", &bindings)
        .replace("CONSENT", &consent.join(", "))
        .replace("TOLERATE", &tolerated.join(", "))
}

/// Adds [`IGNORED`] to `.gitignore`. Returns whether the line is new.
fn ignore() -> Result<bool, CommandError> {
    let path = Path::new(GITIGNORE);
    let mut text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(unreadable(path, &error)),
    };
    if text.lines().any(|line| line.trim().trim_start_matches('/') == IGNORED) {
        return Ok(false);
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(IGNORED);
    text.push('\n');
    write_file(path, &text)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{CONSENTS, target_file};
    use crate::client::target_file::from_text;

    #[test]
    fn the_target_file_can_be_read() {
        let variable = |_: &str| Some("the value of a variable".to_owned());
        for (email, consent) in [
            (Some("a@b.example"), vec!["write".to_owned(), "delete".to_owned()]),
            (Some("o'\"#: @b.example"), Vec::new()),
            (None, Vec::new()),
        ] {
            let text = target_file("https://a.example/api", email, &consent);
            let file = from_text(&text, Path::new("t.yaml"), &variable).expect(&text);
            assert_eq!(file.bindings.requester_email.as_deref(), email);
            assert_eq!(file.consent.len(), consent.len());
            for need in CONSENTS {
                let is_tolerated = file.tolerate.iter().any(|one| one == need);
                assert_ne!(is_tolerated, consent.iter().any(|one| one == need), "{need}");
            }
        }
    }
}
