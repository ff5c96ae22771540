//! Acts that call oddly (§7): whatever a client sends, the fault is the client's and never the server's.

use serde_json::{Map, Value, json};

use super::act::Odd;
use super::steps::{get, literal};

/// One call; that it is no server error is all that is stated of its answer.
pub(super) fn odd(odd: &Odd) -> Value {
    let (name, request) = match odd {
        Odd::Method(method, path) => (format!("{method} of a path"), format!("{method} {path}")),
        Odd::Query(list, _) => ("a list with odd parameters".to_owned(), get(list.operation())),
        Odd::Path(path) => ("an odd path".to_owned(), format!("GET {path}")),
    };
    let mut step = json!({
        "name": name, "request": request, "token": "read",
        "expect": { "errors.never-5xx": { "status": { "max": 499 } } },
    });
    if let Odd::Query(_, parameters) = odd {
        let query: Map<String, Value> = parameters
            .iter()
            .map(|(name, values)| (name.clone(), values.iter().map(|it| literal(it)).collect()))
            .collect();
        step["query"] = Value::Object(query);
    }
    step
}
