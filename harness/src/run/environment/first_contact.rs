//! The first requests to a target. They show whether it is a moot mock, responds, and accepts the credentials.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Operation;
use serde_json::Value;
use url::Url;

use crate::client::ClientRequest;
use crate::client::access_tokens::{CredentialPlace, TokenError};
use crate::client::control_plane::ControlPlane;
use crate::client::send;
use crate::client::sender::RequestSender;
use crate::client::service_client::{ServiceClient, first_scope};
use crate::client::target_file::model::ApplicationCredentials;
use crate::client::target_file::{AdminChoice, TargetFile, address};
use crate::client::token_label::TokenLabel;
use crate::client::token_refusal::TokenRequestRefusal;
use crate::exchange::Trouble;
use crate::run::environment::advice;
use crate::run::environment::choice::OpenError;

/// Timeout `opening`, for each of the first two responses.
const OPENING_TIMEOUT: Duration = Duration::from_secs(10);

/// The control plane, if the target is a moot mock and the target file allows its use.
///
/// # Errors
/// [`OpenError`] if the target does not respond, or does not accept `admin.token`.
pub(crate) async fn control_plane(
    file: &TargetFile,
    sender: &RequestSender,
) -> Result<Option<ControlPlane>, OpenError> {
    let token = match &file.admin {
        AdminChoice::None => return Ok(None),
        AdminChoice::Auto if !address::is_loopback(&file.base_url) => return Ok(None),
        AdminChoice::Auto => None,
        AdminChoice::Token(token) => Some(token.clone()),
    };
    let is_asked_for = token.is_some();
    let control_plane = ControlPlane::below(&file.base_url, token);
    match promptly(control_plane.send(sender, "GET", "/health", None)).await {
        Ok(health) if health.get("moot") == Some(&Value::Bool(true)) => Ok(Some(control_plane)),
        Err(trouble @ (Trouble::Unreachable(_) | Trouble::Timeout(_) | Trouble::Tls(_))) => {
            Err(unreachable(&file.base_url, &trouble))
        }
        Err(trouble) if is_asked_for => Err(OpenError::Unreachable(format!(
            "`admin.token` of the target file cannot be used: {}",
            trouble.details()
        ))),
        Ok(_) if is_asked_for => Err(OpenError::Unreachable(
            "`admin.token` is in the target file, but the service at `base_url` is not a moot mock"
                .to_owned(),
        )),
        Ok(_) | Err(_) => Ok(None),
    }
}

/// Asks for the first token, which shows that the target responds and accepts the credentials. The back-off of a
/// limited token endpoint does not count towards the timeout.
///
/// # Errors
/// [`OpenError`] if there is no token.
pub(crate) async fn first_token(client: &ServiceClient) -> Result<(), OpenError> {
    let Some(main) = client.destination.applications.get("main") else { return Ok(()) };
    let token = || async {
        let token = async { Ok(client.token_at_once("main", first_scope(main.scopes)).await) };
        promptly(token).await.unwrap_or_else(|trouble| Err(TokenError::Trouble(trouble)))
    };
    let mut outcome = token().await;
    if client.waited_for_limit(&outcome).await {
        outcome = token().await;
    }
    match outcome {
        Ok(_) => Ok(()),
        Err(TokenError::Refused(refusal)) if !refusal.is_gateway() => {
            try_basic(client, main, refusal).await
        }
        Err(error) => Err(no_token(client, "main", error)),
    }
}

/// The error of an application that gets no token.
pub(crate) fn no_token(client: &ServiceClient, role: &str, error: TokenError) -> OpenError {
    let base = &client.destination.base;
    let host = address::shown_host(base);
    match error {
        TokenError::Trouble(trouble) => unreachable(base, &trouble),
        TokenError::NoApplication(reason) => OpenError::Usage(reason),
        TokenError::Limited(status) => OpenError::Unreachable(format!(
            "{host} gives no token now: the limit of its token endpoint returned {status}; wait, and set \
             `limits.token_requests_per_minute` to its limit"
        )),
        TokenError::Refused(refusal) if refusal.is_gateway() => OpenError::Unreachable(format!(
            "{host} gives no token now: its token endpoint returned {refusal}"
        )),
        TokenError::Refused(refusal) => {
            OpenError::Unreachable(refused_application(client, role, &refusal))
        }
    }
}

/// A message about an application whose credentials are refused, with its place in the target file.
pub(crate) fn refused_application(
    client: &ServiceClient,
    role: &str,
    refusal: &TokenRequestRefusal,
) -> String {
    let destination = &client.destination;
    format!(
        "{}{} gives no token to the application `{role}`: it returned {refusal}{}",
        destination.place_of_application(role),
        address::shown_host(&destination.base),
        advice::of_refusal(destination, role, refusal)
    )
}

/// Sends the credentials by HTTP Basic (RFC 6749 §2.3.1), because the form of §4.1 was refused. If this works, the run
/// uses it, and reports the refusal of the form.
///
/// # Errors
/// [`OpenError::Unreachable`] if the credentials are refused or the address is wrong, [`OpenError::TokenEndpoint`] if
/// the request is refused.
async fn try_basic(
    client: &ServiceClient,
    main: &ApplicationCredentials,
    refusal: TokenRequestRefusal,
) -> Result<(), OpenError> {
    let request = |way| client.token_request("main", main, first_scope(main.scopes), way);
    let label = TokenLabel::new("main", first_scope(main.scopes), main.scopes).to_string();
    let is_basic_taken = client.granted(request(CredentialPlace::Basic), &label).await.is_ok();
    let base = &client.destination.base;
    let (host, advice) =
        (address::shown_host(base), advice::of_refusal(&client.destination, "main", &refusal));
    if !is_basic_taken && refusal.is_about_credentials() {
        return Err(no_token(client, "main", TokenError::Refused(refusal)));
    }
    if !is_basic_taken && refusal.status == 404 && !has_workflows(client).await {
        let contradiction = format!("its token endpoint returned {refusal}{advice}");
        let mistake = client.destination.mistake("base_url", contradiction);
        return Err(OpenError::Unreachable(mistake.to_string()));
    }
    // The request is repeated, to report it with its response.
    let exchange = send::send(client, request(CredentialPlace::Form), None).await;
    let exchange = Arc::new(exchange);
    if is_basic_taken {
        client.destination.refused.lock().remove("main");
        let _ = client.destination.refused_token_request.set(exchange);
        return Ok(());
    }
    let why = format!(
        "{host} gives no token: its token endpoint returned {refusal} to the request that §4.1 \
         documents, and refused HTTP Basic too{advice}"
    );
    Err(OpenError::TokenEndpoint { why, exchange })
}

/// Whether the list of workflows is below the base address: it refuses a call without a token (§5.5). If it is not
/// there either, the path of the base address is wrong.
async fn has_workflows(client: &ServiceClient) -> bool {
    let endpoints = &client.destination.endpoints;
    let request = ClientRequest::of(endpoints, Operation::ListWorkflows, "main");
    let exchange = send::send(client, request, None).await;
    exchange.outcome.is_ok_and(|response| matches!(response.status, 401 | 403))
}

fn unreachable(base: &Url, trouble: &Trouble) -> OpenError {
    let host = address::shown_host(base);
    let why = match trouble {
        Trouble::CutShort(_) => {
            return OpenError::Unreachable(format!("{host} gives no token: {trouble}"));
        }
        Trouble::Tls(why) => format!("TLS: {why}"),
        other => other.details().to_owned(),
    };
    let advice = advice::of_trouble(base, trouble);
    OpenError::Unreachable(format!("{host} cannot be reached: {why}{advice}"))
}

/// Waits for a response until the timeout `opening`.
async fn promptly<T>(response: impl Future<Output = Result<T, Trouble>>) -> Result<T, Trouble> {
    let late = |_| Err(Trouble::timeout("no response", OPENING_TIMEOUT, "opening"));
    tokio::time::timeout(OPENING_TIMEOUT, response).await.unwrap_or_else(late)
}
