//! An overview of a world.

use jiff::Timestamp;
use moot_fixtures::journal::DeliveryState;
use serde_json::{Value, json};

use crate::world::World;
use crate::world::state::index::Index;
use crate::world::state::seed_data::Company;

/// Counts and settings. Shape: `{"seed", "base_url", "time", "companies": [{"name", "applications",
/// "users", "counts": {…}}], "answers", "rate_limit", "progression", "deliveries": {"queued",
/// "delivered", "failed"}}`; `applications` are client ids.
pub(super) fn world(world: &World, now: Timestamp) -> Value {
    let companies = (0..).zip(world.seed_data().companies());
    json!({
        "seed": world.settings.seed,
        "base_url": world.base_url(),
        "time": now,
        "companies": companies
            .map(|(index, row)| company(world, index, row))
            .collect::<Vec<_>>(),
        "answers": world.answers(),
        "rate_limit": world.state().rate_limit,
        "progression": world.state().progression.to_string(),
        "deliveries": deliveries(world),
    })
}

fn counts(world: &World, company: u32) -> Value {
    let state = world.state();
    let count = |rows: &Index| rows.rows(company, None).map_or(0, |rows| rows.len());
    json!({
        "workflows": count(&world.seed_data().workflow_index),
        "legal_requests": count(&state.legal_requests.index),
        "repository_documents": count(&state.documents.index),
        "webhooks": count(&state.webhooks.index),
    })
}

fn company(world: &World, index: u32, company: &Company) -> Value {
    let applications = world.seed_data().applications();
    json!({
        "name": company.name,
        "applications": applications
            .filter(|application| application.company == index)
            .map(|application| &application.client_id)
            .collect::<Vec<_>>(),
        "users": company.users,
        "counts": counts(world, index),
    })
}

fn deliveries(world: &World) -> Value {
    let count = |state| {
        let deliveries = world.state().deliveries.values();
        deliveries.filter(|delivery| delivery.progress.state() == state).count()
    };
    json!({
        "queued": count(DeliveryState::Queued),
        "delivered": count(DeliveryState::Delivered),
        "failed": count(DeliveryState::Failed),
    })
}
