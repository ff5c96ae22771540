//! Asks a person at the terminal to do an action, and waits for the confirmation.

use std::io::{BufRead, IsTerminal, Write};

use tokio::sync::oneshot;

use crate::client::operator::trouble::OperatorTrouble;
use crate::exchange::masks::Masks;
use crate::scenario::model::OperatorOrder;

/// Whether there is a terminal, and this is not a CI.
pub(crate) fn has_terminal() -> bool {
    let in_ci = std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "false"));
    !in_ci && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
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
    let (sender, reply) = oneshot::channel();
    // A thread that reads a line cannot be stopped, and the end of the process must not wait for it.
    std::thread::spawn(move || {
        let reply = prompt(&question, &mut std::io::stdin().lock(), &mut std::io::stderr().lock());
        // After an interrupt the run no longer waits, so this can fail.
        let _ = sender.send(reply);
    });
    match reply.await.unwrap_or(PersonReply::Gone) {
        PersonReply::Done => Ok(String::new()),
        PersonReply::Skip => Err(OperatorTrouble::Skipped(masks.mask(&order.words().join(" ")))),
        PersonReply::Gone => Err(OperatorTrouble::NoReply),
    }
}

/// The reply of a person.
#[derive(Debug, PartialEq, Eq)]
enum PersonReply {
    Done,
    Skip,
    /// The input ended.
    Gone,
}

/// Writes the question and reads a line. An empty line means done, `s` means skip. Any other line repeats the
/// question.
fn prompt(question: &str, input: &mut impl BufRead, output: &mut impl Write) -> PersonReply {
    loop {
        let asked = write!(output, "\nPlease {question}, then press Enter; s skips. ")
            .and_then(|()| output.flush());
        let mut line = String::new();
        match (asked, input.read_line(&mut line)) {
            (Ok(()), Ok(1..)) => match line.trim() {
                "" => return PersonReply::Done,
                "s" | "S" => return PersonReply::Skip,
                _ => {}
            },
            _ => return PersonReply::Gone,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{PersonReply, prompt};
    use crate::scenario::model::OperatorOrder;

    #[track_caller]
    fn check(typed: &str, expected: PersonReply, times: usize) {
        let order = OperatorOrder::SetStatus { id: "8Fq2".to_owned(), status: "signed".to_owned() };
        let mut shown = Vec::new();
        assert_eq!(prompt(&order.question(), &mut typed.as_bytes(), &mut shown), expected);
        let shown = String::from_utf8(shown).expect("it is a text");
        let line = "\nPlease have the counterparty sign request 8Fq2 in your system, then press \
                    Enter; s skips. ";
        assert_eq!(shown, line.repeat(times));
    }

    #[test]
    fn a_person_presses_enter_or_s_and_is_asked_again_for_anything_else() {
        check("\n", PersonReply::Done, 1);
        check("s\n", PersonReply::Skip, 1);
        check("yes\n\n", PersonReply::Done, 2);
        check("", PersonReply::Gone, 1);
        check("what?", PersonReply::Gone, 2);
    }
}
