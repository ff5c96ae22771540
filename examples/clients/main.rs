//! A client that behaves well, or breaks one rule of conduct on purpose:
//! `moot exec -- cargo run -p moot-harness --example misbehaving_client -- --misbehave no-token`.
//!
//! Its source is `harness/src/grading/misbehaving_client`. An installed `moot` contains the same client:
//! `moot exec -- moot selftest --misbehave no-token`.

use moot_harness::grading::misbehaving_client::{MisbehaviourError, misbehaviours, rule, run};

#[tokio::main]
async fn main() -> Result<(), MisbehaviourError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let broken = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--misbehave", id] => Some(rule(id).ok_or_else(usage)?),
        _ => return Err(usage()),
    };
    run(broken).await
}

fn usage() -> MisbehaviourError {
    let rules: Vec<&str> = misbehaviours().iter().map(|it| it.rule.as_str()).collect();
    format!("usage: [--misbehave RULE]; the rules are {}", rules.join(", ")).into()
}
