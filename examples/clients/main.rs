//! A client that breaks one rule of conduct on purpose:
//! `moot exec -- cargo run -p moot-harness --example misbehaving_client -- --misbehave no-token`.

mod misbehaving;

use misbehaving::{RULES, Service, Trouble, misbehave};

#[tokio::main]
async fn main() -> Result<(), Trouble> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [option, rule] = words.as_slice() else { return Err(usage()) };
    if option != "--misbehave" || !RULES.contains(&rule.as_str()) {
        return Err(usage());
    }
    let variable = |name: &str| std::env::var(name).map_err(|_| format!("{name} is not set"));
    let service = Service {
        base_url: variable("MOOT_BASE_URL")?,
        client_id: variable("MOOT_CLIENT_ID")?,
        client_secret: variable("MOOT_CLIENT_SECRET")?,
        reader_id: variable("MOOT_READER_CLIENT_ID")?,
        reader_secret: variable("MOOT_READER_CLIENT_SECRET")?,
        requester_email: variable("MOOT_REQUESTER_EMAIL")?,
        workflow_id: variable("MOOT_GENERATED_WORKFLOW_ID")?,
    };
    misbehave(&service, rule).await
}

fn usage() -> Trouble {
    format!("usage: --misbehave RULE; the rules are {}", RULES.join(", ")).into()
}
