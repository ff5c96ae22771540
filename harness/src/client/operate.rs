//! Lets the operator of the target act: the control plane of a mock, a program, or a person.

use std::time::Duration;

use moot_fixtures::contract::TOKEN_LIFETIME_SECONDS;
use serde_json::json;

use crate::client::control_plane::ControlPlane;
use crate::client::destination::UselessToken;
use crate::client::operator::trouble::OperatorTrouble;
use crate::client::operator::{command, person};
use crate::client::service_client::ServiceClient;
use crate::client::target_file::{Consent, FileOperator};
use crate::scenario::model::{OperatorAction, OperatorOrder};

impl ServiceClient {
    /// Whether somebody does this action at the target.
    pub(crate) fn has_operator(&self, action: OperatorAction) -> bool {
        self.destination.control_plane.is_some()
            || self.destination.deployment().is_some_and(|it| it.offers(action))
    }

    /// Lets the operator act. Returns what it wrote to its standard error, masked.
    ///
    /// # Errors
    /// [`OperatorTrouble`] where it was not done, or nobody can say whether it was.
    pub(crate) async fn operate(&self, order: &OperatorOrder) -> Result<String, OperatorTrouble> {
        if let Some(control_plane) = &self.destination.control_plane {
            let said = self.operate_mock(control_plane, order).await?;
            self.note_done(order).await;
            return Ok(said);
        }
        let rules = self.destination.deployment();
        let rules = rules.filter(|rules| rules.guard.allows(Consent::Operate));
        let Some(rules) = rules else { return Err(OperatorTrouble::Nobody) };
        let masks = &self.sender.masks;
        let said = match (&rules.operator, &rules.operator_control_plane) {
            (Some(FileOperator::Command(command)), _) => {
                command::run(command, order, masks).await?
            }
            (Some(FileOperator::Ask), _) => person::ask(order, masks).await?,
            (None, Some(control_plane)) => self.operate_mock(control_plane, order).await?,
            (None, None) => return Err(OperatorTrouble::Nobody),
        };
        self.note_done(order).await;
        Ok(said)
    }

    /// The control plane of a mock is an operator that can do everything.
    async fn operate_mock(
        &self,
        control_plane: &ControlPlane,
        order: &OperatorOrder,
    ) -> Result<String, OperatorTrouble> {
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
        let answer = control_plane.send(&self.sender, "POST", &path, Some(&json)).await;
        answer.map(|_| String::new()).map_err(OperatorTrouble::ControlPlane)
    }

    /// What a client knows of the service is no longer true after some actions.
    async fn note_done(&self, order: &OperatorOrder) {
        match order {
            OperatorOrder::AdvanceClock { seconds } => {
                let by = Duration::from_secs(*seconds);
                self.destination.tokens.lock().await.age(by);
                // A revoked token that has expired, too, may be refused for either reason.
                let mut useless = self.destination.useless.lock().await;
                useless.retain(|(why, _), _| *why != UselessToken::Revoked);
            }
            OperatorOrder::Restart => {
                // Tokens may or may not outlive a restart.
                self.destination.tokens.lock().await.clear();
                self.destination.useless.lock().await.clear();
            }
            OperatorOrder::SetStatus { .. }
            | OperatorOrder::AddComment { .. }
            | OperatorOrder::RevokeToken { .. } => {}
        }
    }

    /// A token of this application that the operator of a deployment let expire or revoked. Each is tried once
    /// in a run: an operator that failed is not asked again for every scenario.
    ///
    /// # Errors
    /// As a clause: there is no token, or the operator did not act.
    pub(crate) async fn useless_token(
        &self,
        why: UselessToken,
        application: &str,
    ) -> Result<String, String> {
        let key = (why, application.to_owned());
        if let Some(known) = self.destination.useless.lock().await.get(&key) {
            return known.clone();
        }
        let tried = self.make_useless(why, application).await;
        self.destination.useless.lock().await.insert(key, tried.clone());
        tried
    }

    /// Asks for a token, and lets the operator make it useless.
    async fn make_useless(&self, why: UselessToken, application: &str) -> Result<String, String> {
        let known = self.destination.applications.get(application);
        let scopes =
            known.ok_or_else(|| format!("the target has no application `{application}`"))?.scopes;
        let issued = self.issue(application, scopes).await;
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
