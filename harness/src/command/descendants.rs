//! Detects processes that a command started and that still run after its end.

use std::time::Duration;

/// The longest wait for such processes after the end of a command.
const OUTLIVING_MAX: Duration = Duration::from_secs(2);

/// A pipe. The command and every process that it starts inherit the writing end. All of them have ended when it is
/// closed. Only Unix has this.
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
        /// Makes the pipe, before the command is started. Drop the second value, our writing end, after that.
        pub(in crate::command) fn new() -> (Self, Option<OwnedFd>) {
            let opened = pipe().ok().and_then(|(reader, writer)| {
                fcntl_setfd(&reader, FdFlags::CLOEXEC).ok()?;
                Some((Receiver::from_owned_fd(reader).ok()?, writer))
            });
            let (closed, writer) = opened.unzip();
            (Self { closed }, writer)
        }

        /// Waits a short time for the processes after the end of the command. Returns whether some are left.
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
