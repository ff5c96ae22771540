//! `moot token`: prints a token of an application of a target, for the commands in reports.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use moot_fixtures::contract::Scopes;
use serde_json::json;

use super::error::CommandError;
use super::runtime::runtime;
use super::screen::Screen;
use super::target_arguments::{open_error, target_file};
use crate::exchange::masks::Masks;
use crate::run::environment::access_token;

#[derive(Debug, Args)]
pub(super) struct TokenArguments {
    /// A target file
    #[arg(long, value_name = "FILE")]
    target: PathBuf,
    /// The application, as the target file names it: main, reader, writer, other_company
    #[arg(long = "as", value_name = "APPLICATION", default_value = "main")]
    application: String,
    /// Ask for this scope only; repeatable [default: all scopes of the application]
    #[arg(long = "scope", value_name = "SCOPE", value_parser = ["read", "write"])]
    scopes: Vec<String>,
}

/// Exit 0 with only the token on stdout; 2 for a wrong target file or an application that it does not
/// have; 4 if the target refuses the token.
pub(super) fn token(arguments: TokenArguments, screen: &Screen) -> Result<u8, CommandError> {
    let TokenArguments { target, application, scopes } = arguments;
    let masks = Arc::new(Masks::default());
    let scopes = Some(Scopes::among(&scopes.join(" "))).filter(|scopes| !scopes.is_empty());
    let file = target_file(&target.to_string_lossy())?;
    if file.applications.is_empty() {
        return Err(CommandError::usage(
            "the target has no applications, so there are no credentials to request a token with",
        )
        .help(
            "add `applications` to the target file; for a base address, set MOOT_CLIENT_ID and MOOT_CLIENT_SECRET. \
             `moot mock` prints the client ids and secrets of its world",
        ));
    }
    let (token, scopes, lifetime) = runtime()?
        .block_on(access_token(&file, &application, scopes, Arc::clone(&masks)))
        .map_err(|error| open_error(&error, &masks))?;
    let json = || {
        json!({
            "access_token": token,
            "application": application,
            "scope": scopes.as_str(),
            "expires_in": lifetime.as_secs(),
        })
    };
    screen.show(json, || format!("{token}\n"))?;
    Ok(0)
}
