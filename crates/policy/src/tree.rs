//! YAML as nodes that know their place.
//!
//! The parser hands numbers over as the numbers it takes them for, which is too late for a reader that wants
//! every digit. So a plain scalar is cut from the source by its span, and only its place is the parser's.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{DuplicateKeyPolicy, Location, MergeKeyPolicy, NonFiniteFloatPolicy, Spanned};

use crate::fault::{Fault, Place};

/// A node of the tree.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// What a node is.
#[derive(Debug)]
pub(crate) enum Value {
    /// Nothing, or a word for it.
    Null,
    /// Text without quotes: a word or a number, as it is written.
    Plain(String),
    /// Text in quotes, or a block of text.
    Quoted(String),
    /// A list.
    List,
    /// A mapping, in the order of the file, repeated keys included.
    Map(Vec<Entry>),
}

/// A key and what it stands for.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) place: Place,
    pub(crate) node: Node,
}

/// Reads one document. A fault here is one of syntax.
pub(crate) fn parse(text: &str) -> Result<Node, Fault> {
    let options = serde_saphyr::options! {
        // All three come through, so that they can be reported with everything else.
        duplicate_keys: DuplicateKeyPolicy::PassThrough,
        merge_keys: MergeKeyPolicy::AsOrdinary,
        non_finite_float_policy: NonFiniteFloatPolicy::AsString,
        reject_unsupported_tags: true,
        with_snippet: false,
    };
    match serde_saphyr::from_str_with_options::<Spanned<Raw>>(text, options) {
        Ok(root) => Ok(root.value.at(&root.referenced, &root.defined, text)),
        Err(error) => Err(syntax_fault(&error, text)),
    }
}

fn syntax_fault(error: &serde_saphyr::Error, text: &str) -> Fault {
    let place = error.location().map_or(Place::START, |location| place_of(&location));
    let message = error.to_string();
    if message.contains("multiple YAML documents") {
        return Fault::new(place, "a policy file is one document: expected nothing after this line".into());
    }
    // The place is shown in front of the message; no need to repeat it behind.
    let tail = format!(" at line {}, column {}", place.line, place.column);
    let message = message.strip_suffix(&tail).unwrap_or(&message);
    let line = text.lines().nth(place.line.saturating_sub(1) as usize).unwrap_or("");
    let indent = &line[..line.len() - line.trim_start().len()];
    match indent.contains('\t') {
        true => Fault::new(place, "this line is indented with a tab; YAML is indented with spaces".into()),
        false => Fault::new(place, format!("this is not YAML: {message}")),
    }
}

fn place_of(location: &Location) -> Place {
    Place { line: location.line().max(1), column: location.column().max(1), width: location.span().len() }
}

/// A node as the parser gives it.
enum Raw {
    Null,
    /// A scalar that the parser takes for a number or a truth value; only its source counts.
    Literal,
    Text(String),
    List,
    Map(Vec<(Spanned<String>, Spanned<Raw>)>),
}

impl Raw {
    /// This node at its place: `used` where the file uses it, `defined` where an alias leads to.
    fn at(self, used: &Location, defined: &Location, text: &str) -> Node {
        let source = source(defined, text);
        let value = match self {
            Raw::Null => Value::Null,
            Raw::Literal => Value::Plain(source.to_owned()),
            Raw::Text(text) if text == source => Value::Plain(text),
            Raw::Text(text) if source.starts_with(['"', '\'']) || text.contains('\n') => Value::Quoted(text),
            // The parser's own words for numbers that are none, such as `.NAN`.
            Raw::Text(_) => Value::Plain(source.to_owned()),
            Raw::List => Value::List,
            Raw::Map(entries) => Value::Map(entries.into_iter().map(|entry| Entry::from_raw(entry, text)).collect()),
        };
        let mut place = place_of(used);
        if matches!(value, Value::Null | Value::List | Value::Map(_)) {
            place.width = 1;
        }
        Node { place, value }
    }
}

impl Entry {
    fn from_raw((key, node): (Spanned<String>, Spanned<Raw>), text: &str) -> Entry {
        let place = place_of(&key.referenced);
        Entry { key: key.value, place, node: node.value.at(&node.referenced, &node.defined, text) }
    }
}

/// The text of a scalar as it is written; empty where the parser has no span of it.
fn source<'a>(location: &Location, text: &'a str) -> &'a str {
    let span = location.span();
    let range = span.byte_offset().zip(span.byte_len()).and_then(|(start, length)| {
        let start = usize::try_from(start).ok()?;
        Some(start..start.checked_add(usize::try_from(length).ok()?)?)
    });
    range.and_then(|range| text.get(range)).unwrap_or("").trim_end()
}

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
        deserializer.deserialize_any(RawVisitor)
    }
}

struct RawVisitor;

impl<'de> Visitor<'de> for RawVisitor {
    type Value = Raw;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }

    fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
        Ok(Raw::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Raw, E> {
        Ok(Raw::Text(text))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Raw, E> {
        Ok(Raw::Literal)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Raw, E> {
        Ok(Raw::Literal)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Raw, E> {
        Ok(Raw::Literal)
    }

    fn visit_i128<E>(self, _: i128) -> Result<Raw, E> {
        Ok(Raw::Literal)
    }

    fn visit_u128<E>(self, _: u128) -> Result<Raw, E> {
        Ok(Raw::Literal)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Raw, E> {
        Ok(Raw::Literal)
    }

    fn visit_bytes<E>(self, _: &[u8]) -> Result<Raw, E> {
        Ok(Raw::Literal)
    }

    fn visit_unit<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_none<E>(self) -> Result<Raw, E> {
        Ok(Raw::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Raw, D::Error> {
        Raw::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Raw, A::Error> {
        // No policy holds a list yet: its items are checked as YAML and let go.
        while items.next_element::<Raw>()?.is_some() {}
        Ok(Raw::List)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Raw, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            entries.push((key, map.next_value()?));
        }
        Ok(Raw::Map(entries))
    }
}
