//! Whether processes that a command started are still there after its end.

use std::time::Duration;

/// How long the processes that outlive a command are waited for.
const OUTLIVING_MAX: Duration = Duration::from_secs(2);

/// A pipe whose writing end the command inherits, and so does every process that it starts. All of them have ended
/// once it is closed. Other systems than Unix have none.
pub(super) struct Descendants {
    #[cfg(unix)]
    closed: Option<tokio::net::unix::pipe::Receiver>,
}

#[cfg(unix)]
mod unix {
    use std::os::fd::OwnedFd;

    use rustix::io::{FdFlags, fcntl_setfd};
    use rustix::pipe::pipe;
    use tokio::io::AsyncReadExt;
    use tokio::net::unix::pipe::Receiver;

    use super::{Descendants, OUTLIVING_MAX};

    impl Descendants {
        /// Begins before the command is started. Drop the second value once it is.
        pub(in crate::command) fn new() -> (Self, Option<OwnedFd>) {
            let opened = pipe().ok().and_then(|(reader, writer)| {
                fcntl_setfd(&reader, FdFlags::CLOEXEC).ok()?;
                Some((Receiver::from_owned_fd(reader).ok()?, writer))
            });
            let (closed, writer) = opened.unzip();
            (Self { closed }, writer)
        }

        /// Waits for them after the end of the command, for a short time. Returns whether some are left.
        pub(in crate::command) async fn outlive(self) -> bool {
            let Some(mut closed) = self.closed else { return false };
            let mut byte = [0];
            let ended = async { while matches!(closed.read(&mut byte).await, Ok(1..)) {} };
            tokio::time::timeout(OUTLIVING_MAX, ended).await.is_err()
        }
    }
}

#[cfg(not(unix))]
impl Descendants {
    pub(super) fn new() -> (Self, Option<()>) {
        (Self {}, None)
    }

    pub(super) async fn outlive(self) -> bool {
        false
    }
}
