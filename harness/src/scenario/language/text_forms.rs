//! Forms of texts that a regular expression describes.

use std::sync::LazyLock;

use moot_fixtures::yaml::YamlNode;
use regex::Regex;
use serde_json::{Value, json};

use super::form::{SchemaDefinitions, YamlForm};
use super::reader::ScenarioReader;

/// Declares forms: a name, the regular expression, and the remedy if a text does not match it. Such a
/// form reads a text with names, or one without.
macro_rules! text_forms {
    ($($(#[$doc:meta])* $name:ident: $pattern:literal, $help:literal;)*) => { $(
        $(#[$doc])*
        pub(in crate::scenario) struct $name;

        impl<T: YamlForm<T>> YamlForm<T> for $name {
            fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<T> {
                static PATTERN: LazyLock<Regex> =
                    LazyLock::new(|| Regex::new($pattern).expect("the pattern is sound"));
                let text = reader.plain(node, what)?;
                if PATTERN.is_match(text) {
                    return T::read(reader, node, what);
                }
                let message = format!("{what} cannot be `{text}`");
                reader.refuse_with(node.span, message, Some($help.to_owned()))
            }

            fn schema(_: &mut SchemaDefinitions) -> Value {
                json!({ "type": "string", "pattern": $pattern })
            }
        }
    )* };
}

text_forms! {
    /// A clause of the specification. Without quotes, `4.10` would be the number 4.1.
    ClauseNumber: r"^[0-9]+(\.[0-9]+)*$", "write the number of a clause, such as \"4.6\"";
    /// The id of a scenario.
    Slug: "^[a-z0-9]+(-[a-z0-9]+)*$", "an id has lower case letters, digits and single hyphens";
    /// The id of a requirement of your own.
    OwnId: r"^[a-z0-9]+(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$",
        "an id is a prefix, a dot and a slug, such as `acme.names-are-short`";
    /// A JSON Pointer (RFC 6901) below the root.
    JsonPointer: "^(/([^~/<]|~[01])*)+$", "write a JSON Pointer, such as `/data/attributes/status`";
    /// A call of the control plane.
    AdminCall: "^(GET|POST|PUT|DELETE) /",
        "write `METHOD /path` below `/__admin`: `POST /clock`";
    /// The clock of a sandbox. `validate` checks the time.
    Clock: "^(real|frozen(:.+)?)$", "there are real, frozen, frozen:TIME";
    /// The rate limit of a sandbox.
    RateLimit: "^(enforce|observe|off)$", "there are enforce, observe, off";
    /// The progression of a sandbox.
    Progression: "^(manual|immediate|(timed|on-read)(:0*[1-9][0-9]{0,8})?)$",
        "there are manual, timed, timed:SECONDS, on-read, on-read:N, immediate";
}
