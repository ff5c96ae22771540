//! Equality of JSON values: including the type, numbers by value, members in any order.

use serde_json::{Number, Value};

/// Whether two values are the same JSON value: `1` is `1.0` and is not `"1"`.
pub(super) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => equal_numbers(a, b),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| equal(a, b)))
        }
        (a, b) => a == b,
    }
}

fn equal_numbers(a: &Number, b: &Number) -> bool {
    match (as_integer(a), as_integer(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a.as_f64() == b.as_f64(),
        _ => false,
    }
}

/// The number as an integer, if it is one by value.
pub(super) fn as_integer(number: &Number) -> Option<i128> {
    if let Some(integer) = number.as_i64() {
        return Some(integer.into());
    }
    if let Some(integer) = number.as_u64() {
        return Some(integer.into());
    }
    let float = number.as_f64()?;
    // Above 2^53, neighbouring integers are the same float.
    (float.fract() == 0.0 && float.abs() <= 9_007_199_254_740_992.0).then_some(float as i128)
}

/// A count: a whole number that is not negative, also if it is written as `25.0`.
pub(crate) fn as_count(value: &Value) -> Option<u64> {
    u64::try_from(as_integer(value.as_number()?)?).ok()
}

/// The indices of the first two equal members.
pub(super) fn first_equal_pair(items: &[Value]) -> Option<(usize, usize)> {
    items.iter().enumerate().find_map(|(at, item)| {
        let first = items[..at].iter().position(|known| equal(known, item))?;
        Some((first, at))
    })
}

/// The members of `a` that are not in `b`. A member of `b` stands for one member of `a` only.
pub(super) fn missing_from<'a>(a: &'a [Value], b: &[Value]) -> Vec<&'a Value> {
    let mut left: Vec<&Value> = b.iter().collect();
    let mut missing = Vec::new();
    for item in a {
        match left.iter().position(|known| equal(known, item)) {
            Some(at) => {
                left.swap_remove(at);
            }
            None => missing.push(item),
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{as_count, equal, first_equal_pair, missing_from};

    #[track_caller]
    fn check(a: Value, b: Value, expected: bool) {
        assert_eq!(equal(&a, &b), expected, "{a} {b}");
        assert_eq!(equal(&b, &a), expected, "{b} {a}");
    }

    #[test]
    fn a_count_is_read_by_value() {
        for (value, expected) in [
            (json!(25), Some(25)),
            (json!(25.0), Some(25)),
            (json!(25.5), None),
            (json!(-1), None),
            (json!("25"), None),
            (json!(null), None),
        ] {
            assert_eq!(as_count(&value), expected, "{value}");
        }
    }

    #[test]
    fn values_of_different_types_differ() {
        check(json!(7200), json!(7200), true);
        check(json!(7200), json!("7200"), false);
        check(json!(null), json!(false), false);
        check(json!([]), json!({}), false);
    }

    #[test]
    fn numbers_are_equal_by_value() {
        check(json!(1), json!(1.0), true);
        check(json!(1), json!(1.5), false);
        check(json!(0), json!(-0.0), true);
        check(json!(u64::MAX), json!(u64::MAX - 1), false);
        check(json!(9_007_199_254_740_993_i64), json!(9_007_199_254_740_992.0), false);
        check(json!(1e300), json!(1e300), true);
    }

    #[test]
    fn members_are_in_any_order_and_items_are_not() {
        check(json!({ "a": 1, "b": [1.0] }), json!({ "b": [1], "a": 1 }), true);
        check(json!({ "a": 1 }), json!({ "a": 1, "b": 1 }), false);
        check(json!([1, 2]), json!([2, 1]), false);
    }

    #[test]
    fn pairs_are_found_among_texts_and_others() {
        assert_eq!(first_equal_pair(&[json!("a"), json!(1), json!("a")]), Some((0, 2)));
        assert_eq!(first_equal_pair(&[json!(1), json!("1"), json!(1.0)]), Some((0, 2)));
        assert_eq!(first_equal_pair(&[json!("a"), json!("b")]), None);
        assert_eq!(first_equal_pair(&[]), None);
    }

    #[test]
    fn a_member_counts_once() {
        let (twice, once) = ([json!("a"), json!("a")], [json!("a")]);
        assert_eq!(missing_from(&twice, &once), vec![&json!("a")]);
        assert!(missing_from(&once, &twice).is_empty());
    }
}
