//! The ledger: a file with every object that runs created on a deployment, one JSON object per line. A line is
//! written before each creating call. Nothing is ever removed from the file. It also has the moves of the clock, which
//! stays ahead after a run.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::exchange::{ReceivedResponse, Residue, Trouble};
use crate::scenario::ScenarioName;

/// The folder of the ledger if the target file names no other.
const FOLDER: &str = ".moot";

/// The ledger of a run.
#[derive(Debug)]
pub(crate) struct Ledger {
    run_tag: String,
    base_url: String,
    /// `None` if the run may create nothing, or if the target ends with the run, together with its objects.
    file: Option<Mutex<File>>,
    /// Seconds by which earlier runs moved the clock of the target.
    pub(crate) clock_moved_seconds: i64,
    /// The number of the next row.
    next_row: AtomicUsize,
    /// Objects of this run that exist now, or may exist.
    left: Mutex<Vec<LeftObject>>,
}

/// An object that a run created, or may have created, and that was not deleted since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftObject {
    /// Its kind and id, its run and its scenario.
    pub residue: Residue,
    /// The application that created it, as the target file names it.
    pub application: String,
    /// The number of its row in its run.
    pub row: usize,
}

/// The content of a ledger file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LedgerContent {
    /// Objects that runs left on the target, the oldest first.
    pub left: Vec<LeftObject>,
    /// Seconds by which runs moved the clock of the target.
    pub clock_moved_seconds: i64,
    /// Base addresses of other targets in the same file.
    pub other_targets: BTreeSet<String>,
    /// Numbers of lines that cannot be read. A run was killed while it wrote them.
    pub unreadable: Vec<usize>,
}

/// A line of a ledger.
#[derive(Debug, Serialize, Deserialize)]
struct LedgerLine {
    /// When it was written.
    #[serde(default)]
    at: String,
    /// The version of Moot that wrote it.
    #[serde(default)]
    moot_version: String,
    /// The base address.
    target: String,
    /// The tag of the run that created the object, or moved the clock.
    run: String,
    #[serde(flatten)]
    entry: LedgerEntry,
}

/// The content of a line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum LedgerEntry {
    /// A move of the clock.
    Clock { clock_moved_seconds: i64 },
    /// An event of an object.
    Object {
        row: usize,
        what: LedgerEvent,
        kind: String,
        scenario: ScenarioName,
        id: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        application: Option<String>,
    },
}

/// An event of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum LedgerEvent {
    Creating,
    Created,
    /// The response was lost, or does not say whether the object was created.
    Unknown,
    Refused,
    #[serde(rename = "not sent")]
    NotSent,
    Deleted,
}

impl Ledger {
    /// A ledger without a file, for a run that may create nothing, or on a target that ends with the run.
    pub(crate) fn without_file(run_tag: &str, base_url: &str) -> Self {
        Self {
            run_tag: run_tag.to_owned(),
            base_url: base_url.to_owned(),
            file: None,
            clock_moved_seconds: 0,
            next_row: AtomicUsize::new(0),
            left: Mutex::default(),
        }
    }

    /// Opens the file for appending, and makes its folders.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn open(path: &Path, run_tag: &str, base_url: &str) -> Result<Self, String> {
        let earlier = std::fs::read(path).unwrap_or_default();
        let earlier = read_ledger(&String::from_utf8_lossy(&earlier), base_url);
        let open = || {
            if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
                std::fs::create_dir_all(folder)?;
                if folder.ends_with(FOLDER) {
                    // A ledger belongs to one machine, so Git ignores the whole folder.
                    std::fs::write(folder.join(".gitignore"), "*\n")?;
                }
            }
            OpenOptions::new().append(true).create(true).open(path)
        };
        let file = open().map_err(|error: std::io::Error| {
            format!("the ledger `{}` cannot be written: {error}", path.display())
        })?;
        Ok(Self {
            file: Some(Mutex::new(file)),
            clock_moved_seconds: earlier.clock_moved_seconds,
            ..Self::without_file(run_tag, base_url)
        })
    }

    /// Records that an object of this kind is about to be created. Returns the number of its row, for
    /// [`Ledger::end`].
    ///
    /// # Errors
    /// The line cannot be written. Then the call must not be sent.
    pub(crate) fn begin(
        &self,
        kind: &str,
        scenario: &ScenarioName,
        application: &str,
    ) -> Result<usize, String> {
        let row = self.next_row.fetch_add(1, Ordering::Relaxed);
        let object = LeftObject {
            residue: Residue {
                kind: kind.to_owned(),
                id: None,
                tag: self.run_tag.clone(),
                scenario: scenario.clone(),
            },
            application: application.to_owned(),
            row,
        };
        let mut left = self.left.lock();
        self.write(LedgerEvent::Creating, &object)?;
        left.push(object);
        Ok(row)
    }

    /// Records the outcome of a creating call. Returns whether an object may exist now.
    pub(crate) fn end(&self, row: usize, outcome: &Result<ReceivedResponse, Trouble>) -> bool {
        let mut left = self.left.lock();
        let Some(at) = left.iter().position(|object| object.row == row) else { return false };
        let (event, exists) = match outcome {
            Ok(response) if response.is_success() => {
                left[at].residue.id = response.created_id().map(str::to_owned);
                (LedgerEvent::Created, true)
            }
            Ok(response) if (400..500).contains(&response.status) => (LedgerEvent::Refused, false),
            Err(
                Trouble::Unreachable(_)
                | Trouble::Tls(_)
                | Trouble::Withheld(_)
                | Trouble::Operator(_),
            ) => (LedgerEvent::NotSent, false),
            Ok(_) | Err(Trouble::Timeout(_) | Trouble::CutShort(_) | Trouble::Broken(_)) => {
                (LedgerEvent::Unknown, true)
            }
        };
        // Only the line before the call is essential, so a failure here is ignored.
        let _ = self.write(event, &left[at]);
        if !exists {
            left.remove(at);
        }
        exists
    }

    /// Records that an object of this run was deleted.
    pub(crate) fn deleted(&self, kind: &str, id: &str) {
        self.left.lock().retain(|object| {
            let residue = &object.residue;
            let is_deleted = residue.kind == kind && residue.id.as_deref() == Some(id);
            if is_deleted {
                let _ = self.write(LedgerEvent::Deleted, object);
            }
            !is_deleted
        });
    }

    /// Records that an object of an earlier run was deleted.
    ///
    /// # Errors
    /// The line cannot be written.
    pub(crate) fn deleted_later(&self, object: &LeftObject) -> Result<(), String> {
        self.write(LedgerEvent::Deleted, object)
    }

    /// Records that the operator moved the clock of the target.
    pub(crate) fn clock_moved(&self, seconds: i64) {
        let entry = LedgerEntry::Clock { clock_moved_seconds: seconds };
        // Only the line before a creating call is essential, so a failure here is ignored.
        let _ = self.append(self.run_tag.clone(), entry);
    }

    /// The objects of this run that exist now, or may exist.
    pub(crate) fn residue(&self) -> Vec<Residue> {
        self.left.lock().iter().map(|object| object.residue.clone()).collect()
    }

    fn write(&self, what: LedgerEvent, object: &LeftObject) -> Result<(), String> {
        let Residue { kind, id, tag, scenario } = object.residue.clone();
        let application = (what == LedgerEvent::Creating).then(|| object.application.clone());
        let entry = LedgerEntry::Object { row: object.row, what, kind, scenario, id, application };
        self.append(tag, entry)
    }

    fn append(&self, run: String, entry: LedgerEntry) -> Result<(), String> {
        let Some(file) = &self.file else { return Ok(()) };
        let line = LedgerLine {
            at: jiff::Timestamp::now().to_string(),
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            target: self.base_url.clone(),
            run,
            entry,
        };
        let line = serde_json::to_string(&line).map_err(|error| error.to_string())? + "\n";
        // One write for a line: another run may append to the same file.
        file.lock().write_all(line.as_bytes()).map_err(|error| {
            format!("the ledger cannot be written, so nothing is created: {error}")
        })
    }
}

/// Reads the text of a ledger. `target` is the base address whose objects are wanted.
pub(crate) fn read_ledger(text: &str, target: &str) -> LedgerContent {
    let mut content = LedgerContent::default();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let Ok(line) = serde_json::from_str::<LedgerLine>(line) else {
            content.unreadable.push(index + 1);
            continue;
        };
        match line.entry {
            LedgerEntry::Clock { clock_moved_seconds: seconds } => {
                if line.target == target {
                    content.clock_moved_seconds =
                        content.clock_moved_seconds.saturating_add(seconds);
                }
            }
            LedgerEntry::Object { .. } if line.target != target => {
                content.other_targets.insert(line.target);
            }
            LedgerEntry::Object { row, what, kind, scenario, id, application } => {
                let residue = Residue { kind, id, tag: line.run, scenario };
                let application = application.unwrap_or_else(|| "main".to_owned());
                apply(&mut content.left, what, LeftObject { residue, application, row });
            }
        }
    }
    content
}

/// Applies an event of this object.
fn apply(left: &mut Vec<LeftObject>, what: LedgerEvent, object: LeftObject) {
    let residue = &object.residue;
    let is_row = |it: &LeftObject| it.residue.tag == residue.tag && it.row == object.row;
    match what {
        LedgerEvent::Creating => left.push(object),
        LedgerEvent::Created => {
            if let Some(known) = left.iter_mut().rev().find(|it| is_row(it)) {
                known.residue.id = object.residue.id;
            }
        }
        LedgerEvent::Unknown => {}
        LedgerEvent::Refused | LedgerEvent::NotSent => {
            if let Some(at) = left.iter().rposition(is_row) {
                left.remove(at);
            }
        }
        LedgerEvent::Deleted => left.retain(|it| {
            let is_same = it.residue.id.is_some() && it.residue.id == residue.id;
            !(is_same && it.residue.kind == residue.kind)
        }),
    }
}

#[cfg(test)]
mod tests;
