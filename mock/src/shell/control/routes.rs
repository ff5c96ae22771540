//! The routes of the control plane, derived from the JSON Schemas of its actions.

use std::sync::LazyLock;

use http::{Method, StatusCode};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::site_action::SiteAction;
use crate::control::ControlAction;
use crate::shell::sandbox::Realm;
use crate::shell::site::Site;

/// The member of an action that names it.
pub(super) const TAG: &str = "action";
/// The member of an action that stands in its path.
pub(super) const PATH_MEMBER: &str = "id";

/// The member of actions that wait for receivers.
pub(super) const WAIT_MEMBER: &str = "wait_seconds";

/// One route, and the action that it carries.
pub(super) struct Route {
    /// The action's name, such as `mint_token`.
    pub(super) name: String,
    /// Whether it is a [`SiteAction`]; otherwise it is a [`ControlAction`].
    pub(super) is_of_site: bool,
    pub(super) method: Method,
    /// Below `/__admin`.
    pub(super) path: String,
    /// One line for people.
    pub(super) title: String,
    /// The status of success.
    pub(super) status: StatusCode,
    /// The media type of its answer.
    pub(super) media_type: String,
    /// Whether its body is not JSON of ours.
    pub(super) takes_any_body: bool,
    /// Whether it is offered to a client that is graded.
    pub(super) is_offered: bool,
    /// JSON Schemas of its members, but for the tag.
    pub(super) members: Map<String, Value>,
    pub(super) required: Vec<String>,
    /// If not empty, exactly one of these members must be there.
    pub(super) one_of: Vec<String>,
}

/// One variant of an action's JSON Schema.
#[derive(Deserialize)]
struct VariantRow {
    #[serde(default)]
    description: String,
    #[serde(rename = "x-route")]
    route: String,
    #[serde(rename = "x-status", default = "ok")]
    status: u16,
    #[serde(rename = "x-media-type", default = "json")]
    media_type: String,
    #[serde(rename = "x-any-body", default)]
    takes_any_body: bool,
    #[serde(rename = "x-offered", default)]
    is_offered: bool,
    properties: Map<String, Value>,
    #[serde(default)]
    required: Vec<String>,
    #[serde(rename = "oneOf", default)]
    one_of: Vec<RequiredRow>,
}

#[derive(Deserialize)]
struct RequiredRow {
    required: Vec<String>,
}

/// Every route.
pub(super) static ROUTES: LazyLock<Vec<Route>> = LazyLock::new(|| {
    let mut all = routes::<SiteAction>(true);
    all.extend(routes::<ControlAction>(false));
    all
});

fn routes<A: JsonSchema>(is_of_site: bool) -> Vec<Route> {
    let settings =
        SchemaSettings::draft2020_12().for_deserialize().with(|all| all.inline_subschemas = true);
    let mut schema = Value::from(settings.into_generator().into_root_schema_for::<A>());
    let variants: Vec<VariantRow> = serde_json::from_value(schema["oneOf"].take())
        .expect("a test reads the route of every action");
    variants.into_iter().map(|variant| Route::new(variant, is_of_site)).collect()
}

impl Route {
    fn new(variant: VariantRow, is_of_site: bool) -> Self {
        let VariantRow { mut properties, mut required, one_of, .. } = variant;
        let tag = properties.shift_remove(TAG).unwrap_or_default();
        required.retain(|name| name != TAG);
        let (method, path) =
            variant.route.split_once(' ').expect("a test reads the method and path of every route");
        Self {
            name: tag["const"].as_str().unwrap_or_default().to_owned(),
            is_of_site,
            method: method.parse().expect("a test reads the method of every route"),
            path: path.to_owned(),
            title: variant.description,
            status: StatusCode::from_u16(variant.status)
                .expect("a test reads the status of every route"),
            media_type: variant.media_type,
            takes_any_body: variant.takes_any_body,
            is_offered: variant.is_offered,
            members: properties,
            required,
            one_of: one_of.into_iter().flat_map(|one| one.required).collect(),
        }
    }

    /// Whether a world has this route. Sandboxes are made and deleted at the root, not in a sandbox. Nobody judges
    /// clients where no judge was given.
    pub(super) fn is_of(&self, site: &Site, realm: &Realm) -> bool {
        match self.path.as_str() {
            "/findings" => site.judge.is_some(),
            "/sandboxes/{id}/findings" => site.judge.is_some() && realm.sandbox.is_none(),
            path => !path.starts_with("/sandboxes") || realm.sandbox.is_none(),
        }
    }

    /// Whether the members stand in the query; those of a `DELETE` may stand in the body too.
    pub(super) fn has_query(&self) -> bool {
        matches!(self.method, Method::GET | Method::DELETE)
    }

    /// Whether the members may stand in the body.
    pub(super) fn has_body(&self) -> bool {
        self.method != Method::GET
    }

    /// The members that do not stand in the path, each with its JSON Schema.
    pub(super) fn own_members(&self) -> impl Iterator<Item = (&str, &Value)> {
        let members = self.members.iter().map(|(name, schema)| (name.as_str(), schema));
        members.filter(|(name, _)| *name != PATH_MEMBER)
    }

    /// The `{id}` of a path, empty if the route has none; `None` where the path is not of this route.
    pub(super) fn id_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (mine, given) = (self.path.split('/'), path.split('/'));
        if mine.clone().count() != given.clone().count() {
            return None;
        }
        let mut id = "";
        for (mine, given) in mine.zip(given) {
            match mine {
                "{id}" if !given.is_empty() => id = given,
                _ if mine == given => {}
                _ => return None,
            }
        }
        Some(id)
    }
}

fn json() -> String {
    "application/json".to_owned()
}

fn ok() -> u16 {
    200
}
