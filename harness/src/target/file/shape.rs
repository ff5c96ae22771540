//! The target file as it is written, before it is checked.

use std::collections::BTreeMap;
use std::path::PathBuf;

use moot_fixtures::contract::Scope;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde_saphyr::Spanned;

use super::secret::Source;
use super::{Consent, FileBindings, FileLimits};

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shape {
    #[serde(default)]
    pub(super) name: Option<String>,
    pub(super) base_url: Spanned<Source>,
    #[serde(default)]
    pub(super) applications: ApplicationShapes,
    #[serde(default)]
    pub(super) bindings: FileBindings,
    #[serde(default)]
    pub(super) endpoints: EndpointShapes,
    #[serde(default)]
    pub(super) consent: Vec<Consent>,
    #[serde(default)]
    pub(super) limits: Option<Spanned<FileLimits>>,
    #[serde(default)]
    pub(super) tolerate: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) expected: Option<PathBuf>,
    #[serde(default)]
    pub(super) answers: Option<PathBuf>,
    #[serde(default)]
    pub(super) tls: TlsShape,
    #[serde(default)]
    pub(super) headers: BTreeMap<String, Spanned<Source>>,
    #[serde(default)]
    pub(super) admin: AdminShape,
    #[serde(default)]
    pub(super) expired_token: Option<Spanned<Source>>,
    #[serde(default)]
    pub(super) revoked_token: Option<Spanned<Source>>,
    #[serde(default)]
    pub(super) ledger: Option<PathBuf>,
}

/// `applications`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ApplicationShapes {
    pub(super) main: Option<Spanned<ApplicationShape>>,
    pub(super) reader: Option<Spanned<ApplicationShape>>,
    pub(super) writer: Option<Spanned<ApplicationShape>>,
    pub(super) other_company: Option<Spanned<ApplicationShape>>,
}

/// One application.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ApplicationShape {
    pub(super) client_id: Spanned<Source>,
    pub(super) client_secret: Spanned<Source>,
    #[serde(default)]
    pub(super) scopes: Option<Vec<Scope>>,
}

/// `endpoints`: `METHOD /path` each.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct EndpointShapes {
    #[serde(alias = "get_workflow_schema")]
    pub(super) workflow_schema: Option<Spanned<String>>,
    pub(super) create_webhook: Option<Spanned<String>>,
    pub(super) revoke_token: Option<Spanned<String>>,
}

/// `tls`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct TlsShape {
    pub(super) ca_file: Option<PathBuf>,
}

/// `admin`: `auto`, `none` or `{token: …}`.
#[derive(Debug, Default)]
pub(super) enum AdminShape {
    #[default]
    Auto,
    None,
    Token(Spanned<Source>),
}

impl<'de> Deserialize<'de> for AdminShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AdminVisitor)
    }
}

struct AdminVisitor;

impl<'de> Visitor<'de> for AdminVisitor {
    type Value = AdminShape;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("`auto`, `none` or `{token: …}`")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<AdminShape, E> {
        match text {
            "auto" => Ok(AdminShape::Auto),
            "none" => Ok(AdminShape::None),
            other => Err(de::Error::invalid_value(de::Unexpected::Str(other), &self)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<AdminShape, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct WithToken {
            token: Spanned<Source>,
        }
        let shape = WithToken::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(AdminShape::Token(shape.token))
    }
}
