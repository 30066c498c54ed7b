//! From a line to what is decided: a time, a caller, a cost.

use std::borrow::Cow;

use crate::log::access::{AccessLine, FIELDS, Field, Reason};
use crate::log::json::{Group, JsonLine, Wanted};
use crate::log::moment::Moment;
use crate::log::stamp::{self, TimeUnit};
use crate::replay::cost::{self, Cost};
use crate::replay::key::{Found, Key};

/// The form of a log's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Format {
    /// Each line as it looks: JSON if it starts with a brace.
    #[default]
    Auto,
    /// Access log, up to the size; more may follow.
    Common,
    /// Access log with referer and agent.
    Combined,
    /// One JSON object a line.
    Json,
}

/// Names of JSON fields, in the order in which they are looked for.
#[derive(Clone, Debug)]
pub(crate) struct JsonNames {
    pub(crate) time: Vec<String>,
    pub(crate) ip: Vec<String>,
    pub(crate) user: Vec<String>,
    pub(crate) token: Vec<String>,
}

/// Reads lines.
pub(crate) struct Extractor {
    format: Format,
    unit: TimeUnit,
    key: Key,
    cost: Cost,
    key_field: Option<Field>,
    cost_field: Option<Field>,
    wanted: Wanted,
    groups: Groups,
    /// Lines that had no user or token, whose caller is the address instead.
    pub(crate) by_address: u64,
    /// Lines that had nothing to tell callers apart.
    pub(crate) without_key: u64,
}

/// Where the wanted fields of a JSON line are.
struct Groups {
    time: Group,
    ip: Group,
    /// The field that the key names, a user or a token.
    key: Group,
    cost: Group,
}

impl Extractor {
    pub(crate) fn new(
        format: Format,
        unit: TimeUnit,
        key: Key,
        cost: Cost,
        json: JsonNames,
    ) -> Result<Extractor, String> {
        let (key_field, cost_field) = (key.access_field(), cost.access_field());
        let unknown = |option, name: &str| {
            let known: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
            let known = known.join(", ");
            let constant = if option == "--key" { "; one bucket for all is const:NAME" } else { "" };
            Err(format!("{option} {name}: an access log has no such field, only {known}{constant}"))
        };
        if matches!(format, Format::Common | Format::Combined) {
            match (&key, key_field, &cost, cost_field) {
                (Key::Field(name), None, ..) => return unknown("--key", name),
                (_, _, Cost::Field(name), None) => return unknown("--cost", name),
                _ => {}
            }
        }
        let mut wanted = Wanted::default();
        let groups = Groups::new(&key, &cost, json, &mut wanted).ok_or("too many names of JSON fields")?;
        let (by_address, without_key) = (0, 0);
        Ok(Extractor { format, unit, key, cost, key_field, cost_field, wanted, groups, by_address, without_key })
    }

    /// What a line asks for: when, and how much. Its caller is appended to `caller`, of which nothing counts on an
    /// error.
    pub(crate) fn extract(&mut self, line: &[u8], caller: &mut Vec<u8>) -> Result<(Moment, u64), Reason> {
        let is_json = match self.format {
            Format::Json => true,
            Format::Auto => line.trim_ascii_start().starts_with(b"{"),
            Format::Common | Format::Combined => false,
        };
        let (moment, cost, found) = if is_json { self.json(line, caller)? } else { self.access(line, caller)? };
        self.by_address += u64::from(found == Found::Address);
        self.without_key += u64::from(found == Found::Nothing);
        Ok((moment, cost))
    }

    fn access(&self, line: &[u8], caller: &mut Vec<u8>) -> Result<(Moment, u64, Found), Reason> {
        let line = AccessLine::parse(line, self.format == Format::Combined)?;
        let named = match (&self.key, self.key_field) {
            (Key::User, _) => line.field(Field::User),
            (Key::Field(_), Some(field)) => line.field(field),
            (Key::Field(name), None) => return Err(no_such_field(name)),
            _ => None,
        };
        let cost = match (&self.cost, self.cost_field) {
            (Cost::Fixed(tokens), _) => *tokens,
            // A dash for the size says that nothing was sent.
            (Cost::Field(name), Some(field)) => line.field(field).map_or(Ok(0), |text| tokens(name, text))?,
            (Cost::Field(name), None) => return Err(no_such_field(name)),
        };
        let found = self.key.push_caller(named, || Ok(Cow::Borrowed(line.client)), caller)?;
        Ok((line.moment, cost, found))
    }

    fn json(&self, line: &[u8], caller: &mut Vec<u8>) -> Result<(Moment, u64, Found), Reason> {
        let line = JsonLine::parse(line, &self.wanted)?;
        let missing = |what: &str, group: &Group| format!("no {what}: looked for {}", self.wanted.names(group));
        let time = line.text(&self.groups.time)?.ok_or_else(|| missing("time", &self.groups.time))?;
        let moment = stamp::any(&time, self.unit)
            .ok_or("a time that is neither RFC 3339 nor an epoch number up to the year 9999 (see --time-unit)")?;
        let cost = match &self.cost {
            Cost::Fixed(tokens) => *tokens,
            Cost::Field(name) => {
                let text = line.text(&self.groups.cost)?.ok_or_else(|| missing("cost", &self.groups.cost))?;
                tokens(name, &text)?
            }
        };
        let named = line.text(&self.groups.key)?;
        let address = || line.text(&self.groups.ip)?.ok_or_else(|| missing("address", &self.groups.ip).into());
        let found = self.key.push_caller(named.as_deref(), address, caller)?;
        Ok((moment, cost, found))
    }
}

impl Groups {
    /// Only fields that are needed are looked for.
    fn new(key: &Key, cost: &Cost, json: JsonNames, wanted: &mut Wanted) -> Option<Groups> {
        let needs_address = matches!(key, Key::Ip(_) | Key::User | Key::Token);
        let key = match key {
            Key::User => json.user,
            Key::Token => json.token,
            Key::Field(name) => vec![name.clone()],
            Key::Ip(_) | Key::Constant(_) => Vec::new(),
        };
        let cost = match cost {
            Cost::Fixed(_) => Vec::new(),
            Cost::Field(name) => vec![name.clone()],
        };
        Some(Groups {
            time: wanted.add(json.time)?,
            ip: wanted.add(if needs_address { json.ip } else { Vec::new() })?,
            key: wanted.add(key)?,
            cost: wanted.add(cost)?,
        })
    }
}

fn no_such_field(name: &str) -> Reason {
    format!("an access log has no field `{name}` (one bucket for all is const:{name})").into()
}

fn tokens(name: &str, text: &[u8]) -> Result<u64, Reason> {
    cost::whole(text).ok_or_else(|| format!("field `{name}` is not a whole number of tokens").into())
}
