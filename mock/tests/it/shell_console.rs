//! The console: serving its files, and rules for their content.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use http::header::{CONTENT_SECURITY_POLICY, LOCATION, X_CONTENT_TYPE_OPTIONS};
use moot_mock::shell::SiteOptions;
use serde_json::Value;

use crate::shell_support::{BASE, admin, call, request, send, settings, site, site_of};

/// The largest size of all files together, in bytes.
const BYTES_MAX: usize = 120 * 1024;
/// The largest number of lines of a script.
const SCRIPT_LINES_MAX: usize = 300;

/// The files of the folder `mock/console`, each with its text.
fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("console");
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<(String, String)> = entries
        .map(|entry| {
            let path = entry.expect("a file").path();
            let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    files.sort();
    files
}

fn scripts() -> Vec<(String, String)> {
    files().into_iter().filter(|(name, _)| name.ends_with(".js")).collect()
}

#[tokio::test]
async fn every_file_is_served_and_loads_nothing_from_elsewhere() {
    let site = site();
    for (name, text) in files() {
        let name = if name == "index.html" { "" } else { &name };
        let line = format!("GET {BASE}/__admin/console/{name}");
        let response = call(&site, &line, "").await.ok();
        assert!(response.body == text.as_bytes(), "{line} has another text");
        assert_eq!(response.headers[X_CONTENT_TYPE_OPTIONS], "nosniff", "{line}");
        let policy = response.headers[CONTENT_SECURITY_POLICY].to_str().expect("text");
        assert!(policy.starts_with("default-src 'self'"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

#[tokio::test]
async fn the_console_of_a_sandbox_is_below_its_base_address() {
    let site = site();
    let made = admin(&site, BASE, "POST /sandboxes", Value::Null).await.ok();
    assert_eq!(made.text("/console"), format!("{}/__admin/console/", made.text("/base_url")));
    call(&site, &format!("GET {BASE}/sandboxes/s1/__admin/console/"), "").await.ok();
    let gone = call(&site, &format!("GET {BASE}/sandboxes/s2/__admin/console/"), "").await;
    assert_eq!(gone.status, 404);
}

#[tokio::test]
async fn the_folder_is_named_with_a_slash_at_its_end() {
    let site = site();
    let response = call(&site, &format!("GET {BASE}/__admin/console"), "").await;
    assert_eq!(response.status, 308);
    assert_eq!(response.headers[LOCATION], "console/");
    let line = |line: &str| format!("{} {BASE}/__admin/console{}", &line[..4].trim(), &line[4..]);
    for (given, status) in [("GET /nothing.js", 404), ("POST/", 405), ("GET s", 404)] {
        assert_eq!(call(&site, &line(given), "").await.status, status, "{given}");
    }
}

/// A browser sends no token with a page. The calls of the page need one.
#[tokio::test]
async fn with_a_token_the_files_are_open_and_the_data_is_not() {
    let options =
        SiteOptions { admin_token: Some("admin-token".to_owned()), ..SiteOptions::new(settings()) };
    let site = site_of(options);
    call(&site, &format!("GET {BASE}/__admin/console/"), "").await.ok();
    let data = call(&site, &format!("GET {BASE}/__admin/exchanges"), "").await;
    assert_eq!(data.status, 401);
}

#[tokio::test]
async fn another_host_or_origin_gets_no_console() {
    let site = site();
    for (header, value) in [("host", "rebound.example"), ("origin", "https://page.example")] {
        let mut request = request(&format!("GET {BASE}/__admin/console/"), "", None);
        request.headers_mut().insert(header, value.parse().expect("a value"));
        assert_eq!(send(&site, request).await.status, 403, "{header}");
    }
}

#[test]
fn the_files_are_small() {
    let length: usize = files().iter().map(|(_, text)| text.len()).sum();
    assert!(length <= BYTES_MAX, "{length} bytes, of {BYTES_MAX} at most");
    for (name, text) in scripts() {
        let lines = text.lines().count();
        assert!(lines <= SCRIPT_LINES_MAX, "{name} has {lines} lines");
    }
}

/// Values become text, never markup, and no resource is loaded from another host.
#[test]
fn no_script_makes_markup_from_text() {
    let forbidden = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "srcdoc",
        "eval(",
        "new Function",
        "DOMParser",
        "createContextualFragment",
        "localStorage",
        "sessionStorage",
        "document.cookie",
        "https://",
        "http://",
        "style=",
    ];
    let namespace = "http://www.w3.org/2000/svg";
    for (name, text) in files() {
        let text = text.replace(namespace, "");
        for word in forbidden {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
}

/// The texts between a prefix and the next quote of any kind.
fn after<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let rests = text.split(prefix).skip(1);
    rests.map(|rest| rest.split(['"', '`', '?']).next().unwrap_or_default()).collect()
}

#[test]
fn every_id_that_a_script_asks_for_exists() {
    let files = files();
    let text: String = files.iter().map(|(_, text)| text.as_str()).collect();
    let mut asked = 0;
    for (name, script) in scripts() {
        for id in after(&script, "byId(\"") {
            let is_there =
                text.contains(&format!(" id=\"{id}\"")) || text.contains(&format!(" id: \"{id}\""));
            assert!(is_there, "{name} asks for the id {id}");
            asked += 1;
        }
    }
    assert!(asked > 10, "only {asked} ids were found");
}

/// The console uses only routes that programs can use too.
#[tokio::test]
async fn only_documented_routes_are_called() {
    let judge = |_: &Value| None;
    let options = SiteOptions { judge: Some(Arc::new(judge)), ..SiteOptions::new(settings()) };
    let site = site_of(options);
    let document = call(&site, &format!("GET {BASE}/__admin/openapi.json"), "").await.ok().json();
    let known: BTreeSet<(String, String)> = document["paths"]
        .as_object()
        .into_iter()
        .flatten()
        .flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flatten().map(|(method, _)| method);
            methods.map(|method| (method.to_uppercase(), path.clone())).collect::<Vec<_>>()
        })
        .collect();
    let mut called = BTreeSet::new();
    for (_, script) in scripts() {
        for prefix in ["get(\"", "get(`", "open(\"", "open(`"] {
            called.extend(
                after(&script, prefix).into_iter().map(|path| ("GET".to_owned(), route(path))),
            );
        }
        for rest in script.split("method: \"").skip(1) {
            let (method, rest) = rest.split_once('"').expect("a method");
            let path = rest.strip_prefix(", path: ").expect("the path follows the method");
            let path = path.strip_prefix("() => ").unwrap_or(path);
            let path = path.strip_prefix(['"', '`']).expect("a text");
            let path = path.split(['"', '`', '?']).next().unwrap_or_default();
            called.insert((method.to_owned(), route(path)));
        }
    }
    assert!(called.len() > 2, "{called:?}");
    let unknown: Vec<_> = called.difference(&known).collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

/// The route of a path in a script: `faults/${id}` is `/faults/{id}`.
fn route(path: &str) -> String {
    let segments = path.split('/').map(|part| if part.starts_with("${") { "{id}" } else { part });
    format!("/{}", segments.collect::<Vec<_>>().join("/"))
}
