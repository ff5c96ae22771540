//! Calls that reach no operation of any world.

/// The reason for refusing a call before a world gets it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unserved<'a> {
    /// The head breaks a rule of HTTP.
    Malformed(&'a str),
    /// The sandbox does not exist.
    NoSandbox(&'a str),
}
