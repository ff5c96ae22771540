//! Pairs the parts of two runs of one plan by name, and otherwise by the order of rows.
//!
//! The name of a row has an identifier, which differs between targets. Rows that only one side has are left out.

/// The pairs of two lists, in the order of the first. `is_alike` compares names without their rows.
pub(super) fn paired<'a, A, N: PartialEq + ?Sized>(
    first: &'a [A],
    second: &'a [A],
    name: impl Fn(&A) -> &N,
    is_alike: impl Fn(&N, &N) -> bool,
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
    pair(&|a, b| is_alike(name(a), name(b)));
    let pairs = first.iter().zip(partners);
    pairs.filter_map(|(one, other)| Some((one, &second[other?]))).collect()
}

#[cfg(test)]
mod tests {
    use super::paired;
    use crate::scenario::StepName;

    #[test]
    fn rows_pair_by_name_and_otherwise_in_their_order() {
        let list = |rows: &[(&str, &[&str])]| -> Vec<StepName> {
            let name = |(name, rows): &(&str, &[&str])| {
                StepName::new(*name, &rows.iter().map(ToString::to_string).collect::<Vec<_>>())
            };
            rows.iter().map(name).collect()
        };
        let first = list(&[("a", &[]), ("b", &["1"]), ("b", &["2"]), ("c", &["x"]), ("d", &[])]);
        let second =
            list(&[("b", &["2"]), ("b", &["7"]), ("a", &[]), ("c", &["y"]), ("c", &["z"])]);
        let pairs: Vec<_> = paired(&first, &second, |name| name, StepName::is_same_step);
        let pairs: Vec<_> = pairs.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
        let expected = [("a", "a"), ("b[1]", "b[7]"), ("b[2]", "b[2]"), ("c[x]", "c[y]")];
        assert_eq!(pairs, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }
}
