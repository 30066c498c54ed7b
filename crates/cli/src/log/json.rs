//! Lines of JSON: one object a line, of which a few fields count.
//!
//! The wanted fields are picked out as raw text in one pass; nothing else of the line is kept. So numbers keep all
//! their digits, and a line costs no allocation.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::log::access::Reason;

/// The most fields that are wanted of a line: a bit each in [`Name::slots`].
const MOST: usize = 32;

/// The fields to pick: names, or paths with dots into objects within objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    fields: Vec<String>,
    root: Level,
}

/// Names that are wanted of one object.
#[derive(Clone, Debug, Default)]
struct Level {
    names: Vec<Name>,
}

/// A name, what is wanted of its value, and of the object that its value may be.
#[derive(Clone, Debug)]
struct Name {
    name: String,
    /// The fields that its value is: a bit each.
    slots: u32,
    inner: Level,
}

/// Fields that mean the same: the first that a line has counts. A range of the wanted ones.
#[derive(Clone, Debug)]
pub(crate) struct Group(std::ops::Range<usize>);

impl Wanted {
    /// Wants these fields too. `None` where they would be more than a line is searched for.
    pub(crate) fn add<S: Into<String>>(&mut self, names: impl IntoIterator<Item = S>) -> Option<Group> {
        let start = self.fields.len();
        for name in names {
            let (field, slot) = (name.into(), self.fields.len());
            if slot >= MOST {
                return None;
            }
            // A name with a dot is a path, but a key may hold a dot too.
            self.root.at(&field).slots |= 1 << slot;
            if field.contains('.') {
                self.root.at_path(&field).slots |= 1 << slot;
            }
            self.fields.push(field);
        }
        Some(Group(start..self.fields.len()))
    }

    /// The names of a group, for messages.
    pub(crate) fn names(&self, group: &Group) -> String {
        self.fields[group.0.clone()].join(", ")
    }
}

impl Level {
    fn find(&self, key: &str) -> Option<&Name> {
        self.names.iter().find(|name| name.name == key)
    }

    fn at(&mut self, key: &str) -> &mut Name {
        let index = match self.names.iter().position(|name| name.name == key) {
            Some(index) => index,
            None => {
                self.names.push(Name { name: key.to_owned(), slots: 0, inner: Level::default() });
                self.names.len() - 1
            }
        };
        &mut self.names[index]
    }

    fn at_path(&mut self, path: &str) -> &mut Name {
        match path.split_once('.') {
            Some((head, tail)) => self.at(head).inner.at_path(tail),
            None => self.at(path),
        }
    }
}

/// The wanted fields of a line.
#[derive(Clone, Copy)]
pub(crate) struct JsonLine<'a> {
    found: [Option<&'a RawValue>; MOST],
}

impl<'a> JsonLine<'a> {
    /// Picks the wanted fields.
    pub(crate) fn parse(line: &'a [u8], wanted: &Wanted) -> Result<JsonLine<'a>, Reason> {
        let mut found = [None; MOST];
        let mut reader = serde_json::Deserializer::from_slice(line);
        let pick = Pick { level: &wanted.root, found: &mut found };
        let read = reader.deserialize_map(pick).and_then(|()| reader.end());
        match read {
            Ok(()) => Ok(JsonLine { found }),
            Err(error) => Err(format!("not a JSON object: {error}").into()),
        }
    }

    /// The first field of a group that is there and not null, as text.
    pub(crate) fn text(&self, group: &Group) -> Result<Option<Cow<'a, [u8]>>, Reason> {
        let values = self.found[group.0.clone()].iter().flatten();
        let Some(raw) = values.map(|raw| raw.get()).find(|raw| *raw != "null") else {
            return Ok(None);
        };
        match raw.as_bytes() {
            [b'"', inside @ .., b'"'] if memchr::memchr(b'\\', inside).is_none() => Ok(Some(Cow::Borrowed(inside))),
            [b'"', ..] => match serde_json::from_str::<String>(raw) {
                Ok(text) => Ok(Some(Cow::Owned(text.into_bytes()))),
                Err(_) => Err("a text with an escape that means nothing".into()),
            },
            [b'{' | b'[', ..] => Err("a field that holds an object or a list where a plain value was expected".into()),
            plain => Ok(Some(Cow::Borrowed(plain))),
        }
    }
}

/// Visits an object and keeps what is wanted of it.
struct Pick<'n, 'f, 'a> {
    level: &'n Level,
    found: &'f mut [Option<&'a RawValue>; MOST],
}

impl<'de> Visitor<'de> for Pick<'_, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key_seed(Find(self.level))? {
            let Some(name) = name else {
                map.next_value::<IgnoredAny>()?;
                continue;
            };
            let raw: &'de RawValue = map.next_value()?;
            let mut slots = name.slots;
            while slots != 0 {
                // The last of a key that is given twice, as most readers of JSON do.
                self.found[slots.trailing_zeros() as usize] = Some(raw);
                slots &= slots - 1;
            }
            if !name.inner.names.is_empty() && raw.get().starts_with('{') {
                let mut reader = serde_json::Deserializer::from_str(raw.get());
                let inner = Pick { level: &name.inner, found: self.found };
                reader.deserialize_map(inner).map_err(serde::de::Error::custom)?;
            }
        }
        Ok(())
    }
}

/// Reads a key and finds what is wanted of it.
struct Find<'n>(&'n Level);

impl<'n, 'de> DeserializeSeed<'de> for Find<'n> {
    type Value = Option<&'n Name>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Option<&'n Name>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'n> Visitor<'_> for Find<'n> {
    type Value = Option<&'n Name>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Option<&'n Name>, E> {
        Ok(self.0.find(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pick(line: &str, names: &[&str]) -> Result<Option<String>, Reason> {
        let mut wanted = Wanted::default();
        let _other = wanted.add(["other"]).unwrap();
        let group = wanted.add(names.iter().copied()).unwrap();
        let text = JsonLine::parse(line.as_bytes(), &wanted)?.text(&group)?;
        Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned()))
    }

    #[test]
    fn plain_values_as_text() {
        for (line, expected) in [
            (r#"{"a":"x"}"#, Some("x")),
            (
                r#" { "b" : [1, {"a": 2}], "a" : 1700000000.123456789012345678 } "#,
                Some("1700000000.123456789012345678"),
            ),
            (r#"{"a":true}"#, Some("true")),
            (r#"{"a":null}"#, None),
            (r#"{}"#, None),
            (r#"{"a":"\u00e9\n\"\\"}"#, Some("é\n\"\\")),
            (r#"{"\u0061":"escaped key"}"#, Some("escaped key")),
            (r#"{"a":"first","a":"last"}"#, Some("last")),
            (r#"{"a":""}"#, Some("")),
        ] {
            assert_eq!(pick(line, &["a"]).unwrap().as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn the_first_name_of_a_group_that_is_there() {
        assert_eq!(pick(r#"{"b":"2","a":"1"}"#, &["a", "b"]).unwrap().as_deref(), Some("1"));
        assert_eq!(pick(r#"{"b":"2","a":null}"#, &["a", "b"]).unwrap().as_deref(), Some("2"));
    }

    #[test]
    fn paths_into_objects() {
        let line = r#"{"request":{"remote_ip":"192.0.2.1","tls":{"name":"n"}},"a.b":"whole"}"#;
        assert_eq!(pick(line, &["request.remote_ip"]).unwrap().as_deref(), Some("192.0.2.1"));
        assert_eq!(pick(line, &["request.tls.name"]).unwrap().as_deref(), Some("n"));
        assert_eq!(pick(line, &["request.tls.none"]).unwrap(), None);
        assert_eq!(pick(line, &["request.remote_ip.deeper"]).unwrap(), None);
        assert_eq!(pick(line, &["a.b"]).unwrap().as_deref(), Some("whole"));
        assert!(pick(line, &["request"]).unwrap_err().contains("object"));
    }

    #[test]
    fn what_is_no_object() {
        let deep = "[".repeat(200_000);
        for line in
            ["", "{", "[]", "5", r#"{"a":1}x"#, r#"{"a":1,}"#, r#"{"a":"\x"}"#, r#"{"a":"\ud800"}"#, deep.as_str()]
        {
            assert!(pick(line, &["a"]).is_err(), "{:.20}", line);
        }
        assert!(pick(&format!("{{\"b\":{deep}"), &["a"]).is_err());
    }

    #[test]
    fn no_more_fields_than_fit() {
        assert!(Wanted::default().add((0..33).map(|n| n.to_string())).is_none());
    }
}
