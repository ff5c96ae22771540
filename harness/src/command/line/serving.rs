//! The arguments of commands that serve the mock, or receive what it delivers.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use http::StatusCode;

use super::request::{ReportRequest, account_request};

/// The world where none is named.
pub(in crate::command) const DEFAULT_WORLD: &str = "demo";

/// Which world is served, and how it behaves.
#[derive(Debug, Args)]
pub(in crate::command) struct WorldArguments {
    /// The data it starts with: the name of a bundled world, or a file
    #[arg(long, value_name = "NAME|FILE", default_value = DEFAULT_WORLD)]
    pub(in crate::command) world: String,
    /// What it does where the specification is open: `default`, `documented`, `random:SEED` or a file
    #[arg(long, value_name = "NAME|FILE|random:SEED", default_value = "default")]
    pub(in crate::command) answers: String,
    /// Seed of its ids, tokens and request ids; drawn where absent
    #[arg(long, value_name = "N")]
    pub(in crate::command) seed: Option<u64>,
    /// `real`, `frozen` or `frozen:TIME`
    #[arg(long, value_name = "CLOCK", default_value = "real")]
    pub(in crate::command) clock: String,
    /// `enforce`, `observe` (count, never refuse) or `off`
    #[arg(long, value_name = "MODE", default_value = "enforce")]
    pub(in crate::command) rate_limit: String,
    /// How requests move on: `manual`, `timed:SECONDS`, `on-read:N` or `immediate`
    #[arg(long, value_name = "HOW", default_value = "manual")]
    pub(in crate::command) progression: String,
    /// Something it does wrong on purpose; may be given more than once
    #[arg(long = "defect", value_name = "ID")]
    pub(in crate::command) defects: Vec<String>,
}

/// Where a mock is called, and where it keeps what it knows.
#[derive(Debug, Args)]
pub(in crate::command) struct PlaceArguments {
    /// The base address that callers use, where it is another; its path is served
    #[arg(long, value_name = "URL")]
    pub(in crate::command) public_url: Option<String>,
    /// Folder that keeps the data of the main world and of every sandbox; one that is there wins
    /// over --world and --seed
    #[arg(long, value_name = "DIR")]
    pub(in crate::command) state: Option<PathBuf>,
    /// Serve https: PEM files with the certificate (and its chain) and with its key
    #[arg(long, value_name = "CERT,KEY", value_delimiter = ',')]
    pub(in crate::command) tls: Option<Vec<PathBuf>>,
    /// Fetch documents that are uploaded by address, from public https addresses alone; without it
    /// nothing is fetched, and a placeholder or what `PUT /__admin/addresses` registered is stored
    #[arg(long)]
    pub(in crate::command) fetch: bool,
    /// Deliver webhooks to private and loopback addresses too, where the mock listens beyond loopback;
    /// on loopback it always does
    #[arg(long)]
    pub(in crate::command) private_receivers: bool,
    /// File with the token of the control plane; or MOOT_ADMIN_TOKEN. Needed beyond loopback
    #[arg(long, value_name = "FILE")]
    pub(in crate::command) admin_token_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct ExecArguments {
    /// Where to listen; port 0 picks one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(in crate::command) listen: SocketAddr,
    #[command(flatten)]
    pub(in crate::command) world: WorldArguments,
    #[command(flatten)]
    pub(in crate::command) place: PlaceArguments,
    /// Write what it did to a file too: text or json; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = account_request)]
    pub(in crate::command) reports: Vec<ReportRequest>,
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(in crate::command) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct MockArguments {
    /// Where to listen; port 0 picks one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4010")]
    pub(in crate::command) listen: SocketAddr,
    #[command(flatten)]
    pub(in crate::command) world: WorldArguments,
    #[command(flatten)]
    pub(in crate::command) place: PlaceArguments,
}

#[derive(Debug, Args)]
pub(in crate::command) struct ReceiveArguments {
    /// Where to listen; port 0 picks one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(in crate::command) listen: SocketAddr,
    /// What it answers, in turn: `503,503,204` refuses twice and then goes on with 204
    #[arg(long = "status", value_name = "STATUS,…", value_delimiter = ',', default_value = "200",
          value_parser = status_code)]
    pub(in crate::command) statuses: Vec<StatusCode>,
    /// Milliseconds before each answer
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(..=600_000))]
    pub(in crate::command) delay_ms: u64,
    /// End once so many came
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(in crate::command) count: Option<u64>,
}

/// A final status of HTTP.
fn status_code(text: &str) -> Result<StatusCode, String> {
    let refusal = || format!("`{text}` is no HTTP status: it takes 200 to 599");
    let status: StatusCode = text.parse().map_err(|_| refusal())?;
    if (200..600).contains(&status.as_u16()) { Ok(status) } else { Err(refusal()) }
}
