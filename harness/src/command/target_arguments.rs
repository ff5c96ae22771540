//! `--target` and the options that go with it.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;

use super::error::{CommandError, UNREACHABLE};
use super::files::{answers_named, world_named};
use super::listen::listen_address;
use super::number::{any_number, number};
use super::runtime::random_seed;
use crate::client::target_file::{TargetFile, address};
use crate::exchange::masks::Masks;
use crate::run::environment::{OpenError, TargetChoice, TargetOptions, TargetSource};
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
#[derive(Debug, Default, Args)]
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
    /// The target of `--target`.
    pub(super) fn choice(&self) -> TargetChoice {
        choice_of(self.target.as_deref())
    }

    /// Whether the target is the bundled mock without another world or other answers.
    pub(super) fn is_bundled_mock(&self) -> bool {
        self.target.is_none() && self.world.is_none() && self.answers.is_none()
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

/// The target of a word: an address, else a file. Without a word it is the mock in this process.
pub(super) fn choice_of(target: Option<&str>) -> TargetChoice {
    match target {
        None => TargetChoice::InProcess,
        Some(url) if url.starts_with("http://") || url.starts_with("https://") => {
            TargetChoice::Url(url.to_owned())
        }
        Some(file) => TargetChoice::File(file.into()),
    }
}

/// Reads the target file of a command that needs a deployment.
///
/// # Errors
/// The file is wrong.
pub(super) fn target_file(file: &Path, masks: &Masks) -> Result<TargetFile, CommandError> {
    match choice_of(Some(&file.to_string_lossy())).read() {
        Ok(TargetSource::Http(file)) => Ok(*file),
        Ok(_) => Err(CommandError::usage("`--target` names no target file")),
        Err(error) => Err(open_error(&error, masks)),
    }
}

/// The error for a target that can't be opened.
pub(super) fn open_error(error: &OpenError, masks: &Masks) -> CommandError {
    let refusal = CommandError::usage(masks.mask(&error.to_string()));
    match error {
        OpenError::Usage(_) => refusal,
        OpenError::TokenEndpoint { .. } => refusal.exit(RunOutcome::NonConformant.exit_code()),
        OpenError::Unreachable(_) | OpenError::Credentials(_) => refusal.exit(UNREACHABLE),
    }
}

#[cfg(test)]
mod tests {
    use super::choice_of;
    use crate::run::environment::TargetChoice;

    #[test]
    fn a_target_is_an_address_or_a_file() {
        for (target, expected) in [
            (None, TargetChoice::InProcess),
            (Some("http://a"), TargetChoice::Url("http://a".to_owned())),
            (Some("https://a/b"), TargetChoice::Url("https://a/b".to_owned())),
            (Some("staging.yaml"), TargetChoice::File("staging.yaml".into())),
        ] {
            assert_eq!(choice_of(target), expected);
        }
    }
}
