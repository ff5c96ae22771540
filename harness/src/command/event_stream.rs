//! Event streams (`--report ndjson=FILE`). Each line is written during the run, so that the file of a killed
//! run has all events up to that point. [`ndjson`] renders the lines.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::error::{CommandError, FAULT};
use super::files::unwritable;
use super::reports::{ReportRequest, join_errors};
use super::screen::write_to_reader;
use crate::exchange::masks::{Masks, Secrets};
use crate::report::{Format, RenderError, ndjson};
use crate::verdict::result::{Event, RunResult};

/// One stream. A thread of its own writes it, because masking must not delay the run.
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

/// Creates the files, and starts their writers.
///
/// # Errors
/// A file can't be created.
pub(super) fn open(requests: &[ReportRequest]) -> Result<Vec<EventStream>, CommandError> {
    requests.iter().filter(|it| it.format == Format::Ndjson).map(EventStream::open).collect()
}

/// Writes the last line of each stream, and waits for the writers.
///
/// # Errors
/// Streams that could not be written, or that contain a secret.
pub(super) fn finish(streams: Vec<EventStream>, result: &RunResult) -> Result<(), CommandError> {
    if streams.is_empty() {
        return Ok(());
    }
    let secrets = Secrets::of(&result.masks);
    let last = ndjson::last_line(result, &secrets)?;
    let finished = streams.into_iter().map(|it| it.finish(&last, &secrets));
    join_errors(finished.map(|it| it.map_err(CommandError::fault)))
}

/// Sends an event to every stream, for a run with the secrets of `masks`.
pub(super) fn sender(
    streams: &[EventStream],
    masks: &Arc<Masks>,
) -> impl Fn(&Event) + Send + Sync + 'static {
    let senders: Vec<_> = streams.iter().map(|stream| stream.sender.clone()).collect();
    let masks = Arc::clone(masks);
    move |event| {
        for sender in &senders {
            // The error of a writer that stopped is returned by `finish`.
            let _ = sender.send(Message::Event(event.clone(), Arc::clone(&masks)));
        }
    }
}

impl EventStream {
    fn open(request: &ReportRequest) -> Result<Self, CommandError> {
        let out: Box<dyn Write + Send> = if request.is_stdout() {
            Box::new(io::stdout())
        } else {
            let file = Path::new(&request.file);
            Box::new(File::create(file).map_err(|error| unwritable(file, &error).exit(FAULT))?)
        };
        let (sender, receiver) = mpsc::channel();
        let writer = thread::spawn(move || write_all(out, &receiver));
        Ok(Self { request: request.clone(), sender, writer })
    }

    fn finish(self, last: &str, secrets: &Secrets) -> Result<(), String> {
        let _ = self.sender.send(Message::End(last.to_owned()));
        let written = self.writer.join().unwrap_or_else(|_| Err("its writer panicked".to_owned()));
        let file = &self.request.file;
        let is_stdout = self.request.is_stdout();
        let name = if is_stdout { "the event stream" } else { file };
        written.map_err(|why| format!("`{name}` cannot be written: {why}"))?;
        // A secret may have become known after a line was written.
        if !is_stdout && fs::read_to_string(file).is_ok_and(|it| secrets.is_in(&it)) {
            // If removing it fails, the exit code still reports the secret.
            let _ = fs::remove_file(file);
            return Err(RenderError::SecretFound(Format::Ndjson).to_string());
        }
        Ok(())
    }
}

/// Writes messages until the end. All waiting messages share one list of secrets, because a run has thousands
/// of secrets and making the list is slow.
fn write_all(mut out: Box<dyn Write + Send>, messages: &Receiver<Message>) -> Result<(), String> {
    let mut failure = None;
    while let Ok(first) = messages.recv() {
        let mut known: Option<(Arc<Masks>, Secrets)> = None;
        for message in std::iter::once(first).chain(messages.try_iter().collect::<Vec<_>>()) {
            let (event, masks) = match message {
                Message::Event(event, masks) => (event, masks),
                Message::End(last) => {
                    let written = put(&mut out, &last);
                    return failure.map_or(written, Err);
                }
            };
            // A repeated run has other secrets in each repetition.
            let same = known.take().filter(|(of, _)| Arc::ptr_eq(of, &masks));
            let new = || (Arc::clone(&masks), Secrets::of(&masks));
            let (_, secrets) = known.insert(same.unwrap_or_else(new));
            let line = ndjson::line(&event, secrets).map_err(|error| error.to_string());
            if let Err(why) = line.and_then(|line| put(&mut out, &line)) {
                failure.get_or_insert(why);
            }
        }
    }
    failure.map_or(Ok(()), Err)
}

fn put(out: &mut Box<dyn Write + Send>, line: &str) -> Result<(), String> {
    write_to_reader(out, line).map_err(|error| error.to_string())
}
