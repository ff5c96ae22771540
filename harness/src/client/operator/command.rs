//! The operator's command: a program of the user that does one action and exits.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};

use crate::client::operator::trouble::OperatorTrouble;
use crate::client::target_file::OperatorCommand;
use crate::exchange::masks::Masks;
use crate::scenario::model::OperatorOrder;

/// Bytes of the standard error that are kept.
const OUTPUT_BYTES_MAX: usize = 64 * 1024;
/// The time for reading the rest of the standard error after the command has exited. A service that it started in the
/// background may keep the pipe open forever.
const LAST_OUTPUT: Duration = Duration::from_millis(200);
/// The environment variable with the token to revoke.
const TOKEN_VARIABLE: &str = "MOOT_TOKEN";

/// Runs the command for this order, without a shell. Returns its masked standard error.
pub(crate) async fn run(
    command: &OperatorCommand,
    order: &OperatorOrder,
    masks: &Masks,
) -> Result<String, OperatorTrouble> {
    let mut child = start(command, order)?;
    let stderr = CommandOutput::of(child.stderr.take());
    let words = masks.mask(&order.words().join(" "));
    let exited = tokio::time::timeout(command.timeout(), child.wait()).await;
    if exited.is_err() {
        end(&mut child).await;
    }
    let output = stderr.text(masks).await;
    let clause = if output.is_empty() { String::new() } else { format!(": {output}") };
    match exited {
        Err(_) => Err(OperatorTrouble::TimedOut {
            order: words,
            seconds: command.timeout().as_secs(),
            output: clause,
        }),
        Ok(Err(error)) => Err(OperatorTrouble::Lost(error)),
        Ok(Ok(status)) if status.success() => Ok(output),
        Ok(Ok(status)) => Err(OperatorTrouble::Failed { order: words, status, output: clause }),
    }
}

fn start(command: &OperatorCommand, order: &OperatorOrder) -> Result<Child, OperatorTrouble> {
    let program = command.program();
    let mut process = Command::new(&program);
    process
        .args(command.command.iter().skip(1))
        .args(order.words())
        .current_dir(&command.folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let OperatorOrder::RevokeToken { token } = order {
        process.env(TOKEN_VARIABLE, token);
    }
    // In a group of its own, Ctrl-C does not end services that the command started in the background.
    #[cfg(unix)]
    process.process_group(0);
    process.spawn().map_err(|error| OperatorTrouble::NotStarted { program, error })
}

/// Ends a command that takes too long, and the processes that it started.
async fn end(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = child.id().and_then(|id| i32::try_from(id).ok())
        && let Some(group) = rustix::process::Pid::from_raw(group)
    {
        // It may have ended meanwhile.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill().await;
}

/// The standard error of a command. It is read to its end, so that writing to it never blocks.
struct CommandOutput {
    kept: Arc<Mutex<Vec<u8>>>,
    reading: tokio::task::JoinHandle<()>,
}

impl CommandOutput {
    fn of(pipe: Option<ChildStderr>) -> Self {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&kept);
        let reading = tokio::spawn(async move {
            let Some(mut pipe) = pipe else { return };
            let mut piece = [0; 4096];
            while let Ok(length @ 1..) = pipe.read(&mut piece).await {
                let mut kept = into.lock();
                let room = OUTPUT_BYTES_MAX.saturating_sub(kept.len());
                kept.extend_from_slice(&piece[..length.min(room)]);
            }
        });
        Self { kept, reading }
    }

    /// The masked text so far. Reading continues in the background.
    async fn text(self, masks: &Masks) -> String {
        let _ = tokio::time::timeout(LAST_OUTPUT, self.reading).await;
        let text = String::from_utf8_lossy(&self.kept.lock()).into_owned();
        shown(&text, masks)
    }
}

/// The masked text. Only the end of a long text is shown.
fn shown(text: &str, masks: &Masks) -> String {
    /// Longer texts are cut.
    const SHOWN_CHARACTERS_MAX: usize = 600;
    let text = masks.mask(text.trim());
    let skipped = text.chars().count().saturating_sub(SHOWN_CHARACTERS_MAX);
    match skipped {
        0 => text,
        _ => format!("…{}", text.chars().skip(skipped).collect::<String>()),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use strum::IntoEnumIterator;

    use super::run;
    use crate::client::operator::trouble::OperatorTrouble;
    use crate::client::target_file::OperatorCommand;
    use crate::exchange::masks::Masks;
    use crate::scenario::model::{OperatorAction, OperatorOrder};

    /// A command that runs this script. The words of the order are `$@`.
    fn command(program: &str, script: &str) -> OperatorCommand {
        OperatorCommand {
            command: [program, "-c", script, "operate"].map(str::to_owned).to_vec(),
            actions: OperatorAction::iter().collect(),
            timeout_seconds: Some(30),
            folder: std::env::temp_dir(),
        }
    }

    fn order() -> OperatorOrder {
        OperatorOrder::SetStatus { id: "8F q2".to_owned(), status: "signed".to_owned() }
    }

    #[tokio::test]
    async fn a_command_gets_the_words_of_an_order_and_its_output_is_masked() {
        let masks = Masks::default();
        masks.hide("hush-hush-hush", "MOOT_TOKEN");
        let script = "printf '<%s>' \"$@\" \"$MOOT_TOKEN\" >&2; echo unheard";
        let said = run(&command("sh", script), &order(), &masks).await.expect("it ends with 0");
        assert_eq!(said, "<set_status><8F q2><signed><>");
        let revoked = OperatorOrder::RevokeToken { token: "hush-hush-hush".to_owned() };
        let said = run(&command("sh", script), &revoked, &masks).await.expect("it ends with 0");
        assert!(said.starts_with("<revoke_token><") && !said.contains("hush"), "{said}");
        assert!(!said.ends_with("<>"), "the token is in the environment: {said}");
    }

    #[tokio::test]
    async fn each_trouble_has_its_kind() {
        let masks = Masks::default();
        let missing = run(&command("/nowhere/operate.sh", ""), &order(), &masks).await;
        assert!(matches!(missing, Err(OperatorTrouble::NotStarted { .. })), "{missing:?}");
        let failed =
            run(&command("sh", "echo no such request >&2; exit 4"), &order(), &masks).await;
        let Err(OperatorTrouble::Failed { status, output, .. }) = failed else {
            panic!("{failed:?}");
        };
        assert_eq!((status.code(), output.as_str()), (Some(4), ": no such request"));
        let slow = OperatorCommand {
            timeout_seconds: Some(1),
            ..command("sh", "exec 2>&-; while :; do sleep 1000; done")
        };
        let late = run(&slow, &order(), &masks).await;
        assert!(matches!(late, Err(OperatorTrouble::TimedOut { .. })), "{late:?}");
    }

    /// A script that restarts a service: the service keeps the pipe open after the script has exited.
    #[tokio::test]
    async fn a_background_process_is_not_waited_for() {
        let script = "sleep 1 & echo started >&2";
        let said = run(&command("sh", script), &order(), &Masks::default()).await;
        assert_eq!(said.expect("it ends with 0"), "started");
    }
}
