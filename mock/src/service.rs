//! A world as a service: who may read, who may write, and in which order.
//!
//! All methods are synchronous and do no IO; the system's time is an argument everywhere.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use jiff::Timestamp;
use parking_lot::{Mutex, RwLock};
use serde_json::Value;

use crate::call::{Admission, Call, Head};
use crate::control::{Ask, Refusal};
use crate::response::{Response, ResponseBody};
use crate::seeded::Seeded;
use crate::world::World;

/// What is called when something became due earlier than was known.
pub type Waker = Box<dyn Fn() + Send + Sync>;

/// A world that many callers share; a clone is another handle on the same world.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    world: RwLock<World>,
    waker: Mutex<Option<Waker>>,
}

/// One attempt to deliver, to be made now.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The delivery.
    pub delivery: u64,
    /// Where to `POST`.
    pub url: String,
    /// With these headers, in this order.
    pub headers: Vec<(String, String)>,
    /// And this body.
    pub body: Bytes,
}

/// What became of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttemptResult {
    /// The receiver answered with this HTTP status.
    Status(u16),
    /// It did not, and why.
    NoAnswer(String),
}

impl Service {
    /// Serves `world`.
    pub fn new(world: World) -> Self {
        Self(Arc::new(Inner { world: RwLock::new(world), waker: Mutex::new(None) }))
    }

    /// The seed rows, to make another world of them.
    pub fn seeded(&self) -> Arc<Seeded> {
        self.0.world.read().seeded().clone()
    }

    /// The base address.
    pub fn base_url(&self) -> String {
        self.0.world.read().base_url().to_owned()
    }

    /// Calls `waker` whenever [`Self::next_due`] may have come nearer.
    pub fn set_waker(&self, waker: Waker) {
        *self.0.waker.lock() = Some(waker);
    }

    /// What is said of a head before its body is read; a refusal is in the journal already.
    pub fn admit(&self, _system_now: Timestamp, _head: &Head<'_>) -> Admission {
        Admission::Refused(placeholder())
    }

    /// The answer to an admitted call; what it changes is applied before it leaves.
    pub fn answer(&self, _system_now: Timestamp, _call: &Call<'_>) -> Response {
        placeholder()
    }

    /// Does what the control plane asks.
    ///
    /// # Errors
    /// [`Refusal`] where it can't be done; then nothing changed.
    pub fn control(&self, _system_now: Timestamp, _ask: Ask) -> Result<Value, Refusal> {
        Ok(Value::Null)
    }

    /// Fires all that is due, and gives the attempts that have to be made now. Each stays in flight
    /// until [`Self::attempt_done`] is told.
    pub fn due_attempts(&self, _system_now: Timestamp) -> Vec<Attempt> {
        Vec::new()
    }

    /// Whether an attempt of [`Self::due_attempts`] is still wanted: ask right before it starts,
    /// since its webhook may have been deleted meanwhile.
    pub fn is_wanted(&self, _delivery: u64) -> bool {
        false
    }

    /// Tells what became of an attempt.
    pub fn attempt_done(&self, _system_now: Timestamp, _delivery: u64, _result: AttemptResult) {}

    /// When, in the system's time, something falls due; `None` where nothing will by itself.
    pub fn next_due(&self, _system_now: Timestamp) -> Option<Timestamp> {
        None
    }
}

fn placeholder() -> Response {
    Response {
        status: StatusCode::NOT_FOUND,
        headers: Vec::new(),
        refused: None,
        body: ResponseBody::Bytes(Bytes::new()),
    }
}
