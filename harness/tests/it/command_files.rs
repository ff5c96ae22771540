//! Without `--state` a mock only writes temporary files for large uploads, and removes them.

use std::path::Path;

use crate::command_support::{Running, call, call_json, demo_token, moot};

/// The usual places where programs write, each as its own folder.
const PLACES: [(&str, &str); 6] = [
    ("HOME", "home"),
    ("TMPDIR", "temporary"),
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_CONFIG_HOME", "config"),
    ("XDG_DATA_HOME", "data"),
    ("XDG_STATE_HOME", "state"),
];

/// Names of the files and folders below a folder, without those of the test itself.
fn below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("it can be listed").path();
            found.push(path.display().to_string());
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

struct Watched {
    folder: tempfile::TempDir,
    running: Running,
    host: String,
    token: String,
}

impl Watched {
    fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let current = folder.path().join("current");
        std::fs::create_dir(&current).expect("a new folder");
        let words = ["mock", "--listen", "127.0.0.1:0", "--format", "json"];
        let mut command = moot(&words, &current);
        for (name, place) in PLACES {
            let place = folder.path().join(place);
            std::fs::create_dir(&place).expect("a new folder");
            command.env(name, place);
        }
        let running = Running::of(command);
        let host = running.host();
        let token = demo_token(&host, "");
        Self { folder, running, host, token }
    }

    /// Uploads a document with this number of bytes.
    #[track_caller]
    fn upload(&self, bytes: usize) {
        let text = "x".repeat(bytes);
        let body = format!(
            "--b0\r\nContent-Disposition: form-data; name=file; filename=\"../../{bytes}.txt\"\r\n\
             \r\n{text}\r\n--b0--\r\n"
        );
        let kind = "multipart/form-data; boundary=b0";
        let line = "POST /v1/repository_documents";
        let (status, response) = call(&self.host, line, &self.token, (kind, body.as_bytes()));
        assert_eq!(status, 201, "{response}");
    }

    /// The files in these folders.
    fn written(&self) -> Vec<String> {
        let mut written = below(self.folder.path());
        let made = PLACES.map(|(_, place)| self.folder.path().join(place).display().to_string());
        let current = self.folder.path().join("current").display().to_string();
        written.retain(|path| !made.contains(path) && *path != current);
        written
    }
}

#[test]
fn calls_and_small_uploads_write_nothing() {
    let watched = Watched::start();
    assert_eq!(watched.written(), [""; 0], "at the start");
    call_json(&watched.host, "POST /__admin/sandboxes", "", "{}");
    call_json(&watched.host, "GET /v1/requests", &watched.token, "");
    call_json(&watched.host, "POST /__admin/clock", "", r#"{"advance_seconds":9}"#);
    watched.upload(1_000);
    assert_eq!(watched.written(), [""; 0], "after calls");
    let Watched { folder, running, .. } = watched;
    assert_eq!(running.stop("-TERM").0, Some(0));
    assert_eq!(below(folder.path()).len(), PLACES.len() + 1, "at the end");
}

#[test]
fn large_uploads_are_temporary_files_that_go_with_the_mock() {
    for signal in ["-TERM", "-INT"] {
        let watched = Watched::start();
        watched.upload(300_000);
        watched.upload(200_000);
        let written = watched.written();
        let temporary = watched.folder.path().join("temporary").display().to_string();
        assert_eq!(written.len(), 4, "a folder, its lock and two files: {written:?}");
        assert!(written.iter().all(|path| path.starts_with(&temporary)), "{written:?}");
        assert!(written.iter().all(|path| !path.contains("000.txt")), "no name of a client's");
        call_json(&watched.host, "POST /__admin/reset", "", "");
        // The files of the old world are removed in the background.
        let mut calls = 0;
        while watched.written().len() > 2 {
            calls += 1;
            assert!(calls < 10_000, "the files of the former world stay");
            call_json(&watched.host, "GET /__admin/world", "", "");
        }
        watched.upload(300_000);
        let Watched { folder, running, .. } = watched;
        assert_eq!(running.stop(signal).0, Some(0));
        let left = below(folder.path());
        assert_eq!(left.len(), PLACES.len() + 1, "{signal}: {left:?}");
    }
}
