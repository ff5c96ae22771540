//! `deny.toml` allows the licences, sources and versions of all crates that Moot is built from.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

/// The part of `deny.toml` that this test reads. `cargo deny check` reads all of it.
#[derive(Deserialize)]
struct Policy {
    licenses: LicensePolicy,
    bans: BanPolicy,
}

#[derive(Deserialize)]
struct LicensePolicy {
    allow: Vec<String>,
}

#[derive(Deserialize)]
struct BanPolicy {
    skip: Vec<SkippedCrate>,
}

#[derive(Deserialize)]
struct SkippedCrate {
    name: String,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    license: Option<String>,
    source: Option<String>,
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn policy() -> Policy {
    let text = std::fs::read_to_string(root().join("deny.toml")).expect("it is there");
    basic_toml::from_str(&text).unwrap_or_else(|error| panic!("deny.toml: {error}"))
}

/// Every crate that is built on this platform, tests included, with the features of the released binary.
fn packages() -> Vec<Package> {
    let version = Command::new("rustc").arg("-vV").output().expect("rustc runs").stdout;
    let version = String::from_utf8(version).expect("it is text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("a platform");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform"])
        .arg(host)
        .args(["--features", "moot-harness/postgres"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Metadata = serde_json::from_slice(&output.stdout).expect("the documented form");
    metadata.packages
}

#[test]
fn each_licence_is_allowed_and_each_crate_comes_from_the_registry() {
    let allowed: Vec<spdx::Licensee> = policy()
        .licenses
        .allow
        .iter()
        .map(|name| spdx::Licensee::parse(name).unwrap_or_else(|error| panic!("{name}: {error}")))
        .collect();
    let mut wrong = Vec::new();
    let packages = packages();
    assert!(packages.len() > 100, "{} crates", packages.len());
    for Package { name, version, license, source } in packages {
        let Some(source) = source else { continue };
        if source != "registry+https://github.com/rust-lang/crates.io-index" {
            wrong.push(format!("{name} {version} comes from {source}"));
        }
        let license = license.unwrap_or_default();
        let parsed = spdx::Expression::parse_mode(&license, spdx::ParseMode::LAX);
        let is_allowed = parsed.is_ok_and(|expression| {
            expression.evaluate(|needed| allowed.iter().any(|it| it.satisfies(needed)))
        });
        if !is_allowed {
            wrong.push(format!("{name} {version} has the licence `{license}`"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn crates_of_two_versions_are_those_that_the_policy_names() {
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        versions.entry(package.name).or_default().insert(package.version);
    }
    versions.retain(|_, versions| versions.len() > 1);
    let named = policy().bans.skip.into_iter().map(|it| it.name).collect();
    assert_eq!(versions.into_keys().collect::<BTreeSet<_>>(), named, "see `skip` in deny.toml");
}
