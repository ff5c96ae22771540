//! The destination of a call by its path: a world, a control plane, or nothing.

use std::sync::Arc;

use http::Method;
use http::request::Parts;

use crate::shell::sandbox::Realm;
use crate::shell::site::Site;

/// Prefix of a control plane, below a base path.
const ADMIN: &str = "/__admin";
/// The health check, at the root and below the base path.
const HEALTH: &str = "/health";
/// Prefix of sandboxes, below the base path.
const SANDBOXES: &str = "/sandboxes/";

/// Destination of a path.
pub(super) enum Destination<'p> {
    Service {
        realm: Arc<Realm>,
        path: &'p str,
    },
    Admin {
        realm: Arc<Realm>,
        path: &'p str,
    },
    /// A sandbox that does not exist.
    NoSandbox {
        why: String,
    },
    /// Not below the base path.
    Outside,
}

pub(super) fn destination<'p>(site: &Site, path: &'p str) -> Destination<'p> {
    let Some(path) = below(path, &site.base_path) else { return Destination::Outside };
    if let Some(rest) = path.strip_prefix(SANDBOXES) {
        let (id, _) = rest.split_once('/').unwrap_or((rest, ""));
        site.delete_expired_sandboxes();
        if let Some(realm) = site.sandboxes.get(id) {
            return in_realm(realm, &rest[id.len()..]);
        }
        return Destination::NoSandbox { why: site.sandboxes.absence(id) };
    }
    in_realm(site.main.clone(), path)
}

/// Whether a path is one of a control plane, whatever is before it.
pub(super) fn is_admin(path: &str) -> bool {
    path.split('/').any(|segment| Some(segment) == ADMIN.strip_prefix('/'))
}

/// Whether it is a health check, as container runtimes send them. The response has no other information, so
/// the call needs no token, and neither limiter nor journal counts it.
pub(super) fn is_health_check(site: &Site, parts: &Parts) -> bool {
    let path = parts.uri.path();
    let is_path = path == HEALTH || below(path, &site.base_path) == Some(HEALTH);
    is_path && matches!(parts.method, Method::GET | Method::HEAD)
}

fn in_realm(realm: Arc<Realm>, path: &str) -> Destination<'_> {
    match below(path, ADMIN) {
        Some(path) => Destination::Admin { realm, path },
        None => Destination::Service { realm, path },
    }
}

/// The path after `prefix`, if `prefix` ends at the end of a segment.
fn below<'p>(path: &'p str, prefix: &str) -> Option<&'p str> {
    path.strip_prefix(prefix).filter(|rest| rest.is_empty() || rest.starts_with('/'))
}
