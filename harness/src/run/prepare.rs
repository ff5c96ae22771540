//! Prepares one request of a scenario: fills in its names, token and body.

use bytes::Bytes;
use moot_fixtures::contract::{Endpoint, Operation, Scopes, TOKEN_LIFETIME_SECONDS, TokenNeed};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};

use crate::client::request::bearer;
use crate::client::target_file::Endpoints;
use crate::client::{BodyPiece, ClientBody, ClientRequest, FormPart};
use crate::exchange::value_text;
use crate::run::environment::Session;
use crate::scenario::ScenarioName;
use crate::scenario::model::{
    Json, Multipart, PartContent, PartSpec, RawBody, RawContent, RequestBody, RequestLine,
    RequestShape, Text, TokenChoice, UselessToken,
};
use crate::scenario::names::Names;
use crate::verdict::NotRunKind;

use super::scenario_run::ScenarioRun;
use super::stop::Stop;

/// Characters that are encoded in a path. `%` is not among them, so that a scenario can send any bytes.
const PATH: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'`').add(b'#');

/// The request of this shape, with the present values of its names.
pub(super) async fn request(
    run: &ScenarioRun<'_>,
    shape: &RequestShape,
) -> Result<ClientRequest, Stop> {
    let (session, names) = (run.session, &run.names);
    let line = shape.line.as_ref().ok_or_else(|| Stop::ours("a request without a line"))?;
    let (method, mut path, operation) = resolve_line(session.endpoints(), names, line)?;
    let query = pairs(names, &shape.query)?;
    if !query.is_empty() {
        path.push(if path.contains('?') { '&' } else { '?' });
        path.push_str(
            &form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish(),
        );
    }
    let application = match &shape.application {
        Some(text) => text.render_text(names)?,
        None => "main".to_owned(),
    };
    let mut headers = pairs(names, &shape.headers)?;
    if matches!(shape.token, Some(TokenChoice::Useless(UselessToken::Expired)))
        && run.shared.target.can_move_clock()
    {
        let cause = format!("an expired token of {application}");
        run.shared.implicit.note_clock_moved(cause, TOKEN_LIFETIME_SECONDS);
    }
    let suffices = |scopes| suffices(scopes, &method, operation);
    let choice = shape.token.as_ref();
    if let Some(token) = token(session, names, choice, &application, suffices).await? {
        headers.push(bearer(&token));
    }
    let body = match &shape.body {
        Some(shape) => body(session, names, shape)?,
        None => ClientBody::Empty,
    };
    let tag_scenario = ScenarioName::clone(&run.name);
    // A service may give the same token to the scenario that the run shares. The scenario judges it as it is.
    let keeps_token = !run.has_earlier_token && !matches!(choice, Some(TokenChoice::Shared(_)));
    Ok(ClientRequest {
        method,
        path,
        operation,
        headers,
        keeps_token,
        body,
        application,
        tag_scenario,
    })
}

/// Whether a call with these scopes is allowed, in every answer to `read_scope`.
fn suffices(scopes: Scopes, method: &str, operation: Option<Operation>) -> bool {
    match operation.map(Operation::token) {
        Some(TokenNeed::Write) => scopes.write,
        _ => matches!(method, "GET" | "HEAD" | "OPTIONS") && scopes.read,
    }
}

async fn token(
    session: &Session,
    names: &Names,
    choice: Option<&TokenChoice>,
    application: &str,
    suffices: impl Fn(Scopes) -> bool,
) -> Result<Option<String>, Stop> {
    Ok(match choice {
        None | Some(TokenChoice::None) => None,
        Some(TokenChoice::Shared(scopes)) => {
            Some(session.token(application, *scopes, suffices(*scopes)).await?)
        }
        Some(TokenChoice::Useless(why)) => Some(session.useless_token(*why, application).await?),
        Some(TokenChoice::Given(text)) => Some(text.render_text(names)?),
    })
}

/// The method, the path below the base address, and the operation of a request line.
pub(super) fn resolve_line(
    endpoints: &Endpoints,
    names: &Names,
    line: &RequestLine,
) -> Result<(String, String, Option<Operation>), Stop> {
    match line {
        RequestLine::Path { method, path } => {
            let path = path.render_text(names)?;
            let path = utf8_percent_encode(&path, PATH).to_string();
            let method = method.render_text(names)?;
            let operation = endpoints.find(&method, &path);
            Ok((method, path, operation))
        }
        RequestLine::Operation { operation, known, id } => {
            let operation = match known {
                Some(known) => *known,
                None => {
                    let name = operation.render_text(names)?;
                    Operation::from_text(&name)
                        .ok_or_else(|| Stop::ours(&format!("`{name}` is not an operation")))?
                }
            };
            let Endpoint { method, path } = endpoints.get(operation);
            let id = match id {
                Some(id) => id.render_text(names)?,
                None => String::new(),
            };
            let id = utf8_percent_encode(&id, PATH).to_string();
            Ok((method.clone(), path.replace("{id}", &id), Some(operation)))
        }
    }
}

/// The body, with the present values of its names.
fn body(session: &Session, names: &Names, shape: &RequestBody) -> Result<ClientBody, Stop> {
    Ok(match shape {
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
        RequestBody::Raw(raw) => raw_body(names, raw)?,
    })
}

/// The pairs of a form, a query or headers. A list repeats its name.
fn pairs(names: &Names, entries: &[(Text, Json)]) -> Result<Vec<(String, String)>, Stop> {
    let mut pairs = Vec::new();
    for (key, value) in entries {
        let key = key.render_text(names)?;
        match value.render(names)? {
            Value::Array(items) => {
                pairs.extend(items.iter().map(|item| (key.clone(), value_text(item))));
            }
            single => pairs.push((key, value_text(&single))),
        }
    }
    Ok(pairs)
}

fn raw_body(names: &Names, raw: &RawBody) -> Result<ClientBody, Stop> {
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
    for variable in multipart.omit_variables.iter().flatten() {
        omit_variable(&mut parts, &variable.render_text(names)?)?;
    }
    for (name, suffix) in pairs(names, &multipart.append)? {
        append(&mut parts, &name, &suffix)?;
    }
    for (name, content_type) in pairs(names, &multipart.content_types)? {
        field(&mut parts, &name)?.content_type = Some(content_type);
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

/// Removes a member of the field `variables`.
fn omit_variable(parts: &mut [FormPart], name: &str) -> Result<(), Stop> {
    let text = text_of(parts, "variables")?;
    let mut variables: Map<String, Value> = serde_json::from_slice(text).unwrap_or_default();
    if variables.shift_remove(name).is_none() {
        return Err(unusable(format!(
            "the request that is made from the schema has no variable `{name}`"
        )));
    }
    *text = Value::Object(variables).to_string().into();
    Ok(())
}

/// Appends a text to a field.
fn append(parts: &mut [FormPart], name: &str, suffix: &str) -> Result<(), Stop> {
    let text = text_of(parts, name)?;
    *text = [text.as_ref(), suffix.as_bytes()].concat().into();
    Ok(())
}

/// The text of a field.
fn text_of<'a>(parts: &'a mut [FormPart], name: &str) -> Result<&'a mut Bytes, Stop> {
    match &mut field(parts, name)?.content {
        BodyPiece::Bytes(text) => Ok(text),
        BodyPiece::Zeros(_) => Err(no_field(name)),
    }
}

fn field<'a>(parts: &'a mut [FormPart], name: &str) -> Result<&'a mut FormPart, Stop> {
    parts.iter_mut().find(|part| part.name == name).ok_or_else(|| no_field(name))
}

fn no_field(name: &str) -> Stop {
    unusable(format!("the request that is made from the schema has no field `{name}`"))
}

fn unusable(reason: String) -> Stop {
    Stop::not_run(NotRunKind::UnusableSchema, reason)
}

fn from_schema(session: &Session, names: &Names, schema: &Json) -> Result<Vec<FormPart>, Stop> {
    let schema = schema.render(names)?;
    session
        .payload(&schema)
        .map_err(|reason| unusable(format!("no request can be made from the schema: {reason}")))
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
    use moot_fixtures::contract::{Operation, Scopes};

    use super::{append, omit_variable, suffices};
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

    #[test]
    fn a_token_may_be_wider_only_if_its_scopes_allow_the_call() {
        let (get, create) = (Operation::GetLegalRequest, Operation::CreateLegalRequest);
        assert!(suffices(Scopes::READ, "GET", Some(get)));
        assert!(suffices(Scopes::WRITE, "POST", Some(create)));
        assert!(!suffices(Scopes::READ, "POST", Some(create)));
        assert!(!suffices(Scopes::WRITE, "GET", Some(get)));
        assert!(!suffices(Scopes::READ, "POST", None));
    }

    #[test]
    fn a_variable_is_left_out_of_the_variables() {
        let mut parts = vec![FormPart::text("variables", r#"{"a":1,"b":"x","c":true}"#)];
        assert!(omit_variable(&mut parts, "b").is_ok());
        assert_eq!(parts, [FormPart::text("variables", r#"{"a":1,"c":true}"#)]);
        assert!(omit_variable(&mut parts, "b").is_err());
        assert!(omit_variable(&mut [], "a").is_err());
    }
}
