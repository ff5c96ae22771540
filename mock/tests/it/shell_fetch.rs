//! Documents fetched by their address: only from public https addresses, and with limits. The tests simulate
//! names and addresses. The server is on loopback.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use moot_mock::shell::{FETCH_TIME_MAX, Fetcher, Lookup, Network, Site, SiteOptions};
use parking_lot::Mutex;
use serde_json::{Value, json};

use crate::shell_fetch_server::FileServer;
use crate::shell_support::{
    BASE, MAIN, admin, call, done, own_path, settings, site, site_of, token, upload,
};

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(93, 184, 216, 34));
const PRIVATE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 7));
const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const UPLOAD_BYTES_MAX: u64 = 1_000;

/// A site that fetches, the server of the files, and the names and addresses that were used.
struct FetchingSite {
    site: Site,
    token: String,
    server: FileServer,
    lookups: Arc<Mutex<BTreeMap<String, usize>>>,
    dialled: Arc<Mutex<Vec<IpAddr>>>,
}

impl FetchingSite {
    async fn new() -> Self {
        Self::taking(FETCH_TIME_MAX).await
    }

    async fn taking(time_max: Duration) -> Self {
        let server = FileServer::start().await;
        let (lookups, dialled) = (Arc::default(), Arc::default());
        let network = network(&server, &lookups, &dialled);
        let mut settings = settings();
        settings.answers.upload_size_max = UPLOAD_BYTES_MAX;
        let options = SiteOptions {
            fetcher: Some(Arc::new(Fetcher::new(network, time_max))),
            ..SiteOptions::new(settings)
        };
        let site = site_of(options);
        let token = token(&site, BASE, MAIN).await;
        Self { site, token, server, lookups, dialled }
    }

    fn url(&self, host: &str, path: &str) -> String {
        format!("https://{host}.moot:{}{path}", self.server.port)
    }

    /// Uploads by address, and returns status and body.
    async fn upload(&self, url: &str) -> (u16, Value) {
        let response = upload(&self.site, BASE, &self.token, &[&format!("url={url}")]).await;
        (response.status.as_u16(), response.json())
    }

    /// Checks that an upload is refused with this in the detail.
    async fn check_refused(&self, url: &str, says: &str) {
        let (status, body) = self.upload(url).await;
        let detail = body["detail"].as_str().unwrap_or_default();
        assert_eq!(status, 422, "{url}: {body}");
        assert_eq!(body["type"], json!("repository_document_creation_error"), "{url}: {body}");
        assert!(detail.contains(says), "{url}: {detail}");
    }

    /// The bytes of an uploaded document.
    async fn download(&self, id: &str) -> Vec<u8> {
        let line = format!("GET {BASE}/v1/repository_documents/{id}");
        let read = call(&self.site, &line, &self.token).await.ok();
        let url = read.text("/data/attributes/agreement_url");
        call(&self.site, &format!("GET {}", own_path(&url)), "").await.ok().body.to_vec()
    }

    fn dialled(&self) -> Vec<IpAddr> {
        self.dialled.lock().clone()
    }
}

/// The addresses of every name. `rebinds` is public at its first lookup, and private afterwards.
fn network(
    server: &FileServer,
    lookups: &Arc<Mutex<BTreeMap<String, usize>>>,
    dialled: &Arc<Mutex<Vec<IpAddr>>>,
) -> Network {
    let (lookups, dialled) = (lookups.clone(), dialled.clone());
    let lookup = move |name: String| -> Lookup {
        let mut counts = lookups.lock();
        let count = counts.entry(name.clone()).or_insert(0);
        *count += 1;
        let found = match name.as_str() {
            "files.moot" | "unproven.moot" => Ok(vec![PUBLIC]),
            "rebinds.moot" => Ok(vec![if *count == 1 { PUBLIC } else { LOOPBACK }]),
            "inside.moot" => Ok(vec![PRIVATE]),
            "mixed.moot" => Ok(vec![PUBLIC, LOOPBACK]),
            "mapped.moot" => Ok(vec!["::ffff:93.184.216.34".parse().expect("an address")]),
            "empty.moot" => Ok(Vec::new()),
            _ => Err(io::Error::other("no such name")),
        };
        Box::pin(std::future::ready(found))
    };
    let dial = move |address| {
        dialled.lock().push(address);
        LOOPBACK
    };
    Network::simulated(lookup, dial, &server.pem)
}

#[tokio::test]
async fn a_document_has_the_bytes_of_its_address() {
    let fetching = FetchingSite::new().await;
    for (path, name) in [("/a.pdf", "a.pdf"), ("/moved.pdf", "moved.pdf"), ("/paper", "paper")] {
        let (status, body) = fetching.upload(&fetching.url("files", path)).await;
        assert!((200..300).contains(&status), "{path}: {body}");
        assert_eq!(body["data"]["name"], json!(name));
        let id = body["data"]["id"].as_str().expect("an id");
        assert_eq!(fetching.download(id).await, b"fetched bytes", "{path}");
    }
    let (status, body) = fetching.upload(&fetching.url("files", "/full.pdf")).await;
    assert!((200..300).contains(&status), "as large as may be: {body}");
    let health = done(&fetching.site, "GET /health", Value::Null).await;
    assert_eq!(health["fetches"], json!(true));
}

#[tokio::test]
async fn a_name_at_any_address_that_is_not_public_is_refused_before_a_connection() {
    let fetching = FetchingSite::new().await;
    for (host, says) in [
        ("inside", "`inside.moot` is at 10.0.0.7, which is not a public address"),
        ("mixed", "`mixed.moot` is at 127.0.0.1, which is not a public address"),
        ("mapped", "`mapped.moot` is at ::ffff:93.184.216.34, which is not a public address"),
        ("empty", "`empty.moot` has no address"),
        ("nowhere", "no such name"),
    ] {
        fetching.check_refused(&fetching.url(host, "/a.pdf"), says).await;
    }
    assert_eq!((fetching.dialled(), fetching.server.calls()), (Vec::new(), 0));
}

#[tokio::test]
async fn an_address_that_is_refused_as_it_stands_is_not_even_looked_up() {
    let fetching = FetchingSite::new().await;
    for url in [
        "http://files.moot/a.pdf",
        "https://user@files.moot/a.pdf",
        "https://files.moot:0/a.pdf",
        "https://127.0.0.1/a.pdf",
        "https://2130706433/a.pdf",
        "https://0x7f.1/a.pdf",
        "https://[::ffff:127.0.0.1]/a.pdf",
        "https://[64:ff9b::7f00:1]/a.pdf",
        "https://localhost/a.pdf",
    ] {
        fetching.check_refused(url, "public https").await;
    }
    fetching.check_refused(&fetching.url("files", "/a.exe"), "file type").await;
    assert!(fetching.lookups.lock().is_empty());
}

#[tokio::test]
async fn a_name_that_means_something_else_a_moment_later_changes_nothing() {
    let fetching = FetchingSite::new().await;
    let (status, body) = fetching.upload(&fetching.url("rebinds", "/a.pdf")).await;
    assert!((200..300).contains(&status), "{body}");
    assert_eq!(fetching.lookups.lock()["rebinds.moot"], 1, "once for a connection");
    assert_eq!(fetching.dialled(), [PUBLIC], "what was checked");
    fetching.check_refused(&fetching.url("rebinds", "/a.pdf"), "127.0.0.1").await;
    assert_eq!(fetching.dialled(), [PUBLIC]);
}

#[tokio::test]
async fn each_redirect_is_checked_again_and_they_end() {
    let fetching = FetchingSite::new().await;
    for (path, says) in [
        ("/to-private.pdf", "it redirects to an address that is an internal"),
        ("/to-decimal.pdf", "it redirects to an address that is an internal"),
        ("/to-http.pdf", "it redirects to an address that is not https"),
        ("/to-user.pdf", "it redirects to an address that carries a user name"),
        ("/to-example.pdf", "it redirects to an address that is reserved"),
        ("/to-inside.pdf", "`inside.moot` is at 10.0.0.7"),
        ("/to-nothing.pdf", "it redirects without an address"),
        ("/loop.pdf", "it redirects more than 5 times"),
    ] {
        fetching.check_refused(&fetching.url("files", path), says).await;
    }
    assert!(fetching.dialled().iter().all(|address| *address == PUBLIC));
    let loops = fetching.server.paths().iter().filter(|path| *path == "/loop.pdf").count();
    assert_eq!(loops, 6, "the first, and five redirects");
}

#[tokio::test]
async fn responses_that_are_no_document_are_refused() {
    let fetching = FetchingSite::new().await;
    fetching.check_refused(&fetching.url("files", "/missing.pdf"), "it answers 404").await;
    // The library's text is advice for programmers.
    let ended = "the connection ended before the response did";
    fetching.check_refused(&fetching.url("files", "/dropped.pdf"), ended).await;
    fetching.check_refused(&fetching.url("files", "/page.pdf"), "file type").await;
    fetching.check_refused(&fetching.url("files", "/untold"), "file type").await;
    for path in ["/large.pdf", "/endless.pdf"] {
        let (status, body) = fetching.upload(&fetching.url("files", path)).await;
        assert_eq!(status, 413, "{path}: {body}");
    }
    let fresh = site();
    let other = token(&fresh, BASE, MAIN).await;
    let total = async |site: &Site, token: &str| {
        let list = call(site, &format!("GET {BASE}/v1/repository_documents"), token).await.ok();
        list.json()["pagination"]["total_count"].clone()
    };
    let kept = total(&fetching.site, &fetching.token).await;
    assert_eq!(kept, total(&fresh, &other).await, "nothing was stored");
}

#[tokio::test]
async fn a_slow_server_delays_no_one_for_long() {
    let fetching = FetchingSite::taking(Duration::from_millis(200)).await;
    for path in ["/silent.pdf", "/stalls.pdf"] {
        let (status, body) = fetching.upload(&fetching.url("files", path)).await;
        assert_eq!(status, 422, "{path}: {body}");
        assert!(body["detail"].as_str().is_some_and(|text| text.contains("0.2 s")), "{body}");
    }
}

#[tokio::test]
async fn a_certificate_must_be_of_the_name() {
    let fetching = FetchingSite::new().await;
    fetching.check_refused(&fetching.url("unproven", "/a.pdf"), "certificate").await;
    assert_eq!(fetching.server.calls(), 0);
}

#[tokio::test]
async fn registered_bytes_and_names_for_examples_are_never_fetched() {
    let fetching = FetchingSite::new().await;
    let url = fetching.url("files", "/a.pdf");
    let registered = json!({ "url": url, "text": "registered" });
    admin(&fetching.site, BASE, "PUT /addresses", registered).await.ok();
    let (_, body) = fetching.upload(&url).await;
    assert_eq!(fetching.download(body["data"]["id"].as_str().expect("an id")).await, b"registered");
    let (_, body) = fetching.upload("https://documents.example.com/agreement.pdf").await;
    let placeholder = fetching.download(body["data"]["id"].as_str().expect("an id")).await;
    assert!(placeholder.starts_with(b"%PDF-1.4"));
    assert_eq!((fetching.lookups.lock().len(), fetching.server.calls()), (0, 0));
}

#[tokio::test]
async fn nothing_is_fetched_unless_it_was_asked_for() {
    let fetching = FetchingSite::new().await;
    let site = site();
    let token = token(&site, BASE, MAIN).await;
    let part = format!("url={}", fetching.url("files", "/a.pdf"));
    upload(&site, BASE, &token, &[&part]).await.ok();
    assert_eq!(fetching.server.calls(), 0);
    let health = done(&site, "GET /health", Value::Null).await;
    assert_eq!(health["fetches"], json!(false));
}
