//! The page of a JSON Schema: a table of members for each object.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::tables::{cell, paragraph};

/// The most values of an enum that a cell shows.
const WORDS_MAX: usize = 30;

/// The page of a file format. With `is_of_users`, it tells how editors check these files.
pub(super) fn page(name: &str, schema: &Value, is_of_users: bool) -> String {
    let title = schema["title"].as_str().unwrap_or(name);
    let described = description(schema);
    let mut page = format!(
        "# {title}\n\n{described}\n\n`moot schema {name}` prints the [JSON Schema](schemas/{name}.json).\n"
    );
    if is_of_users {
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
            let variants = variants(definition);
            let kinds = if variants.is_empty() { kinds(definition) } else { String::new() };
            let described = format!("{kinds}{}", description(definition));
            text = format!("\n## {name}\n\n{}\n{variants}", described.trim_end());
        }
        page.push_str(&text);
    }
    page
}

/// Adds the table of an object, and of the objects in it. Alternatives with a title have a table each. Adds nothing if
/// the schema has no members.
fn object(page: &mut String, schema: &Value, name: &str) {
    let alternatives = schema["oneOf"].as_array().into_iter().flatten();
    let titled =
        alternatives.filter(|one| one["title"].is_string() && one["properties"].is_object());
    let mut tables: Vec<_> = titled.map(|one| (one["title"].as_str(), members(one))).collect();
    if tables.is_empty() {
        tables.push((None, members(schema)));
    }
    if tables.iter().all(|(_, members)| members.is_empty()) {
        return;
    }
    let _ = write!(page, "\n## {name}\n");
    if name != "The file" && schema["description"].is_string() {
        let _ = write!(page, "\n{}\n", description(schema));
    }
    for (title, members) in tables {
        if let Some(title) = title {
            let _ = write!(page, "\n### {title}\n");
        }
        table(page, &members, name);
    }
}

/// A member with its schema, and whether it is required.
type Member<'s> = (&'s str, &'s Value, bool);

/// The members of an object, of its alternatives and of its `then`, each once.
fn members(schema: &Value) -> Vec<Member<'_>> {
    let mut members = Vec::new();
    collect(schema, &mut members);
    members
}

/// Adds the table of these members, and those of the objects in them.
fn table(page: &mut String, members: &[Member<'_>], name: &str) {
    page.push_str("\n| member | value | description |\n|---|---|---|\n");
    let mut inner = Vec::new();
    for &(member, schema, is_required) in members {
        let star = if is_required { " (required)" } else { "" };
        let mut description = cell(schema["description"].as_str().unwrap_or_default());
        let default = &schema["default"];
        if !default.is_null() && !is_empty(default) {
            let _ = write!(description, " Default: `{}`.", cell(&default.to_string()));
        }
        let value = match kind(schema) {
            kind if kind.is_empty() => "any".to_owned(),
            // `null` for an optional member means the same as its absence.
            kind if is_required && allows_null(schema) => format!("{kind} or null"),
            kind => kind,
        };
        let _ = writeln!(page, "| `{member}`{star} | {value} | {description} |");
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

fn collect<'s>(schema: &'s Value, members: &mut Vec<Member<'s>>) {
    let required = |name: &str| {
        schema["required"].as_array().is_some_and(|all| all.iter().any(|one| one == name))
    };
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let is_known = members.iter().any(|(known, _, _)| known == name);
        // An alias has the description of the member that it stands for, which names the alias.
        let described = member["description"].as_str().unwrap_or_default();
        let is_alias = described.ends_with(&format!("Another name: `{name}`."));
        if !is_known && !is_alias && member.is_object() {
            members.push((name, member, required(name)));
        }
    }
    for word in ["oneOf", "anyOf", "allOf"] {
        for alternative in schema[word].as_array().into_iter().flatten() {
            collect(alternative, members);
        }
    }
    if schema["then"].is_object() {
        collect(&schema["then"], members);
    }
}

/// The values of an enum with their descriptions, a line each. A value with a pattern has a title.
fn variants(schema: &Value) -> String {
    let each = schema["oneOf"].as_array().into_iter().flatten();
    let row = |one: &Value| {
        let value = one.get("const").or(one.get("title"))?;
        Some(format!("- `{}`: {}", plain(value), description(one)))
    };
    let rows: Vec<String> = each.filter_map(row).collect();
    if rows.is_empty() { String::new() } else { format!("\n{}\n", rows.join("\n")) }
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

fn allows_null(schema: &Value) -> bool {
    let is_null = |kind: &Value| kind == "null" || kind["type"] == "null";
    let any = |kinds: &Value| kinds.as_array().is_some_and(|kinds| kinds.iter().any(is_null));
    any(&schema["type"]) || any(&schema["anyOf"])
}

/// A string without its quotes, or other JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn description(schema: &Value) -> String {
    paragraph(schema["description"].as_str().unwrap_or_default())
}

#[test]
fn alternatives_with_a_title_and_a_then_are_shown() {
    let schema = json!({
        "description": "A `<name>` or < a map.",
        "oneOf": [
            { "title": "With `a`", "properties": { "a": {} }, "required": ["a"] },
            {
                "title": "With `b`",
                "properties": {},
                "then": { "properties": { "b": { "type": "string" } } },
            },
        ],
    });
    let mut page = String::new();
    object(&mut page, &schema, "step");
    insta::assert_snapshot!(page.trim(), @r"
    ## step

    A `<name>` or &lt; a map.

    ### With `a`

    | member | value | description |
    |---|---|---|
    | `a` (required) | any |  |

    ### With `b`

    | member | value | description |
    |---|---|---|
    | `b` | string |  |
    ");
}
