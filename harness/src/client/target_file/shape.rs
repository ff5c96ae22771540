//! The keys of a target file as they are parsed, before checks. Secrets are still sources, and paths are relative.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use moot_fixtures::contract::Scope;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;

use crate::client::target_file::model::{AdminChoice, Consent, FileBindings, FileLimits};
use crate::client::target_file::operator::FileOperator;
use crate::client::target_file::secret::ValueSource;
use crate::client::target_file::text_or_keys::text_or_keys;

/// The whole file.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetFileShape {
    /// A name for reports. Without it, the name of the file.
    #[serde(default)]
    pub(crate) name: Option<String>,
    /// The base address of the service, without `/v1`: `https://legal.example.com/api`.
    pub(crate) base_url: ValueSource,
    /// The OAuth applications. `main` is required, except on a moot mock.
    #[serde(default)]
    pub(crate) applications: ApplicationShapes,
    /// Data of the deployment that a run may use. Workflows that are not named here are discovered.
    #[serde(default)]
    pub(crate) bindings: FileBindings,
    /// Paths of operations that the specification does not place.
    #[serde(default)]
    pub(crate) endpoints: EndpointShapes,
    /// Consents beyond GET and token requests.
    #[serde(default)]
    #[schemars(with = "Vec<Consent>")]
    pub(crate) consent: BTreeSet<Consent>,
    /// The pace and the budget of a run.
    #[serde(default)]
    pub(crate) limits: Option<FileLimits>,
    /// Needs (`delete`, `operator`) and scenarios (`FILE/ID`, with `*` for any text) that may remain not run.
    #[serde(default)]
    pub(crate) tolerate: Vec<String>,
    /// The file of known failures, relative to this file.
    #[serde(default)]
    pub(crate) expected: Option<PathBuf>,
    /// The file of pinned answers, relative to this file. An answer that differs is drift (exit code 5).
    #[serde(default)]
    pub(crate) answers: Option<PathBuf>,
    /// TLS settings.
    #[serde(default)]
    pub(crate) tls: TlsShape,
    /// Headers for a gateway, by name. They are sent with every request to the host of `base_url`.
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, ValueSource>,
    /// Whether to look for the control plane of a mock.
    #[serde(default)]
    pub(crate) admin: AdminChoice<ValueSource>,
    /// A program or a person for actions that a client cannot do.
    #[serde(default)]
    pub(crate) operator: Option<FileOperator>,
    /// An expired token of `main`.
    #[serde(default)]
    pub(crate) expired_token: Option<ValueSource>,
    /// A revoked token of `main`.
    #[serde(default)]
    pub(crate) revoked_token: Option<ValueSource>,
    /// The file that lists the objects that runs created, relative to this file. Without it, `.moot/ledger.ndjson`.
    #[serde(default)]
    pub(crate) ledger: Option<PathBuf>,
}

/// `applications`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Applications")]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ApplicationShapes {
    /// The application that most scenarios use. Its default scopes are `[read, write]`.
    pub(crate) main: Option<ApplicationShape>,
    /// An application of the same company with only the scope `read`.
    pub(crate) reader: Option<ApplicationShape>,
    /// An application of the same company with only the scope `write`.
    pub(crate) writer: Option<ApplicationShape>,
    /// An application of another company.
    pub(crate) other_company: Option<ApplicationShape>,
}

/// One application.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Application")]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplicationShape {
    /// The client id (§4.1).
    pub(crate) client_id: ValueSource,
    /// The client secret, at least 8 bytes long (4 on loopback). Do not write it into the file.
    pub(crate) client_secret: ValueSource,
    /// The scopes that the application may ask for.
    #[serde(default)]
    pub(crate) scopes: Option<Vec<Scope>>,
}

/// `endpoints`. Each value is `METHOD /path`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Endpoints")]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EndpointShapes {
    /// The workflow schema (§4.4): `GET /v1/workflows/{id}/schema`. Another name: `get_workflow_schema`.
    #[serde(alias = "get_workflow_schema")]
    #[schemars(with = "Option<String>")]
    pub(crate) workflow_schema: Option<Spanned<String>>,
    /// Creating a webhook (§4.14): `POST /v1/webhooks`.
    #[schemars(with = "Option<String>")]
    pub(crate) create_webhook: Option<Spanned<String>>,
    /// Revoking a token (§5.3): `POST /oauth/revoke`.
    #[schemars(with = "Option<String>")]
    pub(crate) revoke_token: Option<Spanned<String>>,
}

/// `tls`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "Tls")]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TlsShape {
    /// A file (PEM) with a further certificate authority, relative to this file.
    pub(crate) ca_file: Option<PathBuf>,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "AdminToken")]
#[serde(deny_unknown_fields)]
struct AdminKeys {
    /// The token of the control plane.
    token: ValueSource,
}

impl<'de> Deserialize<'de> for AdminChoice<ValueSource> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        text_or_keys(
            deserializer,
            "`auto`, `none` or `{token: …}`",
            |text| match text {
                "auto" => Ok(Self::Auto),
                "none" => Ok(Self::None),
                _ => Err(&["auto", "none"]),
            },
            |keys: AdminKeys| Ok(Self::Token(keys.token)),
        )
    }
}

impl JsonSchema for AdminChoice<ValueSource> {
    fn schema_name() -> Cow<'static, str> {
        "Admin".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "`auto`: on loopback addresses. `none`: not at all. `{token: …}`: everywhere.",
            "anyOf": [{ "enum": ["auto", "none"] }, generator.subschema_for::<AdminKeys>()],
        })
    }
}
