//! Seed webhooks, oldest first.

use std::sync::Arc;

use moot_fixtures::world::SeedWebhook;

use super::SeedSource;
use crate::value::identifier::IdKind;
use crate::world::state::resource::Webhook;
use crate::world::state::resource::webhook::Credential;
use crate::world::state::table;

/// All webhooks, by company. Generated ones subscribe to no event. Otherwise each event would cause
/// deliveries to dozens of addresses that do not exist.
pub(super) fn read(source: &SeedSource<'_>) -> Vec<Arc<Webhook>> {
    let mut records = Vec::new();
    for (company, seed) in (0..).zip(&source.world.companies) {
        let generated = (1..=seed.generated_webhooks).map(|number| SeedWebhook {
            id: None,
            name: format!("Sample webhook {number:03}"),
            url: format!("https://hooks.example/sample/{number}"),
            auth_type: source.answers.webhook_auth_types.first().cloned().unwrap_or_default(),
            token: None,
            events: Vec::new(),
        });
        for webhook in seed.webhooks.iter().cloned().chain(generated) {
            let row = table::length(records.len());
            records.push(Arc::new(record(source, company, row, webhook)));
        }
    }
    records
}

fn record(source: &SeedSource<'_>, company: u32, row: u32, seed: SeedWebhook) -> Webhook {
    Webhook {
        id: seed.id.unwrap_or_else(|| source.identifiers.id(IdKind::Webhook, u64::from(row))),
        company,
        name: seed.name,
        url: seed.url,
        auth_type: seed.auth_type,
        events: seed.events,
        credential: seed.token.map_or(Credential::None, Credential::Bearer),
    }
}
