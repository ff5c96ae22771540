//! Event streams (`--report ndjson=FILE`): each line is written during the run, so that a killed run leaves
//! the events until then. [`ndjson`] renders the lines.

use std::fs::{self, File};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::error::CommandError;
use super::reports::{ReportRequest, joined};
use crate::exchange::masks::{Masks, Secrets};
use crate::report::{Format, RenderError, ndjson};
use crate::verdict::result::{Event, RunResult};

/// Sends the events of a run to its streams.
#[derive(Clone)]
pub(super) struct EventSender {
    senders: Vec<Sender<Message>>,
    masks: Arc<Masks>,
}

/// One stream, and the thread that writes it: masking must not delay the run.
pub(super) struct EventStream {
    request: ReportRequest,
    sender: Sender<Message>,
    writer: JoinHandle<Result<(), String>>,
}

enum Message {
    Event(Event, Arc<Masks>),
    /// The last line.
    End(String),
}

/// Creates the files, empty.
///
/// # Errors
/// One can't be created.
pub(super) fn open(requests: &[ReportRequest]) -> Result<Vec<EventStream>, CommandError> {
    requests.iter().filter(|it| it.format == Format::Ndjson).map(EventStream::open).collect()
}

/// Writes the last line of each, and ends them.
///
/// # Errors
/// What could not be written, or had a secret in it, of all streams.
pub(super) fn finish(streams: Vec<EventStream>, result: &RunResult) -> Result<(), CommandError> {
    if streams.is_empty() {
        return Ok(());
    }
    let secrets = Secrets::of(&result.masks);
    let last = ndjson::last_line(result, &secrets);
    let finished = streams.into_iter().map(|it| it.finish(&last, &secrets));
    joined(finished.map(|it| it.map_err(CommandError::fault)))
}

impl EventSender {
    /// To these streams, of a run with these secrets.
    pub(super) fn new(streams: &[EventStream], masks: &Arc<Masks>) -> Self {
        let senders = streams.iter().map(|stream| stream.sender.clone()).collect();
        Self { senders, masks: Arc::clone(masks) }
    }

    /// Sends an event to every stream.
    pub(super) fn send(&self, event: &Event) {
        for sender in &self.senders {
            // A writer that stopped returns its error from `finish`.
            let _ = sender.send(Message::Event(event.clone(), Arc::clone(&self.masks)));
        }
    }
}

impl EventStream {
    fn open(request: &ReportRequest) -> Result<Self, CommandError> {
        let out: Box<dyn Write + Send> = if request.is_stdout() {
            Box::new(io::stdout())
        } else {
            Box::new(File::create(&request.file).map_err(|error| {
                CommandError::fault(format!("{} can't be written: {error}", request.file))
            })?)
        };
        let (sender, receiver) = mpsc::channel();
        let writer = thread::spawn(move || write_all(out, &receiver));
        Ok(Self { request: request.clone(), sender, writer })
    }

    fn finish(self, last: &str, secrets: &Secrets) -> Result<(), String> {
        let refused = || RenderError::SecretFound(Format::Ndjson).to_string();
        if secrets.is_in(last) {
            return Err(refused());
        }
        let _ = self.sender.send(Message::End(last.to_owned()));
        let written = self.writer.join().unwrap_or_else(|_| Err("its writer panicked".to_owned()));
        let file = &self.request.file;
        let is_stdout = self.request.is_stdout();
        let name = if is_stdout { "the event stream" } else { file };
        written.map_err(|why| format!("{name} can't be written: {why}"))?;
        // A secret may have become known after a line was written.
        if !is_stdout && fs::read_to_string(file).is_ok_and(|it| secrets.is_in(&it)) {
            // If removing it fails, the exit code still reports the secret.
            let _ = fs::remove_file(file);
            return Err(refused());
        }
        Ok(())
    }
}

/// Writes messages until the end. Messages that wait together are masked together, because collecting all
/// forms of thousands of secrets takes a while.
fn write_all(mut out: Box<dyn Write + Send>, messages: &Receiver<Message>) -> Result<(), String> {
    let mut failure = None;
    while let Ok(first) = messages.recv() {
        let mut known: Option<(Arc<Masks>, Secrets)> = None;
        for message in std::iter::once(first).chain(messages.try_iter().collect::<Vec<_>>()) {
            let line = match message {
                Message::End(last) => {
                    let written = put(&mut out, &last);
                    return failure.map_or(written, Err);
                }
                Message::Event(event, masks) => {
                    let is_same = known.as_ref().is_some_and(|(it, _)| Arc::ptr_eq(it, &masks));
                    if !is_same {
                        let secrets = Secrets::of(&masks);
                        known = Some((masks, secrets));
                    }
                    known.as_ref().map_or(Ok(String::new()), |(_, secrets)| safe(&event, secrets))
                }
            };
            match line.and_then(|line| put(&mut out, &line)) {
                Ok(()) => {}
                Err(why) => failure = failure.or(Some(why)),
            }
        }
    }
    failure.map_or(Ok(()), Err)
}

/// A line without secrets.
fn safe(event: &Event, secrets: &Secrets) -> Result<String, String> {
    let line = ndjson::line(event, secrets)?;
    if secrets.is_in(&line) {
        return Err(RenderError::SecretFound(Format::Ndjson).to_string());
    }
    Ok(line)
}

fn put(out: &mut Box<dyn Write + Send>, line: &str) -> Result<(), String> {
    match out.write_all(line.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
        // A closed pipe is not an error.
        Ok(()) | Err(_) => Ok(()),
    }
}
