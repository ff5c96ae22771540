//! The delivery thread is woken only if something falls due earlier than before.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use moot_mock::settings::Progression;

use crate::support::{bench_with, sound};

/// Counts the wake-ups by three creations.
#[track_caller]
fn check_wakings(progression: Progression, expected: usize) {
    let bench = bench_with(|settings| settings.progression = progression);
    let wakings = Arc::new(AtomicUsize::new(0));
    let counted = wakings.clone();
    bench.service.set_waker(move || {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    for _ in 0..3 {
        bench.create(&sound());
    }
    assert_eq!(wakings.load(Ordering::Relaxed), expected, "{progression}");
}

#[test]
fn the_thread_is_not_woken_if_nothing_falls_due() {
    check_wakings(Progression::Manual, 0);
    check_wakings(Progression::OnRead { reads: 2 }, 0);
}

#[test]
fn only_the_first_of_several_due_changes_wakes() {
    check_wakings(Progression::Timed { seconds: 5 }, 1);
}
