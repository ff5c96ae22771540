//! Event streams: each line is written while the run goes on, so that one that is killed leaves what
//! it saw. The lines themselves are [`ndjson`]'s.

use std::fs::{self, File};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use super::failure::Failure;
use super::line::ReportRequest;
use super::run::is_stdout;
use crate::masks::{Masks, Secrets};
use crate::report::{Format, RenderError, ndjson};
use crate::result::RunResult;
use crate::run::Event;

/// All streams that were asked for.
pub(super) struct Streams(Vec<Stream>);

/// The other ends of the streams: what is told them is written soon.
#[derive(Clone)]
pub(super) struct Ear {
    senders: Vec<Sender<Message>>,
    masks: Arc<Masks>,
}

/// One stream, and the thread that writes it: masking must not hold up the run.
struct Stream {
    /// As asked for; `-` is stdout.
    file: String,
    sender: Sender<Message>,
    writer: JoinHandle<Result<(), String>>,
}

enum Message {
    Event(Event, Arc<Masks>),
    Line(String),
    End,
}

impl Streams {
    /// Makes the files, empty.
    ///
    /// # Errors
    /// One that can't be made.
    pub(super) fn open(requests: &[ReportRequest]) -> Result<Self, Failure> {
        let wanted = requests.iter().filter(|request| request.format == Format::Ndjson);
        wanted.map(Stream::open).collect::<Result<_, _>>().map(Self)
    }

    /// An ear for a run with these secrets.
    pub(super) fn ear(&self, masks: &Arc<Masks>) -> Ear {
        let senders = self.0.iter().map(|stream| stream.sender.clone()).collect();
        Ear { senders, masks: Arc::clone(masks) }
    }

    /// Writes the last line of each, and ends them.
    ///
    /// # Errors
    /// What could not be written, or had a secret in it, of all streams.
    pub(super) fn finish(self, result: &RunResult) -> Result<(), Failure> {
        if self.0.is_empty() {
            return Ok(());
        }
        let secrets = Secrets::of(&result.masks);
        let last = ndjson::last_line(result, &secrets);
        let failures: Vec<String> =
            self.0.into_iter().filter_map(|it| it.finish(&last, &secrets).err()).collect();
        if failures.is_empty() { Ok(()) } else { Err(Failure::fault(failures.join("; "))) }
    }
}

impl Ear {
    /// Tells every stream.
    pub(super) fn tell(&self, event: &Event) {
        for sender in &self.senders {
            // A writer that is gone says why when it is ended.
            let _ = sender.send(Message::Event(event.clone(), Arc::clone(&self.masks)));
        }
    }
}

impl Stream {
    fn open(request: &ReportRequest) -> Result<Self, Failure> {
        let out: Box<dyn Write + Send> = if is_stdout(request) {
            Box::new(io::stdout())
        } else {
            Box::new(File::create(&request.file).map_err(|error| {
                Failure::fault(format!("{} can't be written: {error}", request.file))
            })?)
        };
        let (sender, receiver) = mpsc::channel();
        let writer = thread::spawn(move || write_all(out, &receiver));
        Ok(Self { file: request.file.clone(), sender, writer })
    }

    fn finish(self, last: &str, secrets: &Secrets) -> Result<(), String> {
        let refused = || RenderError::SecretFound(Format::Ndjson).to_string();
        if secrets.is_in(last) {
            return Err(refused());
        }
        for message in [Message::Line(last.to_owned()), Message::End] {
            // As above.
            let _ = self.sender.send(message);
        }
        let written = self.writer.join().unwrap_or_else(|_| Err("its writer broke off".to_owned()));
        written.map_err(|why| match self.file.as_str() {
            "-" => format!("the event stream can't be written: {why}"),
            file => format!("{file} can't be written: {why}"),
        })?;
        // A secret may have become known after a line was written.
        if self.file != "-" && fs::read_to_string(&self.file).is_ok_and(|it| secrets.is_in(&it)) {
            // What is found is thrown away; where even that fails, the exit code still says it.
            let _ = fs::remove_file(&self.file);
            return Err(refused());
        }
        Ok(())
    }
}

/// Writes what comes until the end. What came together is masked together: knowing all forms of all
/// secrets takes a while once there are thousands.
fn write_all(mut out: Box<dyn Write + Send>, messages: &Receiver<Message>) -> Result<(), String> {
    let mut failure = None;
    while let Ok(first) = messages.recv() {
        let mut known: Option<(Arc<Masks>, Secrets)> = None;
        for message in std::iter::once(first).chain(messages.try_iter().collect::<Vec<_>>()) {
            let line = match message {
                Message::End => return failure.map_or(Ok(()), Err),
                Message::Line(line) => Ok(line),
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

/// A line in which no secret stands.
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
        // A reader that has gone is no error.
        Ok(()) | Err(_) => Ok(()),
    }
}
