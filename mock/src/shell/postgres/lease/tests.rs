//! Histories of several nodes with one database. Messages are late or lost, nodes are paused, and clocks have
//! different rates. At most one node may answer at any instant.

use std::time::Duration;

use moot_fixtures::random;

use super::{
    HeadRow, LeaseMachine, LeaseOrder, LeaseOutcome, LeasePhase, LeaseTimes, NextLeaseStep,
};

const HISTORIES: u64 = 10_000;
const NODES: usize = 3;
/// Milliseconds with trouble at the start of a history.
const TROUBLE: u64 = 6_000;
/// Milliseconds without trouble at its end.
const QUIET: u64 = 5_000;
/// Milliseconds between two instants.
const INSTANT: u64 = 10;

/// Random numbers that depend only on the seed (SplitMix64).
struct Draw(u64);

impl Draw {
    fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(random::STEP);
        random::mixed(self.0)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    fn is_one_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }
}

/// A statement in flight, or its outcome.
struct Message {
    order: LeaseOrder,
    began: Duration,
    /// When the database runs it; `None` after that, or if it is lost.
    runs_at: Option<u64>,
    outcome: LeaseOutcome,
    /// When the node receives the outcome.
    received_at: u64,
}

struct Node {
    machine: LeaseMachine,
    name: [u8; 16],
    /// Its clock shows `offset + time * rate` microseconds, with `time` in milliseconds.
    offset: u64,
    rate: u64,
    message: Option<Message>,
    paused_until: u64,
}

impl Node {
    fn clock(&self, time: u64) -> Duration {
        Duration::from_micros(self.offset + time * self.rate)
    }

    /// Whether a response of this node may leave, as `Trust::holds` decides it.
    fn is_trusted(&self, time: u64) -> bool {
        match self.machine.phase() {
            LeasePhase::Active { until, .. } => self.clock(time) < until,
            _ => false,
        }
    }
}

fn run(row: &mut HeadRow, node: [u8; 16], order: LeaseOrder) -> LeaseOutcome {
    let holds = match order {
        LeaseOrder::Look => return LeaseOutcome::Row(row.clone()),
        LeaseOrder::Take { epoch, renewals, .. } => (row.epoch, row.renewals) == (epoch, renewals),
        LeaseOrder::Renew { epoch } | LeaseOrder::Resign { epoch } => {
            row.epoch == epoch && row.holder == Some(node)
        }
    };
    if !holds {
        return LeaseOutcome::Refused;
    }
    row.renewals += 1;
    match order {
        LeaseOrder::Take { next, .. } => {
            row.epoch = next;
            row.holder = Some(node);
        }
        LeaseOrder::Resign { .. } => row.holder = None,
        LeaseOrder::Look | LeaseOrder::Renew { .. } => {}
    }
    LeaseOutcome::Done
}

/// The result of a history.
#[derive(Debug, Default, PartialEq, Eq)]
struct HistoryResult {
    /// The first instant at which two nodes were trusted.
    doubled_at: Option<u64>,
    takeovers: u64,
    /// Whether a node is active at the end.
    is_served: bool,
}

fn history(seed: u64, times: LeaseTimes) -> HistoryResult {
    let mut draw = Draw(seed);
    let mut row = HeadRow::default();
    let mut nodes: Vec<Node> = (0..NODES)
        .map(|number| {
            let name = [u8::try_from(number).expect("few") + 1; 16];
            Node {
                machine: LeaseMachine::new(name, times),
                name,
                offset: draw.below(1_000_000_000),
                rate: 995 + draw.below(11),
                message: None,
                paused_until: 0,
            }
        })
        .collect();
    let (trouble_of, mut result) = (1 + draw.below(20), HistoryResult::default());
    let mut last_epoch = 0;
    for time in (0..TROUBLE + QUIET).step_by(INSTANT as usize) {
        let is_trouble = time < TROUBLE;
        for node in &mut nodes {
            let name = node.name;
            if let Some(message) = &mut node.message
                && message.runs_at.is_some_and(|runs_at| runs_at <= time)
            {
                // The database also runs the statement of a paused node.
                message.runs_at = None;
                let outcome = run(&mut row, name, message.order);
                if message.outcome != LeaseOutcome::Failed {
                    message.outcome = outcome;
                }
            }
            if node.paused_until > time {
                continue;
            }
            if is_trouble && draw.is_one_in(300) {
                node.paused_until = time + draw.below(3_000);
                continue;
            }
            let now = node.clock(time);
            if node.message.as_ref().is_some_and(|message| message.received_at <= time)
                && let Some(Message { order, began, outcome, .. }) = node.message.take()
            {
                node.machine.finished(order, began, now, outcome);
            }
            if is_trouble && draw.is_one_in(2_000) {
                // A write failed.
                node.machine.lost(now);
            }
            if node.message.is_none()
                && let NextLeaseStep::Ask(order) = node.machine.next(now)
            {
                let is_bad = is_trouble && draw.is_one_in(trouble_of);
                let (there, back) = match is_bad {
                    true => (draw.below(1_500), draw.below(1_500)),
                    false => (draw.below(20), draw.below(20)),
                };
                let (is_lost, is_reply_lost) =
                    (is_bad && draw.is_one_in(3), is_bad && draw.is_one_in(3));
                node.message = Some(Message {
                    order,
                    began: now,
                    runs_at: (!is_lost).then_some(time + there),
                    outcome: match is_lost || is_reply_lost {
                        true => LeaseOutcome::Failed,
                        false => LeaseOutcome::Refused,
                    },
                    received_at: time + there + back,
                });
            }
        }
        if nodes.iter().filter(|node| node.is_trusted(time)).count() > 1 {
            result.doubled_at.get_or_insert(time);
        }
        if row.epoch > last_epoch {
            (last_epoch, result.takeovers) = (row.epoch, result.takeovers + 1);
        }
    }
    result.is_served = nodes.iter().any(|node| node.is_trusted(TROUBLE + QUIET));
    result
}

fn times() -> LeaseTimes {
    LeaseTimes::new(Duration::from_secs(1), Duration::from_millis(300))
}

#[test]
fn at_most_one_node_is_trusted_at_any_instant() {
    let mut takeovers = 0;
    for seed in 0..HISTORIES {
        let result = history(seed, times());
        assert_eq!(result.doubled_at, None, "seed {seed}: two nodes are trusted");
        assert!(result.is_served, "seed {seed}: no node is active after the trouble");
        takeovers += result.takeovers;
    }
    assert!(takeovers > 2 * HISTORIES, "the histories have trouble in them: {takeovers}");
}

/// The histories detect a lease that is trusted for longer than its length.
#[test]
fn a_lease_that_is_trusted_for_too_long_is_found() {
    let wrong = LeaseTimes { trust: Duration::from_millis(1_300), ..times() };
    let found = (0..HISTORIES).find(|seed| history(*seed, wrong).doubled_at.is_some());
    assert!(found.is_some());
}

/// One node and a row, with times in milliseconds.
struct Bench {
    machine: LeaseMachine,
    row: HeadRow,
}

const OWN: [u8; 16] = [1; 16];
const OTHER: [u8; 16] = [2; 16];

fn at(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

impl Bench {
    fn new(row: HeadRow) -> Self {
        Self { machine: LeaseMachine::new(OWN, times()), row }
    }

    /// Runs the node's statement at this time, at once.
    fn step(&mut self, time: u64) -> NextLeaseStep {
        let step = self.machine.next(at(time));
        if let NextLeaseStep::Ask(order) = step {
            let outcome = run(&mut self.row, OWN, order);
            self.machine.finished(order, at(time), at(time), outcome);
        }
        step
    }
}

fn held_by_other() -> HeadRow {
    HeadRow { epoch: 5, holder: Some(OTHER), renewals: 9, ..HeadRow::default() }
}

#[test]
fn a_free_lease_is_taken_at_once() {
    let mut bench = Bench::new(HeadRow { epoch: 5, renewals: 9, ..HeadRow::default() });
    assert_eq!(bench.step(0), NextLeaseStep::Ask(LeaseOrder::Look));
    assert_eq!(
        bench.step(0),
        NextLeaseStep::Ask(LeaseOrder::Take { epoch: 5, renewals: 9, next: 6 })
    );
    assert_eq!(bench.machine.phase(), LeasePhase::Active { epoch: 6, until: at(800) });
}

#[test]
fn a_lease_of_another_node_is_taken_only_after_it_was_not_renewed_for_its_length() {
    let mut bench = Bench::new(held_by_other());
    bench.step(0);
    assert_eq!(bench.machine.phase(), LeasePhase::Standby);
    bench.step(500);
    bench.row.renewals += 1;
    bench.step(900);
    for time in [1_000, 1_500, 1_899] {
        let step = bench.step(time);
        assert!(!matches!(step, NextLeaseStep::Ask(LeaseOrder::Take { .. })), "{time}: {step:?}");
    }
    assert_eq!(
        bench.step(1_900),
        NextLeaseStep::Ask(LeaseOrder::Take { epoch: 5, renewals: 10, next: 6 })
    );
}

#[test]
fn a_renewal_during_the_takeover_wins() {
    let mut bench = Bench::new(held_by_other());
    bench.step(0);
    let NextLeaseStep::Ask(order) = bench.machine.next(at(1_000)) else { panic!("it takes") };
    bench.row.renewals += 1;
    let outcome = run(&mut bench.row, OWN, order);
    assert_eq!(outcome, LeaseOutcome::Refused);
    bench.machine.finished(order, at(1_000), at(1_000), outcome);
    assert_eq!(bench.step(1_000), NextLeaseStep::Ask(LeaseOrder::Look));
    assert_eq!(bench.machine.phase(), LeasePhase::Standby);
}

#[test]
fn a_slow_renewal_does_not_extend_trust() {
    let mut bench = Bench::new(HeadRow::default());
    bench.step(0);
    bench.step(0);
    let NextLeaseStep::Ask(order) = bench.machine.next(at(300)) else { panic!("it renews") };
    assert_eq!(order, LeaseOrder::Renew { epoch: 1 });
    let outcome = run(&mut bench.row, OWN, order);
    bench.machine.finished(order, at(300), at(799), outcome.clone());
    let until = LeasePhase::Active { epoch: 1, until: at(1_100) };
    assert_eq!(bench.machine.phase(), until, "it counts from the start of the renewal");
    bench.machine.finished(order, at(600), at(1_100), outcome);
    assert_eq!(bench.machine.phase(), LeasePhase::Unclear, "too late");
}

#[test]
fn a_renewal_revives_no_lease_that_was_lost_meanwhile() {
    let mut bench = Bench::new(HeadRow::default());
    bench.step(0);
    bench.step(0);
    let NextLeaseStep::Ask(order) = bench.machine.next(at(300)) else { panic!("it renews") };
    bench.machine.lost(at(310));
    bench.machine.finished(order, at(300), at(320), LeaseOutcome::Done);
    assert_eq!(bench.machine.phase(), LeasePhase::Unclear);
}

#[test]
fn a_node_that_was_paused_steps_down_and_comes_back_with_a_higher_epoch() {
    let mut bench = Bench::new(HeadRow::default());
    bench.step(0);
    bench.step(0);
    assert_eq!(bench.machine.next(at(5_000)), NextLeaseStep::Ask(LeaseOrder::Look));
    assert_eq!(bench.machine.phase(), LeasePhase::Unclear);
    bench.step(5_000);
    bench.step(5_000);
    assert!(matches!(bench.machine.phase(), LeasePhase::Active { epoch: 2, .. }));
}

/// A backup may have no holder, while another node still trusts a later lease.
#[test]
fn in_a_restored_database_the_lease_is_taken_late_and_no_epoch_is_used_twice() {
    let mut bench = Bench::new(held_by_other());
    bench.step(0);
    bench.row = HeadRow { epoch: 3, holder: None, renewals: 4, ..HeadRow::default() };
    for time in [100, 500, 1_099] {
        let step = bench.step(time);
        assert!(!matches!(step, NextLeaseStep::Ask(LeaseOrder::Take { .. })), "{time}: {step:?}");
    }
    let take = LeaseOrder::Take { epoch: 3, renewals: 4, next: 6 };
    assert_eq!(bench.step(1_200), NextLeaseStep::Ask(take));
    assert!(matches!(bench.machine.phase(), LeasePhase::Active { epoch: 6, .. }));
}

#[test]
fn a_node_that_resigned_lets_another_in_at_once_and_stays_away() {
    let mut bench = Bench::new(HeadRow::default());
    bench.step(0);
    bench.step(0);
    let order = bench.machine.resign().expect("it is active");
    assert_eq!(run(&mut bench.row, OWN, order), LeaseOutcome::Done);
    assert_eq!((bench.row.epoch, bench.row.holder), (1, None));
    assert_eq!(bench.machine.next(at(9_000)), NextLeaseStep::WaitUntil(Duration::MAX));
    bench.machine.lost(at(9_000));
    assert_eq!(bench.machine.phase(), LeasePhase::Resigned);
}
