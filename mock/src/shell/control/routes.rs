//! The routes of the control plane, derived from the JSON Schemas of its actions.

use std::sync::LazyLock;

use http::{Method, StatusCode};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use super::site_action::SiteAction;
use crate::control::ControlAction;
use crate::shell::sandbox::Realm;
use crate::shell::site::Site;

/// The member of an action with its name.
pub(super) const TAG: &str = "action";
/// The member of an action that is part of its path.
pub(super) const PATH_MEMBER: &str = "id";
/// The member of actions that wait for receivers.
pub(super) const WAIT_MEMBER: &str = "wait_seconds";

/// One route, and its action.
pub(super) struct Route {
    /// The action's name, such as `mint_token`.
    pub(super) name: String,
    /// Whether it is a [`SiteAction`]; otherwise it is a [`ControlAction`].
    pub(super) is_of_site: bool,
    pub(super) method: Method,
    /// Below `/__admin`.
    pub(super) path: String,
    /// One line that describes the action.
    pub(super) title: String,
    /// The status of success.
    pub(super) status: StatusCode,
    /// The media type of its response.
    pub(super) media_type: String,
    /// Whether its body may be anything, not only the JSON of an action.
    pub(super) takes_any_body: bool,
    /// Whether a client that is graded may use it.
    pub(super) is_offered: bool,
    /// JSON Schemas of its members, without the tag.
    pub(super) members: Map<String, Value>,
    pub(super) required: Vec<String>,
    /// If not empty, exactly one of these members must be given.
    pub(super) one_of: Vec<String>,
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
    let Value::Array(variants) = schema["oneOf"].take() else { return Vec::new() };
    variants.into_iter().map(|variant| Route::of(variant, is_of_site)).collect()
}

impl Route {
    /// Derives the route of an action from the JSON Schema of its variant.
    fn of(mut variant: Value, is_of_site: bool) -> Self {
        let mut members: Map<String, Value> = match variant["properties"].take() {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let tag = members.shift_remove(TAG).unwrap_or_default();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let required = |schema: &Value| -> Vec<String> {
            schema["required"].as_array().into_iter().flatten().map(text).collect()
        };
        let route = text(&variant["x-route"]);
        let (method, path) =
            route.split_once(' ').expect("a test reads the method and path of every route");
        let status = variant["x-status"].as_u64().unwrap_or(200);
        Self {
            name: text(&tag["const"]),
            is_of_site,
            method: method.parse().expect("a test reads the method of every route"),
            path: path.to_owned(),
            title: text(&variant["description"]),
            status: u16::try_from(status)
                .ok()
                .and_then(|status| StatusCode::from_u16(status).ok())
                .expect("a test reads the status of every route"),
            media_type: variant["x-media-type"].as_str().unwrap_or("application/json").to_owned(),
            takes_any_body: variant["x-any-body"] == true,
            is_offered: variant["x-offered"] == true,
            members,
            required: required(&variant).into_iter().filter(|name| name != TAG).collect(),
            one_of: variant["oneOf"].as_array().into_iter().flatten().flat_map(required).collect(),
        }
    }

    /// Whether the control plane of a world has this route. Sandboxes are managed at the root only. Without a
    /// judge there are no findings.
    pub(super) fn is_of(&self, site: &Site, realm: &Realm) -> bool {
        match self.path.as_str() {
            "/findings" => site.options.judge.is_some(),
            "/sandboxes/{id}/findings" => {
                site.options.judge.is_some() && realm.settings.sandbox.is_none()
            }
            path => !path.starts_with("/sandboxes") || realm.settings.sandbox.is_none(),
        }
    }

    /// Whether the members are in the query; those of a `DELETE` may be in the body too.
    pub(super) fn has_query(&self) -> bool {
        matches!(self.method, Method::GET | Method::DELETE)
    }

    /// Whether the members may be in the body.
    pub(super) fn has_body(&self) -> bool {
        self.method != Method::GET
    }

    /// The members that are not in the path, each with its JSON Schema.
    pub(super) fn own_members(&self) -> impl Iterator<Item = (&str, &Value)> {
        let members = self.members.iter().map(|(name, schema)| (name.as_str(), schema));
        members.filter(|(name, _)| *name != PATH_MEMBER)
    }

    /// The `{id}` of a path, empty if the route has none; `None` if the path does not match.
    pub(super) fn id_of<'p>(&self, path: &'p str) -> Option<&'p str> {
        let Some((before, after)) = self.path.split_once("{id}") else {
            return (self.path == path).then_some("");
        };
        let id = path.strip_prefix(before)?.strip_suffix(after)?;
        (!id.is_empty() && !id.contains('/')).then_some(id)
    }
}
