//! Lines of JSON: one object a line, of which a few fields count.
//!
//! The wanted fields are picked out as raw text in one pass; nothing else of the line is kept. So numbers keep all
//! their digits, and a line costs no allocation.

use std::borrow::Cow;
use std::fmt;

use serde::Deserializer as _;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::log::access::Reason;

/// The most fields that are wanted of a line.
const MOST: usize = 32;

/// The fields to pick: names, or paths with dots into objects within objects.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wanted {
    names: Vec<Name>,
}

#[derive(Clone, Debug)]
struct Name {
    whole: String,
    /// Length of what stands before the first dot, if there is one.
    head: Option<usize>,
}

/// Fields that mean the same: the first that a line has counts. A range of the wanted ones.
#[derive(Clone, Debug)]
pub(crate) struct Group(std::ops::Range<usize>);

impl Wanted {
    /// Wants these fields too. `None` where they would be more than a line is searched for.
    pub(crate) fn add<S: Into<String>>(&mut self, names: impl IntoIterator<Item = S>) -> Option<Group> {
        let start = self.names.len();
        for name in names {
            let whole: String = name.into();
            let head = whole.find('.');
            self.names.push(Name { whole, head });
        }
        (self.names.len() <= MOST).then_some(Group(start..self.names.len()))
    }

    /// The names of a group, for messages.
    pub(crate) fn names(&self, group: &Group) -> String {
        let names: Vec<&str> = self.names[group.0.clone()].iter().map(|name| name.whole.as_str()).collect();
        names.join(", ")
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
        let read = reader.deserialize_map(Pick { names: &wanted.names, found: &mut found }).and_then(|()| reader.end());
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

/// Visits an object and keeps what is wanted.
struct Pick<'n, 'f, 'a> {
    names: &'n [Name],
    found: &'f mut [Option<&'a RawValue>; MOST],
}

impl<'n, 'de> Visitor<'de> for Pick<'n, '_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(matches) = map.next_key_seed(Match { names: self.names })? {
            if matches.is_none() {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let raw: &'de RawValue = map.next_value()?;
            for (index, name) in self.names.iter().enumerate() {
                if matches.whole & (1 << index) != 0 {
                    self.found[index] = Some(raw); // the last of a key that is given twice, as readers of JSON do
                } else if let (Some(head), true) = (name.head, matches.head & (1 << index) != 0) {
                    let inner = descend(raw, &name.whole[head + 1..]).map_err(A::Error::custom)?;
                    self.found[index] = inner.or(self.found[index]);
                }
            }
        }
        Ok(())
    }
}

/// The value at the end of a path, if `raw` is an object that has it.
fn descend<'a>(raw: &'a RawValue, path: &str) -> Result<Option<&'a RawValue>, serde_json::Error> {
    if !raw.get().starts_with('{') {
        return Ok(None);
    }
    let name = Name { whole: path.to_owned(), head: path.find('.') };
    let mut found = [None; MOST];
    let mut reader = serde_json::Deserializer::from_str(raw.get());
    reader.deserialize_map(Pick { names: &[name], found: &mut found })?;
    Ok(found[0])
}

/// Which of the wanted names a key is, and of which it is the head: a bit each.
#[derive(Clone, Copy)]
struct Matches {
    whole: u32,
    head: u32,
}

impl Matches {
    fn is_none(self) -> bool {
        self.whole | self.head == 0
    }
}

struct Match<'n> {
    names: &'n [Name],
}

impl<'de> DeserializeSeed<'de> for Match<'_> {
    type Value = Matches;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Matches, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Match<'_> {
    type Value = Matches;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Matches, E> {
        let mut matches = Matches { whole: 0, head: 0 };
        for (index, name) in self.names.iter().enumerate() {
            matches.whole |= u32::from(name.whole == key) << index;
            matches.head |= u32::from(name.head.is_some_and(|head| name.whole[..head] == *key)) << index;
        }
        Ok(matches)
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
