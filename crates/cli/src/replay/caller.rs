//! Callers as short byte strings: what the table and the ledger tell apart.
//!
//! The first byte says where a caller comes from, so that a user whose name is `192.0.2.7` is not the address. What
//! follows is bounded: of a very long text the start is kept, and a digest of all of it.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use catraca_policy::Prefixes;

use crate::log::address;

/// Where a caller comes from. The values are part of the byte string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Origin {
    Host = b'h',
    User = b'u',
    Token = b't',
    Field = b'f',
    Constant = b'c',
}

const V4: u8 = b'4';
const V6: u8 = b'6';
/// A line without what tells callers apart.
const ABSENT: u8 = b'-';
/// Set in the first byte of a text that was shortened.
const SHORTENED: u8 = 0x80;

/// The longest text that is kept whole.
const LONGEST: usize = 256;
/// What is kept of a longer one.
const KEPT: usize = 200;

/// Appends the caller that a client field names: its network if it is an address, a host name as it stands.
pub(crate) fn push_client(out: &mut Vec<u8>, client: &[u8], prefixes: Prefixes) {
    match address::parse(client) {
        Some(IpAddr::V4(address)) => {
            out.push(V4);
            out.extend_from_slice(&prefixes.of_v4(address).octets());
        }
        Some(IpAddr::V6(address)) => {
            out.push(V6);
            out.extend_from_slice(&prefixes.of_v6(address).octets());
        }
        None => push_text(out, Origin::Host, client),
    }
}

/// Appends a caller that is a text.
pub(crate) fn push_text(out: &mut Vec<u8>, origin: Origin, text: &[u8]) {
    if text.len() <= LONGEST {
        out.push(origin as u8);
        out.extend_from_slice(text);
        return;
    }
    out.push(origin as u8 | SHORTENED);
    out.extend_from_slice(&text[..KEPT]);
    for half in 0..2 {
        let digest = ahash::RandomState::with_seeds(half, 0x6361, 0x7472, 0x6163).hash_one(text);
        out.extend_from_slice(&digest.to_be_bytes());
    }
}

/// Appends the caller of lines that do not say who called.
pub(crate) fn push_absent(out: &mut Vec<u8>) {
    out.push(ABSENT);
}

/// A caller as text. Bytes that are not UTF-8 become `\xNN`; everything else stands as it does in the log.
pub(crate) fn show(caller: &[u8], prefixes: Prefixes) -> Cow<'_, str> {
    match caller {
        [V4, octets @ ..] => match <[u8; 4]>::try_from(octets) {
            Ok(octets) => Cow::Owned(network(Ipv4Addr::from(octets), prefixes.v4(), 32)),
            Err(_) => Cow::Borrowed(""),
        },
        [V6, octets @ ..] => match <[u8; 16]>::try_from(octets) {
            Ok(octets) => Cow::Owned(network(Ipv6Addr::from(octets), prefixes.v6(), 128)),
            Err(_) => Cow::Borrowed(""),
        },
        [ABSENT] | [] => Cow::Borrowed("-"),
        [first, text @ ..] if first & SHORTENED != 0 => {
            let (text, digest) = text.split_at(KEPT.min(text.len()));
            let mut shown = lossless(text).into_owned();
            shown.push_str("...#");
            for byte in digest {
                let _ = write!(shown, "{byte:02x}"); // to a string: cannot fail
            }
            Cow::Owned(shown)
        }
        [_, text @ ..] => lossless(text),
    }
}

fn network(address: impl std::fmt::Display, bits: u8, all: u8) -> String {
    if bits == all { address.to_string() } else { format!("{address}/{bits}") }
}

/// Text with `\xNN` for what is no UTF-8.
fn lossless(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        shown.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(shown, "\\x{byte:02x}"); // to a string: cannot fail
        }
    }
    Cow::Owned(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(text: &str, prefixes: Prefixes) -> (Vec<u8>, String) {
        let mut out = Vec::new();
        push_client(&mut out, text.as_bytes(), prefixes);
        let shown = show(&out, prefixes).into_owned();
        (out, shown)
    }

    #[test]
    fn one_caller_for_each_address_and_network() {
        let whole = Prefixes::WHOLE;
        assert_eq!(client("::ffff:192.0.2.7", whole), client("192.0.2.7", whole));
        assert_eq!(client("2001:DB8::0:1", whole).1, "2001:db8::1");
        assert_eq!(client("Host.Example", whole).1, "Host.Example");
        let both = Prefixes::new(24, 64).unwrap();
        assert_eq!(client("2001:db8::1", both), client("2001:db8::ffff", both));
        assert_ne!(client("2001:db8:0:1::1", both).0, client("2001:db8:0:2::1", both).0);
        assert_eq!(client("2001:db8::1", both).1, "2001:db8::/64");
        assert_eq!(client("192.0.2.7", both).1, "192.0.2.0/24");
    }

    #[test]
    fn callers_of_different_origin_never_meet() {
        let text = |origin, text: &[u8]| {
            let mut out = Vec::new();
            push_text(&mut out, origin, text);
            out
        };
        let mut absent = Vec::new();
        push_absent(&mut absent);
        let all = [
            client("192.0.2.7", Prefixes::WHOLE).0,
            text(Origin::User, b"192.0.2.7"),
            text(Origin::Token, b"192.0.2.7"),
            text(Origin::Host, b"192.0.2.7"),
            text(Origin::Constant, b"192.0.2.7"),
            text(Origin::Field, b"192.0.2.7"),
            text(Origin::Field, b""),
            absent,
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(all[..index].iter().all(|other| other != one), "{one:?}");
        }
    }

    #[test]
    fn a_long_text_is_bounded_and_still_told_apart() {
        let shown = |text: &[u8]| {
            let mut out = Vec::new();
            push_text(&mut out, Origin::Field, text);
            assert!(out.len() <= 1 + LONGEST);
            show(&out, Prefixes::WHOLE).into_owned()
        };
        let (long, other) = ([b'x'; 1000], [&[b'x'; 999][..], b"y"].concat());
        assert_ne!(shown(&long), shown(&other));
        assert_eq!(shown(&long), shown(&long));
        assert_eq!(shown(&[b'x'; LONGEST]), "x".repeat(LONGEST));
    }

    #[test]
    fn bytes_that_are_no_text_are_shown() {
        let mut out = Vec::new();
        push_text(&mut out, Origin::User, b"a\xff\xc3\xa9");
        assert_eq!(show(&out, Prefixes::WHOLE), "a\\xffé");
    }
}
