//! Calls that create and delete objects, with valid and with invalid fields.

use moot_fixtures::contract::{EXECUTION_COMPLETE, LegalRequestStatus};
use moot_mock::call::Body;
use serde_json::json;

use super::reads::{created, download, moved};
use super::{MULTIPART, Tour, bearer, multipart, typed, with_file_of};
use crate::shell_support::LEGAL_REQUEST;

pub(crate) fn creations(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    let headers = typed(bearer(&token), MULTIPART);
    let sound: Vec<String> = LEGAL_REQUEST.iter().map(|part| (*part).to_owned()).collect();
    let without = |name: &str| -> Vec<String> {
        sound.iter().filter(|part| !part.starts_with(&format!("{name}="))).cloned().collect()
    };
    let with = |part: &str| {
        let mut parts = without(part.split_once('=').map_or(part, |(name, _)| name));
        parts.push(part.to_owned());
        parts
    };
    let mut bodies: Vec<Body> = [
        without("workflow_id"),
        without("requester_email"),
        without("counterparty_name"),
        with("workflow_id=none"),
        with("workflow_id=Mutual NDA"),
        with("workflow_id=wfLease5"),
        with("requester_email=nobody@example.invalid"),
        with("requester_email=nobody@northwind.example"),
        with("requester_email=einkauf@harbour.example"),
        with("counterparty_email=no address"),
        with("variables=no JSON"),
        with("variables=[1]"),
        with(r#"variables={"purpose":"Test"}"#),
        with(r#"variables={"duration":2,"purpose":"Test"}"#),
        with("internal_signer_email=nobody@example.invalid"),
        with("internal_signer_email=nobody@northwind.example"),
        with("merge_documents_into_pdf=true"),
        with("merge_documents_into_pdf=yes"),
        [sound.clone(), vec!["support_documents[]@a.bin=a".to_owned()]].concat(),
        [
            sound.clone(),
            ["a", "b"].map(|name| format!("support_documents[]@{name}.pdf=a")).to_vec(),
        ]
        .concat(),
    ]
    .iter()
    .map(|parts| multipart(parts))
    .collect();
    let third_party = [
        "workflow_id=wfThirdParty3",
        "requester_email=requester@northwind.example",
        "counterparty_name=Sample Works Ltd",
        "counterparty_signer_name=Ada Sample",
        "counterparty_signer_email=ada@sample.example",
        "file@paper.pdf=the paper",
    ];
    let misspelt = third_party.map(|part| part.replace("ada@", "ada "));
    let several = [
        "workflow_id=wfConsulting2",
        "requester_email=requester@northwind.example",
        "counterparty_name=Ada Sample",
        "counterparty_email=ada@sample.example",
        "counterparty_organization_name=Sample Works Ltd",
        r#"variables={"day_rate":900,"project":"Test","start_date":"2026-04-01"}"#,
        "internal_signer_emails[]=legal@northwind.example",
        "internal_signer_emails[]=director@northwind.example",
    ];
    let stranger = several.map(|part| part.replace("director@", "nobody@"));
    bodies.extend([
        multipart(&third_party),
        multipart(&misspelt),
        multipart(&third_party[..5]),
        multipart(&[&third_party[..], &["support_documents[]@a.pdf=a"]].concat()),
        multipart(&[&third_party[..], &["merge_documents_into_pdf=true"]].concat()),
        multipart(&[&third_party[..], &["internal_signer_email=legal@northwind.example"]].concat()),
        multipart(&several),
        multipart(&stranger),
        multipart(&several[..6]),
        with_file_of(multipart(&sound), 60_000_000),
        with_file_of(multipart(&sound), 104_857_601),
        multipart::<&str>(&[]),
        Body::Empty,
    ]);
    for body in bodies {
        tour.call("POST /v1/requests", &headers, body);
    }
    let id = created(tour, &token);
    tour.get(&format!("/v1/requests/{id}"), &token);
    tour.get("/v1/requests", &token);
    let other = typed(bearer(&tour.token("other-main", 0)), MULTIPART);
    tour.call("POST /v1/requests", &other, multipart(&sound));
}

pub(crate) fn uploads(tour: &mut Tour) {
    let token = tour.token("demo-main", 0);
    let headers = typed(bearer(&token), MULTIPART);
    let large = format!("file@large.pdf={}", "large ".repeat(200_000));
    let bodies: [&[&str]; 14] = [
        &["file@paper.pdf=the paper"],
        &["file@paper.pdf=the paper", r#"metadata={"value":1,"list":[true],"text":"R&D"}"#],
        &[r#"metadata={"value":1}"#, "file@paper.pdf=the paper"],
        &["file@paper.pdf=the paper", "metadata=[1]"],
        &["file@paper.exe=the paper"],
        &["url=https://files.example.com/paper.pdf"],
        &["url=http://files.example.com/paper.pdf"],
        &["url=paper.pdf"],
        &["url=https://10.0.0.1/paper.pdf"],
        &["file@paper.pdf=the paper", "url=https://files.example.com/paper.pdf"],
        &["file@100%25.pdf=the paper"],
        &[&large],
        &["metadata={}"],
        &[],
    ];
    for parts in bodies {
        let response = tour.call("POST /v1/repository_documents", &headers, multipart(parts));
        if let Some(id) = response["data"]["id"].as_str() {
            let found = tour.get(&format!("/v1/repository_documents/{id}"), &token);
            download(tour, found["data"]["attributes"]["agreement_url"].as_str(), &token);
        }
    }
    let quoted = typed(bearer(&token), "multipart/form-data; boundary=\"b 0\"");
    tour.call("POST /v1/repository_documents", &quoted, multipart(bodies[0]));
    for (name, value) in [("transfer-encoding", "chunked"), ("expect", "100-continue")] {
        let mut with_header = headers.clone();
        with_header.insert(name, http::HeaderValue::from_static(value));
        tour.call("POST /v1/repository_documents", &with_header, multipart(bodies[0]));
    }
    tour.get("/v1/repository_documents", &token);
    let other = tour.token("other-main", 0);
    tour.get("/v1/repository_documents", &other);
}

pub(crate) fn webhooks(tour: &mut Tour) {
    let (main, other) = (tour.token("demo-main", 0), tour.token("other-main", 0));
    let mut hooks: Vec<String> =
        (0..3).map(|_| registered(tour, &main, EXECUTION_COMPLETE)).collect();
    registered(tour, &main, "request_declined");
    tour.get("/v1/webhooks", &main);
    tour.get("/v1/webhooks", &other);
    let id = created(tour, &main);
    moved(tour, &id, LegalRequestStatus::SentForSignature);
    tour.deliver();
    moved(tour, &id, LegalRequestStatus::Signed);
    tour.deliver();
    let declined = created(tour, &main);
    moved(tour, &declined, LegalRequestStatus::Declined);
    tour.deliver();
    let second = created(tour, &main);
    moved(tour, &second, LegalRequestStatus::Signed);
    tour.call(&format!("DELETE /v1/webhooks/{}", hooks[1]), &bearer(&other), Body::Empty);
    for id in [format!("%20{}", hooks[1]), hooks.remove(1), "none".to_owned()] {
        for _ in 0..2 {
            tour.call(&format!("DELETE /v1/webhooks/{id}"), &bearer(&main), Body::Empty);
        }
    }
    tour.deliver();
    tour.get("/v1/webhooks", &main);
    registered(tour, &main, EXECUTION_COMPLETE);
    let third = created(tour, &main);
    moved(tour, &third, LegalRequestStatus::Signed);
    tour.deliver();
    moved(tour, &third, LegalRequestStatus::Archived);
    tour.get("/v1/repository_documents", &main);
    for _ in 0..26 {
        registered(tour, &main, EXECUTION_COMPLETE);
    }
    let of_many = created(tour, &main);
    moved(tour, &of_many, LegalRequestStatus::Signed);
    tour.deliver();
}

/// Registers a webhook and returns its id.
fn registered(tour: &mut Tour, token: &str, event: &str) -> String {
    let headers = typed(bearer(token), "application/json");
    let payload = json!({
        "name": "Tour", "url": "https://hooks.example.com/tour?of=moot", "auth_type": "bearer",
        "token": "secret", "events": [event],
    });
    let body = Body::Whole(payload.to_string().into());
    let response = tour.call("POST /v1/webhooks", &headers, body);
    response["data"]["id"].as_str().unwrap_or("none").to_owned()
}
