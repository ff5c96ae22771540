//! A valid create request for the schema of a workflow (§4.5). The same schema gives the same request.

use bytes::Bytes;
use moot_fixtures::documents::{self, SampleDocument};
use serde_json::{Map, Value, json};

use crate::client::request::{BodyPiece, FormPart};
use crate::client::workflow_form::{WorkflowForm, texts};
use crate::exchange::value_text;

/// The most signers for a form that takes several.
const SIGNERS_MAX: usize = 2;
/// The value of variables of type `date`.
const DATE: &str = "2030-01-15";

/// A valid value for every required field and variable: a bound value, or an option of the schema, or a value by name
/// and type. `bindings` is the root name of the scenario. Its member `workflow_id` fills the field of that name. Every
/// name contains `tag`.
///
/// # Errors
/// A field has no value. The message says how to bind one.
pub fn from_schema(schema: &Value, bindings: &Value, tag: &str) -> Result<Vec<FormPart>, String> {
    let payload = Payload { form: WorkflowForm::new(schema), bindings, tag };
    if !payload.form.is_form() {
        return Err("the workflow schema has no `required_fields`".to_owned());
    }
    payload.parts()
}

struct Payload<'a> {
    form: WorkflowForm<'a>,
    bindings: &'a Value,
    tag: &'a str,
}

impl Payload<'_> {
    fn parts(&self) -> Result<Vec<FormPart>, String> {
        let mut names = self.form.required();
        // §4.5 requires both, whether a schema lists them or not.
        for name in ["requester_email", "workflow_id"] {
            if !names.contains(&name) {
                names.insert(0, name);
            }
        }
        let variables = self.variables()?;
        if !variables.is_empty() && !names.contains(&"variables") {
            names.push("variables");
        }
        let mut parts = Vec::new();
        for name in names {
            match name {
                "workflow_id" => {
                    // Without a bound id, the scenario sets the field.
                    parts.extend(self.bound(name).map(|id| FormPart::text(name, id)));
                }
                "file" => parts.push(file(name, "agreement.pdf")?),
                "support_documents[]" => parts.push(file(name, "notes.txt")?),
                "variables" => {
                    let variables = Value::Object(variables.clone()).to_string();
                    parts.push(FormPart::text(name, variables));
                }
                "internal_signer_emails[]" => {
                    let signers = self.signers(name)?;
                    parts.extend(signers.iter().map(|email| FormPart::text(name, email)));
                }
                _ => parts.push(FormPart::text(name, self.text(name)?)),
            }
        }
        Ok(parts)
    }

    fn text(&self, name: &str) -> Result<String, String> {
        if let Some(bound) = self.bound(name) {
            return Ok(bound);
        }
        if name == "internal_signer_email" {
            let signers = self.signers(name)?;
            return signers.into_iter().next().ok_or_else(|| no_signer(name));
        }
        if name == "requester_email" {
            return Err(
                "`requester_email` has no value; bind it as `bindings.requester_email` in the target file"
                    .to_owned(),
            );
        }
        if let Some(option) = self.form.options(name).first() {
            return Ok((*option).to_owned());
        }
        if name.contains("email") {
            let counterparty = self.bound("counterparty_email");
            return Ok(counterparty.unwrap_or_else(|| format!("{}@example.invalid", self.tag)));
        }
        if name == "merge_documents_into_pdf" {
            return Ok("true".to_owned());
        }
        Ok(value_text(&value(self.form.field(name), &self.named(name))))
    }

    fn signers(&self, field: &str) -> Result<Vec<String>, String> {
        let bound = texts(self.bindings.get("internal_signer_emails"));
        let options = self.form.signer_options();
        let usable: Vec<&str> = bound
            .into_iter()
            .filter(|email| options.is_empty() || options.contains(email))
            .collect();
        let chosen = if usable.is_empty() { &options } else { &usable };
        if chosen.is_empty() {
            return Err(no_signer(field));
        }
        Ok(chosen.iter().take(SIGNERS_MAX).map(|email| (*email).to_owned()).collect())
    }

    /// The required variables. A bound value has precedence. If the schema requires variables without naming them, all
    /// bound ones are sent.
    fn variables(&self) -> Result<Map<String, Value>, String> {
        let bound = self.bindings.get("variables").and_then(Value::as_object);
        if self.form.hides_variables() {
            return bound.cloned().ok_or_else(|| {
                "it requires `variables` and names none in `required_variables` or `variables_properties`; \
                 bind them as `bindings.variables: {NAME: VALUE}` in the target file"
                    .to_owned()
            });
        }
        let of = |name: &str, properties: Option<&Value>| {
            let given = bound.and_then(|bound| bound.get(name)).cloned();
            given.unwrap_or_else(|| value(properties, &self.named(name)))
        };
        let required = self.form.required_variables().into_iter();
        Ok(required.map(|(name, properties)| (name.to_owned(), of(name, properties))).collect())
    }

    fn bound(&self, name: &str) -> Option<String> {
        self.bindings.get(name)?.as_str().map(str::to_owned)
    }

    /// A text with the tag and the name of its field: `Moot TAG counterparty name`.
    fn named(&self, name: &str) -> String {
        format!("Moot {} {}", self.tag, name.trim_end_matches("[]").replace('_', " "))
    }
}

/// A value by options, suggestions or type. Without them, `text`.
fn value(properties: Option<&Value>, text: &str) -> Value {
    let property = |name: &str| properties?.get(name);
    let first = |name: &str| property(name)?.as_array()?.first().cloned();
    if let Some(value) = first("options").or_else(|| first("enum")).or_else(|| first("suggestions"))
    {
        return value.get("value").cloned().unwrap_or(value);
    }
    match property("type").and_then(Value::as_str) {
        Some("number" | "integer" | "float" | "decimal" | "currency") => json!(1),
        Some("boolean" | "checkbox") => json!(true),
        Some("date") => json!(DATE),
        Some("datetime" | "date-time") => json!(format!("{DATE}T12:00:00Z")),
        Some("array" | "list") => json!([text]),
        Some(_) | None => json!(text),
    }
}

fn file(name: &str, document: &str) -> Result<FormPart, String> {
    let SampleDocument { name: file_name, media_type, bytes } = documents::get(document)
        .ok_or_else(|| format!("the document `{document}` is not embedded"))?;
    Ok(FormPart {
        name: name.to_owned(),
        file_name: Some((*file_name).to_owned()),
        content_type: Some((*media_type).to_owned()),
        content: BodyPiece::Bytes(Bytes::from_static(bytes)),
    })
}

fn no_signer(field: &str) -> String {
    format!(
        "the schema offers no signer for `{field}`; bind `bindings.internal_signer_emails` in the \
         target file"
    )
}
