//! The client sends requests to the target, with tokens, pacing, consent and ledger.
//!
//! `send` asks `consent`, `ledger` and `pace` whether and when a request may be sent. `transport` sends it. The result
//! is an [`Exchange`](crate::exchange::Exchange) with masked secrets.
//!
//! The client judges no response. Start reading at `send`.

pub(crate) mod access_tokens;
pub mod answers;
pub(crate) mod cleanup;
pub mod consent;
pub(crate) mod control_plane;
pub mod curl;
pub(crate) mod deployment_rules;
pub(crate) mod destination;
pub(crate) mod http;
pub(crate) mod http_request;
pub(crate) mod ledger;
pub(crate) mod operator;
pub mod pace;
pub mod payload;
pub(crate) mod receiver;
pub mod recording;
pub(crate) mod request;
pub(crate) mod response;
pub(crate) mod secret_forms;
pub(crate) mod send;
pub(crate) mod sender;
pub(crate) mod service_client;
pub(crate) mod short_body;
pub mod target_file;
pub(crate) mod tls_mistake;
pub(crate) mod token_file;
pub(crate) mod token_label;
pub(crate) mod token_refusal;
pub(crate) mod tokens;
pub(crate) mod transport;
pub(crate) mod workflow_form;

pub(crate) use ledger::read_ledger;
pub use ledger::{LedgerContent, LeftObject};
pub use pace::PaceWait;
pub use receiver::DeliveryReceiver;
pub use request::{BodyPiece, ClientBody, ClientRequest, FormPart};
