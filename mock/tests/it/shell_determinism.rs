//! The same seed, base address, frozen clock and calls give the same bytes, whatever other clients do.

use moot_mock::shell::Site;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;

use crate::shell_support::{
    MAIN, TestResponse, admin, ask_token, call, create, sandbox, site, upload,
};

/// The steps of a client, one of each kind.
#[derive(Debug, Clone, Copy)]
enum Step {
    Token,
    List,
    Create,
    Upload,
    Unknown,
    Advance,
}

const STEPS: [Step; 6] =
    [Step::Token, Step::List, Step::Create, Step::Upload, Step::Unknown, Step::Advance];

/// Performs a step in the world below `base`, and returns its result.
async fn step(
    site: &Site,
    base: &str,
    secret: &str,
    token: &mut String,
    step: Step,
) -> TestResponse {
    let v1 = format!("{base}/v1");
    match step {
        Step::Token => {
            let response = ask_token(site, base, "read%20write", (MAIN, secret)).await;
            *token = response.text("/access_token");
            response
        }
        Step::List => call(site, &format!("GET {v1}/requests"), token).await,
        Step::Create => create(site, base, token).await,
        Step::Upload => upload(site, base, token, &["file@notes.txt=Some text"]).await,
        Step::Unknown => call(site, &format!("GET {v1}/requests/unknown"), token).await,
        Step::Advance => admin(site, base, "POST /clock", json!({ "advance_seconds": 61 })).await,
    }
}

/// A new mock with a sandbox that has a seed, and another sandbox.
struct Pair {
    site: Site,
    worlds: [(String, String, String); 2],
}

impl Pair {
    async fn new() -> Self {
        let site = site();
        let mut worlds = Vec::new();
        for seed in [11, 12] {
            let asked = json!({ "seed": seed, "rate_limit": "enforce" });
            let (base, made) = sandbox(&site, asked).await;
            let secret = made["applications"][0]["client_secret"].as_str().expect("a secret");
            worlds.push((base, secret.to_owned(), String::new()));
        }
        let worlds = worlds.try_into().expect("two");
        Self { site, worlds }
    }

    async fn step(&mut self, world: usize, taken: Step) -> TestResponse {
        let (base, secret, token) = &mut self.worlds[world];
        step(&self.site, base, secret, token, taken).await
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn another_sandbox_changes_no_byte(
        calls in proptest::collection::vec((any::<bool>(), select(STEPS.to_vec())), 1..40),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let (mut together, mut alone) = (Pair::new().await, Pair::new().await);
            for (at, (is_ours, taken)) in calls.into_iter().enumerate() {
                let response = together.step(usize::from(!is_ours), taken).await;
                if is_ours {
                    assert_eq!(response, alone.step(0, taken).await, "call {at}: {taken:?}");
                }
            }
        });
    }
}
