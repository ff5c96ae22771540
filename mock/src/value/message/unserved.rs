//! Why a call reaches no operation of any world.

/// Why a call is refused before a world looks at it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unserved<'a> {
    /// Its head breaks a rule of HTTP.
    Malformed(&'a str),
    /// It goes to a sandbox that does not exist.
    NoSandbox(&'a str),
}
