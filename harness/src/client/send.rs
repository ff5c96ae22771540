//! Sends one request of a scenario: consent, ledger, pace, retry. Makes its masked exchange with a curl line.

use moot_fixtures::contract::{Operation, ProblemType, Scopes};
use secrecy::ExposeSecret;
use tokio::time::Instant;
use url::Url;

use crate::client::curl;
use crate::client::deployment_rules::{
    is_limited, is_refused_for_now, is_unanswered, is_worth_repeating,
};
use crate::client::http_request::{HttpRequest, USER_AGENT};
use crate::client::request::{ClientBody, ClientRequest, bearer};
use crate::client::sender::SendAttempt;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::address;
use crate::client::target_file::endpoint::created_kind;
use crate::client::token_label::{NEAR_MISS_LABEL, TokenLabel};
use crate::client::workflow_form::WorkflowForm;
use crate::exchange::{Exchange, ReceivedResponse, SentRequest, Trouble};
use crate::scenario::model::Rhythm;
use crate::scenario::near_miss;

/// Sends a request at the pace of the target file. A GET is retried once after trouble. A request of a burst in the
/// rhythm `burst` is sent without waiting, and is never retried. If a request cannot be sent, the reason is the trouble
/// of the exchange.
pub(crate) async fn send(
    client: &ServiceClient,
    prepared: ClientRequest,
    burst: Option<Rhythm>,
) -> Exchange {
    let operation = client.destination.endpoints.find(&prepared.method, &prepared.path);
    let sending = PreparedSend { client, prepared, operation, burst };
    let (request, attempt) = match sending.check() {
        Ok((request, row)) => sending.send(request, row).await,
        Err(reason) => (None, SendAttempt::not_made(reason)),
    };
    sending.exchange(request, attempt)
}

struct PreparedSend<'a> {
    client: &'a ServiceClient,
    prepared: ClientRequest,
    operation: Option<Operation>,
    burst: Option<Rhythm>,
}

impl PreparedSend<'_> {
    /// Builds the request, and checks whether it may be sent. A creating call is added to the ledger.
    ///
    /// Returns the number of its row in the ledger, too.
    fn check(&self) -> Result<(HttpRequest, Option<usize>), Trouble> {
        let ClientRequest { method, path, headers, body, .. } = &self.prepared;
        let lower = |(name, value): &(String, String)| (name.to_ascii_lowercase(), value.clone());
        let headers = headers.iter().map(lower).collect();
        let request = self.client.http_request(method, path, headers, body)?;
        let Some(deployment) = self.client.destination.deployment() else {
            return Ok((request, None));
        };
        let operation = self.guarded_operation(&request);
        deployment
            .guard
            .check(&self.prepared, operation, self.burst.is_some())
            .map_err(Trouble::Withheld)?;
        let Some(kind) = operation.and_then(created_kind) else { return Ok((request, None)) };
        deployment.guard.spend_creation().map_err(Trouble::Withheld)?;
        let ClientRequest { tag_scenario, application, .. } = &self.prepared;
        let row = deployment.ledger.begin(kind, tag_scenario, application).map_err(|reason| {
            deployment.guard.return_creation();
            Trouble::Withheld(reason)
        })?;
        Ok((request, Some(row)))
    }

    /// The operation for which consent and budget are needed: each that a lenient service might take the call for.
    /// A token request must be exactly as the contract writes it.
    fn guarded_operation(&self, request: &HttpRequest) -> Option<Operation> {
        if self.operation == Some(Operation::CreateAccessToken) {
            return self.operation;
        }
        let destination = &self.client.destination;
        let path = address::canonical_path(&request.url, &destination.base);
        let found = destination.endpoints.find_lenient(&request.method, &path);
        found.filter(|operation| *operation != Operation::CreateAccessToken)
    }

    /// Sends the request. Returns it as it was sent last. `None` if it was not sent.
    async fn send(
        &self,
        request: HttpRequest,
        row: Option<usize>,
    ) -> (Option<HttpRequest>, SendAttempt) {
        let (request, attempt) = match self.burst {
            Some(rhythm) => {
                let deployment = self.client.destination.deployment();
                if let Some(Err(trouble)) = deployment.map(|it| it.check_back_offs()) {
                    return (None, SendAttempt::not_made(trouble));
                }
                let attempt = self.client.sender.send(request.clone()).await;
                if let Some(deployment) = deployment {
                    match rhythm {
                        Rhythm::Over(_) if !is_limited(&attempt.outcome) => {
                            deployment.pace.count(Instant::now());
                        }
                        // The limit is used up, so later requests wait.
                        Rhythm::Over(_) | Rhythm::InFlight(_) => deployment.back_off_for_a_window(),
                    }
                }
                (request, attempt)
            }
            None => self.send_paced(request).await,
        };
        self.record(&attempt.outcome, row);
        (Some(request), attempt)
    }

    async fn send_paced(&self, mut request: HttpRequest) -> (HttpRequest, SendAttempt) {
        let is_token_request = self.operation == Some(Operation::CreateAccessToken);
        let deployment = self.client.destination.deployment();
        let mut may_repeat = deployment.is_some();
        let mut may_renew = !self.prepared.keeps_token;
        loop {
            if let Some(deployment) = deployment.filter(|_| is_token_request) {
                deployment.note_token_request();
            }
            let attempt = self.client.send_in_turn(request.clone(), is_token_request).await;
            if may_renew
                && is_token_revoked(&attempt.outcome)
                && let Some(renewed) = self.renewed(&request).await
            {
                // The refused call had no effect, so it is sent again with any method.
                may_renew = false;
                request = renewed;
                continue;
            }
            // A request that breaks off on purpose has no response, and one that was not sent neither.
            let may_be_answered = attempt.number > 0 && !self.prepared.body.breaks_off();
            if deployment.is_some() && may_be_answered && is_unanswered(&attempt.outcome) {
                self.client.sender.note_unanswered();
            }
            let may_send = deployment.is_none_or(|it| it.check_back_offs().is_ok());
            let is_retryable = match request.method.as_str() {
                "GET" => is_worth_repeating(&attempt.outcome),
                _ => is_refused_for_now(&attempt.outcome, is_token_request),
            };
            if may_repeat && may_send && is_retryable {
                may_repeat = false;
                continue;
            }
            return (request, attempt);
        }
    }

    /// The same request with a new shared token. `None` if it has no shared one.
    async fn renewed(&self, request: &HttpRequest) -> Option<HttpRequest> {
        let at = request.headers.iter().position(|(name, _)| name == "authorization")?;
        let revoked = request.headers[at].1.strip_prefix("Bearer ")?;
        let token = self.client.renewed(revoked).await?;
        let mut renewed = request.clone();
        renewed.headers[at] = bearer(&token);
        Some(renewed)
    }

    /// Records issued tokens, workflow schemas, and created or deleted objects.
    fn record(&self, outcome: &Result<ReceivedResponse, Trouble>, row: Option<usize>) {
        let destination = &self.client.destination;
        if let (Some(deployment), Some(row)) = (destination.deployment(), row)
            && !deployment.ledger.end(row, outcome)
        {
            deployment.guard.return_creation();
        }
        let Ok(response) = outcome else { return };
        let Some(json) = response.json.as_ref() else {
            return self.record_deletion(response.status);
        };
        match self.operation {
            Some(Operation::CreateAccessToken) => {
                if let Some(token) = response.text("access_token") {
                    let masks = &self.client.sender.masks;
                    masks.hide(token, &self.token_label(response.text("scope")));
                    // A scenario may send near misses, and they show nearly all of the token.
                    for (_, near) in near_miss::near_misses(token) {
                        masks.hide(&near, NEAR_MISS_LABEL);
                    }
                }
            }
            Some(Operation::GetWorkflowSchema) if response.status == 200 => {
                destination.remember_form(&self.prepared.path, json);
                if let Some(deployment) = destination.deployment() {
                    let form = WorkflowForm::new(json);
                    form.signer_options().iter().for_each(|email| deployment.guard.offer(email));
                }
            }
            _ => self.record_deletion(response.status),
        }
    }

    /// The label of a token that this token request got. It names the application whose client id the request has.
    fn token_label(&self, scope: Option<&str>) -> String {
        let applications = &self.client.destination.applications;
        let sent = self.prepared.body.shown();
        let asked = applications
            .iter()
            .find(|(_, known)| sent.contains(&format!("client_id={}&", known.client_id)));
        let named = || applications.get_key_value(&self.prepared.application);
        let Some((role, known)) = asked.or_else(named) else { return "MOOT_TOKEN".to_owned() };
        let scopes = scope.map(Scopes::among).unwrap_or_default();
        TokenLabel::new(role, scopes, known.scopes).to_string()
    }

    fn record_deletion(&self, status: u16) {
        let is_gone = (200..300).contains(&status) || status == 404;
        let destination = &self.client.destination;
        if self.operation == Some(Operation::DeleteWebhook)
            && is_gone
            && let Some(deployment) = destination.deployment()
            && let Some(id) =
                destination.endpoints.id_in(Operation::DeleteWebhook, &self.prepared.path)
        {
            deployment.ledger.deleted("webhook", &id);
        }
    }

    /// The exchange. A request that was not sent is shown as the scenario wrote it.
    fn exchange(self, request: Option<HttpRequest>, attempt: SendAttempt) -> Exchange {
        let masks = &self.client.sender.masks;
        let prepared = &self.prepared;
        let (url, headers, body_length) = match request {
            Some(request) => (request.url.to_string(), request.headers, request.body.length()),
            None => {
                let url = address::below(&self.client.destination.base, &prepared.path);
                (url, prepared.headers.clone(), 0)
            }
        };
        let body_shown = prepared.body.shown();
        let here = masks.within(&everything(&url, &headers, &body_shown));
        let curl = curl::line(&prepared.method, &url, &headers, &prepared.body, &here);
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
        let SendAttempt { number, outcome, sent_at_seconds, duration } = attempt;
        Exchange { number, request, outcome, sent_at_seconds, duration, masks: masks.clone() }
    }
}

impl ServiceClient {
    /// Builds a request to a path below the base address, or to an absolute address.
    ///
    /// # Errors
    /// [`Trouble::Withheld`] if the address is wrong, or another host would get a token.
    pub(crate) fn http_request(
        &self,
        method: &str,
        path: &str,
        mut headers: Vec<(String, String)>,
        body: &ClientBody,
    ) -> Result<HttpRequest, Trouble> {
        let url = self.url(method, path, &headers)?;
        if let Some(content_type) = body.content_type() {
            headers.push(("content-type".to_owned(), content_type));
        }
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("user-agent")) {
            headers.push(("user-agent".to_owned(), USER_AGENT.to_owned()));
        }
        if let Some(deployment) = self.destination.deployment()
            && address::is_same_origin(&url, &self.destination.base)
        {
            for header in &deployment.headers {
                headers.push((header.name.clone(), header.value.expose_secret().to_owned()));
            }
        }
        Ok(HttpRequest { method: method.to_owned(), url, headers, body: body.clone() })
    }

    fn url(&self, method: &str, path: &str, headers: &[(String, String)]) -> Result<Url, Trouble> {
        let withheld = |reason: String| Err(Trouble::Withheld(reason));
        let is_absolute = path.starts_with("http://") || path.starts_with("https://");
        if !is_absolute && !path.starts_with('/') {
            return withheld(format!("`{path}` is not a path that begins with `/`"));
        }
        let text = if is_absolute {
            path.to_owned()
        } else {
            address::below(&self.destination.base, path)
        };
        let url = match Url::parse(&text) {
            Ok(url) => url,
            Err(error) => return withheld(format!("`{text}` is not an address: {error}")),
        };
        if address::is_same_origin(&url, &self.destination.base) {
            return Ok(url);
        }
        let has_credentials = headers.iter().any(|(name, _)| {
            name.eq_ignore_ascii_case("authorization") || name.eq_ignore_ascii_case("cookie")
        });
        let origin = url.origin().ascii_serialization();
        if has_credentials {
            return withheld(format!("a token never goes to another host ({origin})"));
        }
        if method != "GET" {
            return withheld(format!("another host is only read ({origin})"));
        }
        Ok(url)
    }

    /// Waits until the pace allows a request, and sends it.
    pub(crate) async fn send_in_turn(
        &self,
        request: HttpRequest,
        is_token_request: bool,
    ) -> SendAttempt {
        let Some(deployment) = self.destination.deployment() else {
            return self.sender.send(request).await;
        };
        if let Err(trouble) = deployment.turn(is_token_request).await {
            return SendAttempt::not_made(trouble);
        }
        let attempt = self.sender.send(request).await;
        if let Ok(response) = &attempt.outcome {
            deployment.back_off_after(response, is_token_request);
        }
        attempt
    }
}

fn is_token_revoked(outcome: &Result<ReceivedResponse, Trouble>) -> bool {
    let Ok(response) = outcome else { return false };
    response.status == 401 && response.text("type") == Some(ProblemType::TokenRevoked.as_str())
}

/// All texts of a request that are shown. The body is there twice, also decoded as a form, because the curl line has
/// it decoded.
fn everything(url: &str, headers: &[(String, String)], body: &str) -> String {
    let headers: String = headers.iter().map(|(_, value)| format!("{value}\n")).collect();
    let spaced = body.replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy();
    format!("{url}\n{headers}{body}\n{decoded}")
}
