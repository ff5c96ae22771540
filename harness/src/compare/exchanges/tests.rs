//! Tests of the differences between two runs of one scenario.

use std::collections::{BTreeMap, BTreeSet};

use moot_snapshots::Placeholders;
use serde_json::{Value, json};

use super::{
    DifferencePlace, ExchangeReading, PlaceReading, ResponseReading, StepReading, ValueReading,
    differences,
};
use crate::compare::reading;
use crate::scenario::StepName;

/// A step whose response names this object at `data`, `id`.
/// `get[a]` as the name of a step: the step `get` of the row `a`.
fn step_name(text: &str) -> StepName {
    match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((name, row)) => StepName::new(name, &[row.to_owned()]),
        None => StepName::new(text, &[]),
    }
}

fn step(name: &str, object: &str) -> StepReading {
    let id = PlaceReading {
        readings: BTreeSet::from([ValueReading::Shown(object.to_owned())]),
        ..PlaceReading::default()
    };
    let places = BTreeMap::from([(vec!["data".to_owned(), "id".to_owned()], id)]);
    let response = ResponseReading { status: 200, headers: BTreeMap::new(), places };
    let exchange = ExchangeReading {
        number: 1,
        is_control: false,
        method: "GET".to_owned(),
        operation: None,
        response: Some(response),
    };
    StepReading { name: step_name(name), exchanges: vec![exchange] }
}

/// A creation, and a `get` of each row of `rows`, with the object that it answers.
fn steps(rows: &[(&str, &str)]) -> Vec<StepReading> {
    let got = rows.iter().map(|(row, object)| step(&format!("get[{row}]"), object));
    std::iter::once(step("create", "[request:1]")).chain(got).collect()
}

#[track_caller]
fn check(other: &[(&str, &str)], differences_expected: usize) {
    let one = steps(&[("x", "[request:1]"), ("y", "[request:2]")]);
    assert_eq!(differences(&one, &steps(other), false).differences.len(), differences_expected);
}

#[test]
fn equal_ids_of_objects_that_were_created_in_another_order_are_no_difference() {
    check(&[("y", "[request:1]"), ("x", "[request:2]")], 0);
}

#[test]
fn another_object_than_the_created_one_is_a_difference_in_any_order() {
    check(&[("x", "[request:3]"), ("y", "[request:2]")], 1);
    check(&[("y", "[request:3]"), ("x", "[request:2]")], 1);
}

#[test]
fn ids_of_services_that_count_are_no_difference() {
    check(&[("y", "[request:1]"), ("z", "[request:2]")], 0);
}

#[test]
fn finally_steps_are_not_compared_after_one_side_stopped() {
    let own = |name: &str, object: &str| step(name, object);
    let whole = [own("create", "a"), own("delete", "b"), own("finally", "c")];
    let skipped = StepReading { exchanges: Vec::new(), ..own("delete", "") };
    let stopped = [own("create", "a"), skipped, own("finally", "d")];
    for (one, other) in [(&whole[..], &stopped[..]), (&stopped, &whole)] {
        assert!(differences(one, other, true).differences.is_empty());
        assert_eq!(differences(one, other, false).differences.len(), 1);
    }
    let changed = [own("create", "x"), own("finally", "d")];
    assert_eq!(differences(&whole, &changed, true).differences.len(), 1);
}

#[test]
fn rows_are_not_paired_in_their_order_if_one_side_lacks_a_row() {
    check(&[("y", "[request:1]")], 1);
}

/// A delivery with this body, in a run with this tag.
fn delivery(tag: &str, content_type: &str, body: &Value) -> Value {
    let headers = json!({
        "authorization": format!("Bearer token-of-{tag}"),
        "content-type": content_type,
        "user-agent": tag,
        "x-delivery-id": tag,
    });
    json!({ "method": "POST", "headers": headers, "body": body.to_string(), "json": body })
}

/// Asserts the places at which these deliveries differ from a usual one.
#[track_caller]
fn check_deliveries(other: &[Value], places_expected: &[&str]) {
    let step = |deliveries: &[Value]| {
        let exchanges = reading::deliveries(deliveries, &Placeholders::default());
        [StepReading { name: step_name("receive"), exchanges: exchanges.into_iter().collect() }]
    };
    let usual = [delivery("one", "application/json", &json!({ "event": "done", "id": "x1" }))];
    let found = differences(&step(&usual), &step(other), false).differences;
    let place = |spot: &DifferencePlace| match spot {
        DifferencePlace::Member(place) => place.join("/"),
        other => format!("{other:?}"),
    };
    let places: Vec<String> = found.iter().map(|it| place(&it.spot)).collect();
    assert_eq!(places, places_expected);
}

#[test]
fn deliveries_are_compared_by_method_media_type_headers_and_body() {
    let json = "application/json";
    let usual = json!({ "event": "done", "id": "x2" });
    check_deliveries(&[delivery("two", json, &usual)], &[]);
    check_deliveries(&[delivery("two", json, &usual), delivery("two", json, &usual)], &[]);
    check_deliveries(&[], &[]);
    let plain = delivery("two", "text/plain", &usual);
    check_deliveries(&[plain], &["delivery/headers/content-type"]);
    let other = delivery("two", json, &json!({ "event": "is.done", "id": "x2", "sent": 7 }));
    check_deliveries(&[other], &["delivery/body/event", "delivery/body/sent"]);
    let number = delivery("two", json, &json!({ "event": "done", "id": 2 }));
    check_deliveries(&[number], &["delivery/body/id"]);
    let mut changed = delivery("two", json, &usual);
    changed["method"] = "PUT".into();
    changed["headers"]["authorization"] = "Basic YTpi".into();
    changed["headers"]["x-signature"] = "abc".into();
    let expected =
        ["delivery/headers/authorization", "delivery/headers/x-signature", "delivery/method"];
    check_deliveries(&[changed], &expected);
    let mut text = delivery("two", json, &usual);
    text["json"] = Value::Null;
    check_deliveries(&[text], &["delivery/body"]);
}

/// An exchange with this method and status. That with 201 is the control.
fn exchange(method: &str, status: u16) -> ExchangeReading {
    let response = ResponseReading { status, headers: BTreeMap::new(), places: BTreeMap::new() };
    let response = Some(response);
    let is_control = status == 201;
    ExchangeReading { number: 1, is_control, method: method.to_owned(), operation: None, response }
}

#[test]
fn a_control_and_views_of_one_side_do_not_hide_the_response_to_the_call() {
    let step = |exchanges: &[(&str, u16)]| {
        let exchanges = exchanges.iter().map(|(method, status)| exchange(method, *status));
        [StepReading { name: step_name("a call"), exchanges: exchanges.collect() }]
    };
    let check = |one: &[(&str, u16)], other: &[(&str, u16)], expected: &[(u16, u16)]| {
        for (one, other, is_turned) in [(one, other, false), (other, one, true)] {
            let found = differences(&step(one), &step(other), false);
            let turn = |(a, b): (u16, u16)| if is_turned { (b, a) } else { (a, b) };
            let seen: Vec<_> = found.differences.iter().map(|it| turn(it.statuses)).collect();
            assert_eq!(seen, expected, "{one:?} {other:?}");
        }
    };
    let whole = [("POST", 201), ("GET", 200), ("POST", 400), ("GET", 200), ("GET", 200)];
    check(&whole, &[("POST", 400)], &[]);
    check(&whole, &[("POST", 422)], &[(400, 422)]);
    check(&whole, &[("GET", 200), ("POST", 422), ("GET", 200)], &[(400, 422)]);
    check(&whole, &[("POST", 502), ("POST", 400), ("GET", 200)], &[]);
    // A side whose control failed sends nothing further.
    check(&whole, &[("POST", 201)], &[]);
}
