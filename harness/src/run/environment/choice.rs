//! The choice of a target, its options, and the errors of opening it.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::DataError;
use moot_fixtures::contract::Answers;
use moot_fixtures::world::SeedWorld;

use crate::client::PaceWait;
use crate::client::target_file::{FileLimits, TargetFile};
use crate::exchange::Exchange;
use crate::run::environment::shard::Shard;

/// The target of a run. Its file was read, and nothing was sent.
#[derive(Debug, Clone, Default)]
pub enum TargetChoice {
    /// The mock, without a socket.
    #[default]
    InProcess,
    /// The mock without a socket and without its control plane, as a deployment with one world.
    InProcessDeployment,
    /// A service over HTTP.
    Http(Arc<TargetFile>),
    /// The folder of a recording, which is judged without a network.
    Recording(PathBuf),
    /// A target with a wrong file. A run of it ends with this error, which its reports show.
    Wrong {
        /// The target, as the command line names it.
        name: String,
        error: DataError,
    },
}

impl TargetChoice {
    /// The file of known failures in `options`, or else in the target file.
    pub fn expected_file<'a>(&'a self, options: &'a TargetOptions) -> Option<&'a PathBuf> {
        let of_file = match self {
            Self::Http(file) => file.expected.as_ref(),
            Self::InProcess
            | Self::InProcessDeployment
            | Self::Recording(_)
            | Self::Wrong { .. } => None,
        };
        options.expected.as_ref().or(of_file)
    }
}

/// The options of a target.
#[derive(Debug, Clone, Default)]
pub struct TargetOptions {
    /// The seed of the sandboxes of a mock.
    pub seed: u64,
    /// The default world of the mock in process; `demo` if absent.
    pub world: Option<Arc<SeedWorld>>,
    /// The default answers of the mock in process.
    pub answers: Option<Answers>,
    /// The defects of the mock in process, by id.
    pub defects: Vec<String>,
    /// Rewrites the responses of a recording.
    pub overlay: Option<Arc<dyn ResponseOverlay>>,
    /// Requests per minute instead of those of the target file. 0 means no pace, on loopback only.
    pub rate: Option<u32>,
    /// The shard of the run. It gets its share of the limits of a target file.
    pub shard: Option<Shard>,
    /// The address where receivers listen; a free loopback port if absent.
    pub receiver: Option<SocketAddr>,
    /// The URL by which the target reaches `receiver`.
    pub receiver_url: Option<String>,
    /// The file that keeps a token of a deployment from run to run, for `expired_token`.
    pub token_file: Option<PathBuf>,
    /// The file of known failures, instead of that of the target file.
    pub expected: Option<PathBuf>,
    /// The tag in every name and e-mail address that the run creates.
    pub run_tag: String,
    /// The largest number of objects that the plan of the run creates. It is the limit of a target file without
    /// `limits.created_objects_max`.
    pub created_objects_planned: Option<u32>,
    /// The sum of `created_objects_planned` over all shards of the run.
    pub created_objects_of_shards: Option<u32>,
    /// Whether the run is repeated. On a deployment, only a run that changes nothing may be repeated.
    pub is_repeated: bool,
    /// Reports how long the pace delays requests.
    pub pace_wait: Arc<PaceWait>,
    /// The timeout `discovery`, for workflows that are not bound; 60 s if absent.
    pub discovery_timeout: Option<Duration>,
}

impl TargetOptions {
    /// The limits of a target file for this run. `--rate` replaces the rate. Without `limits.created_objects_max` the
    /// limit is the number of objects that the plan creates. A shard gets its share, and objects by its share of the
    /// plan.
    pub(crate) fn limits(&self, limits: FileLimits) -> FileLimits {
        let limits = self.shard.map_or(limits, |shard| self.share(shard, limits));
        FileLimits {
            requests_per_minute: self.rate.unwrap_or(limits.requests_per_minute),
            created_objects_max: limits.created_objects_max.or(self.created_objects_planned),
            ..limits
        }
    }

    fn share(&self, shard: Shard, limits: FileLimits) -> FileLimits {
        let (own, all) = (self.created_objects_planned, self.created_objects_of_shards);
        let share = |max: u32| match (own, all) {
            (Some(own), Some(all)) if all > max => {
                let share = u64::from(max) * u64::from(own) / u64::from(all);
                u32::try_from(share).unwrap_or(max)
            }
            (Some(own), Some(_)) => own.min(max),
            (_, _) => max,
        };
        let created_objects_max = limits.created_objects_max.map(share);
        FileLimits { created_objects_max, ..shard.limits(limits) }
    }

    /// Whether a deployment reaches our receiver.
    pub(crate) fn can_receive(&self) -> bool {
        self.receiver.is_some() && self.receiver_url.is_some()
    }
}

/// Rewrites the responses of a recording before they are judged. The self-test applies defects with it. The trait keeps
/// the mock out of this folder.
pub trait ResponseOverlay: std::fmt::Debug + Send + Sync {
    /// Rewrites the exchanges of a scenario.
    fn rewrite(&self, scenario: &str, exchanges: &mut [Exchange]);
}

/// The reason why a target cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
pub enum OpenError {
    /// The target file or an option is wrong. Nothing was sent (exit 2).
    #[error("{0}")]
    Usage(String),
    /// The target does not respond, is not at this address, or refuses the credentials (exit 4).
    #[error("{0}")]
    Unreachable(String),
    /// The token endpoint refuses the request of §4.1, and every other way to send the credentials: a violation (exit
    /// 1).
    #[error("{why}")]
    TokenEndpoint {
        /// A clause about the mistake.
        why: String,
        /// The documented request, and the response.
        exchange: Arc<Exchange>,
    },
}

#[cfg(test)]
mod tests {
    use super::{Shard, TargetOptions};
    use crate::client::target_file::FileLimits;

    #[test]
    fn a_shard_has_its_share_of_the_limits() {
        let limits = FileLimits {
            requests_per_minute: 540,
            token_requests_per_minute: Some(8),
            created_objects_max: Some(20),
            ..FileLimits::default()
        };
        let of = |number, own, all| {
            let options = TargetOptions {
                shard: Some(Shard { number, count: 5 }),
                created_objects_planned: Some(own),
                created_objects_of_shards: Some(all),
                ..TargetOptions::default()
            };
            let limits = options.limits(limits);
            let tokens = limits.token_requests_per_minute;
            (limits.requests_per_minute, tokens, limits.created_objects_max)
        };
        // Shard 1 asks for nearly all tokens. Objects are divided by the plan of each shard.
        assert_eq!(of(1, 10, 100), (108, Some(4), Some(2)));
        assert_eq!(of(2, 50, 100), (108, Some(1), Some(10)));
        assert_eq!(of(3, 7, 15), (108, Some(1), Some(7)), "there is enough for all");
        assert_eq!(TargetOptions::default().limits(limits), limits);
    }
}
