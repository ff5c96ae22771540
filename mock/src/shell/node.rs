//! One of several processes that share their state in PostgreSQL. Its state is active, standby or unclear.
//!
//! The active node has a [`Site`]. A response leaves only if the lease is still trusted after the response was
//! made; otherwise the call is answered 503. If an outcome is unclear, the site is dropped, and the node takes
//! the lease anew and reads everything.

mod gate;
mod node_loop;
mod view;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::{Mutex, RwLock};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, oneshot};

use self::view::NodeView;
use crate::shell::postgres::{
    PostgresAddress, PostgresError, Trust, connect, prepare, unsafe_settings,
};
use crate::shell::site::{Site, SiteError, SiteOptions};
use crate::shell::store::{DurableError, PostgresStore, agreed_settings};

/// Threads for the connections to the database.
const THREADS: usize = 2;

/// Receives the log lines of a node.
pub type NodeLog = Arc<dyn Fn(&str) + Send + Sync>;

/// A node. A clone is another handle on the same node.
#[derive(Clone)]
pub struct Node {
    shared: Arc<NodeShared>,
    orders: mpsc::Sender<NodeOrder>,
    description: Arc<Value>,
    _runtime: Arc<NodeRuntime>,
}

struct NodeShared {
    options: SiteOptions,
    address: PostgresAddress,
    /// The name of this node for other nodes and for clients.
    name: String,
    log: NodeLog,
    /// The name of this process in the lease.
    holder: [u8; 16],
    trust: Arc<Trust>,
    /// The epoch in which this node holds the lease; 0 if it does not.
    held_epoch: AtomicU64,
    /// The site of the newest epoch in which this node became active.
    active: RwLock<Option<ActiveSite>>,
    view: Mutex<NodeView>,
}

#[derive(Clone)]
struct ActiveSite {
    epoch: u64,
    site: Site,
    store: Arc<PostgresStore>,
}

enum NodeOrder {
    /// Lets another node take over at once.
    Resign(oneshot::Sender<()>),
    /// The data could not be read in this epoch.
    Unreadable(u64),
}

/// A runtime that ends with its last handle, without waiting for its threads.
struct NodeRuntime(Option<Runtime>);

impl Drop for NodeRuntime {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Node {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Node").field("address", &self.shared.address).finish_non_exhaustive()
    }
}

impl Node {
    /// Connects, brings the tables up to date, and starts to ask for the lease. `name` is the name of the node if
    /// the address has none. `log` receives a line for each event.
    ///
    /// The seed and the seed world of `site` are used only if the database has none yet, as with a folder.
    ///
    /// # Errors
    /// The database can't be used, or the settings are wrong.
    pub async fn start(
        mut site: SiteOptions,
        address: PostgresAddress,
        name: String,
        log: NodeLog,
    ) -> Result<Self, SiteError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("moot-postgres")
            .enable_all()
            .build()?;
        // Dropping a plain `Runtime` panics on a thread of another runtime.
        let handle = runtime.handle().clone();
        let runtime = Arc::new(NodeRuntime(Some(runtime)));
        let name = address.node.clone().unwrap_or(name);
        let (settings, database) = (site.settings.clone(), address.clone());
        let prepared = handle.spawn(async move {
            let connection = connect(&database, "start", database.lease.length).await?;
            prepare(&connection).await?;
            let unsafe_settings = unsafe_settings(&connection).await?;
            let settings = agreed_settings(&database, &connection, settings).await?;
            Ok::<_, DurableError>((settings, unsafe_settings))
        });
        let ended = |error| SiteError::Io(std::io::Error::other(error));
        let (settings, unsafe_settings) = prepared.await.map_err(ended)??;
        site.settings = settings;
        log(&format!(
            "shares its data in {address}; each node has its own journal, counts of the rate limit, faults \
             and drills"
        ));
        for setting in unsafe_settings {
            log(&format!(
                "{setting} is off in the database: if the database crashes, answered writes are lost"
            ));
        }
        // Credentials, users and workflows follow from the seed, so a standby can describe them too.
        let description = Arc::new(Site::new(site.clone())?.describe());
        let shared = Arc::new(NodeShared {
            options: site,
            address,
            name,
            log,
            holder: holder()?,
            trust: Arc::default(),
            held_epoch: AtomicU64::new(0),
            active: RwLock::default(),
            view: Mutex::default(),
        });
        let (orders, received) = mpsc::channel(8);
        handle.spawn(node_loop::run(shared.clone(), orders.clone(), received));
        Ok(Self { shared, orders, description, _runtime: runtime })
    }

    /// As [`Site::describe`], from the settings that all nodes share.
    pub fn describe(&self) -> Value {
        Value::clone(&self.description)
    }

    /// Stops answering calls, and lets another node take over at once.
    pub async fn resign(&self) {
        let (done, resigned) = oneshot::channel();
        if self.orders.send(NodeOrder::Resign(done)).await.is_ok() {
            let _ = resigned.await;
        }
    }

    /// The seed rows of the main world.
    pub fn seed_world(&self) -> &moot_fixtures::world::SeedWorld {
        &self.shared.options.settings.seed_world
    }
}

impl From<PostgresError> for SiteError {
    fn from(error: PostgresError) -> Self {
        Self::State(DurableError::Postgres(error))
    }
}

/// A random name for this process.
fn holder() -> std::io::Result<[u8; 16]> {
    let mut name = [0; 16];
    let source = rustls::crypto::ring::default_provider().secure_random;
    source
        .fill(&mut name)
        .map_err(|_| std::io::Error::other("the system gives no random bytes"))?;
    Ok(name)
}
