//! A PostgreSQL cluster of one test, in a temporary folder, on a loopback port of its own.
//!
//! It needs the programs of PostgreSQL (Debian: `postgresql`). A test fails where they are missing. No
//! other cluster of the machine is touched.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The superuser, who needs no password.
pub const USER: &str = "moot";
/// A user who needs [`PASSWORD`].
pub const CAREFUL_USER: &str = "careful";
/// The password of [`CAREFUL_USER`].
pub const PASSWORD: &str = "correct horse";
/// The most connections: few, so that a test can use them up.
pub const CONNECTIONS_MAX: u32 = 40;

/// Users without rights, as whom the server runs if the test runs as root: PostgreSQL refuses root.
const SERVER_USERS: [&str; 2] = ["postgres", "nobody"];
/// How often another port is tried.
const TRIES_MAX: u32 = 5;

/// A cluster that runs. Dropping it stops the server and removes the data.
#[derive(Debug)]
pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    /// The user as whom the server runs, if that is another one.
    user: Option<&'static str>,
    port: u16,
}

impl Cluster {
    /// Starts a cluster.
    ///
    /// # Panics
    /// PostgreSQL is missing, or does not start.
    pub fn start() -> Self {
        let folder = tempfile::Builder::new().prefix("moot-pg-").tempdir();
        let folder = folder.expect("a temporary folder");
        let programs = programs().unwrap_or_else(|| {
            panic!(
                "this test needs PostgreSQL, and no `initdb` was found. Run `.ci/setup`, or install it \
                 (Debian: apt-get install --no-install-recommends postgresql)"
            )
        });
        let mut cluster = Self { folder, programs, user: server_user(), port: 0 };
        if let Some(user) = cluster.user {
            let owned = Command::new("chown").arg(user).arg(cluster.folder.path()).output();
            done("chown", owned.expect("chown runs"));
        }
        let data = cluster.data();
        let data_text = data.to_str().expect("a temporary folder has a plain name");
        let words = ["-D", data_text, "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8"];
        done("initdb", cluster.program("initdb", &words));
        let rules = format!(
            "host all {CAREFUL_USER} 127.0.0.1/32 scram-sha-256\n\
             host all all 127.0.0.1/32 trust\nlocal all all trust\n"
        );
        fs::write(data.join("pg_hba.conf"), rules).expect("a file of the cluster");
        for tries in 1.. {
            let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
            cluster.port = free.local_addr().expect("an address").port();
            drop(free);
            if cluster.try_start() {
                break;
            }
            assert!(tries < TRIES_MAX, "PostgreSQL does not start: {}", cluster.log());
        }
        cluster.sql("postgres", &format!("create user {CAREFUL_USER} password '{PASSWORD}'"));
        cluster
    }

    /// Creates a database, and gives its address.
    pub fn url(&self, database: &str) -> String {
        self.sql("postgres", &format!("create database {database}"));
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs SQL in a database and gives the rows as text: fields separated by `|`.
    #[track_caller]
    pub fn sql(&self, database: &str, statement: &str) -> String {
        let port = self.port.to_string();
        let words = [
            "-X",
            "-q",
            "-A",
            "-t",
            "-v",
            "ON_ERROR_STOP=1",
            "-h",
            "127.0.0.1",
            "-p",
            &port,
            "-U",
            USER,
            "-d",
            database,
            "-c",
            statement,
        ];
        done("psql", self.program("psql", &words)).trim_end().to_owned()
    }

    /// Stops the server as a crash does: without a checkpoint, and without ending sessions first.
    pub fn crash(&self) {
        let data = self.data();
        let data = data.to_str().expect("a temporary folder has a plain name");
        done("pg_ctl", self.program("pg_ctl", &["-D", data, "-m", "immediate", "-w", "stop"]));
    }

    /// Starts the server again after [`Self::crash`].
    pub fn start_again(&self) {
        assert!(self.try_start(), "PostgreSQL does not start again: {}", self.log());
    }

    /// Lets the server speak TLS with this certificate and its key, in PEM.
    pub fn secure(&self, certificate: &str, key: &str) {
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let path = self.data().join(name);
            fs::write(&path, text).expect("a file of the cluster");
            // PostgreSQL takes no key that others can read.
            let mode = Command::new("chmod").arg("600").arg(&path).output();
            done("chmod", mode.expect("chmod runs"));
            if let Some(user) = self.user {
                let owned = Command::new("chown").arg(user).arg(&path).output();
                done("chown", owned.expect("chown runs"));
            }
        }
        self.sql("postgres", "alter system set ssl = on");
        self.sql("postgres", "select pg_reload_conf()");
    }

    /// A copy of the data, to go back to with [`Self::restore`]. The server must not run.
    pub fn copy(&self, name: &str) {
        let to = self.folder.path().join(name);
        let copied = Command::new("cp").arg("-a").arg(self.data()).arg(to).output();
        done("cp", copied.expect("cp runs"));
    }

    /// Puts a copy back. The server must not run.
    pub fn restore(&self, name: &str) {
        fs::remove_dir_all(self.data()).expect("the data can be removed");
        fs::rename(self.folder.path().join(name), self.data()).expect("a copy");
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    fn try_start(&self) -> bool {
        let (data, log) = (self.data(), self.folder.path().join("log"));
        let text =
            |path: &Path| path.to_str().expect("a temporary folder has a plain name").to_owned();
        let options = format!(
            "-c port={} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} \
             -c max_connections={CONNECTIONS_MAX} -c shared_buffers=16MB",
            self.port,
            text(self.folder.path())
        );
        let (data, log) = (text(&data), text(&log));
        let words = ["-D", &data, "-l", &log, "-o", &options, "-w", "start"];
        self.program("pg_ctl", &words).status.success()
    }

    fn program(&self, name: &str, words: &[&str]) -> Output {
        // Debian keeps `psql` in the PATH, and the server elsewhere.
        let beside = self.programs.join(name);
        let path = if beside.is_file() { beside } else { PathBuf::from(name) };
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("setpriv");
                command.args([
                    &format!("--reuid={user}"),
                    "--regid=nogroup",
                    "--clear-groups",
                    "--",
                ]);
                command.arg(path);
                command
            }
            None => Command::new(path),
        };
        command.args(words).current_dir(self.folder.path()).env_remove("PGPASSWORD");
        // A server that `pg_ctl` starts keeps the pipes open, so they are files.
        let (out, err) = (self.folder.path().join("out"), self.folder.path().join("err"));
        let file = |path: &Path| fs::File::create(path).expect("a file");
        command.stdin(std::process::Stdio::null()).stdout(file(&out)).stderr(file(&err));
        let status = command.status().expect("the programs of PostgreSQL run");
        let read = |path: &Path| fs::read(path).unwrap_or_default();
        Output { status, stdout: read(&out), stderr: read(&err) }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Some(data) = self.data().to_str() {
            self.program("pg_ctl", &["-D", data, "-m", "immediate", "-w", "stop"]);
        }
    }
}

#[track_caller]
fn done(what: &str, output: Output) -> String {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    assert!(
        output.status.success(),
        "{what} failed: {}{}",
        text(output.stdout),
        text(output.stderr)
    );
    text(output.stdout)
}

/// The folder with `initdb`: Debian keeps it out of the PATH.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    folders.into_iter().find(|folder| folder.join("initdb").is_file())
}

/// The user as whom the server runs: root may not.
fn server_user() -> Option<&'static str> {
    let output = Command::new("id").arg("-u").output().expect("id runs");
    if output.stdout != b"0\n" {
        return None;
    }
    let exists = |user: &&&str| {
        let output = Command::new("id").arg(user).output().expect("id runs");
        output.status.success()
    };
    let user = SERVER_USERS.iter().find(exists);
    Some(user.expect("root needs a user without rights to start PostgreSQL"))
}
