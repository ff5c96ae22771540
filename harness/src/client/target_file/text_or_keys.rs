//! Values of a YAML file that are a word or a mapping.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};

/// Reads a word with `text`, or a mapping with `keys`. `expected` describes the value in messages. The error of `text`
/// is the list of the known words, the error of `keys` a message.
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
