//! Calls that show stored objects: lists, single objects, and the history of a legal request.

use moot_fixtures::contract::LegalRequestStatus;
use moot_mock::control::{ClockMove, ControlAction};

use super::{LISTS, MULTIPART, Tour, bearer, multipart, typed};
use crate::shell_support::LEGAL_REQUEST;

pub(crate) fn lists(tour: &mut Tour) {
    for client in ["demo-main", "other-main"] {
        let token = tour.token(client, 0);
        for list in LISTS {
            for query in ["", "", "?page=1", "?page=2", "?page=3", "?moot=1"] {
                tour.get(&format!("/v1/{list}{query}"), &token);
            }
        }
        for status in LegalRequestStatus::ALL {
            tour.get(&format!("/v1/requests?status={}", status.as_str()), &token);
            tour.get(&format!("/v1/requests?page=1&status={}", status.as_str()), &token);
        }
        for status in ["published", "unpublished"] {
            tour.get(&format!("/v1/workflows?status={status}"), &token);
            tour.get(&format!("/v1/workflows?page=1&status={status}"), &token);
        }
        for id in [
            "wfMutualNda1",
            "wfConsulting2",
            "wfThirdParty3",
            "wfLease5",
            "WFlEASE5",
            "%77fLease5",
            "none",
        ] {
            tour.get(&format!("/v1/workflows/{id}"), &token);
            tour.get(&format!("/v1/workflows/{id}/schema"), &token);
        }
    }
    let (main, other) = (tour.token("demo-main", 0), tour.token("other-main", 0));
    for list in ["requests", "repository_documents"] {
        for page in 1..=3 {
            let found = tour.get(&format!("/v1/{list}?page={page}"), &main);
            for row in found["data"].as_array().unwrap_or(&Vec::new()).iter().step_by(6) {
                let id = row["id"].as_str().unwrap_or("none");
                for token in [&main, &other] {
                    tour.get(&format!("/v1/{list}/{id}"), token);
                    tour.get(&format!("/v1/{list}/{id}"), token);
                }
                download(tour, row["attributes"]["agreement_url"].as_str(), &main);
                if list == "requests" {
                    tour.get(&format!("/v1/requests/{id}/activity"), &main);
                    tour.get(&format!("/v1/requests/{id}/activity"), &other);
                }
            }
        }
        tour.get(&format!("/v1/{list}/none"), &main);
    }
    tour.get("/v1/requests/none/activity", &main);
}

pub(crate) fn histories(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    let id = created(tour, &token);
    tour.get(&format!("/v1/requests/{id}/activity"), &token);
    tour.ask(ControlAction::MoveClock(ClockMove::Advance(60)));
    for status in LegalRequestStatus::ALL {
        moved(tour, &id, status);
        tour.get(&format!("/v1/requests/{id}"), &token);
        tour.get(&format!("/v1/requests/{id}/activity"), &token);
        tour.get(&format!("/v1/requests?status={}", status.as_str()), &token);
    }
    let documents = tour.get("/v1/repository_documents", &token);
    let signed = documents["data"][0]["attributes"]["agreement_url"].clone();
    download(tour, signed.as_str(), &token);
    let reader = tour.token("demo-reader", 0);
    tour.get(&format!("/v1/requests/{id}"), &reader);
}

pub(crate) fn moved(tour: &mut Tour, id: &str, status: LegalRequestStatus) {
    let id = id.to_owned();
    tour.ask(ControlAction::SetStatus {
        id,
        status,
        comment: Some("so & so it is".to_owned()),
        force: true,
    });
}

/// A service that restarts, with an object and a revoked token from before the restart.
pub(crate) fn restarts(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    let revoked = tour.token("demo-reader", 0);
    let id = created(tour, &token);
    tour.ask(ControlAction::RevokeToken { token: revoked.clone() });
    tour.ask(ControlAction::Restart);
    let token = tour.token("demo-main", 0);
    tour.get(&format!("/v1/requests/{id}"), &token);
    tour.get("/v1/requests", &revoked);
}

/// Creates a valid request and returns its id.
pub(crate) fn created(tour: &mut Tour, token: &str) -> String {
    let headers = typed(bearer(token), MULTIPART);
    let created = tour.call("POST /v1/requests", &headers, multipart(LEGAL_REQUEST));
    created["data"]["id"].as_str().unwrap_or("none").to_owned()
}

/// Reads the bytes of a document.
pub(crate) fn download(tour: &mut Tour, address: Option<&str>, token: &str) {
    tour.get(address.unwrap_or_default().trim_start_matches("http://moot.test/api"), token);
}
