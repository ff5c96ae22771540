//! Fills in the names of a request body, a query or headers.

use bytes::Bytes;
use serde_json::Value;

use crate::client::{BodyPiece, ClientBody, FormPart};
use crate::run::environment::Session;
use crate::scenario::model::{
    Json, Multipart, PartContent, PartSpec, RawBody, RawContent, RequestBody, Text,
};
use crate::scenario::names::Names;
use crate::verdict::NotRunKind;

use super::stop::Stop;

pub(super) fn prepare(
    session: &Session,
    names: &Names,
    body: &RequestBody,
) -> Result<ClientBody, Stop> {
    Ok(match body {
        RequestBody::Form(fields) => {
            let mut form = form_urlencoded::Serializer::new(String::new());
            let form = form.extend_pairs(pairs(names, fields)?).finish();
            ClientBody::bytes("application/x-www-form-urlencoded", form)
        }
        RequestBody::Json(json) => {
            ClientBody::bytes("application/json", json.render(names)?.to_string())
        }
        RequestBody::Multipart(multipart) => {
            ClientBody::Multipart(parts(session, names, multipart)?)
        }
        RequestBody::Raw(raw) => prepare_raw(names, raw)?,
    })
}

/// The pairs of a form, a query or headers. A list repeats its name.
pub(super) fn pairs(
    names: &Names,
    entries: &[(Text, Json)],
) -> Result<Vec<(String, String)>, Stop> {
    let mut pairs = Vec::new();
    for (key, value) in entries {
        let key = key.render_text(names)?;
        match value.render(names)? {
            Value::Array(items) => {
                pairs.extend(items.iter().map(|item| (key.clone(), as_text(item))));
            }
            single => pairs.push((key, as_text(&single))),
        }
    }
    Ok(pairs)
}

/// A text unchanged, any other value as JSON.
fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn prepare_raw(names: &Names, raw: &RawBody) -> Result<ClientBody, Stop> {
    let bytes: Bytes = match &raw.content {
        RawContent::Text(text) => text.render_text(names)?.into(),
        RawContent::CrlfLines(lines) => {
            let mut whole = String::new();
            for line in lines {
                whole.push_str(&line.render_text(names)?);
                whole.push_str("\r\n");
            }
            whole.into()
        }
        RawContent::Base64(bytes) => bytes.clone().into(),
    };
    let content_type = optional(names, raw.content_type.as_ref())?;
    Ok(ClientBody::Bytes { content_type, bytes, declared_length: raw.declared_length })
}

fn parts(session: &Session, names: &Names, multipart: &Multipart) -> Result<Vec<FormPart>, Stop> {
    let mut parts = match &multipart.from_schema {
        Some(schema) => from_schema(session, names, schema)?,
        None => Vec::new(),
    };
    let set = pairs(names, &multipart.set)?;
    for (name, _) in &set {
        parts.retain(|part| part.name != *name);
    }
    parts.extend(set.into_iter().map(|(name, text)| FormPart::text(name, text)));
    for (name, suffix) in pairs(names, &multipart.append)? {
        append(&mut parts, &name, &suffix)?;
    }
    for omitted in multipart.omit.iter().flatten() {
        let omitted = omitted.render_text(names)?;
        parts.retain(|part| part.name != omitted);
    }
    for spec in multipart.parts.iter().flatten() {
        parts.push(part(names, spec)?);
    }
    Ok(parts)
}

/// Appends a text to a field.
fn append(parts: &mut [FormPart], name: &str, suffix: &str) -> Result<(), Stop> {
    let field = parts.iter_mut().find(|part| part.name == name);
    let Some(BodyPiece::Bytes(text)) = field.map(|part| &mut part.content) else {
        return Err(Stop::not_run(
            NotRunKind::UnusableSchema,
            format!("the request that is made from the schema has no field `{name}`"),
        ));
    };
    *text = [text.as_ref(), suffix.as_bytes()].concat().into();
    Ok(())
}

fn from_schema(session: &Session, names: &Names, schema: &Json) -> Result<Vec<FormPart>, Stop> {
    let schema = schema.render(names)?;
    session.payload(&schema).map_err(|reason| {
        Stop::not_run(
            NotRunKind::UnusableSchema,
            format!("no request can be made from the schema: {reason}"),
        )
    })
}

fn part(names: &Names, spec: &PartSpec) -> Result<FormPart, Stop> {
    let mut file_name = optional(names, spec.file_name.as_ref())?;
    let mut content_type = optional(names, spec.content_type.as_ref())?;
    let content = match &spec.content {
        PartContent::Text(text) => BodyPiece::Bytes(text.render_text(names)?.into()),
        PartContent::Zeros(length) => BodyPiece::Zeros(*length),
        PartContent::File(name) => {
            let document = moot_fixtures::documents::get(name)
                .ok_or_else(|| Stop::ours(&format!("there is no document `{name}`")))?;
            file_name.get_or_insert_with(|| document.name.to_owned());
            content_type.get_or_insert_with(|| document.media_type.to_owned());
            BodyPiece::Bytes(Bytes::from_static(document.bytes))
        }
    };
    Ok(FormPart { name: spec.name.render_text(names)?, file_name, content_type, content })
}

fn optional(names: &Names, text: Option<&Text>) -> Result<Option<String>, Stop> {
    Ok(text.map(|text| text.render_text(names)).transpose()?)
}

#[cfg(test)]
mod tests {
    use super::append;
    use crate::client::FormPart;

    #[test]
    fn a_text_is_appended_to_the_value_of_a_field() {
        let mut parts = vec![FormPart::text("variables", "{}"), FormPart::text("name", "a")];
        assert!(append(&mut parts, "variables", " and more").is_ok());
        assert_eq!(
            parts,
            [FormPart::text("variables", "{} and more"), FormPart::text("name", "a")]
        );
        assert!(append(&mut parts, "metadata", " and more").is_err());
    }
}
