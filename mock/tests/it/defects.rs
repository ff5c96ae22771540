//! The table of defects. Its requirements are in the register, and each defect has a visible effect.

use std::collections::BTreeSet;

use moot_fixtures::contract::Level;
use moot_fixtures::register;
use moot_mock::defect::{self, Defect};
use moot_mock::shell::settings;

use crate::defect_tour::callers::{bearers, limits, odd_calls, tokens};
use crate::defect_tour::reads::{histories, lists, restarts};
use crate::defect_tour::writes::{creations, uploads, webhooks};
use crate::defect_tour::{LISTS, Tour};

#[test]
fn ids_are_unique_and_name_their_subject() {
    let mut ids = BTreeSet::new();
    for defect in defect::all() {
        assert!(ids.insert(&defect.id), "twice: {}", defect.id);
        assert!(defect.what.ends_with('.'), "no sentence: {}", defect.id);
    }
    assert!(ids.len() >= 150, "only {} defects", ids.len());
}

#[test]
fn rows_name_requirements_that_can_be_violated() {
    for defect in defect::all() {
        assert!(!defect.breaks.is_empty(), "{} breaks nothing", defect.id);
        for id in defect.breaks.iter().chain(&defect.also) {
            let Some(requirement) = register::get(id) else {
                panic!("{}: no row `{id}`; near is {:?}", defect.id, register::nearest(id));
            };
            let is_checked = requirement.unverifiable.is_none() && requirement.level != Level::Open;
            let is_broken = defect.breaks.contains(id);
            assert!(is_checked || !is_broken, "{}: `{id}` is checked by nothing", defect.id);
        }
        let of_breaks = |id: &String| register::get(id).map(|row| row.section.clone());
        let sections: Vec<_> = defect.breaks.iter().filter_map(of_breaks).collect();
        assert!(
            sections.contains(&defect.section),
            "{}: §{} is not among {sections:?}",
            defect.id,
            defect.section
        );
    }
}

#[test]
fn an_unknown_defect_is_named_with_its_nearest() {
    assert_eq!(
        settings::defect("token.lifetime-3600").map(|defect| defect.id.as_str()),
        Ok("token.lifetime-3600")
    );
    let error = settings::defect("token.lifetime-3660").expect_err("there is none").to_string();
    assert!(error.contains("did you mean `token.lifetime-3600`?"), "{error}");
}

#[test]
fn a_world_without_defects_is_the_same_each_time() {
    assert_eq!(seen(&[]), seen(&[]));
}

#[test]
fn every_defect_has_a_visible_effect() {
    let sound = seen(&[]);
    let invisible: Vec<&str> = defect::all()
        .iter()
        .filter(|defect| seen(&[defect]) == sound)
        .map(|defect| defect.id.as_str())
        .collect();
    assert!(invisible.is_empty(), "these change nothing: {invisible:#?}");
}

/// The results of all tours.
fn seen(defects: &[&'static Defect]) -> String {
    let tours = [
        tokens, lists, histories, creations, uploads, webhooks, bearers, odd_calls, limits,
        restarts,
    ];
    let mut all = String::new();
    for walk in tours {
        let mut tour = Tour::new("demo", defects.to_vec());
        walk(&mut tour);
        all.push_str(&tour.seen);
    }
    let mut empty = Tour::new("empty", defects.to_vec());
    let token = empty.token("empty-main", 0);
    for list in LISTS {
        empty.get(&format!("/v1/{list}"), &token);
    }
    all + &empty.seen
}
