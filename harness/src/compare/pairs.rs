//! Pairs the parts of two runs of one plan by name, and otherwise by the order of rows.
//!
//! The name of a row has an identifier, which differs between targets. Rows that only one side has are left out.

/// A name without its row and its counter: `GET /v1/requests/<id>[ab12] #2` is `GET /v1/requests/<id>`.
pub(super) fn stem(name: &str) -> &str {
    name.split(['[', '#']).next().unwrap_or(name).trim_end()
}

/// The pairs of two lists, in the order of the first.
pub(super) fn paired<'a, A>(
    first: &'a [A],
    second: &'a [A],
    name: impl Fn(&A) -> &str,
) -> Vec<(&'a A, &'a A)> {
    let mut is_taken = vec![false; second.len()];
    let mut partners: Vec<Option<usize>> = vec![None; first.len()];
    let mut pair = |is_fit: &dyn Fn(&A, &A) -> bool| {
        for (at, one) in first.iter().enumerate() {
            if partners[at].is_some() {
                continue;
            }
            let found =
                (0..second.len()).find(|&other| !is_taken[other] && is_fit(one, &second[other]));
            if let Some(other) = found {
                is_taken[other] = true;
                partners[at] = Some(other);
            }
        }
    };
    pair(&|a, b| name(a) == name(b));
    pair(&|a, b| stem(name(a)) == stem(name(b)));
    let pairs = first.iter().zip(partners);
    pairs.filter_map(|(one, other)| Some((one, &second[other?]))).collect()
}

#[cfg(test)]
mod tests {
    use super::{paired, stem};

    #[test]
    fn rows_pair_by_name_and_otherwise_in_their_order() {
        let list = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        let first = list(&["a", "b[1]", "b[2]", "c[x]", "d"]);
        let second = list(&["b[2]", "b[7]", "a", "c[y]", "c[z]"]);
        let pairs: Vec<_> = paired(&first, &second, |name| name);
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(pairs, [("a", "a"), ("b[1]", "b[7]"), ("b[2]", "b[2]"), ("c[x]", "c[y]")]);
    }

    #[test]
    fn a_stem_has_neither_row_nor_count() {
        for (name, expected) in
            [("GET /v1/a", "GET /v1/a"), ("GET /v1/<x>[ab12]", "GET /v1/<x>"), ("g #2", "g")]
        {
            assert_eq!(stem(name), expected);
        }
    }
}
