//! `--cost`: the tokens that a line asks for.

use std::str::FromStr;

use crate::log::access::Field;

/// What a line costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cost {
    /// The same for every line; not 0.
    Fixed(u64),
    /// What a field says.
    Field(String),
}

impl Cost {
    /// The field of an access log that a field name stands for.
    pub(crate) fn access_field(&self) -> Option<Field> {
        match self {
            Cost::Fixed(_) => None,
            Cost::Field(name) => Field::named(name),
        }
    }

    /// What the report calls it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Cost::Fixed(tokens) => tokens.to_string(),
            Cost::Field(name) => format!("field:{name}"),
        }
    }
}

impl FromStr for Cost {
    type Err = String;

    fn from_str(text: &str) -> Result<Cost, String> {
        if text.starts_with(|first: char| first.is_ascii_digit() || first == '-' || first == '+') {
            return match whole(text.as_bytes()) {
                Some(0) => Err("a cost of 0 asks for nothing; the least is 1".to_owned()),
                Some(tokens) => Ok(Cost::Fixed(tokens)),
                None => Err("expected a whole number of tokens, 1 or more, or the name of a field".to_owned()),
            };
        }
        match text.strip_prefix("field:").unwrap_or(text) {
            "" => Err("the name of a field is missing".to_owned()),
            name => Ok(Cost::Field(name.to_owned())),
        }
    }
}

/// A whole number below 2^64, in digits alone.
pub(crate) fn whole(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |value, byte| {
        let digit = byte.checked_sub(b'0').filter(|&digit| digit < 10)?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_a_field() {
        assert_eq!("7".parse(), Ok(Cost::Fixed(7)));
        assert_eq!("18446744073709551615".parse(), Ok(Cost::Fixed(u64::MAX)));
        assert_eq!("bytes".parse(), Ok(Cost::Field("bytes".to_owned())));
        assert_eq!("field:7".parse(), Ok(Cost::Field("7".to_owned())));
        for wrong in ["", "0", "00", "-1", "+1", "1.5", "1e3", "18446744073709551616", "7x", "field:"] {
            assert!(wrong.parse::<Cost>().is_err(), "{wrong}");
        }
    }
}
