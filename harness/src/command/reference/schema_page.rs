//! The page of a JSON Schema: a table of members for each object.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::tables::cell;
use crate::command::formats::FileFormat;

/// The most values of an enum that a cell shows.
const WORDS_MAX: usize = 30;

/// The page of a file format.
pub(super) fn page(format: &FileFormat) -> String {
    let (schema, name) = (&format.schema(), format.name);
    let title = schema["title"].as_str().unwrap_or(name);
    let description = paragraph(&schema["description"]);
    let mut page = format!(
        "# {title}\n\n{description}\n\n`moot schema {name}` prints the [JSON Schema](schemas/{name}.json).\n"
    );
    if format.is_of_users {
        let _ = write!(
            page,
            "\nWith this first line, editors that know the YAML language server complete and check a file:\n\n\
             ```yaml\n# yaml-language-server: $schema=PATH/{name}.json\n```\n"
        );
    }
    object(&mut page, schema, "The file");
    for (name, definition) in schema["$defs"].as_object().into_iter().flatten() {
        let mut text = String::new();
        object(&mut text, definition, name);
        if text.is_empty() {
            let described = paragraph(&definition["description"]);
            let described = format!("{}{described}", kinds(definition));
            text = format!("\n## {name}\n\n{}\n", described.trim_end());
            variants(&mut text, definition);
        }
        page.push_str(&text);
    }
    page
}

/// Adds the table of an object, and of the objects in it. Adds nothing if the schema has no members.
fn object(page: &mut String, schema: &Value, name: &str) {
    let mut members = Vec::new();
    collect(schema, &mut members);
    if members.is_empty() {
        return;
    }
    let _ = write!(page, "\n## {name}\n");
    if name != "The file" && schema["description"].is_string() {
        let _ = write!(page, "\n{}\n", paragraph(&schema["description"]));
    }
    page.push_str("\n| member | value | description |\n|---|---|---|\n");
    let mut inner = Vec::new();
    for (member, schema, is_required) in members {
        let star = if is_required { " (required)" } else { "" };
        let mut description = cell(schema["description"].as_str().unwrap_or_default());
        let default = &schema["default"];
        if !default.is_null() && !is_empty(default) {
            let _ = write!(description, " Default: `{}`.", cell(&default.to_string()));
        }
        let _ = writeln!(page, "| `{member}`{star} | {} | {description} |", kind(schema));
        for nested in [schema, &schema["items"], &schema["additionalProperties"]] {
            if nested["properties"].is_object() {
                inner.push((format!("{name}: {member}"), nested));
            }
        }
    }
    for (name, schema) in inner {
        object(page, schema, name.trim_start_matches("The file: "));
    }
}

fn is_empty(value: &Value) -> bool {
    value.as_array().is_some_and(Vec::is_empty) || value.as_object().is_some_and(Map::is_empty)
}

/// Collects the members of an object and of its alternatives, each once.
fn collect<'s>(schema: &'s Value, members: &mut Vec<(&'s str, &'s Value, bool)>) {
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
    };
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let is_known = members.iter().any(|(known, _, _)| known == name);
        // An alias has the description of the member that it stands for, which names the alias.
        let described = member["description"].as_str().unwrap_or_default();
        let is_alias = described.ends_with(&format!("Another name: `{name}`."));
        if !is_known && !is_alias && member.is_object() && member.get("const").is_none() {
            members.push((name, member, required(name)));
        }
    }
    for word in ["oneOf", "anyOf", "allOf"] {
        for alternative in schema[word].as_array().into_iter().flatten() {
            collect(alternative, members);
        }
    }
}

/// Adds the values of an enum with their descriptions, a line each.
fn variants(page: &mut String, schema: &Value) {
    let each = schema["oneOf"].as_array().into_iter().flatten();
    let rows: Vec<String> = each
        .filter(|one| one.get("const").is_some())
        .map(|one| format!("- `{}`: {}", plain(&one["const"]), paragraph(&one["description"])))
        .collect();
    if !rows.is_empty() {
        let _ = write!(page, "\n{}\n", rows.join("\n"));
    }
}

fn kinds(schema: &Value) -> String {
    match kind(schema) {
        kind if kind.is_empty() => String::new(),
        kind => format!("{kind}. "),
    }
}

/// The kind of a value: its type, its allowed values, or a link to its definition.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = reference.rsplit('/').next().unwrap_or(reference);
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(words) = schema["enum"].as_array() {
        let shown: Vec<String> =
            words.iter().take(WORDS_MAX).map(|word| format!("`{}`", cell(&plain(word)))).collect();
        let more = if words.len() > WORDS_MAX { ", …" } else { "" };
        return format!("{}{more}", shown.join(", "));
    }
    if let Some(word) = schema.get("const") {
        return format!("`{}`", cell(&plain(word)));
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        let kinds: Vec<String> = schema[word].as_array().into_iter().flatten().map(kind).collect();
        let mut kinds: Vec<String> =
            kinds.into_iter().filter(|kind| !kind.is_empty() && kind != "null").collect();
        kinds.dedup();
        if !kinds.is_empty() {
            return kinds.join(" or ");
        }
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(all) => {
            all.iter().filter_map(Value::as_str).filter(|one| *one != "null").collect()
        }
        _ => Vec::new(),
    };
    match types.as_slice() {
        ["array"] => match kind(&schema["items"]) {
            items if items.is_empty() => "list".to_owned(),
            items => format!("list of {items}"),
        },
        ["object"] => match kind(&schema["additionalProperties"]) {
            values if values.is_empty() => "object".to_owned(),
            values => format!("object, each value {values}"),
        },
        all => all.join(" or "),
    }
}

/// A string without its quotes, or other JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn paragraph(text: &Value) -> String {
    text.as_str()
        .unwrap_or_default()
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .replace('<', "&lt;")
}
