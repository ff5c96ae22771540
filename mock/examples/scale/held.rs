//! How long a call holds the lock of its world: the read lock for a response, the write lock for a change.

use std::hint::black_box;
use std::time::{Duration, Instant};

use http::Method;
use jiff::Timestamp;
use moot_mock::World;
use moot_mock::call::{Admission, Body, Call};
use parking_lot::RwLock;

use crate::Failure;
use crate::client::Client;

/// Numbers of reads and creations. Together they are below the rate limit of a minute.
const CALLS: usize = 250;
const REFERENCE_TURNS: u32 = 1_000_000;

/// The figures of a second world with the same data as that of `client`. `id` is one of its requests.
pub(crate) fn figures(
    mut world: World,
    client: &Client,
    id: &str,
) -> Result<Vec<(&'static str, String)>, Failure> {
    let path = format!("/v1/requests/{id}");
    let (mut reading, mut changing) = (Vec::new(), Vec::new());
    for _ in 0..CALLS {
        let now = Timestamp::now();
        let head = client.head(&Method::GET, &path, None);
        let begun = Instant::now();
        let Admission::Admitted(admitted) = world.admit(now, &head) else {
            return Err("a get is refused".into());
        };
        let call = Call { head, admitted: &admitted, body: Body::Empty, fetched: None };
        let outcome = black_box(world.answer(now, &call));
        // The response is dropped after the lock is released, as for a client.
        reading.push(begun.elapsed());
        drop(outcome);
    }
    for _ in 0..CALLS {
        let now = Timestamp::now();
        let head = client.head(&Method::POST, "/v1/requests", None);
        let Admission::Admitted(admitted) = world.admit(now, &head) else {
            return Err("a creation is refused".into());
        };
        let body = client.creation();
        let call = Call { head, admitted: &admitted, body, fetched: None };
        let changes = world.answer(now, &call).changes;
        let begun = Instant::now();
        world.apply(changes);
        changing.push(begun.elapsed());
    }
    Ok(vec![
        ("a get under the shared lock: median, longest", spread(&mut reading)),
        ("a creation under the lock alone: median, longest", spread(&mut changing)),
        ("of these, the timing itself", format!("{} ns", timing().as_nanos())),
        ("an uncontended lock, taken and given back", format!("{:.0} ns", reference())),
    ])
}

fn spread(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let (middle, last) = (times[times.len() / 2], times[times.len() - 1]);
    format!("{} ns, {} ns", middle.as_nanos(), last.as_nanos())
}

/// The cost of the measurement itself, the median.
fn timing() -> Duration {
    let mut times: Vec<Duration> = (0..CALLS).map(|_| Instant::now().elapsed()).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

/// Nanoseconds.
fn reference() -> f64 {
    let lock = RwLock::new(0_u64);
    let begun = Instant::now();
    for _ in 0..REFERENCE_TURNS {
        black_box(*lock.read());
    }
    begun.elapsed().as_secs_f64() * 1e9 / f64::from(REFERENCE_TURNS)
}
