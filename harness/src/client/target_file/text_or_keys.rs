//! Values of a YAML file that are a word, or keys with their values.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};

/// Reads a word with `text`, or keys with `keys`. `expected` says what belongs there. `text` gives the known
/// words instead of a value where it does not know the word, `keys` says what is wrong.
pub(super) fn text_or_keys<'de, D: Deserializer<'de>, K: Deserialize<'de>, T>(
    deserializer: D,
    expected: &'static str,
    text: fn(&str) -> Result<T, &'static [&'static str]>,
    keys: fn(K) -> Result<T, &'static str>,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(TextOrKeys { expected, text, keys, read: PhantomData })
}

struct TextOrKeys<K, T> {
    expected: &'static str,
    text: fn(&str) -> Result<T, &'static [&'static str]>,
    keys: fn(K) -> Result<T, &'static str>,
    read: PhantomData<K>,
}

impl<'de, K: Deserialize<'de>, T> Visitor<'de> for TextOrKeys<K, T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.expected)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        (self.text)(text).map_err(|known| E::unknown_variant(text, known))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        let keys = K::deserialize(MapAccessDeserializer::new(map))?;
        (self.keys)(keys).map_err(de::Error::custom)
    }
}
