//! A PostgreSQL cluster for one test, in a temporary folder and on its own loopback port.
//!
//! It needs the programs of PostgreSQL (Debian: `postgresql`). Without them the test fails. It does not touch
//! other clusters of the machine.

use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The superuser, without a password.
pub const USER: &str = "moot";
/// A user with [`PASSWORD`].
pub const CAREFUL_USER: &str = "careful";
/// The password of [`CAREFUL_USER`].
pub const PASSWORD: &str = "correct horse";
/// The largest number of connections. It is small, so that a test can use them up.
pub const CONNECTIONS_MAX: u32 = 40;

/// Users without rights, for the server of a test that runs as root. PostgreSQL refuses root.
const SERVER_USERS: [&str; 2] = ["postgres", "nobody"];
/// The largest number of ports that are tried.
const TRIES_MAX: u32 = 5;

/// A running cluster. Dropping it stops the server and removes the data.
#[derive(Debug)]
pub struct Cluster {
    folder: TempDir,
    programs: PathBuf,
    /// The user of the server, if it is not the user of the test.
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
        cluster.give_to_server(cluster.folder.path());
        let data = cluster.data();
        let words = ["-D", text(&data), "-U", USER, "--auth=trust", "--no-sync", "-E", "UTF8"];
        succeeded("initdb", cluster.program("initdb", &words));
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

    /// Creates a database and returns its address.
    pub fn url(&self, database: &str) -> String {
        self.sql("postgres", &format!("create database {database}"));
        format!("postgres://{USER}@127.0.0.1:{}/{database}", self.port)
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Runs SQL in a database. Returns the rows as text, with fields separated by `|`.
    #[track_caller]
    pub fn sql(&self, database: &str, statement: &str) -> String {
        let server = format!("host=127.0.0.1 port={} user={USER} dbname={database}", self.port);
        let words = ["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", &server, "-c", statement];
        succeeded("psql", self.program("psql", &words)).trim_end().to_owned()
    }

    /// Stops the server like a crash: without a checkpoint, and without ending sessions first.
    pub fn crash(&self) {
        succeeded("pg_ctl", self.stop());
    }

    /// Starts the server again after [`Self::crash`].
    pub fn start_again(&self) {
        assert!(self.try_start(), "PostgreSQL does not start again: {}", self.log());
    }

    /// Enables TLS on the server, with this certificate and its key in PEM.
    pub fn secure(&self, certificate: &str, key: &str) {
        for (name, text) in [("server.crt", certificate), ("server.key", key)] {
            let path = self.data().join(name);
            fs::write(&path, text).expect("a file of the cluster");
            // PostgreSQL refuses a key that others can read.
            run(Command::new("chmod").arg("600").arg(&path));
            self.give_to_server(&path);
        }
        self.sql("postgres", "alter system set ssl = on");
        self.sql("postgres", "select pg_reload_conf()");
    }

    /// Copies the data for [`Self::restore`]. The server must not run.
    pub fn copy(&self, name: &str) {
        run(Command::new("cp").arg("-a").arg(self.data()).arg(self.folder.path().join(name)));
    }

    /// Restores a copy. The server must not run.
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
        let options = format!(
            "-c port={} -c listen_addresses=127.0.0.1 -c unix_socket_directories={} \
             -c max_connections={CONNECTIONS_MAX} -c shared_buffers=16MB",
            self.port,
            text(self.folder.path())
        );
        let words = ["-D", text(&data), "-l", text(&log), "-o", &options, "-w", "start"];
        self.program("pg_ctl", &words).status.success()
    }

    fn stop(&self) -> Output {
        self.program("pg_ctl", &["-D", text(&self.data()), "-m", "immediate", "-w", "stop"])
    }

    /// Makes the user of the server the owner of a file or folder.
    fn give_to_server(&self, path: &Path) {
        if let Some(user) = self.user {
            run(Command::new("chown").arg(user).arg(path));
        }
    }

    fn program(&self, name: &str, words: &[&str]) -> Output {
        // Debian has `psql` in the PATH, and the programs of the server elsewhere.
        let beside = self.programs.join(name);
        let path = if beside.is_file() { beside } else { PathBuf::from(name) };
        let mut command = match self.user {
            Some(user) => {
                let mut command = Command::new("setpriv");
                let reuid = format!("--reuid={user}");
                command.args([&reuid, "--regid=nogroup", "--clear-groups", "--"]).arg(path);
                command
            }
            None => Command::new(path),
        };
        command.args(words).current_dir(self.folder.path()).env_remove("PGPASSWORD");
        // A server that `pg_ctl` starts keeps its output open. With pipes, reading would never end.
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
        self.stop();
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a temporary folder has a plain name")
}

#[track_caller]
fn run(command: &mut Command) {
    let output = command.output().expect("the program runs");
    succeeded(&command.get_program().to_string_lossy(), output);
}

/// Checks that a program succeeded, and returns its output.
#[track_caller]
fn succeeded(program: &str, output: Output) -> String {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    assert!(
        output.status.success(),
        "{program} failed: {}{}",
        text(output.stdout),
        text(output.stderr)
    );
    text(output.stdout)
}

/// The folder with `initdb`, which is not in Debian's PATH.
fn programs() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    folders.extend(versions.map(|version| version.path().join("bin")));
    folders.into_iter().find(|folder| folder.join("initdb").is_file())
}

/// The user of the server; `None` for the user of the test, if that is not root.
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
