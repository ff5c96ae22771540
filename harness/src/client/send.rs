//! Sending one request of a scenario, and making the exchange of it: masked, with its curl line.

use moot_fixtures::contract::Operation;

use crate::client::consent::created_kind;
use crate::client::curl;
use crate::client::deployment_rules::is_worth_repeating;
use crate::client::http_request::{self, HttpRequest};
use crate::client::ledger::LedgerRow;
use crate::client::request::ClientRequest;
use crate::client::service_client::ServiceClient;
use crate::client::transport::Attempt;
use crate::exchange::{Exchange, ReceivedResponse, SentRequest, Trouble};
use crate::target_file::address;

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SendMode {
    /// In its turn, a GET repeated once after trouble.
    Careful,
    /// At once, never repeated.
    Burst,
}

/// Sends it. Whatever hinders that is the trouble of the exchange.
pub(crate) async fn send(
    client: &ServiceClient,
    prepared: ClientRequest,
    manner: SendMode,
) -> Exchange {
    let operation = client.destination.endpoints.find(&prepared.method, &prepared.path);
    let sending = Sending { client, prepared, operation, manner };
    let sent = match sending.admitted() {
        Ok((http_request, row)) => sending.carry(http_request, row).await,
        Err(reason) => Sent { http_request: None, carried: Attempt::withheld(reason) },
    };
    sending.exchange(sent)
}

struct Sending<'a> {
    client: &'a ServiceClient,
    prepared: ClientRequest,
    operation: Option<Operation>,
    manner: SendMode,
}

/// What went out last, and what came of it.
struct Sent {
    http_request: Option<HttpRequest>,
    carried: Attempt,
}

impl Sending<'_> {
    /// Whether it may leave at all; a creating call is in the ledger from here on.
    fn admitted(&self) -> Result<(HttpRequest, Option<LedgerRow>), Trouble> {
        let prepared = &self.prepared;
        let headers: Vec<(String, String)> = prepared
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
            .collect();
        let http_request =
            self.client.http_request(&prepared.method, &prepared.path, headers, &prepared.body)?;
        let Some(deployment) = self.client.destination.deployment() else {
            return Ok((http_request, None));
        };
        let operation = self.guarded_operation(&http_request);
        deployment
            .guard
            .check(prepared, operation, self.manner == SendMode::Burst)
            .map_err(Trouble::Withheld)?;
        let Some(kind) = operation.and_then(created_kind) else { return Ok((http_request, None)) };
        deployment.guard.spend_creation().map_err(Trouble::Withheld)?;
        let row = deployment
            .ledger
            .begin(kind, &prepared.tag_scenario, &prepared.application)
            .map_err(|reason| {
                deployment.guard.return_creation();
                Trouble::Withheld(reason)
            })?;
        Ok((http_request, Some(row)))
    }

    /// The operation for which consent and budget are asked: whatever a lenient service might take
    /// the call for. Only a token request as the contract writes it is one.
    fn guarded_operation(&self, http_request: &HttpRequest) -> Option<Operation> {
        if self.operation == Some(Operation::CreateAccessToken) {
            return self.operation;
        }
        let destination = &self.client.destination;
        let path = address::canonical_path(&http_request.url, &destination.base);
        let found = destination.endpoints.find_spelled(&http_request.method, &path);
        found.filter(|operation| *operation != Operation::CreateAccessToken)
    }

    async fn carry(&self, http_request: HttpRequest, row: Option<LedgerRow>) -> Sent {
        let sent = match self.manner {
            SendMode::Burst => {
                let deployment = self.client.destination.deployment();
                if let Some(Err(trouble)) = deployment.map(|it| it.is_welcome()) {
                    return Sent { http_request: None, carried: Attempt::withheld(trouble) };
                }
                // A burst spends the window of the limit; whoever comes after it waits.
                let carried = self.client.sender.carry(http_request.clone()).await;
                if let Some(deployment) = deployment {
                    deployment.rest_for_a_window();
                }
                Sent { http_request: Some(http_request), carried }
            }
            SendMode::Careful => self.carry_carefully(http_request).await,
        };
        self.note(&sent.carried.outcome, row);
        sent
    }

    async fn carry_carefully(&self, mut http_request: HttpRequest) -> Sent {
        let is_token_request = self.operation == Some(Operation::CreateAccessToken);
        let deployment = self.client.destination.deployment();
        let mut may_repeat = deployment.is_some() && http_request.method == "GET";
        let mut may_renew = true;
        loop {
            let carried = self.client.carry(http_request.clone(), is_token_request).await;
            if may_renew
                && is_token_revoked(&carried.outcome)
                && let Some(renewed) = self.renewed(&http_request).await
            {
                // The refused call did nothing, so it is sent again whatever its method.
                may_renew = false;
                http_request = renewed;
                continue;
            }
            let is_welcome = deployment.is_none_or(|it| it.is_welcome().is_ok());
            if may_repeat && is_welcome && is_worth_repeating(&carried.outcome) {
                may_repeat = false;
                continue;
            }
            return Sent { http_request: Some(http_request), carried };
        }
    }

    /// The same request with a new shared token; `None` where it carries no shared one.
    async fn renewed(&self, http_request: &HttpRequest) -> Option<HttpRequest> {
        let at = http_request.headers.iter().position(|(name, _)| name == "authorization")?;
        let revoked = http_request.headers[at].1.strip_prefix("Bearer ")?;
        let token = self.client.renewed(revoked).await?;
        let mut renewed = http_request.clone();
        renewed.headers[at].1 = format!("Bearer {token}");
        Some(renewed)
    }

    /// Keeps what an outcome teaches: issued tokens, schemas, what was created and deleted.
    fn note(&self, outcome: &Result<ReceivedResponse, Trouble>, row: Option<LedgerRow>) {
        let destination = &self.client.destination;
        if let (Some(deployment), Some(row)) = (destination.deployment(), row)
            && !deployment.ledger.end(row, outcome)
        {
            deployment.guard.return_creation();
        }
        let Ok(response) = outcome else { return };
        let Some(json) = response.json.as_ref() else {
            return self.note_deletion(response.status);
        };
        match self.operation {
            Some(Operation::CreateAccessToken) => {
                if let Some(token) = json.get("access_token").and_then(|token| token.as_str()) {
                    self.client.sender.masks.hide(token, "MOOT_TOKEN");
                }
            }
            Some(Operation::GetWorkflowSchema) if response.status == 200 => {
                destination.remember_form(&self.prepared.path, json);
                if let Some(deployment) = destination.deployment() {
                    let form = crate::client::workflow_form::WorkflowForm::new(json);
                    form.signer_options().iter().for_each(|email| deployment.guard.offer(email));
                }
            }
            _ => self.note_deletion(response.status),
        }
    }

    fn note_deletion(&self, status: u16) {
        let is_gone = (200..300).contains(&status) || status == 404;
        if self.operation == Some(Operation::DeleteWebhook)
            && is_gone
            && let Some(deployment) = self.client.destination.deployment()
            && let Some(id) = self.prepared.path.rsplit('/').next()
        {
            deployment.ledger.deleted("webhook", id);
        }
    }

    fn exchange(self, sent: Sent) -> Exchange {
        let masks = &self.client.sender.masks;
        let prepared = &self.prepared;
        let (url, headers, body_length) = match &sent.http_request {
            Some(http_request) => (
                http_request.url.to_string(),
                http_request.headers.clone(),
                http_request.body.length(),
            ),
            // It did not leave: it is shown as it was meant.
            None => {
                let url = address::below(&self.client.destination.base, &prepared.path);
                (url, prepared.headers.clone(), 0)
            }
        };
        let body_shown = http_request::shown(&prepared.body);
        let here = masks.within(&everything(&url, &headers, &body_shown));
        let secrets = here.labelled();
        let curl = curl::line(&prepared.method, &url, &headers, &prepared.body, &secrets);
        let masked = |(name, value): (String, String)| (name, here.mask(&value));
        let request = SentRequest {
            method: prepared.method.clone(),
            url: here.mask(&url),
            path: here.mask(&prepared.path),
            operation: prepared.operation.or(self.operation),
            headers: headers.into_iter().map(masked).collect(),
            body_shown: here.mask(&body_shown),
            body_length,
            curl: here.mask(&curl),
        };
        let Attempt { number, outcome, peer, sent_at_seconds, duration } = sent.carried;
        Exchange { number, request, outcome, sent_at_seconds, duration, peer, masks: masks.clone() }
    }
}

fn is_token_revoked(outcome: &Result<ReceivedResponse, Trouble>) -> bool {
    let Ok(response) = outcome else { return false };
    let problem = response.json.as_ref().and_then(|json| json.get("type")?.as_str());
    response.status == 401 && problem == Some("token_revoked")
}

/// All that is shown of a request as one text, the body also decoded as a form: the curl line lets
/// curl encode it.
fn everything(url: &str, headers: &[(String, String)], body: &str) -> String {
    let headers: String = headers.iter().map(|(_, value)| format!("{value}\n")).collect();
    let spaced = body.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy();
    format!("{url}\n{headers}{body}\n{decoded}")
}
