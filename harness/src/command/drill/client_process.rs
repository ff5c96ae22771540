//! Runs the command of a client as a process group of its own.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::process::Stdio;
use std::time::Duration;

use tokio::process::{Child, Command};

use crate::grading::drill::recording::DrillRecording;

/// The time for processes to end after the command, and again between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// The interval of checks whether processes still run.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// The last bytes of the output are kept, up to this number.
const OUTPUT_BYTES_MAX: u64 = 8 * 1024;

/// Runs a command until it ends, the timeout is over, or `stop` is ready. Then ends all processes that it started.
/// Records how the command ended.
///
/// # Errors
/// The command can't be started, as text.
pub(super) async fn run(
    line: &[OsString],
    timeout: Duration,
    stop: impl Future<Output = ()>,
    prepare: impl FnOnce(&mut Command),
) -> Result<DrillRecording, String> {
    let (program, words) = line.split_first().ok_or("there is no command to run")?;
    let output = tempfile::tempfile().map_err(|error| format!("no temporary file: {error}"))?;
    let copy = || output.try_clone().map_err(|error| format!("no temporary file: {error}"));
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(copy()?).stderr(copy()?).kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    prepare(&mut command);
    let mut child = command
        .spawn()
        .map_err(|error| format!("cannot run `{}`: {error}", program.to_string_lossy()))?;
    let group = ProcessGroup::of(&child);
    let ended = tokio::select! {
        ended = child.wait() => Some(ended.map_err(|error| error.to_string())?),
        () = tokio::time::sleep(timeout) => None,
        () = stop => None,
    };
    let has_outlived = ended.is_some() && !group.ends_by_itself(&mut child).await;
    group.end(&mut child).await;
    Ok(DrillRecording {
        exit_code: ended.and_then(|ended| ended.code()),
        is_timed_out: ended.is_none(),
        has_outlived,
        output: last_lines(output),
        ..DrillRecording::default()
    })
}

fn last_lines(mut file: File) -> String {
    let mut bytes = Vec::new();
    let length = file.seek(SeekFrom::End(0)).unwrap_or_default();
    let start = file.seek(SeekFrom::Start(length.saturating_sub(OUTPUT_BYTES_MAX)));
    // A run is judged even without its output.
    let _ = start.and_then(|_| file.read_to_end(&mut bytes));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The processes of a command. Systems other than Unix know only the first one.
struct ProcessGroup {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl ProcessGroup {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self { id: id.and_then(rustix::process::Pid::from_raw) }
    }

    fn is_there(&self) -> bool {
        self.id.is_some_and(|id| rustix::process::test_kill_process_group(id).is_ok())
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(id) = self.id {
            // Fails if all processes have ended.
            let _ = rustix::process::kill_process_group(id, signal);
        }
    }

    /// Waits until the processes end, for [`GRACE`] at most. Returns whether all of them ended.
    async fn ends_by_itself(&self, child: &mut Child) -> bool {
        let until = tokio::time::Instant::now() + GRACE;
        while self.is_there() && tokio::time::Instant::now() < until {
            // A process that ended counts as running until its parent waits for it.
            let _ = child.try_wait();
            tokio::time::sleep(CHECK_INTERVAL).await;
        }
        !self.is_there()
    }

    /// Ends all processes: with SIGTERM, then with SIGKILL.
    async fn end(&self, child: &mut Child) {
        if !self.is_there() {
            return;
        }
        self.signal(rustix::process::Signal::TERM);
        self.ends_by_itself(child).await;
        self.signal(rustix::process::Signal::KILL);
        let _ = child.wait().await;
    }
}

#[cfg(not(unix))]
impl ProcessGroup {
    fn of(_: &Child) -> Self {
        Self {}
    }

    async fn ends_by_itself(&self, _: &mut Child) -> bool {
        true
    }

    async fn end(&self, child: &mut Child) {
        // Fails if it has ended.
        let _ = child.kill().await;
    }
}
