//! Reads settings from the texts of the command line and the control plane.

#![cfg_attr(not(feature = "server"), expect(unreachable_pub, reason = "the server exports them"))]

use moot_fixtures::answers;
use moot_fixtures::contract::Answers;
use moot_fixtures::nearest::{ending, nearest, quoted};
use strum::VariantNames;

use crate::value::settings::{Progression, RateLimitMode};

/// A setting that can't be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SettingError(String);

impl SettingError {
    /// An unknown word. `hint` is empty or the end of the message.
    pub(crate) fn unknown(what: &str, given: &str, known: &str, hint: &str) -> Self {
        Self(format!("unknown {what} `{given}`: there are {known}{hint}"))
    }
}

/// Reads `manual`, `timed:SECONDS`, `on-read:N` or `immediate`.
///
/// # Errors
/// [`SettingError`]: another word, or a number below 1.
pub fn progression(text: &str) -> Result<Progression, SettingError> {
    let count = |digits: &str, wanted| match digits.parse::<u32>() {
        Ok(count) if count > 0 => Ok(count),
        Ok(_) | Err(_) => Err(value("progression", text, wanted)),
    };
    match text.split_once(':') {
        None if text == "manual" => Ok(Progression::Manual),
        None if text == "immediate" => Ok(Progression::Immediate),
        Some(("timed", digits)) => {
            let seconds = count(digits, "whole seconds from 1, such as `timed:5`")?;
            Ok(Progression::Timed { seconds })
        }
        Some(("on-read", digits)) => {
            let reads = count(digits, "a number of reads from 1, such as `on-read:3`")?;
            Ok(Progression::OnRead { reads })
        }
        _ => {
            let known = ["manual", "timed:SECONDS", "on-read:N", "immediate"];
            Err(unknown("progression", text, &known))
        }
    }
}

/// Reads `enforce`, `observe` or `off`.
///
/// # Errors
/// [`SettingError`].
pub fn rate_limit(text: &str) -> Result<RateLimitMode, SettingError> {
    text.parse().map_err(|_| unknown("rate limit", text, RateLimitMode::VARIANTS))
}

/// Reads the name of an embedded set of answers, or `random:SEED`.
///
/// # Errors
/// [`SettingError`]: another word, or a seed that is not a number.
pub fn answers(text: &str) -> Result<Answers, SettingError> {
    answers::chosen(text).ok_or_else(|| {
        if text.starts_with("random:") {
            return value("answers", text, "a number as its seed, such as `random:7`");
        }
        unknown("answers", text, &["default", "documented", "random:SEED"])
    })
}

/// An unknown word, with the most similar known one.
pub(crate) fn unknown(what: &str, given: &str, known: &[&str]) -> SettingError {
    let hint = ending(nearest(given, known.iter().copied()));
    SettingError::unknown(what, given, &quoted(known), &hint)
}

/// A known form with an invalid value.
pub(crate) fn value(what: &str, given: &str, wanted: &str) -> SettingError {
    SettingError(format!("{what} `{given}` wants {wanted}"))
}
