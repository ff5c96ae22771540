//! Sending one request of a scenario, and making the exchange of it: masked, with its curl line.

use moot_fixtures::contract::Operation;

use super::curl;
use super::deployment::is_worth_repeating;
use super::guard::created_kind;
use super::ledger::Row;
use super::line::Line;
use super::prepared::Prepared;
use super::transport::Carried;
use super::wire::{self, Wire};
use crate::exchange::{Exchange, ReceivedResponse, SentRequest, Trouble};

/// How a request is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// In its turn, a GET repeated once after trouble.
    Careful,
    /// At once, never repeated.
    Burst,
}

/// Sends it. Whatever hinders that is the trouble of the exchange.
pub(super) async fn send(line: &Line, prepared: Prepared, manner: Manner) -> Exchange {
    let operation = line.venue.endpoints.find(&prepared.method, &prepared.path);
    let sending = Sending { line, prepared, operation, manner };
    let sent = match sending.admitted() {
        Ok((wire, row)) => sending.carry(wire, row).await,
        Err(reason) => Sent { wire: None, carried: Carried::withheld(reason) },
    };
    sending.exchange(sent)
}

struct Sending<'a> {
    line: &'a Line,
    prepared: Prepared,
    operation: Option<Operation>,
    manner: Manner,
}

/// What went out last, and what came of it.
struct Sent {
    wire: Option<Wire>,
    carried: Carried,
}

impl Sending<'_> {
    /// Whether it may leave at all; a creating call is in the ledger from here on.
    fn admitted(&self) -> Result<(Wire, Option<Row>), Trouble> {
        let prepared = &self.prepared;
        let headers: Vec<(String, String)> = prepared
            .headers
            .iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
            .collect();
        let wire = self.line.wire(&prepared.method, &prepared.path, headers, &prepared.body)?;
        let Some(deployment) = self.line.venue.deployment() else { return Ok((wire, None)) };
        let operation = self.guarded_operation(&wire);
        deployment
            .guard
            .check(prepared, operation, self.manner == Manner::Burst)
            .map_err(Trouble::Withheld)?;
        let Some(kind) = operation.and_then(created_kind) else { return Ok((wire, None)) };
        deployment.guard.spend_creation().map_err(Trouble::Withheld)?;
        let row = deployment
            .ledger
            .begin(kind, &prepared.tag_scenario, &prepared.application)
            .map_err(|reason| {
                deployment.guard.return_creation();
                Trouble::Withheld(reason)
            })?;
        Ok((wire, Some(row)))
    }

    /// The operation for which consent and budget are asked: whatever a lenient service might take
    /// the call for. Only a token request as the contract writes it is one.
    fn guarded_operation(&self, wire: &Wire) -> Option<Operation> {
        if self.operation == Some(Operation::CreateAccessToken) {
            return self.operation;
        }
        let venue = &self.line.venue;
        let path = super::address::canonical_path(&wire.url, &venue.base);
        let found = venue.endpoints.find_spelled(&wire.method, &path);
        found.filter(|operation| *operation != Operation::CreateAccessToken)
    }

    async fn carry(&self, wire: Wire, row: Option<Row>) -> Sent {
        let sent = match self.manner {
            Manner::Burst => {
                let deployment = self.line.venue.deployment();
                if let Some(Err(trouble)) = deployment.map(|it| it.is_welcome()) {
                    return Sent { wire: None, carried: Carried::withheld(trouble) };
                }
                // A burst spends the window of the limit; whoever comes after it waits.
                let carried = self.line.carrier.carry(wire.clone()).await;
                if let Some(deployment) = deployment {
                    deployment.rest_for_a_window();
                }
                Sent { wire: Some(wire), carried }
            }
            Manner::Careful => self.carry_carefully(wire).await,
        };
        self.note(&sent.carried.outcome, row);
        sent
    }

    async fn carry_carefully(&self, mut wire: Wire) -> Sent {
        let is_token_request = self.operation == Some(Operation::CreateAccessToken);
        let deployment = self.line.venue.deployment();
        let mut may_repeat = deployment.is_some() && wire.method == "GET";
        let mut may_renew = true;
        loop {
            let carried = self.line.carry(wire.clone(), is_token_request).await;
            if may_renew
                && is_token_revoked(&carried.outcome)
                && let Some(renewed) = self.renewed(&wire).await
            {
                // The refused call did nothing, so it is sent again whatever its method.
                may_renew = false;
                wire = renewed;
                continue;
            }
            let is_welcome = deployment.is_none_or(|it| it.is_welcome().is_ok());
            if may_repeat && is_welcome && is_worth_repeating(&carried.outcome) {
                may_repeat = false;
                continue;
            }
            return Sent { wire: Some(wire), carried };
        }
    }

    /// The same request with a new shared token; `None` where it carries no shared one.
    async fn renewed(&self, wire: &Wire) -> Option<Wire> {
        let at = wire.headers.iter().position(|(name, _)| name == "authorization")?;
        let revoked = wire.headers[at].1.strip_prefix("Bearer ")?;
        let token = self.line.renewed(revoked).await?;
        let mut renewed = wire.clone();
        renewed.headers[at].1 = format!("Bearer {token}");
        Some(renewed)
    }

    /// Keeps what an outcome teaches: issued tokens, schemas, what was created and deleted.
    fn note(&self, outcome: &Result<ReceivedResponse, Trouble>, row: Option<Row>) {
        let venue = &self.line.venue;
        if let (Some(deployment), Some(row)) = (venue.deployment(), row)
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
                    self.line.carrier.masks.hide(token, "MOOT_TOKEN");
                }
            }
            Some(Operation::GetWorkflowSchema) if response.status == 200 => {
                venue.remember_form(&self.prepared.path, json);
                if let Some(deployment) = venue.deployment() {
                    let form = super::form::Form::new(json);
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
            && let Some(deployment) = self.line.venue.deployment()
            && let Some(id) = self.prepared.path.rsplit('/').next()
        {
            deployment.ledger.deleted("webhook", id);
        }
    }

    fn exchange(self, sent: Sent) -> Exchange {
        let masks = &self.line.carrier.masks;
        let prepared = &self.prepared;
        let (url, headers, body_length) = match &sent.wire {
            Some(wire) => (wire.url.to_string(), wire.headers.clone(), wire.body.length()),
            // It did not leave: it is shown as it was meant.
            None => {
                let url = super::address::below(&self.line.venue.base, &prepared.path);
                (url, prepared.headers.clone(), 0)
            }
        };
        let body_shown = wire::shown(&prepared.body);
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
        let Carried { number, outcome, peer, sent_at_seconds, duration } = sent.carried;
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
