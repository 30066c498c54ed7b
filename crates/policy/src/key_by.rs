//! What tells callers apart.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// What tells one caller from another.
///
/// As text: `ip`, `ip/64`, `ip/24/56`, `api_token`, `user_id`.
///
/// ```
/// use catraca_policy::{KeyBy, Prefixes};
///
/// let KeyBy::Ip(prefixes) = "ip/64".parse()? else { unreachable!() };
/// assert_eq!(prefixes.of_v6("2001:db8::7".parse()?), "2001:db8::".parse::<std::net::Ipv6Addr>()?);
/// assert_eq!(prefixes.of_v4("192.0.2.7".parse()?), "192.0.2.7".parse::<std::net::Ipv4Addr>()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyBy {
    /// The address, or the network that it is in.
    Ip(Prefixes),
    /// The token that the caller presents.
    ApiToken,
    /// The authenticated user.
    UserId,
}

impl Default for KeyBy {
    fn default() -> KeyBy {
        KeyBy::Ip(Prefixes::WHOLE)
    }
}

impl fmt::Display for KeyBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KeyBy::Ip(prefixes) => write!(f, "ip{prefixes}"),
            KeyBy::ApiToken => f.write_str("api_token"),
            KeyBy::UserId => f.write_str("user_id"),
        }
    }
}

impl FromStr for KeyBy {
    type Err = KeyByError;

    fn from_str(text: &str) -> Result<KeyBy, KeyByError> {
        match text {
            "api_token" => Ok(KeyBy::ApiToken),
            "user_id" => Ok(KeyBy::UserId),
            "ip" => Ok(KeyBy::Ip(Prefixes::WHOLE)),
            _ => match text.strip_prefix("ip/") {
                Some(prefixes) => prefixes.parse().map(KeyBy::Ip),
                None => Err(KeyByError::Unknown),
            },
        }
    }
}

/// How many leading bits of an address tell callers apart.
///
/// As text: one number up to 32 is a prefix of IPv4 and leaves IPv6 whole; one above it is a prefix of IPv6 and
/// leaves IPv4 whole; `24/56` gives both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Prefixes {
    v4: u8,
    v6: u8,
}

impl Prefixes {
    /// Whole addresses.
    pub const WHOLE: Prefixes = Prefixes { v4: 32, v6: 128 };

    /// Prefixes of 1 to 32 bits for IPv4 and 1 to 128 for IPv6; `None` outside of that.
    #[must_use]
    pub fn new(v4: u8, v6: u8) -> Option<Prefixes> {
        ((1..=32).contains(&v4) && (1..=128).contains(&v6)).then_some(Prefixes { v4, v6 })
    }

    /// Bits of an IPv4 address.
    #[must_use]
    pub fn v4(self) -> u8 {
        self.v4
    }

    /// Bits of an IPv6 address.
    #[must_use]
    pub fn v6(self) -> u8 {
        self.v6
    }

    /// The first address of the network that `address` is in.
    #[must_use]
    pub fn of_v4(self, address: Ipv4Addr) -> Ipv4Addr {
        Ipv4Addr::from_bits(address.to_bits() & (u32::MAX << (32 - self.v4)))
    }

    /// The first address of the network that `address` is in.
    #[must_use]
    pub fn of_v6(self, address: Ipv6Addr) -> Ipv6Addr {
        Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << (128 - self.v6)))
    }
}

impl fmt::Display for Prefixes {
    /// What follows `ip`: nothing, `/64` or `/24/56`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.v4, self.v6) {
            (32, 128) => Ok(()),
            (32, v6 @ 33..) => write!(f, "/{v6}"),
            (v4, 128) => write!(f, "/{v4}"),
            (v4, v6) => write!(f, "/{v4}/{v6}"),
        }
    }
}

impl FromStr for Prefixes {
    type Err = KeyByError;

    fn from_str(text: &str) -> Result<Prefixes, KeyByError> {
        let bits = |digits: &str| match digits.bytes().all(|byte| byte.is_ascii_digit()) {
            true => digits.parse::<u8>().map_err(|_| KeyByError::Prefix),
            false => Err(KeyByError::Prefix),
        };
        let (v4, v6) = match text.split_once('/') {
            Some((v4, v6)) => (bits(v4)?, bits(v6)?),
            None => match bits(text)? {
                v4 @ ..=32 => (v4, 128),
                v6 => (32, v6),
            },
        };
        Prefixes::new(v4, v6).ok_or(KeyByError::Prefix)
    }
}

/// Why a text does not say what tells callers apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyByError {
    /// It is none of the words known here.
    Unknown,
    /// It is `ip/` and something that is not a prefix.
    Prefix,
}

impl fmt::Display for KeyByError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            KeyByError::Unknown => "expected ip, ip/64 (or another prefix), api_token or user_id",
            KeyByError::Prefix => {
                "expected after ip/ a prefix: 1 to 32 of IPv4, 33 to 128 of IPv6, or both as in ip/24/56"
            }
        })
    }
}

impl std::error::Error for KeyByError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shown_and_read_back() {
        for text in ["ip", "ip/64", "ip/24", "ip/24/56", "ip/32/24", "ip/33", "api_token", "user_id"] {
            assert_eq!(text.parse::<KeyBy>().map(|by| by.to_string()).as_deref(), Ok(text));
        }
        assert_eq!("ip/32".parse(), Ok(KeyBy::Ip(Prefixes::WHOLE)));
        assert_eq!("ip/128".parse(), Ok(KeyBy::Ip(Prefixes::WHOLE)));
    }

    #[test]
    fn what_is_no_prefix_is_refused() {
        for text in
            ["ip/", "ip/0", "ip/129", "ip/+64", "ip/ 64", "ip/64/24", "ip/0/64", "ip/24/0", "ip/24/64/9", "ip/x"]
        {
            assert_eq!(text.parse::<KeyBy>(), Err(KeyByError::Prefix), "{text}");
        }
        for text in ["", "IP", "ipv6", "token", "user"] {
            assert_eq!(text.parse::<KeyBy>(), Err(KeyByError::Unknown), "{text}");
        }
    }

    #[test]
    fn a_prefix_keeps_its_bits_and_no_more() {
        let both = Prefixes::new(1, 1).unwrap();
        assert_eq!(both.of_v4(Ipv4Addr::new(255, 1, 2, 3)), Ipv4Addr::new(128, 0, 0, 0));
        assert_eq!(both.of_v6(Ipv6Addr::from_bits(u128::MAX)), Ipv6Addr::from_bits(1 << 127));
        assert_eq!(Prefixes::WHOLE.of_v6(Ipv6Addr::from_bits(7)), Ipv6Addr::from_bits(7));
    }
}
