//! Pages that are answered again: exactly what they would be, were they put together anew.

use bytes::Bytes;
use moot_fixtures::contract::LegalRequestStatus;
use moot_mock::control::ControlAction;
use moot_mock::settings::Progression;
use proptest::prelude::*;
use serde_json::json;

use crate::support::{
    Bench, bench, bench_answering, bench_with, delete, file, get, post, sound, texts,
};

/// As many as a world holds, so that none makes room for another.
const PAGES: [(&str, &str); 8] = [
    ("demo-main", "/v1/requests"),
    ("demo-main", "/v1/requests?page=2"),
    ("demo-main", "/v1/requests?status=draft"),
    ("demo-main", "/v1/requests?status=archived"),
    ("demo-main", "/v1/repository_documents"),
    ("demo-main", "/v1/webhooks"),
    ("demo-main", "/v1/workflows"),
    ("other-main", "/v1/requests"),
];

/// What happens to a world.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// Asks for one of [`PAGES`].
    Look(usize),
    Create,
    Upload,
    AddWebhook,
    /// Deletes one of the webhooks that were added.
    DeleteWebhook(usize),
    /// Moves one of the requests, seeded or created.
    Move(usize, LegalRequestStatus),
    Comment(usize),
    Advance(u64),
    Reset,
}

/// A world, and what was made in it.
struct Side {
    bench: Bench,
    requests: Vec<String>,
    webhooks: Vec<String>,
}

impl Side {
    fn new() -> Self {
        let bench = bench_with(|settings| {
            settings.progression = Progression::Timed { seconds: 5 };
        });
        let requests = crate::support::bench().get("/v1/requests").ids();
        Self { bench, requests, webhooks: Vec::new() }
    }

    fn page(&self, (client, target): (&str, &str)) -> Bytes {
        let ask =
            ControlAction::MintToken { client_id: client.to_owned(), scopes: None, age_seconds: 0 };
        let minted = self.bench.ask(ask).expect("a known application");
        let token = minted["access_token"].as_str().expect("a token").to_owned();
        self.bench.send(&get(target).token(&token)).ok().body
    }

    fn take(&mut self, step: Step) {
        let bench = &self.bench;
        match step {
            Step::Look(_) => {}
            Step::Create => self.requests.push(bench.create(&sound())),
            Step::Upload => {
                let parts = vec![file("file", "notes.txt")];
                let token = bench.token();
                bench.send(&post("/v1/repository_documents").multipart(parts).token(&token)).ok();
            }
            Step::AddWebhook => {
                let hook = json!({ "name": "hook", "url": "https://hooks.example/" });
                let sent = post("/v1/webhooks").json(&hook).token(&bench.token());
                self.webhooks.push(bench.send(&sent).ok().text("/data/id"));
            }
            Step::DeleteWebhook(place) => {
                if !self.webhooks.is_empty() {
                    let id = self.webhooks.remove(place % self.webhooks.len());
                    bench.send(&delete(&format!("/v1/webhooks/{id}")).token(&bench.token())).ok();
                }
            }
            Step::Move(place, status) => {
                let id = self.requests[place % self.requests.len()].clone();
                let moved =
                    bench.ask(ControlAction::SetStatus { id, status, comment: None, force: true });
                moved.expect("it is forced");
            }
            Step::Comment(place) => {
                let id = self.requests[place % self.requests.len()].clone();
                bench
                    .ask(ControlAction::AddComment { id, comment: "noted".to_owned() })
                    .expect("it exists");
            }
            Step::Advance(seconds) => {
                bench.advance(seconds);
            }
            Step::Reset => {
                bench.ask(ControlAction::Reset).expect("always possible");
                let seeded = crate::support::bench().get("/v1/requests").ids();
                (self.requests, self.webhooks) = (seeded, Vec::new());
            }
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let status = proptest::sample::select(LegalRequestStatus::ALL.to_vec());
    prop_oneof![
        6 => (0..PAGES.len()).prop_map(Step::Look),
        2 => Just(Step::Create),
        1 => Just(Step::Upload),
        2 => Just(Step::AddWebhook),
        1 => any::<usize>().prop_map(Step::DeleteWebhook),
        3 => (any::<usize>(), status).prop_map(|(place, status)| Step::Move(place, status)),
        1 => any::<usize>().prop_map(Step::Comment),
        1 => (1..30_u64).prop_map(Step::Advance),
        1 => Just(Step::Reset),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// One world is asked for pages on the way, the other only at the end, where it has none yet.
    #[test]
    fn a_page_asked_again_is_what_it_would_be_if_asked_first(
        steps in proptest::collection::vec(step(), 1..30)
    ) {
        let (mut asked, mut unasked) = (Side::new(), Side::new());
        for step in steps {
            if let Step::Look(page) = step {
                asked.page(PAGES[page]);
            }
            asked.take(step);
            unasked.take(step);
        }
        for page in PAGES {
            let expected = unasked.page(page);
            prop_assert_eq!(asked.page(page), expected.clone(), "{:?}", page);
            prop_assert_eq!(asked.page(page), expected, "{:?} once more", page);
        }
    }
}

#[test]
fn more_pages_than_are_held_are_what_they_are() {
    let bench = bench_answering(|answers| answers.per_page = 1);
    let token = bench.token();
    let walk = || -> Vec<Bytes> {
        let targets = (1..=20).map(|page| format!("/v1/requests?page={page}"));
        targets.map(|target| bench.send(&get(&target).token(&token)).ok().body).collect()
    };
    let (first, second) = (walk(), walk());
    assert_eq!(first, second);
    let current = |page: &Bytes| serde_json::from_slice::<serde_json::Value>(page).expect("JSON");
    let numbers: Vec<_> =
        first.iter().map(|page| current(page)["pagination"]["current_page"].clone()).collect();
    assert_eq!(numbers, (1..=20).collect::<Vec<u64>>());
}

#[test]
fn a_page_that_is_refused_is_refused_again() {
    let bench = bench();
    let token = bench.token();
    let refused = || bench.send(&get("/v1/requests?page=0").token(&token)).outcome();
    assert_eq!(refused(), (400, "parameter_missing".to_owned()));
    assert_eq!(refused(), (400, "parameter_missing".to_owned()));
}

#[test]
fn only_who_may_read_gets_a_page_again() {
    let bench = bench();
    let token = bench.token();
    let page = bench.send(&get("/v1/requests").token(&token)).ok();
    let creation = post("/v1/requests").multipart(texts(&sound())).token(&token);
    bench.send(&creation).ok();
    let revoke = ControlAction::RevokeToken { token: token.clone() };
    bench.ask(revoke).expect("it is one of this world");
    assert_eq!(bench.send(&get("/v1/requests").token(&token)).status, 401);
    assert_ne!(bench.get("/v1/requests").body, page.body);
}
