//! Drawing acts that read.

use moot_fixtures::contract::{LegalRequestStatus, WorkflowStatus};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::select;
use proptest::strategy::Union;

use super::{NASTY_ID, PLAIN_ID, QUERY, ROWS, WORD};
use crate::explore::act::{Act, Filter, List, Odd, Single};

/// A word that is longer than what is thought of.
const LONG_WORD: &str = "[a-z0-9]{250,600}";

/// A page of a list.
pub(super) fn page() -> impl Strategy<Value = Act> {
    let page = Union::new_weighted(vec![
        (3, Just(None).boxed()),
        (3, (1_u32..=4).prop_map(|page| Some(page.to_string())).boxed()),
        (
            1,
            select(vec!["0", "-1", "1.5", "abc", "", "99999", "18446744073709551616"])
                .prop_map(|page| Some(page.to_owned()))
                .boxed(),
        ),
        (1, QUERY.prop_map(Some).boxed()),
    ]);
    (select(List::ALL.to_vec()), page, option::of((any::<u8>(), QUERY))).prop_map(
        |(list, page, filter)| {
            let filter = filter.and_then(|(choice, text)| filter_of(list, choice, text));
            Act::Page { list, page, filter }
        },
    )
}

/// Mostly a status that the list knows.
fn filter_of(list: List, choice: u8, text: String) -> Option<Filter> {
    let at = usize::from(choice);
    match list {
        List::LegalRequests if choice < 192 => {
            Some(Filter::LegalRequest(LegalRequestStatus::ALL[at % LegalRequestStatus::ALL.len()]))
        }
        List::Workflows if choice < 192 => {
            Some(Filter::Workflow(WorkflowStatus::ALL[at % WorkflowStatus::ALL.len()]))
        }
        List::LegalRequests | List::Workflows => Some(Filter::Other(text)),
        List::Documents | List::Webhooks => None,
    }
}

fn single() -> impl Strategy<Value = (Single, u8)> {
    (select(Single::ALL.to_vec()), 0..ROWS)
}

/// Something by its id.
pub(super) fn read() -> impl Strategy<Value = Act> {
    single().prop_map(|(single, row)| Act::Read { single, row })
}

/// The same as another company.
pub(super) fn spy() -> impl Strategy<Value = Act> {
    single().prop_map(|(single, row)| Act::Spy { single, row })
}

/// What nobody has.
pub(super) fn unknown() -> impl Strategy<Value = Act> {
    (select(Single::ALL.to_vec()), PLAIN_ID, option::of(NASTY_ID)).prop_map(
        |(single, plain, nasty)| {
            let is_plain = nasty.is_none();
            // A segment of dots alone is another path.
            let nasty = nasty.filter(|id| !id.chars().all(|c| c == '.'));
            Act::Unknown { single, id: nasty.unwrap_or(plain), is_plain }
        },
    )
}

/// Reads that are held against each other.
pub(super) fn compared() -> impl Strategy<Value = Act> {
    // How a log tells that a request is a draft is its own.
    let logged: Vec<LegalRequestStatus> =
        LegalRequestStatus::ALL.into_iter().filter(|it| *it != LegalRequestStatus::Draft).collect();
    Union::new(vec![
        select(List::ALL.to_vec()).prop_map(|list| Act::Whole { list }).boxed(),
        select(LegalRequestStatus::ALL.to_vec())
            .prop_map(|status| Act::Filtered { status })
            .boxed(),
        select(logged).prop_map(|status| Act::Log { status }).boxed(),
    ])
}

/// Lists with parameters that repeat, are long, or are nobody's, and paths with something behind them.
pub(super) fn odd_list() -> impl Strategy<Value = Act> {
    let name = Union::new_weighted(vec![
        (
            4,
            select(vec!["page", "status", "page[]", "status[a]", "per_page"])
                .prop_map(str::to_owned)
                .boxed(),
        ),
        (1, WORD.boxed()),
    ]);
    let value = Union::new_weighted(vec![(4, QUERY.boxed()), (1, LONG_WORD.boxed())]);
    let parameters = vec((name, vec(value, 1..3)), 1..3);
    let queried = (select(List::ALL.to_vec()), parameters)
        .prop_map(|(list, parameters)| Odd::Query(list, parameters));
    let path = (
        select(List::ALL.to_vec()),
        select(vec!["/", "//", "/%00", "/%FF%FE", "/..;/", "/-1", "/'"]),
    );
    let path = path.prop_map(|(list, end)| Odd::Path(format!("{}{end}", list.operation().path())));
    let long = LONG_WORD.prop_map(|word| Odd::Path(format!("/v1/requests/{word}")));
    let odd = Union::new_weighted(vec![(3, queried.boxed()), (2, path.boxed()), (1, long.boxed())]);
    odd.prop_map(|odd| Act::Odd { odd })
}
