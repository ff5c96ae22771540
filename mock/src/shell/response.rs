//! Responses on their way out: the body that is sent, problems of the shell, and faults of a connection.

mod body;
pub(crate) mod problem;
mod transport;

pub use body::SiteBody;
pub(crate) use transport::sent;
