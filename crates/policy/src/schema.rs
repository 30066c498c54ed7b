//! From nodes to policies: what a policy file may say.
//!
//! Every function here notes what is wrong and goes on, so that one reading finds all faults.

use catraca::{Quota, QuotaError, Rate};

use crate::fault::{Fault, Place};
use crate::key_by::KeyBy;
use crate::policy::{OnDeny, Policy, Storage};
use crate::tree::{Entry, Node, Value};

/// Keys of the file itself.
const FILE_KEYS: [&str; 4] = ["buckets", "storage", "key_by", "on_deny"];
/// Keys of a bucket.
const BUCKET_KEYS: [&str; 5] = ["capacity", "refill_rate", "storage", "key_by", "on_deny"];

/// What a bucket may say for itself and the file for all buckets.
#[derive(Clone, Copy, Default)]
struct Settings {
    storage: Option<Storage>,
    key_by: Option<KeyBy>,
    on_deny: Option<OnDeny>,
}

/// The policies of a file.
pub(crate) fn policies(root: &Node, faults: &mut Vec<Fault>) -> Vec<Policy> {
    let entries = match &root.value {
        Value::Map(entries) => entries,
        Value::Null => {
            faults.push(Fault::new(root.place, "the file is empty: expected `buckets:` with a bucket in it".into()));
            return Vec::new();
        }
        _ => {
            faults.push(Fault::new(root.place, "this is not a policy file: expected `buckets:`".into()));
            return Vec::new();
        }
    };
    check_keys(entries, &FILE_KEYS, "the file", faults);
    let settings = settings(entries, faults);
    match find(entries, "buckets") {
        Some(buckets) => self::buckets(buckets, settings, faults),
        None => {
            faults.push(Fault::new(root.place, "the file names no buckets: expected the key `buckets`".into()));
            Vec::new()
        }
    }
}

fn buckets(entry: &Entry, defaults: Settings, faults: &mut Vec<Fault>) -> Vec<Policy> {
    let entries = match &entry.node.value {
        Value::Map(entries) if !entries.is_empty() => entries,
        Value::Map(_) | Value::Null => {
            let message = "`buckets` is empty: expected the name of a bucket below it, indented".into();
            faults.push(Fault::new(entry.place, message));
            return Vec::new();
        }
        other => {
            let message = format!("`buckets` is {}: expected names of buckets below it, indented", kind(other));
            faults.push(Fault::new(entry.node.place, message));
            return Vec::new();
        }
    };
    check_twice(entries, faults);
    entries.iter().filter_map(|entry| bucket(entry, defaults, faults)).collect()
}

fn bucket(entry: &Entry, defaults: Settings, faults: &mut Vec<Fault>) -> Option<Policy> {
    let name = &entry.key;
    if name.trim().is_empty() || name.chars().any(char::is_control) {
        faults.push(Fault::new(entry.place, "the name of a bucket is a word that can be shown".into()));
    }
    let Value::Map(entries) = &entry.node.value else {
        let message = format!("bucket `{name}` is {}: expected `capacity` and `refill_rate`", kind(&entry.node.value));
        faults.push(Fault::new(entry.place, message));
        return None;
    };
    check_keys(entries, &BUCKET_KEYS, &format!("bucket `{name}`"), faults);
    let own = settings(entries, faults);
    let capacity = required(entry, entries, "capacity", faults);
    let rate = required(entry, entries, "refill_rate", faults);
    let quota = quota(capacity, rate, faults)?;
    Some(Policy {
        name: name.clone(),
        line: entry.place.line,
        quota,
        key_by: own.key_by.or(defaults.key_by).unwrap_or_default(),
        storage: own.storage.or(defaults.storage).unwrap_or_default(),
        on_deny: own.on_deny.or(defaults.on_deny).unwrap_or_default(),
    })
}

fn quota(capacity: Option<&Node>, rate: Option<&Node>, faults: &mut Vec<Fault>) -> Option<Quota> {
    let tokens = capacity.and_then(|node| kept(self::capacity(node), node, faults));
    let refill = rate.and_then(|node| kept(self::refill_rate(node), node, faults));
    let (capacity, rate) = (capacity?, rate?);
    match Quota::new(refill?, tokens?) {
        Ok(quota) => Some(quota),
        Err(error) => {
            let at_fault = match error {
                QuotaError::ZeroCapacity | QuotaError::CapacityTooLarge { .. } => capacity,
                _ => rate,
            };
            faults.push(Fault::new(at_fault.place, error.to_string()));
            None
        }
    }
}

/// A capacity, from its digits.
fn capacity(node: &Node) -> Result<u64, String> {
    let expected = "a whole number of tokens, 1 or more";
    let text = match &node.value {
        Value::Plain(text) => text,
        Value::Quoted(text) => return Err(format!("`\"{text}\"` is text: expected {expected}, without quotes")),
        other => return Err(format!("`capacity` is {}: expected {expected}", kind(other))),
    };
    let is_whole = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    match text.parse() {
        // Octal to some readers of YAML and decimal to others, `010` is left to neither.
        Ok(tokens) if is_whole => Ok(tokens),
        Err(_) if is_whole => Err(format!("`{text}` is too large: expected {expected}, below 2^64")),
        _ => Err(format!("`{text}` is not a capacity: expected {expected}, in digits alone")),
    }
}

/// A rate: a number of tokens per second, or a text with a period of its own.
fn refill_rate(node: &Node) -> Result<Rate, String> {
    let rate = match &node.value {
        Value::Plain(text) if !text.contains('/') && !text.contains(" per ") => format!("{text}/s").parse(),
        Value::Plain(text) | Value::Quoted(text) => text.parse(),
        other => {
            let kind = kind(other);
            return Err(format!("`refill_rate` is {kind}: expected tokens per second, such as 5, 0.5 or 100/min"));
        }
    };
    rate.map_err(|error: catraca::RateParseError| error.to_string())
}

fn settings(entries: &[Entry], faults: &mut Vec<Fault>) -> Settings {
    Settings {
        storage: setting(entries, "storage", storage, faults),
        key_by: setting(entries, "key_by", key_by, faults),
        on_deny: setting(entries, "on_deny", on_deny, faults),
    }
}

fn setting<T>(entries: &[Entry], key: &str, read: fn(&str) -> Result<T, String>, faults: &mut Vec<Fault>) -> Option<T> {
    let entry = find(entries, key)?;
    let value = match &entry.node.value {
        Value::Plain(text) | Value::Quoted(text) => read(text),
        other => Err(format!("`{key}` is {}: expected a word", kind(other))),
    };
    kept(value, &entry.node, faults)
}

fn storage(text: &str) -> Result<Storage, String> {
    let known = Storage::ALL.into_iter().find(|storage| storage.to_string() == text);
    known.ok_or_else(|| format!("`{text}` is not a storage: expected memory or redis"))
}

fn key_by(text: &str) -> Result<KeyBy, String> {
    text.parse().map_err(|error| format!("`{text}` does not tell callers apart: {error}"))
}

fn on_deny(text: &str) -> Result<OnDeny, String> {
    let digits = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    let status = text.parse().ok().filter(|_| digits).and_then(OnDeny::new);
    status.ok_or_else(|| {
        format!("`{text}` is not an answer to a caller: expected an HTTP status from 400 to 599, such as 429")
    })
}

/// The value, or its fault noted at the node.
fn kept<T>(value: Result<T, String>, node: &Node, faults: &mut Vec<Fault>) -> Option<T> {
    value.map_err(|message| faults.push(Fault::new(node.place, message))).ok()
}

fn required<'a>(bucket: &Entry, entries: &'a [Entry], key: &str, faults: &mut Vec<Fault>) -> Option<&'a Node> {
    let entry = find(entries, key);
    if entry.is_none() {
        faults.push(Fault::new(bucket.place, format!("bucket `{}` has no `{key}`", bucket.key)));
    }
    entry.map(|entry| &entry.node)
}

fn find<'a>(entries: &'a [Entry], key: &str) -> Option<&'a Entry> {
    entries.iter().find(|entry| entry.key == key)
}

/// Notes keys that mean nothing here, and keys that are given twice.
fn check_keys(entries: &[Entry], known: &[&str], of: &str, faults: &mut Vec<Fault>) {
    for Entry { key, place, .. } in entries.iter().filter(|entry| !known.contains(&entry.key.as_str())) {
        let message = format!("`{key}` is not a key of {of}: expected {}", known.join(", "));
        let inner = known.contains(&"buckets") && (BUCKET_KEYS.contains(&key.as_str()) || is_bucket(entries, key));
        let hint = if inner { "; is it meant to be indented, below `buckets`?" } else { "" };
        faults.push(Fault::new(*place, format!("{message}{hint}")));
    }
    check_twice(entries, faults);
}

/// Whether a key holds what only buckets hold.
fn is_bucket(entries: &[Entry], key: &str) -> bool {
    let value = find(entries, key).map(|entry| &entry.node.value);
    matches!(value, Some(Value::Map(inner)) if find(inner, "capacity").is_some() || find(inner, "refill_rate").is_some())
}

fn check_twice(entries: &[Entry], faults: &mut Vec<Fault>) {
    let mut first = std::collections::HashMap::<&str, Place>::new();
    for Entry { key, place, .. } in entries {
        if let Some(first) = first.get(key.as_str()) {
            let message = format!("`{key}` is given twice: first at {}:{}", first.line, first.column);
            faults.push(Fault::new(*place, message));
        } else {
            first.insert(key, *place);
        }
    }
}

/// What a value is, in a sentence.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Plain(_) | Value::Quoted(_) => "a single value",
        Value::List => "a list",
        Value::Map(_) => "a mapping",
    }
}
