//! Matchers, with values on both sides of the boundary of each rule.

use moot_harness::scenario::names::Names;
use moot_harness::verdict::check::{
    Document, Judgement, Mismatch, MismatchKind, ResponsePart, expectation,
};
use serde_json::{Value, json};

use crate::check_support::expectation as written;

#[derive(Debug, PartialEq, Eq)]
enum Is {
    Holds,
    Fails,
    Empty,
}
use Is::{Empty, Fails, Holds};

/// Judges `matcher` on the member `x` of a body. A null value stands for a body without that member.
#[track_caller]
fn judge(matcher: &str, value: Option<Value>, known: Value) -> Judgement {
    let body = value.map_or_else(|| json!({}), |value| json!({ "x": value }));
    let mut names = Names::default();
    names.set("known", known);
    let claims = written(&format!("/x: {matcher}"));
    expectation::judge(&claims, &Document::of_value(body), &names)
}

#[track_caller]
fn check(matcher: &str, value: Value, expected: Is) {
    check_with(matcher, value, json!(null), expected);
}

#[track_caller]
fn check_with(matcher: &str, value: Value, known: Value, expected: Is) {
    let judgement = judge(matcher, Some(value.clone()), known);
    let found = match &judgement {
        Judgement::Holds => Holds,
        Judgement::Fails(_) => Fails,
        Judgement::NotApplicable { .. } => Empty,
    };
    assert_eq!(found, expected, "{matcher} {value}: {judgement:?}");
}

#[track_caller]
fn check_absent(matcher: &str, expected: Is) {
    let is_holding = judge(matcher, None, json!(null)) == Judgement::Holds;
    assert_eq!(is_holding, expected == Holds, "{matcher}");
}

#[test]
fn a_scalar_is_equality_in_type_too() {
    check("7200", json!(7200), Holds);
    check("7200", json!(7200.0), Holds);
    check("7200", json!("7200"), Fails);
    check("\"7200\"", json!("7200"), Holds);
    check("true", json!("true"), Fails);
    check("null", json!(null), Holds);
    check("draft", json!(["draft"]), Fails);
}

#[test]
fn a_list_is_one_of_these() {
    check("[400, 422]", json!(422), Holds);
    check("[400, 422]", json!(404), Fails);
    check("[400]", json!([400]), Fails);
    check_with("{ one_of: <known> }", json!("b"), json!(["a", "b"]), Holds);
    check_with("{ one_of: <known> }", json!("c"), json!(["a", "b"]), Fails);
    check_with("{ one_of: <known> }", json!("c"), json!("abc"), Empty);
}

#[test]
fn a_name_keeps_its_type() {
    check_with("<known>", json!(7), json!(7), Holds);
    check_with("<known>", json!("7"), json!(7), Fails);
    check_with("\"<known>\"", json!([1]), json!([1.0]), Holds);
    check_with("\"id <known>\"", json!("id 7"), json!(7), Holds);
    check_with("<known.missing>", json!(7), json!({}), Empty);
}

#[test]
fn equals_takes_lists_and_maps() {
    check("{ equals: [] }", json!([]), Holds);
    check("{ equals: {} }", json!({}), Holds);
    check("{ equals: { a: 1, b: [2] } }", json!({ "b": [2], "a": 1 }), Holds);
    check("{ equals: [1, 2] }", json!([2, 1]), Fails);
}

#[test]
fn objects_differ_in_a_member_with_its_pointer() {
    let expected = "{ equals: { a/b: { c: 1 }, d: 2 } }";
    for (value, pointer, actual) in [
        (json!({ "a/b": { "c": 3 }, "d": 2 }), "/x/a~1b/c", "3"),
        (json!({ "a/b": { "c": 1 } }), "/x/d", "absent"),
        (json!({ "a/b": { "c": 1 }, "d": 2, "e": 4 }), "/x/e", "4"),
        (json!({ "a/b": 5, "d": 3 }), "/x/a~1b", "5 (and 1 member beside it)"),
    ] {
        let Judgement::Fails(mismatch) = judge(expected, Some(value), json!(null)) else {
            panic!("it differs at {pointer}")
        };
        let found = (mismatch.pointer.as_deref(), mismatch.actual.as_str());
        assert_eq!(found, (Some(pointer), actual));
    }
}

#[test]
fn every_rule_but_present_fails_on_an_absent_value() {
    for rule in ["x", "[x]", "{ not: x }", "{ type: null }", "{ none: x }", "{ present: true }"] {
        check_absent(rule, Fails);
    }
    check_absent("{ not: { present: true } }", Fails);
    check_absent("{ present: false }", Holds);
    check("{ present: true }", json!(null), Holds);
    check("{ present: false }", json!(null), Fails);
}

#[test]
fn all_rules_of_a_map_hold() {
    check("{ type: integer, min: 1 }", json!(1), Holds);
    check("{ type: integer, min: 1 }", json!(0), Fails);
    check("{ each: x, length: 1 }", json!([]), Fails);
    check("{ each: x, length: 0 }", json!([]), Empty);
}

#[test]
fn types_are_those_of_json_and_an_integer_is_a_number_too() {
    check("{ type: integer }", json!(1), Holds);
    check("{ type: integer }", json!(1.0), Holds);
    check("{ type: integer }", json!(1.5), Fails);
    check("{ type: number }", json!(1), Holds);
    check("{ type: string }", json!("1"), Holds);
    check("{ type: boolean }", json!(0), Fails);
    check("{ type: object }", json!([]), Fails);
    check("{ type: array }", json!([]), Holds);
    check("{ type: null }", json!(null), Holds);
    check("{ type: \"null\" }", json!(0), Fails);
}

#[test]
fn not_inverts_a_matcher_and_leaves_nothing_to_judge_alone() {
    check("{ not: x }", json!("y"), Holds);
    check("{ not: x }", json!("x"), Fails);
    check("{ not: { each: x } }", json!([]), Empty);
}

#[test]
fn patterns_are_found_anywhere_in_a_text() {
    check("{ matches: '^a+$' }", json!("aaa"), Holds);
    check("{ matches: 'a' }", json!("bab"), Holds);
    check("{ matches: '^a+$' }", json!("ab"), Fails);
    check("{ matches: '1' }", json!(1), Fails);
    check_with("{ matches: '^<known>$' }", json!("a7"), json!("a\\d"), Holds);
    check_with("{ matches: '^<known>$' }", json!("a7"), json!("("), Empty);
}

#[test]
fn contains_is_a_part_of_a_text_and_a_member_of_a_list() {
    check("{ contains: ell }", json!("hello"), Holds);
    check("{ contains: 1 }", json!([0, 1.0]), Holds);
    check("{ contains: ell }", json!(["hello"]), Fails);
    check("{ contains: 1 }", json!(1), Fails);
    check("{ contains: 1 }", json!("1"), Empty);
}

#[test]
fn contains_searches_the_whole_body() {
    check("{ contains: s3cret }", json!({ "a": [{ "b": "x s3cret y" }] }), Holds);
    check("{ not: { contains: s3cret } }", json!({ "a": [{ "b": "x s3cret y" }] }), Fails);
    check("{ not: { contains: s3cret } }", json!({ "a": "b" }), Holds);
    check("{ not: { matches: 's\\dcret' } }", json!({ "s3cret": 1 }), Fails);
}

#[test]
fn bounds_include_their_ends() {
    check("{ min: 5 }", json!(5), Holds);
    check("{ min: 5 }", json!(4.999), Fails);
    check("{ max: 5 }", json!(5), Holds);
    check("{ max: 5 }", json!(6), Fails);
    check("{ min: 5 }", json!("6"), Fails);
    check_with("{ max: <known> }", json!(6), json!("six"), Empty);
}

#[test]
fn lengths_are_characters_or_members() {
    check("{ length: 3 }", json!("äöü"), Holds);
    check("{ length: { min: 1 } }", json!(""), Fails);
    check("{ length: [1, 2] }", json!([0, 0]), Holds);
    check("{ length: 0 }", json!([]), Holds);
    check("{ length: 1 }", json!(1), Fails);
    // The operand is text or null, as if a response had a wrong `total_count`.
    check("{ length: \"1\" }", json!([0]), Empty);
    check("{ length: null }", json!([]), Empty);
}

#[test]
fn formats_are_of_texts() {
    check("{ format: date-time }", json!("2026-03-05T14:30:00Z"), Holds);
    check("{ format: date-time }", json!("2026-03-05T14:30:00+01:00"), Fails);
    check("{ format: email }", json!("a@b.example"), Holds);
    check("{ format: uri }", json!("/relative"), Fails);
    check("{ format: http-date }", json!(1), Fails);
}

#[test]
fn near_includes_its_distance() {
    check("{ near: { value: 100, by: 30 } }", json!(130), Holds);
    check("{ near: { value: 100, by: 30 } }", json!(69), Fails);
    check("{ near: { value: 100, by: 30 } }", json!("100"), Fails);
    check_with("{ near: { value: <known>, by: 1 } }", json!(1), json!([]), Empty);
}

#[test]
fn members_of_an_absent_value_are_nothing_to_judge() {
    for rule in ["{ each: x }", "{ any: x }", "{ unique: true }", "{ unique: false }"] {
        check(rule, json!([]), Empty);
    }
    check_with("{ same_members: <known> }", json!([]), json!([]), Empty);
    check("{ none: x }", json!([]), Holds);
}

#[test]
fn each_any_none_look_at_every_member() {
    check("{ each: x }", json!(["x", "x"]), Holds);
    check("{ each: x }", json!(["x", "y"]), Fails);
    check("{ any: x }", json!(["y", "x"]), Holds);
    check("{ any: x }", json!(["y"]), Fails);
    check("{ none: x }", json!(["y"]), Holds);
    check("{ none: x }", json!(["y", "x"]), Fails);
    check("{ each: x }", json!("x"), Fails);
}

#[test]
fn an_empty_row_does_not_change_the_result_of_the_others() {
    check("{ each: { each: x } }", json!([[], ["x"]]), Holds);
    check("{ each: { each: x } }", json!([[], ["y"]]), Fails);
    check("{ each: { each: x } }", json!([[], []]), Empty);
}

#[test]
fn members_are_unique_by_value() {
    check("{ unique: true }", json!([1, 2]), Holds);
    check("{ unique: true }", json!([1, "1", 1.0]), Fails);
    check("{ unique: false }", json!([1, 1]), Holds);
}

#[test]
fn same_members_are_in_any_order_and_count() {
    check("{ same_members: [1, 2] }", json!([2, 1]), Holds);
    check("{ same_members: [1, 2] }", json!([1, 2, 2]), Fails);
    check("{ same_members: [1] }", json!([]), Fails);
    check_with("{ same_members: <known> }", json!([1]), json!([]), Fails);
}

#[test]
fn a_list_that_has_members_may_have_more() {
    check("{ has_members: [1, 2] }", json!([3, 2, 1]), Holds);
    check("{ has_members: [1, 2] }", json!([1, 3]), Fails);
    check("{ has_members: [1] }", json!([]), Fails);
    check("{ has_members: [1] }", json!([1, 1]), Fails);
    check_with("{ has_members: <known> }", json!([1]), json!([]), Empty);
}

#[test]
fn a_failure_has_the_expected_and_the_actual_value() {
    let judgement = judge("{ each: { type: string } }", Some(json!(["a", 7])), json!(null));
    assert_eq!(
        judgement,
        Judgement::Fails(Mismatch {
            kind: MismatchKind::Type,
            part: ResponsePart::Body,
            message: "`/x/1` has another type: expected a string, got 7".to_owned(),
            expected: "a string".to_owned(),
            actual: "7".to_owned(),
            pointer: Some("/x/1".to_owned()),
            is_tolerable: false,
        })
    );
}

#[test]
fn long_values_are_cut_in_the_middle() {
    let Judgement::Fails(Mismatch { actual, .. }) =
        judge("x", Some(json!("y".repeat(5_000))), json!(null))
    else {
        panic!("the values differ")
    };
    assert!(actual.len() < 250 && actual.contains(" … "), "{actual}");
    assert!(actual.ends_with("(5002 characters)"), "{actual}");
}
