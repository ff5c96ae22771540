//! Create requests from workflow schemas.

use moot_harness::client::payload::from_schema;
use moot_harness::client::{BodyPiece, FormPart};
use serde_json::{Value, json};

fn bindings() -> Value {
    json!({
        "workflow_id": "wf1",
        "requester_email": "requester@legal.example",
        "counterparty_email": "them@example.invalid",
        "internal_signer_emails": [],
    })
}

fn shown(part: &FormPart) -> String {
    match (&part.file_name, &part.content) {
        (None, BodyPiece::Bytes(bytes)) => {
            format!("{}={}", part.name, String::from_utf8_lossy(bytes))
        }
        (Some(file_name), BodyPiece::Bytes(bytes)) => {
            assert!(!bytes.is_empty());
            format!("{}=@{file_name};{}", part.name, part.content_type.as_deref().unwrap_or("-"))
        }
        (_, BodyPiece::Zeros(length)) => format!("{}=0*{length}", part.name),
    }
}

#[track_caller]
fn check(schema: &Value, expected: &[&str]) {
    for schema in [schema.clone(), json!({ "data": schema })] {
        let parts = from_schema(&schema, &bindings(), "t1").expect("there is a value for each");
        assert_eq!(parts.iter().map(shown).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn each_required_field_and_variable_has_a_value() {
    let schema = json!({
        "required_fields": ["requester_email", "counterparty_name", "counterparty_email",
                            "counterparty_signer_email", "variables", "internal_signer_email"],
        "optional_fields": ["support_documents[]"],
        "required_variables": ["purpose", "unit"],
        "variables_properties": {
            "purpose": { "required": true, "properties": { "type": "string" } },
            "unit": { "required": true, "properties": { "type": "string", "options": ["months"] } },
            "duration": { "required": true, "properties": { "type": "number" } },
            "start": { "required": true, "properties": { "type": "date" } },
            "mutual": { "required": false, "properties": { "type": "boolean" } },
        },
        "fields_properties": {
            "internal_signer_email": {
                "properties": { "options": ["a@legal.example", "b@legal.example"] },
            },
        },
    });
    check(
        &schema,
        &[
            "workflow_id=wf1",
            "requester_email=requester@legal.example",
            "counterparty_name=Moot t1 counterparty name",
            "counterparty_email=them@example.invalid",
            "counterparty_signer_email=them@example.invalid",
            "variables={\"purpose\":\"Moot t1 purpose\",\"unit\":\"months\",\"duration\":1,\
             \"start\":\"2030-01-15\"}",
            "internal_signer_email=a@legal.example",
        ],
    );
}

#[test]
fn files_and_several_signers() {
    let schema = json!({
        "required_fields": ["file", "internal_signer_emails[]"],
        "fields_properties": {
            "internal_signer_emails[]": {
                "properties": { "options": ["a@x.example", "b@x.example", "c@x.example"] },
            },
        },
    });
    check(
        &schema,
        &[
            "workflow_id=wf1",
            "requester_email=requester@legal.example",
            "file=@agreement.pdf;application/pdf",
            "internal_signer_emails[]=a@x.example",
            "internal_signer_emails[]=b@x.example",
        ],
    );
}

#[test]
fn bound_signers_come_first_where_the_form_takes_them() {
    let schema = json!({
        "required_fields": ["internal_signer_email"],
        "fields_properties": {
            "internal_signer_email": {
                "properties": { "options": ["a@x.example", "b@x.example"] },
            },
        },
    });
    let mut bindings = bindings();
    bindings["internal_signer_emails"] = json!(["z@x.example", "b@x.example"]);
    let parts = from_schema(&schema, &bindings, "t1").expect("there is a value for each");
    assert_eq!(shown(&parts[2]), "internal_signer_email=b@x.example");
}

#[test]
fn a_field_without_a_value_names_the_setting() {
    let rows = [
        (json!({ "required_fields": [] }), json!({}), "bindings.requester_email"),
        (
            json!({ "required_fields": ["internal_signer_email"] }),
            bindings(),
            "bindings.internal_signer_emails",
        ),
        (json!({ "fields": [] }), bindings(), "required_fields"),
    ];
    for (schema, bindings, expected) in rows {
        let reason = from_schema(&schema, &bindings, "t1").expect_err("there is none");
        assert!(reason.contains(expected), "{reason}");
    }
}

#[test]
fn variables_that_a_schema_requires_and_does_not_tell_come_from_the_bindings() {
    let schema = json!({
        "required_fields": ["variables"],
        "variables": [{ "key": "purpose", "mandatory": true }],
        "fields_properties": { "variables": { "properties": { "purpose": { "kind": "text" } } } },
    });
    let refused = from_schema(&schema, &bindings(), "t1").expect_err("nothing tells them");
    assert!(refused.contains("bindings.variables"), "{refused}");
    let mut bound = bindings();
    bound["variables"] = json!({ "purpose": "evaluation", "years": 2 });
    let parts = from_schema(&schema, &bound, "t1").expect("they are bound");
    let expected = "variables={\"purpose\":\"evaluation\",\"years\":2}";
    assert!(parts.iter().any(|part| shown(part) == expected));
}

#[test]
fn a_bound_variable_goes_before_one_made_of_the_schema_and_no_other_is_sent() {
    let schema = json!({
        "required_fields": ["variables"],
        "required_variables": ["purpose", "unit"],
    });
    let mut bound = bindings();
    bound["variables"] = json!({ "purpose": "evaluation", "elsewhere": 2 });
    let parts = from_schema(&schema, &bound, "t1").expect("there is a value for each");
    let expected = "variables={\"purpose\":\"evaluation\",\"unit\":\"Moot t1 unit\"}";
    assert!(parts.iter().any(|part| shown(part) == expected));
}
