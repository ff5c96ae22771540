//! The operator's command: a program of the user that does one action and ends.

use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::AsyncReadExt;
use tokio::process::{Child, ChildStderr, Command};

use crate::client::operator::trouble::OperatorTrouble;
use crate::client::target_file::OperatorCommand;
use crate::exchange::masks::Masks;
use crate::scenario::model::OperatorOrder;

/// Bytes of a command's standard error that are kept.
const SAID_BYTES_MAX: usize = 64 * 1024;
/// How long the rest of the standard error is waited for after the command ended. A service that it started in
/// the background may hold the pipe for ever.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// The environment variable of the token that is to be revoked.
const TOKEN_VARIABLE: &str = "MOOT_TOKEN";

/// Runs the command for this order, without a shell. Returns what it wrote to its standard error, masked.
pub(crate) async fn run(
    command: &OperatorCommand,
    order: &OperatorOrder,
    masks: &Masks,
) -> Result<String, OperatorTrouble> {
    let mut child = started(command, order)?;
    let said = CommandOutput::of(child.stderr.take());
    let words = || masks.mask(&order.words().join(" "));
    match tokio::time::timeout(command.timeout(), child.wait()).await {
        Err(_) => {
            end(&mut child).await;
            Err(OperatorTrouble::TimedOut {
                order: words(),
                seconds: command.timeout().as_secs(),
                said: clause(&said.text(masks).await),
            })
        }
        Ok(Err(error)) => Err(OperatorTrouble::Lost(error)),
        Ok(Ok(status)) => judged(status, words, said.text(masks).await),
    }
}

fn judged(
    status: ExitStatus,
    words: impl Fn() -> String,
    said: String,
) -> Result<String, OperatorTrouble> {
    match status.success() {
        true => Ok(said),
        false => Err(OperatorTrouble::Failed { order: words(), status, said: clause(&said) }),
    }
}

fn clause(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(": {said}") }
}

fn started(command: &OperatorCommand, order: &OperatorOrder) -> Result<Child, OperatorTrouble> {
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
    // Ctrl-C is for us: what the command started in the background lives on.
    #[cfg(unix)]
    process.process_group(0);
    process.spawn().map_err(|error| OperatorTrouble::NotStarted { program, error })
}

/// Ends a command that takes too long, and what it started.
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

/// What a command writes to its standard error. It is read to its end, so that whoever writes is never blocked.
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
                let room = SAID_BYTES_MAX.saturating_sub(kept.len());
                kept.extend_from_slice(&piece[..length.min(room)]);
            }
        });
        Self { kept, reading }
    }

    /// What was written until now, masked. The reading goes on.
    async fn text(self, masks: &Masks) -> String {
        let _ = tokio::time::timeout(LAST_WORDS, self.reading).await;
        let text = String::from_utf8_lossy(&self.kept.lock()).into_owned();
        shown(&text, masks)
    }
}

/// Text of others for people: masked, in one paragraph, its end where it is long.
fn shown(text: &str, masks: &Masks) -> String {
    /// Characters that are shown.
    const SHOWN_CHARACTERS_MAX: usize = 600;
    let text = masks.mask(text.trim());
    let skipped = text.chars().count().saturating_sub(SHOWN_CHARACTERS_MAX);
    match skipped {
        0 => text,
        _ => format!("…{}", text.chars().skip(skipped).collect::<String>()),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::run;
    use crate::client::operator::trouble::OperatorTrouble;
    use crate::client::target_file::OperatorCommand;
    use crate::exchange::masks::Masks;
    use crate::scenario::model::{OperatorAction, OperatorOrder};

    /// A command that runs this script; the order's words are `$@`.
    fn command(program: &str, script: &str) -> OperatorCommand {
        OperatorCommand {
            command: [program, "-c", script, "operate"].map(str::to_owned).to_vec(),
            actions: OperatorAction::ALL.into_iter().collect(),
            timeout_seconds: Some(30),
            folder: std::env::temp_dir(),
        }
    }

    fn order() -> OperatorOrder {
        OperatorOrder::SetStatus { id: "8F q2".to_owned(), status: "signed".to_owned() }
    }

    #[tokio::test]
    async fn a_command_gets_the_words_of_an_order_and_what_it_says_is_masked() {
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
        let Err(OperatorTrouble::Failed { status, said, .. }) = failed else {
            panic!("{failed:?}");
        };
        assert_eq!((status.code(), said.as_str()), (Some(4), ": no such request"));
        let slow = OperatorCommand {
            timeout_seconds: Some(1),
            ..command("sh", "exec 2>&-; while :; do sleep 1000; done")
        };
        let late = run(&slow, &order(), &masks).await;
        assert!(matches!(late, Err(OperatorTrouble::TimedOut { .. })), "{late:?}");
    }

    /// As a script that restarts a service: the service holds the pipe when the script has ended.
    #[tokio::test]
    async fn what_a_command_leaves_in_the_background_is_not_waited_for() {
        let script = "sleep 1 & echo started >&2";
        let said = run(&command("sh", script), &order(), &Masks::default()).await;
        assert_eq!(said.expect("it ends with 0"), "started");
    }
}
