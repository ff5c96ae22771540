//! The token file. A run stores a token of `main` in it, and a run two hours later uses it as the expired token. The
//! file has one token for each target and application. Only its owner may read it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use moot_fixtures::contract::{ProblemType, TOKEN_LIFETIME_SECONDS};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::client::service_client::{ServiceClient, first_scope};
use crate::client::target_file::private_file;
use crate::exchange::date_seconds;

/// Safety margin after expiry (§5), because clocks differ.
const EXPIRED_SINCE_SECONDS_MIN: i64 = 60;
/// An older token is replaced, because the service may have forgotten it.
const AGE_SECONDS_MAX: i64 = 7 * 24 * 60 * 60;

/// A stored token.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Token {
    token: String,
    /// Seconds since 1970, by the service's clock.
    issued_at: i64,
}

/// The expired token of the file for this target. If there is none, the run's own token is stored for later. A
/// revoked token is replaced, because it cannot test expiry.
///
/// # Errors
/// Others can read the file, it is no token file, or it can't be written.
pub(crate) async fn consult(
    path: &Path,
    client: &ServiceClient,
) -> Result<Option<SecretString>, String> {
    let mut tokens = read(path)?;
    let Some(main) = client.destination.applications.get("main") else { return Ok(None) };
    let key = format!("{} {}", client.destination.base, main.client_id);
    let Ok(own) = client.token("main", first_scope(main.scopes)).await else { return Ok(None) };
    let (now, _) = probe(client, &own).await;
    if let Some(known) = tokens.get(&key) {
        client.sender.masks.hide(&known.token, "MOOT_EXPIRED_TOKEN");
        let age = now.saturating_sub(known.issued_at);
        if (0..TOKEN_LIFETIME_SECONDS + EXPIRED_SINCE_SECONDS_MIN).contains(&age) {
            return Ok(None);
        }
        if (0..AGE_SECONDS_MAX).contains(&age) {
            let (_, problem) = probe(client, &known.token).await;
            if problem != Some(ProblemType::TokenRevoked) {
                return Ok(Some(SecretString::from(known.token.clone())));
            }
        }
    }
    tokens.insert(key, Token { token: own, issued_at: now });
    write(path, &tokens)?;
    Ok(None)
}

/// Reads the tokens. The key is base address and client id, separated by a space.
fn read(path: &Path) -> Result<BTreeMap<String, Token>, String> {
    if matches!(path.try_exists(), Ok(false)) {
        return Ok(BTreeMap::new());
    }
    let text = private_file::read(path).map_err(|why| format!("the token file {why}"))?;
    // The message of the parser could quote a token.
    serde_json::from_str(&text).map_err(|error| {
        let (shown, line, column) = (path.display(), error.line(), error.column());
        format!("`{shown}` is not a token file that moot wrote ({line}:{column}); delete it")
    })
}

/// Writes a temporary file with mode 0600, and renames it.
fn write(path: &Path, tokens: &BTreeMap<String, Token>) -> Result<(), String> {
    let wrong = |error: std::io::Error| {
        format!("the token file `{}` cannot be written: {error}", path.display())
    };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(wrong)?;
    let text = serde_json::to_string_pretty(tokens).map_err(|error| wrong(error.into()))?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(wrong)?;
    writeln!(file, "{text}").map_err(wrong)?;
    file.persist(path).map_err(|error| wrong(error.error))?;
    Ok(())
}

/// Sends a GET with a token. Returns the time in seconds since 1970, and the type of the problem if it is refused. The
/// time is the service's, or ours if the response has none.
async fn probe(client: &ServiceClient, token: &str) -> (i64, Option<ProblemType>) {
    let response = client.get("/v1/workflows", token).await.ok();
    let date = response.as_ref().and_then(|it| date_seconds(it.header("date")?));
    let problem = response.and_then(|it| it.text("type")?.parse().ok());
    (date.unwrap_or_else(|| jiff::Timestamp::now().as_second()), problem)
}
