//! `--target` and the options that go with it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use moot_fixtures::DataError;

use super::error::{CommandError, UNREACHABLE};
use super::files::{answers_named, world_named};
use super::listen::listen_address;
use super::number::{any_number, number};
use super::runtime::random_seed;
use crate::client::target_file::{self, TargetFile, address};
use crate::exchange::masks::Masks;
use crate::run::environment::{OpenError, TargetChoice, TargetOptions};
use crate::verdict::result::RunOutcome;

/// The options that name a target, and that say how to use it.
#[derive(Debug, Default, Args)]
pub(super) struct TargetArguments {
    /// A target file, or a base address with credentials in MOOT_CLIENT_ID and MOOT_CLIENT_SECRET
    /// [default: the mock in this process]
    #[arg(long, value_name = "FILE|URL")]
    pub(super) target: Option<String>,
    /// Seed of the mock's data [default: random]
    #[arg(long, value_name = "N", value_parser = any_number)]
    pub(super) seed: Option<u64>,
    /// World of the mock in this process: the name of a bundled one, or a file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "target")]
    pub(super) world: Option<String>,
    /// How the mock in this process answers where the specification is open: `default`, `documented`,
    /// `random:SEED` or a file
    #[arg(long, value_name = "NAME|FILE|random:SEED", conflicts_with = "target")]
    pub(super) answers: Option<String>,
    /// Keep a token in this file (mode 0600). Runs on the same deployment at least two hours later use
    /// it as an expired token
    #[arg(long, value_name = "FILE", requires = "target")]
    pub(super) token_file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) reach: ReachArguments,
}

/// The options for requests to targets, and for webhooks from them.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ReachArguments {
    /// Requests per minute; 0 means no limit, on loopback only
    #[arg(long, value_name = "N", value_parser = number::<u32>(0..=u32::MAX.into()))]
    pub(super) rate: Option<u32>,
    /// Address on which webhook receivers listen
    #[arg(long, value_name = "ADDR", value_parser = listen_address)]
    pub(super) receiver: Option<SocketAddr>,
    /// Address under which the target reaches the receivers
    #[arg(long, value_name = "URL", requires = "receiver", value_parser = base_address)]
    pub(super) receiver_url: Option<String>,
}

impl TargetArguments {
    /// As [`Self::choice`], for a run: its reports show what is wrong with the file.
    ///
    /// # Errors
    /// The target is an address, and not a base address. No report names it, because it may contain a password.
    pub(super) fn choice_of_run(&self) -> Result<TargetChoice, CommandError> {
        let name = self.target.clone().unwrap_or_default();
        if is_address(&name) {
            let refused = |why| CommandError::usage(why).of_option("--target");
            address::base(&name).map_err(refused)?;
        }
        Ok(self.choice().unwrap_or_else(|error| TargetChoice::Wrong { name, error }))
    }

    /// The target of `--target`. Its secrets are read, and their commands run, each time.
    ///
    /// # Errors
    /// The target file is wrong.
    pub(super) fn choice(&self) -> Result<TargetChoice, DataError> {
        choice_of(self.target.as_deref())
    }

    /// The options of the target. On the mock in this process the seed determines the run tag, so that the same
    /// seed sends the same bytes. A deployment must never see a tag twice, so the tag is random there.
    ///
    /// # Errors
    /// The world or the answers are neither bundled nor a valid file.
    pub(super) fn options(&self, seed: u64) -> Result<TargetOptions, CommandError> {
        let tag = if self.target.is_none() { seed & u64::from(u32::MAX) } else { random_seed() };
        Ok(TargetOptions {
            seed,
            world: self.world.as_deref().map(world_named).transpose()?,
            answers: self.answers.as_deref().map(answers_named).transpose()?,
            rate: self.reach.rate,
            token_file: self.token_file.clone(),
            receiver: self.reach.receiver,
            receiver_url: self.reach.receiver_url.clone(),
            run_tag: format!("moot-{tag:08x}"),
            ..TargetOptions::default()
        })
    }
}

/// Reads the value of an option that takes a base address.
pub(super) fn base_address(text: &str) -> Result<String, String> {
    address::base(text).map(|url| url.as_str().trim_end_matches('/').to_owned())
}

/// The target of a word. Without a word it is the mock in this process.
///
/// # Errors
/// The target file is wrong.
pub(super) fn choice_of(target: Option<&str>) -> Result<TargetChoice, DataError> {
    Ok(match target {
        None => TargetChoice::InProcess,
        Some(word) => TargetChoice::Http(Arc::new(target_file(word)?)),
    })
}

/// The file of a target that may be a deployment; `None` for a mock and a recording. Without credentials a target can
/// only be a moot mock, which gives us its own.
pub(super) fn deployment(choice: &TargetChoice) -> Option<&TargetFile> {
    match choice {
        TargetChoice::Http(file) => Some(&**file).filter(|file| !file.can_only_be_a_mock()),
        TargetChoice::InProcess
        | TargetChoice::InProcessDeployment
        | TargetChoice::Recording(_)
        | TargetChoice::Wrong { .. } => None,
    }
}

/// Reads the target file that this word names, with its secrets. An address stands for a file without consent.
///
/// # Errors
/// The file is wrong.
pub(super) fn target_file(word: &str) -> Result<TargetFile, DataError> {
    match is_address(word) {
        true => target_file::from_url(word, &|name| std::env::var(name).ok()),
        false => target_file::read(Path::new(word)),
    }
}

/// Whether this word is an address, and not the path of a file.
fn is_address(word: &str) -> bool {
    let is_scheme = |scheme: &str| matches!(&*scheme.to_ascii_lowercase(), "http" | "https");
    word.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// The error for a target that can't be opened.
pub(super) fn open_error(error: &OpenError, masks: &Masks) -> CommandError {
    let refusal = CommandError::usage(masks.mask(&error.to_string()));
    match error {
        OpenError::Usage(_) => refusal,
        OpenError::TokenEndpoint { .. } => refusal.exit(RunOutcome::NonConformant.exit_code()),
        OpenError::Unreachable(_) => refusal.exit(UNREACHABLE),
    }
}

#[cfg(test)]
mod tests {
    use super::is_address;

    #[test]
    fn a_word_with_a_scheme_is_an_address() {
        for (word, expected) in [
            ("http://127.0.0.1:8080", true),
            ("HTTPS://legal.example.com", true),
            ("target.yaml", false),
            ("http/target.yaml", false),
            ("ftp://legal.example.com", false),
        ] {
            assert_eq!(is_address(word), expected, "{word}");
        }
    }
}
