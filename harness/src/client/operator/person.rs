//! Asks a person at the terminal to do an action, and waits for the confirmation.

use std::io::{BufRead, IsTerminal, Write};

use tokio::sync::oneshot;

use crate::client::operator::trouble::OperatorTrouble;
use crate::exchange::masks::Masks;
use crate::scenario::model::OperatorOrder;

/// Whether the environment variable `CI` is set. `false` means not set.
pub(crate) fn is_ci() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "false"))
}

/// Whether there is a terminal, and this is not a CI.
pub(crate) fn has_terminal() -> bool {
    !is_ci() && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// Asks the person, and waits for Enter.
pub(crate) async fn ask(order: &OperatorOrder, masks: &Masks) -> Result<String, OperatorTrouble> {
    if !has_terminal() {
        return Err(OperatorTrouble::NoReply);
    }
    let question = match order {
        // The person needs the token itself.
        OperatorOrder::RevokeToken { .. } => order.question(),
        _ => masks.mask(&order.question()),
    };
    let words = masks.mask(&order.words().join(" "));
    let (sender, reply) = oneshot::channel();
    // A thread that reads a line cannot be stopped, and the end of the process must not wait for it.
    std::thread::spawn(move || {
        let (mut input, mut output) = (std::io::stdin().lock(), std::io::stderr().lock());
        let reply = prompt(&question, words, &mut input, &mut output);
        // After an interrupt the run no longer waits, so this can fail.
        let _ = sender.send(reply);
    });
    reply.await.unwrap_or(Err(OperatorTrouble::NoReply))
}

/// Writes the question and reads a line. An empty line means done, `s` means that the person skips the action of these
/// words. Any other line repeats the question.
fn prompt(
    question: &str,
    words: String,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<String, OperatorTrouble> {
    loop {
        let asked = write!(output, "\nPlease {question}, then press Enter; s skips. ")
            .and_then(|()| output.flush());
        let mut line = String::new();
        match (asked, input.read_line(&mut line)) {
            (Ok(()), Ok(1..)) => match line.trim() {
                "" => return Ok(String::new()),
                "s" | "S" => return Err(OperatorTrouble::Skipped(words)),
                _ => {}
            },
            _ => return Err(OperatorTrouble::NoReply),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{OperatorTrouble, prompt};
    use crate::scenario::model::OperatorOrder;

    type Reply = Result<String, OperatorTrouble>;

    #[track_caller]
    fn check(typed: &str, is_expected: fn(&Reply) -> bool, times: usize) {
        let order = OperatorOrder::SetStatus { id: "8Fq2".to_owned(), status: "signed".to_owned() };
        let mut shown = Vec::new();
        let words = order.words().join(" ");
        let reply = prompt(&order.question(), words, &mut typed.as_bytes(), &mut shown);
        assert!(is_expected(&reply), "{typed:?}: {reply:?}");
        let shown = String::from_utf8(shown).expect("it is a text");
        let line = "\nPlease have the counterparty sign request 8Fq2 in your system, then press \
                    Enter; s skips. ";
        assert_eq!(shown, line.repeat(times));
    }

    #[test]
    fn a_person_presses_enter_or_s_and_is_asked_again_for_anything_else() {
        let is_skipped = |reply: &Reply| matches!(reply, Err(OperatorTrouble::Skipped(words)) if words == "set_status 8Fq2 signed");
        let is_gone = |reply: &Reply| matches!(reply, Err(OperatorTrouble::NoReply));
        check("\n", Reply::is_ok, 1);
        check("s\n", is_skipped, 1);
        check("yes\n\n", Reply::is_ok, 2);
        check("", is_gone, 1);
        check("what?", is_gone, 2);
    }
}
