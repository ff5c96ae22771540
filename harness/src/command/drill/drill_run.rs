//! Runs the command of a client in the situation of a drill.

use std::ffi::OsString;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use moot_mock::shell::Tls;
use tokio::process::Command;

use super::client_process;
use super::drill_mock::{DrillMock, derived};
use super::drill_watch::DrillWatch;
use super::probe::Probe;
use super::served_mock::{ServedDrillMock, wrong_certificate};
use crate::command::error::CommandError;
use crate::command::exec_environment;
use crate::command::serve::WorldArguments;
use crate::grading::drill::recording::DrillRecording;
use crate::grading::drill::table::Drill;
use crate::run::Interruption;

/// Timeout in seconds for due deliveries after the end of the command.
pub(super) const SETTLE_SECONDS: u64 = 5;

/// The settings that all runs share.
pub(in crate::command) struct DrillRunner<'a> {
    pub(in crate::command) command: &'a [OsString],
    pub(in crate::command) world: &'a WorldArguments,
    pub(in crate::command) seed: u64,
    pub(in crate::command) timeout: Duration,
    pub(in crate::command) interruption: &'a Interruption,
    pub(in crate::command) probe: Option<&'a Probe>,
    /// The certificate of the mock, and its file.
    pub(in crate::command) tls: Option<Tls>,
    pub(in crate::command) ca_file: Option<PathBuf>,
    /// Shows the calls while the client works.
    pub(in crate::command) watch: &'a DrillWatch<'a>,
}

/// Runs the command against a mock of its own, in the situation of the drill.
///
/// # Errors
/// The options of the world are wrong.
pub(in crate::command) async fn run_client(
    runner: &DrillRunner<'_>,
    drill: &Drill,
) -> Result<DrillRecording, CommandError> {
    if drill.is_wrong_certificate && runner.tls.is_none() {
        return Ok(DrillRecording::default());
    }
    let seed = derived(runner.seed, &drill.id) & u64::from(u32::MAX);
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let wrong_tls = drill.is_wrong_certificate.then(wrong_certificate).transpose()?;
    let tls = wrong_tls.clone().or_else(|| runner.tls.clone());
    let mut served = ServedDrillMock::start(runner.world, at, seed, tls).await?;
    let mock = served.mock.clone();
    mock.begin(drill.orders.clone()).await;
    let working = runner.run_command(&mock, drill);
    let mut recording = runner.watch.watch_while(&mock, drill, working).await;
    mock.settle(SETTLE_SECONDS).await;
    runner.ask_probe(&mock, drill, &mut recording).await;
    served.end().await;
    recording.journal = mock.site.journals();
    recording.credentials_sent_elsewhere = served.credentials_sent_elsewhere();
    recording.is_tls = runner.tls.is_some();
    recording.connections = wrong_tls.map_or(0, |tls| tls.connections());
    mock.add_result(&mut recording);
    mock.masked(recording)
}

impl DrillRunner<'_> {
    /// Asks the probe, in the calm run and in drills whose result the calls alone do not show.
    pub(super) async fn ask_probe(
        &self,
        mock: &DrillMock,
        drill: &Drill,
        recording: &mut DrillRecording,
    ) {
        if let Some(probe) = self.probe.filter(|_| drill.is_beyond_wire) {
            recording.probe = Some(probe.ask(&mock.site.journals(), self.prepare(mock)).await);
        }
    }

    /// Runs the command once.
    pub(super) async fn run_command(&self, mock: &DrillMock, drill: &Drill) -> DrillRecording {
        let timeout = self.timeout + Duration::from_secs(drill.seconds);
        let (stop, prepare) = (self.interruption.interrupted(), self.prepare(mock));
        let ended = client_process::run(self.command, timeout, stop, prepare).await;
        ended.unwrap_or_else(|why| DrillRecording { trouble: Some(why), ..Default::default() })
    }

    /// Sets the variables by which a command finds the mock.
    fn prepare(&self, mock: &DrillMock) -> impl Fn(&mut Command) {
        let (description, token) = (mock.site.describe(), Some(mock.client_token.as_str()));
        move |command| exec_environment::set(command, &description, token, self.ca_file.as_deref())
    }
}
