//! `--key`: what tells callers apart, where the policy's own word is not wanted.

use std::borrow::Cow;
use std::str::FromStr;

use catraca_policy::{KeyBy, Prefixes};

use crate::log::access::{Field, Reason};
use crate::replay::caller::{self, Origin};

/// What tells one caller of a log from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    /// The address, or its network.
    Ip(Prefixes),
    /// The authenticated user; the address of one who is not.
    User,
    /// The token; the address where a line has none.
    Token,
    /// A field of the log.
    Field(String),
    /// Nothing: all lines share one bucket of this name.
    Constant(String),
}

/// What a line had to tell its caller by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// What was looked for.
    Key,
    /// Its address, in place of that.
    Address,
    /// Nothing.
    Nothing,
}

impl Key {
    /// What the prefixes of addresses are, where addresses are shown.
    pub(crate) fn prefixes(&self) -> Prefixes {
        match self {
            Key::Ip(prefixes) => *prefixes,
            _ => Prefixes::WHOLE,
        }
    }

    /// The field of an access log that a field name stands for.
    pub(crate) fn access_field(&self) -> Option<Field> {
        match self {
            Key::Field(name) => Field::named(name),
            _ => None,
        }
    }

    /// Appends the caller of a line: what the line has where this key looks, or its address.
    pub(crate) fn push_caller<'a>(
        &self,
        named: Option<&[u8]>,
        address: impl FnOnce() -> Result<Cow<'a, [u8]>, Reason>,
        caller: &mut Vec<u8>,
    ) -> Result<Found, Reason> {
        let named = named.filter(|text| !text.is_empty() && *text != b"-");
        match (self, named) {
            (Key::Constant(name), _) => caller::push_text(caller, Origin::Constant, name.as_bytes()),
            (Key::Field(_), Some(text)) => caller::push_text(caller, Origin::Field, text),
            (Key::User, Some(text)) => caller::push_text(caller, Origin::User, text),
            (Key::Token, Some(text)) => caller::push_text(caller, Origin::Token, text),
            (Key::Ip(prefixes), _) => caller::push_client(caller, &address()?, *prefixes),
            (Key::Field(_), None) => {
                caller::push_absent(caller);
                return Ok(Found::Nothing);
            }
            (Key::User | Key::Token, None) => {
                caller::push_client(caller, &address()?, self.prefixes());
                return Ok(Found::Address);
            }
        }
        Ok(Found::Key)
    }

    /// What the report calls it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Key::Ip(prefixes) => format!("ip{prefixes}"),
            Key::User => "user_id, else ip".to_owned(),
            Key::Token => "api_token, else ip".to_owned(),
            Key::Field(name) => format!("field:{name}"),
            Key::Constant(name) => format!("const:{name}"),
        }
    }
}

impl From<KeyBy> for Key {
    fn from(key_by: KeyBy) -> Key {
        match key_by {
            KeyBy::Ip(prefixes) => Key::Ip(prefixes),
            KeyBy::UserId => Key::User,
            KeyBy::ApiToken => Key::Token,
            // A kind of key that is new to this program is limited by what every log has.
            _ => Key::Ip(Prefixes::WHOLE),
        }
    }
}

impl FromStr for Key {
    type Err = String;

    fn from_str(text: &str) -> Result<Key, String> {
        if let Some(name) = text.strip_prefix("const:") {
            return Ok(Key::Constant(name.to_owned()));
        }
        if let Some(name) = text.strip_prefix("field:") {
            return named(name);
        }
        if text == "ip" || text.starts_with("ip/") {
            let key_by: KeyBy = text.parse().map_err(|error: catraca_policy::KeyByError| error.to_string())?;
            return Ok(key_by.into());
        }
        match text {
            "user_id" => Ok(Key::User),
            "api_token" => Ok(Key::Token),
            name => named(name),
        }
    }
}

fn named(name: &str) -> Result<Key, String> {
    if name.is_empty() { Err("the name of a field is missing".to_owned()) } else { Ok(Key::Field(name.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_means_one_thing() {
        let field = |name: &str| Key::Field(name.to_owned());
        for (text, key) in [
            ("ip", Key::Ip(Prefixes::WHOLE)),
            ("ip/64", Key::Ip(Prefixes::new(32, 64).unwrap())),
            ("ip/24", Key::Ip(Prefixes::new(24, 128).unwrap())),
            ("ip/24/56", Key::Ip(Prefixes::new(24, 56).unwrap())),
            ("user", field("user")),
            ("user_id", Key::User),
            ("api_token", Key::Token),
            ("field:ip", field("ip")),
            ("tenant.id", field("tenant.id")),
            ("const:all", Key::Constant("all".to_owned())),
            ("const:", Key::Constant(String::new())),
        ] {
            assert_eq!(text.parse(), Ok(key), "{text}");
        }
        for text in ["", "field:", "ip/", "ip/0", "ip/129", "ip/x"] {
            assert!(text.parse::<Key>().is_err(), "{text}");
        }
    }
}
