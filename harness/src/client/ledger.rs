//! The ledger: every object that a run creates on a deployment. A row is written before each creating
//! call, one JSON object per line. Nothing is ever removed from the file.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;

use parking_lot::Mutex;

use crate::client::left_object::{LedgerEvent, LedgerLine, LeftObject};
use crate::exchange::{ReceivedResponse, Residue, Trouble};

/// The folder of a ledger that the target file does not place.
const FOLDER: &str = ".moot";

/// What a run created, or may have created.
#[derive(Debug)]
pub(crate) struct Ledger {
    run_tag: String,
    base_url: String,
    sink: LedgerSink,
    residue: Mutex<Vec<Residue>>,
}

/// Where the rows go.
#[derive(Debug)]
enum LedgerSink {
    /// The run may create nothing, so a row is an error.
    Refused,
    /// The target ends with the run, and what was created with it.
    Discarded,
    File(Mutex<File>),
}

impl Ledger {
    /// The ledger of a run that may create nothing. It has no file.
    pub(crate) fn none(run_tag: &str, base_url: &str) -> Self {
        Self::with_sink(LedgerSink::Refused, run_tag, base_url)
    }

    /// The ledger of a run on a target that ends with the run. It has no file.
    pub(crate) fn discarded(run_tag: &str, base_url: &str) -> Self {
        Self::with_sink(LedgerSink::Discarded, run_tag, base_url)
    }

    fn with_sink(sink: LedgerSink, run_tag: &str, base_url: &str) -> Self {
        Self {
            run_tag: run_tag.to_owned(),
            base_url: base_url.to_owned(),
            sink,
            residue: Mutex::default(),
        }
    }

    /// Opens the file for appending, and makes its folders.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn open(path: &Path, run_tag: &str, base_url: &str) -> Result<Self, String> {
        let open = || {
            if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
                std::fs::create_dir_all(folder)?;
                if folder.ends_with(FOLDER) {
                    // A ledger is of one machine: Git leaves the whole folder out.
                    std::fs::write(folder.join(".gitignore"), "*\n")?;
                }
            }
            OpenOptions::new().append(true).create(true).open(path)
        };
        let file = open().map_err(|error: std::io::Error| {
            format!("the ledger `{}` cannot be written: {error}", path.display())
        })?;
        Ok(Self::with_sink(LedgerSink::File(Mutex::new(file)), run_tag, base_url))
    }

    /// Writes that an object of this kind is about to be created. Returns the number of its row, for
    /// [`Ledger::end`].
    ///
    /// # Errors
    /// The line cannot be written. Then the call must not be made.
    pub(crate) fn begin(
        &self,
        kind: &str,
        scenario: &str,
        application: &str,
    ) -> Result<usize, String> {
        let mut residue = self.residue.lock();
        let row = residue.len();
        let entry = Residue {
            kind: kind.to_owned(),
            id: None,
            tag: self.run_tag.clone(),
            scenario: scenario.to_owned(),
        };
        self.write(LedgerEvent::Creating, row, &entry, Some(application))?;
        residue.push(entry);
        Ok(row)
    }

    /// Writes the outcome of a call. Returns whether an object may exist now.
    pub(crate) fn end(&self, row: usize, outcome: &Result<ReceivedResponse, Trouble>) -> bool {
        let mut residue = self.residue.lock();
        let Some(entry) = residue.get_mut(row) else { return false };
        let (what, exists) = match outcome {
            Ok(response) if (200..300).contains(&response.status) => {
                entry.id = created_id(response);
                (LedgerEvent::Created, true)
            }
            // Refused: nothing was created.
            Ok(response) if (400..500).contains(&response.status) => (LedgerEvent::Refused, false),
            Err(
                Trouble::Unreachable(_)
                | Trouble::Tls(_)
                | Trouble::Withheld(_)
                | Trouble::Operator(_),
            ) => (LedgerEvent::NotSent, false),
            Ok(_) | Err(Trouble::Deadline(_) | Trouble::CutShort(_) | Trouble::Broken(_)) => {
                (LedgerEvent::Unknown, true)
            }
        };
        let entry = entry.clone();
        if !exists && let Some(entry) = residue.get_mut(row) {
            // An empty kind marks the row as void. Removing it would change later numbers.
            entry.kind.clear();
        }
        // Only the line before the call is essential, so a failure here is ignored.
        let _ = self.write(what, row, &entry, None);
        exists
    }

    /// Notes that an object was deleted.
    pub(crate) fn deleted(&self, kind: &str, id: &str) {
        let mut residue = self.residue.lock();
        for (row, entry) in residue.iter_mut().enumerate() {
            if entry.kind == kind && entry.id.as_deref() == Some(id) {
                let _ = self.write(LedgerEvent::Deleted, row, entry, None);
                entry.kind.clear();
            }
        }
    }

    /// Notes that an object of an earlier run is gone.
    ///
    /// # Errors
    /// The line cannot be written.
    pub(crate) fn deleted_later(&self, left: &LeftObject) -> Result<(), String> {
        self.write(LedgerEvent::Deleted, left.row, &left.residue, None)
    }

    /// The objects that exist now, or may exist.
    pub(crate) fn residue(&self) -> Vec<Residue> {
        self.residue.lock().iter().filter(|entry| !entry.kind.is_empty()).cloned().collect()
    }

    fn write(
        &self,
        what: LedgerEvent,
        row: usize,
        object: &Residue,
        application: Option<&str>,
    ) -> Result<(), String> {
        let file = match &self.sink {
            LedgerSink::File(file) => file,
            LedgerSink::Discarded => return Ok(()),
            LedgerSink::Refused => {
                return Err("a run that may create nothing has no ledger".to_owned());
            }
        };
        let line = LedgerLine {
            at: jiff::Timestamp::now().to_string(),
            moot_version: env!("CARGO_PKG_VERSION").to_owned(),
            target: self.base_url.clone(),
            run: object.tag.clone(),
            row,
            what,
            kind: object.kind.clone(),
            scenario: object.scenario.clone(),
            id: object.id.clone(),
            application: application.map(str::to_owned),
        };
        let line = serde_json::to_string(&line).map_err(|error| error.to_string())?;
        let mut file = file.lock();
        writeln!(file, "{line}").and_then(|()| file.flush()).map_err(|error| {
            format!("the ledger cannot be written, so nothing is created: {error}")
        })
    }
}

/// `data.id` of a create response (§4.5, §4.9, §4.14).
fn created_id(response: &ReceivedResponse) -> Option<String> {
    let id = response.json.as_ref()?.pointer("/data/id")?;
    id.as_str().map(str::to_owned)
}
