//! Actions at a target that a client cannot do: set a status, add a comment, revoke a token, move the clock, restart
//! the service.
//!
//! The operator does them: the control plane of a mock, or the operator of the target file, which is a program or a
//! person at the terminal. Its errors are [`OperatorTrouble`]. They are never a violation.

pub(crate) mod command;
pub(crate) mod order;
pub(crate) mod person;
pub(crate) mod trouble;

use std::time::Duration;

use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;
use serde_json::json;

use crate::client::control_plane::ControlPlane;
use crate::client::operator::trouble::OperatorTrouble;
use crate::client::service_client::ServiceClient;
use crate::client::target_file::{Consent, FileOperator};
use crate::scenario::model::{OperatorAction, OperatorOrder, UselessToken};

impl ServiceClient {
    /// Whether the target has an operator for this action.
    pub(crate) fn has_operator(&self, action: OperatorAction) -> bool {
        self.destination.control_plane.is_some()
            || self.destination.deployment().is_some_and(|it| it.offers(action))
    }

    /// Lets the operator do an action. Returns its masked standard error.
    ///
    /// # Errors
    /// [`OperatorTrouble`]. After some of them it is unknown whether the action was done.
    pub(crate) async fn operate(&self, order: &OperatorOrder) -> Result<String, OperatorTrouble> {
        let rules = self.destination.deployment();
        let rules = rules.filter(|rules| rules.guard.allows(Consent::Operate));
        let operator = rules.and_then(|rules| rules.operator.as_ref());
        let control_plane = self.destination.control_plane.as_ref();
        let control_plane =
            control_plane.or(rules.and_then(|it| it.operator_control_plane.as_ref()));
        let masks = &self.sender.masks;
        let output = match (operator, control_plane) {
            (Some(FileOperator::Command(command)), _) => {
                command::run(command, order, masks).await?
            }
            (Some(FileOperator::Ask), _) => person::ask(order, masks).await?,
            (None, Some(control_plane)) => {
                self.operate_mock(control_plane, order).await?;
                String::new()
            }
            (None, None) => return Err(OperatorTrouble::NoOperator),
        };
        if let (OperatorOrder::AdvanceClock { seconds }, Some(rules)) = (order, rules) {
            rules.ledger.clock_moved(i64::try_from(*seconds).unwrap_or(i64::MAX));
        }
        self.update_tokens(order).await;
        Ok(output)
    }

    async fn operate_mock(
        &self,
        control_plane: &ControlPlane,
        order: &OperatorOrder,
    ) -> Result<(), OperatorTrouble> {
        let (path, json) = match order {
            OperatorOrder::SetStatus { id, status } => {
                (format!("/legal_requests/{id}/status"), json!({ "status": status, "force": true }))
            }
            OperatorOrder::AddComment { id, comment } => {
                (format!("/legal_requests/{id}/comments"), json!({ "comment": comment }))
            }
            OperatorOrder::Restart => ("/restart".to_owned(), json!({})),
            OperatorOrder::AdvanceClock { seconds } => {
                ("/clock".to_owned(), json!({ "advance_seconds": seconds }))
            }
            OperatorOrder::RevokeToken { token } => {
                ("/tokens/revoke".to_owned(), json!({ "token": token }))
            }
        };
        let outcome = control_plane.send(&self.sender, "POST", &path, Some(&json)).await;
        outcome.map(|_| ()).map_err(OperatorTrouble::ControlPlane)
    }

    /// Drops the tokens that an action made invalid.
    async fn update_tokens(&self, order: &OperatorOrder) {
        match order {
            OperatorOrder::AdvanceClock { seconds } => {
                let by = Duration::from_secs(*seconds);
                self.destination.tokens.lock().await.age(by);
                // The revoked token may be expired now. Then the service may refuse it for either reason.
                let mut useless = self.destination.useless.lock().await;
                useless.retain(|(why, _), _| *why != UselessToken::Revoked);
            }
            OperatorOrder::Restart => {
                // It is open whether tokens survive a restart.
                self.destination.tokens.lock().await.clear();
                self.destination.useless.lock().await.clear();
            }
            OperatorOrder::SetStatus { .. }
            | OperatorOrder::AddComment { .. }
            | OperatorOrder::RevokeToken { .. } => {}
        }
    }

    /// A token of this application that the operator of a deployment let expire or revoked. A run asks for each only
    /// once, even if the operator fails.
    ///
    /// # Errors
    /// A clause: there is no token, or the operator did not act.
    pub(crate) async fn useless_token(
        &self,
        why: UselessToken,
        application: &str,
    ) -> Result<String, String> {
        let key = (why, application.to_owned());
        if let Some(earlier) = self.destination.useless.lock().await.get(&key) {
            return earlier.clone();
        }
        let outcome = self.make_useless(why, application).await;
        self.destination.useless.lock().await.insert(key, outcome.clone());
        outcome
    }

    /// Requests a token, and lets the operator make it useless.
    async fn make_useless(&self, why: UselessToken, application: &str) -> Result<String, String> {
        let credentials = self.destination.applications.get(application);
        let credentials =
            credentials.ok_or_else(|| format!("the target has no application `{application}`"))?;
        let mut issued = self.issue(application, credentials.scopes).await;
        if self.waited_for_limit(&issued).await {
            issued = self.issue(application, credentials.scopes).await;
        }
        let (token, _) = issued.map_err(|error| error.into_trouble(application).to_string())?;
        let order = match why {
            UselessToken::Expired => {
                OperatorOrder::AdvanceClock { seconds: TOKEN_LIFETIME_SECONDS.unsigned_abs() }
            }
            UselessToken::Revoked => OperatorOrder::RevokeToken { token: token.clone() },
        };
        self.operate(&order).await.map_err(|trouble| trouble.to_string())?;
        Ok(token)
    }
}
