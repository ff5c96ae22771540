//! Calls that the specification does not document (§7). The fault is always the client's: whatever it
//! sends, the answer is never a server error.

use proptest::collection::{btree_map, vec};
use proptest::prelude::{Just, Strategy};
use proptest::prop_oneof;
use proptest::sample::select;
use serde_json::{Value, json};

use super::menu::Menu;
use super::reading::LISTS;
use crate::explore::act::Act;
use crate::explore::inputs::{LONG_WORD, PLAIN_ID, QUERY, WORD, one_of};
use crate::explore::steps::{client_error, get, literal, one};

pub(super) fn add(menu: &mut Menu) {
    let paths = prop_oneof![
        (select(&LISTS), one_of(&["/", "//", "/%00", "/%FF%FE", "/..;/", "/-1", "/'"]))
            .prop_map(|((list, _), end)| format!("{}{end}", list.path())),
        LONG_WORD.prop_map(|word| format!("/v1/requests/{word}")),
    ];
    menu.add_reading(
        2,
        prop_oneof![
            odd_query(),
            paths.prop_map(|path| vec![survives("an odd path", &format!("GET {path}"))]),
        ],
    );
    let methods: Vec<&str> = ["GET", "PUT", "PATCH", "POST", "DELETE"]
        .into_iter()
        .filter(|method| menu.allows(&by_method(method, Vec::new())))
        .collect();
    let unknown = prop_oneof![
        WORD.prop_map(|word| format!("/v1/no_{word}")),
        PLAIN_ID.prop_map(|id| format!("/v1/requests/{id}/no_such_thing")),
    ];
    let known = one_of(&["/v1/workflows", "/v1/requests/unknown1", "/v1/repository_documents/x"]);
    let path = prop_oneof![
        2 => (unknown, Just("http.unknown-path")),
        1 => (known, Just("http.wrong-method")),
    ];
    menu.add(
        2,
        (select(methods), path).prop_map(|(method, (path, row))| {
            // This method is documented for the known paths.
            let (path, row) = match (method, row) {
                ("GET", "http.wrong-method") => ("/v1/no_list".to_owned(), "http.unknown-path"),
                _ => (path, row),
            };
            by_method(method, vec![stray(method, &path, row)])
        }),
    );
    let head = by_method("HEAD", Vec::new());
    if menu.allows(&head) {
        let paths = LISTS.map(|(list, _)| list.path()).to_vec();
        menu.add(
            1,
            (select(&["HEAD", "OPTIONS"][..]), select(paths)).prop_map(|(method, path)| {
                let name = format!("{method} of a list");
                by_method(method, vec![survives(&name, &format!("{method} {path}"))])
            }),
        );
    }
}

/// An act that sends this method.
fn by_method(method: &str, steps: Vec<Value>) -> Act {
    Act { needs: [&["read"], consents(method)].concat(), ..Act::reading(steps) }
}

/// What a call by this method needs besides a token that may read.
pub(super) fn consents(method: &str) -> &'static [&'static str] {
    match method {
        "GET" => &[],
        "DELETE" => &["write", "delete"],
        _ => &["write"],
    }
}

fn survives(name: &str, request: &str) -> Value {
    json!({
        "name": name, "request": request, "token": "read",
        "expect": { "errors.never-5xx": { "status": { "max": 499 } } },
    })
}

/// An unknown path, or a method that the path does not have.
fn stray(method: &str, path: &str, row: &str) -> Value {
    json!({
        "name": format!("{method} of a path that has no such operation"),
        "request": format!("{method} {path}"),
        "token": if method == "GET" { "read" } else { "write" },
        "expect": one(row, client_error()),
    })
}

/// A list with parameters that are unknown, long, or sent more than once.
fn odd_query() -> impl Strategy<Value = Vec<Value>> {
    let name = prop_oneof![
        4 => one_of(&["page", "status", "page[]", "status[a]", "per_page"]),
        1 => WORD,
    ];
    let value = prop_oneof![4 => QUERY, 1 => LONG_WORD].prop_map(|text| literal(&text));
    let parameters = btree_map(name, vec(value, 1..3), 1..3);
    (select(&LISTS), parameters).prop_map(|((list, _), parameters)| {
        let mut step = survives("a list with odd parameters", &get(list));
        step["query"] = json!(parameters);
        vec![step]
    })
}
