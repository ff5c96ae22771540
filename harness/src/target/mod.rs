//! Targets: where requests go, and all that stands between a scenario and a real service.
//!
//! The way of a request: the runner hands a [`Prepared`] to a [`Stage`], `send` asks `guard`,
//! `ledger` and `pace` whether and when it may leave, `transport` carries it by HTTP or to the mock
//! in this process, and an [`Exchange`](crate::exchange::Exchange) comes back, secrets masked.
//!
//! Nothing here judges an answer; only `in_process` and `overlay` know the mock. Start reading at [`Target`].

mod address;
mod choice;
mod cleanup;
pub mod curl;
mod deck;
mod deployment;
mod description;
mod discovery;
mod endpoint;
pub mod file;
mod form;
pub mod guard;
mod http;
mod in_process;
mod known;
mod ledger;
mod line;
mod mock;
mod needs;
mod opened;
mod opening;
mod overlay;
pub mod pace;
pub mod payload;
mod post_office;
mod prepared;
mod raw;
mod received;
mod receiver;
pub mod recording;
mod roots;
mod send;
mod sketch;
mod stage;
mod token_file;
mod token_trial;
mod tokens;
mod transport;
mod variants;
mod venue;
mod wire;

pub use choice::{Chosen, OpenError, TargetChoice, TargetOptions};
pub use description::{Residue, TargetDescription};
pub use endpoint::{Endpoint, Endpoints};
pub use file::TargetFile;
pub use guard::created_kind;
pub(crate) use needs::application_of;
pub use opened::Target;
pub use overlay::Overlay;
pub use prepared::{PartBytes, Prepared, PreparedBody, PreparedPart};
pub use receiver::Receiver;
pub use sketch::Sketch;
pub use stage::Stage;
