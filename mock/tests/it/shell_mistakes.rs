//! Invalid input to every route of the control plane: the problem names the mistake and the remedy.

use serde_json::{Value, json};

use crate::shell_support::{BASE, admin, done, request, send, site};

/// Routes with a body, each with its members and their JSON types.
fn routes(document: &Value) -> Vec<(String, Vec<(String, Value)>)> {
    let mut routes = Vec::new();
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            let Some(members) = schema["properties"].as_object() else { continue };
            let members = members.iter().map(|(name, schema)| (name.clone(), schema.clone()));
            let line = format!("{} {}", method.to_uppercase(), path.replace("{id}", "1"));
            routes.push((line, members.collect()));
        }
    }
    routes
}

/// A value that a schema does not allow; `None` if it allows any.
fn wrong(schema: &Value) -> Option<Value> {
    let types = schema["type"].clone();
    let types: Vec<&str> = match &types {
        Value::String(one) => vec![one],
        Value::Array(some) => some.iter().filter_map(Value::as_str).collect(),
        _ => return None,
    };
    Some(if types.contains(&"integer") { json!("soon") } else { json!(7.5) })
}

#[tokio::test]
async fn a_value_of_a_wrong_type_is_named_with_the_right_type() {
    let site = site();
    let document = done(&site, "GET /openapi.json", Value::Null).await;
    let routes = routes(&document);
    assert!(routes.len() >= 13, "{routes:?}");
    for (line, members) in &routes {
        for (name, schema) in members {
            let Some(value) = wrong(schema) else { continue };
            let response = admin(&site, BASE, line, json!({ (name): value })).await;
            assert_eq!(response.status, 400, "{line} {name}: {response:?}");
            let detail = response.text("/detail");
            let says = format!("`{name}` must be ");
            assert!(detail.starts_with(&says), "{line}: {detail}");
            assert!(!detail.contains("u64") && !detail.contains(" line "), "{line}: {detail}");
        }
    }
}

#[tokio::test]
async fn a_body_that_is_no_json_object_is_refused_with_an_example() {
    let site = site();
    let document = done(&site, "GET /openapi.json", Value::Null).await;
    for (line, members) in routes(&document) {
        let (method, path) = line.split_once(' ').expect("a method and a path");
        let line = format!("{method} {BASE}/__admin{path}");
        for (text, says) in [
            ("{bad", "the body is not JSON: ".to_owned()),
            ("[]", "the body must be a JSON object, such as {".to_owned()),
            ("\"text\"", "the body must be a JSON object, such as {".to_owned()),
            ("{\"zz_unknown\": 1}", "unknown field `zz_unknown`".to_owned()),
        ] {
            let body = Some(("application/json", text.as_bytes().to_vec()));
            let response = send(&site, request(&line, "", body)).await;
            assert_eq!(response.status, 400, "{line} {text}: {response:?}");
            assert!(response.text("/detail").starts_with(&says), "{line} {text}: {response:?}");
        }
        // A name with an extra letter gets a hint.
        let name = &members[members.len() - 1].0;
        let near = format!("{name}x");
        let body = Some(("application/json", json!({ (near): 1 }).to_string().into_bytes()));
        let response = send(&site, request(&line, "", body)).await;
        let hint = format!("did you mean `{name}`?");
        assert!(response.text("/detail").ends_with(&hint), "{line}: {response:?}");
    }
}

#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_answered_with_those_that_it_does() {
    let site = site();
    for (line, says) in [
        ("PATCH /clock", "but GET and POST"),
        ("POST /world", "but GET"),
        ("GET /faults/1", "but DELETE"),
        ("PUT /deliveries/1/redeliver", "but POST"),
        ("PATCH /receiver", "but GET and POST and PUT and DELETE"),
    ] {
        let response = admin(&site, BASE, line, Value::Null).await;
        assert_eq!(response.status, 405, "{line}");
        assert!(response.text("/detail").ends_with(says), "{line}: {response:?}");
        assert!(response.headers.contains_key("allow"), "{line}");
    }
}

#[tokio::test]
async fn an_unknown_name_is_named_with_the_nearest_one() {
    let site = site();
    for (line, json, status, says) in [
        ("POST /tokens", json!({ "client_id": "demo-mian" }), 404, "did you mean `demo-main`?"),
        (
            "POST /faults",
            json!({ "kind": "truncate", "application": "demo-mian" }),
            404,
            "did you mean `demo-main`?",
        ),
        (
            "POST /faults",
            json!({ "kind": "truncate", "client": "10.0.0" }),
            422,
            "`client` is an address such as 127.0.0.1, not `10.0.0`",
        ),
        ("POST /clock", json!({ "set": "2020-01-01T00:00:00Z" }), 422, "time only goes forward"),
        ("GET /clok", Value::Null, 404, "did you mean `/clock`?"),
        ("DELETE /sandboxes/s99", Value::Null, 404, "no sandbox `s99`"),
        ("GET /legal_requests/nope", Value::Null, 404, "no legal request `nope`"),
        ("POST /deliveries/999/redeliver", Value::Null, 404, "no delivery 999"),
        ("DELETE /faults/999", Value::Null, 404, "GET /__admin/faults lists them"),
    ] {
        let response = admin(&site, BASE, line, json).await;
        assert_eq!(response.status, status, "{line}: {response:?}");
        assert!(response.text("/detail").contains(says), "{line}: {response:?}");
    }
}

#[tokio::test]
async fn the_allowed_values_are_listed() {
    let site = site();
    let set = json!({ "set": "9999-12-31T00:00:00Z" });
    let refused = admin(&site, BASE, "POST /clock", set).await;
    assert!(refused.status.is_client_error(), "{refused:?}");
    assert!(refused.text("/detail").contains("9999-12-30T22:00:00Z at most"), "{refused:?}");
    let last = json!({ "set": "9999-12-30T22:00:00Z" });
    admin(&site, BASE, "POST /clock", last).await.ok();
    let document = done(&site, "GET /openapi.json", Value::Null).await;
    let members = &document["paths"]["/faults"]["post"]["requestBody"]["content"]["application/json"]
        ["schema"]["properties"];
    for name in ["nth", "times"] {
        assert_eq!(members[name]["minimum"], json!(1), "{name}: {members}");
        let fault = json!({ "kind": "delay", "milliseconds": 1, name: 0 });
        let refused = admin(&site, BASE, "POST /faults", fault).await;
        assert!(refused.status.is_client_error(), "{refused:?}");
    }
}

#[tokio::test]
async fn an_unknown_application_is_unknown_to_every_action() {
    let site = site();
    for (line, body) in [
        ("GET /exchanges?application=nobody", Value::Null),
        ("GET /exchanges/har?application=nobody", Value::Null),
        ("POST /exchanges/wait", json!({ "application": "nobody", "timeout_seconds": 0 })),
        ("POST /tokens", json!({ "client_id": "nobody" })),
    ] {
        let refused = admin(&site, BASE, line, body).await;
        assert_eq!(refused.status, 404, "{line}: {refused:?}");
        assert!(refused.text("/detail").contains("`nobody`"), "{line}: {refused:?}");
    }
}
