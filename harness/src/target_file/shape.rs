//! The keys of a target file, as they are parsed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use moot_fixtures::contract::Scope;
use serde::{Deserialize, Deserializer};
use serde_saphyr::Spanned;

use crate::target_file::model::{Consent, FileBindings, FileLimits};
use crate::target_file::operator::OperatorShape;
use crate::target_file::secret::ValueSource;
use crate::target_file::text_or_keys::text_or_keys;

/// The whole file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TargetFileShape {
    #[serde(default)]
    pub(crate) name: Option<String>,
    pub(crate) base_url: Spanned<ValueSource>,
    #[serde(default)]
    pub(crate) applications: ApplicationShapes,
    #[serde(default)]
    pub(crate) bindings: FileBindings,
    #[serde(default)]
    pub(crate) endpoints: EndpointShapes,
    #[serde(default)]
    pub(crate) consent: Vec<Consent>,
    #[serde(default)]
    pub(crate) limits: Option<Spanned<FileLimits>>,
    #[serde(default)]
    pub(crate) tolerate: Vec<Spanned<String>>,
    #[serde(default)]
    pub(crate) expected: Option<PathBuf>,
    #[serde(default)]
    pub(crate) answers: Option<PathBuf>,
    #[serde(default)]
    pub(crate) tls: TlsShape,
    #[serde(default)]
    pub(crate) headers: BTreeMap<String, Spanned<ValueSource>>,
    #[serde(default)]
    pub(crate) admin: AdminShape,
    #[serde(default)]
    pub(crate) operator: Option<OperatorShape>,
    #[serde(default)]
    pub(crate) expired_token: Option<Spanned<ValueSource>>,
    #[serde(default)]
    pub(crate) revoked_token: Option<Spanned<ValueSource>>,
    #[serde(default)]
    pub(crate) ledger: Option<PathBuf>,
}

/// `applications`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct ApplicationShapes {
    pub(crate) main: Option<Spanned<ApplicationShape>>,
    pub(crate) reader: Option<Spanned<ApplicationShape>>,
    pub(crate) writer: Option<Spanned<ApplicationShape>>,
    pub(crate) other_company: Option<Spanned<ApplicationShape>>,
}

/// One application.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApplicationShape {
    pub(crate) client_id: Spanned<ValueSource>,
    pub(crate) client_secret: Spanned<ValueSource>,
    #[serde(default)]
    pub(crate) scopes: Option<Vec<Scope>>,
}

/// `endpoints`: `METHOD /path` each.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct EndpointShapes {
    #[serde(alias = "get_workflow_schema")]
    pub(crate) workflow_schema: Option<Spanned<String>>,
    pub(crate) create_webhook: Option<Spanned<String>>,
    pub(crate) revoke_token: Option<Spanned<String>>,
}

/// `tls`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct TlsShape {
    pub(crate) ca_file: Option<PathBuf>,
}

/// `admin`: `auto`, `none` or `{token: …}`.
#[derive(Debug, Default)]
pub(crate) enum AdminShape {
    #[default]
    Auto,
    None,
    Token(Spanned<ValueSource>),
}

impl<'de> Deserialize<'de> for AdminShape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct AdminKeys {
            token: Spanned<ValueSource>,
        }
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
