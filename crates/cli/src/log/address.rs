//! Addresses as logs write them, in the one form that counts: an IPv4-mapped address is its IPv4 address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The address that a text is, with or without brackets and a port; `None` for a host name.
pub(crate) fn parse(text: &[u8]) -> Option<IpAddr> {
    if let Some(address) = v4(text) {
        return Some(IpAddr::V4(address));
    }
    if let Some(inside) = text.strip_prefix(b"[") {
        let close = memchr::memchr(b']', inside)?;
        let (inside, rest) = (&inside[..close], &inside[close + 1..]);
        return v6(inside).filter(|_| rest.is_empty() || rest.strip_prefix(b":").is_some_and(is_port));
    }
    let colon = memchr::memchr(b':', text)?;
    match v4(&text[..colon]) {
        Some(address) => Some(IpAddr::V4(address)).filter(|_| is_port(&text[colon + 1..])),
        None => v6(text),
    }
}

/// Four numbers without leading zeros, which some read as octal.
fn v4(text: &[u8]) -> Option<Ipv4Addr> {
    let (mut bits, mut part, mut digits, mut dots) = (0_u32, 0_u32, 0, 0);
    for &byte in text {
        match byte {
            b'0'..=b'9' if digits == 0 || part > 0 => {
                part = part * 10 + u32::from(byte - b'0');
                digits += 1;
                if part > 255 {
                    return None;
                }
            }
            b'.' if digits > 0 && dots < 3 => {
                bits = bits << 8 | part;
                (part, digits, dots) = (0, 0, dots + 1);
            }
            _ => return None,
        }
    }
    (dots == 3 && digits > 0).then(|| Ipv4Addr::from_bits(bits << 8 | part))
}

fn v6(text: &[u8]) -> Option<IpAddr> {
    let address: Ipv6Addr = std::str::from_utf8(text).ok()?.parse().ok()?;
    Some(address.to_canonical())
}

fn is_port(text: &[u8]) -> bool {
    (1..=5).contains(&text.len()) && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_for_each_address() {
        for (text, address) in [
            ("192.0.2.7", "192.0.2.7"),
            ("0.0.0.0", "0.0.0.0"),
            ("203.0.113.9:4711", "203.0.113.9"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("::ffff:c000:201", "192.0.2.1"),
            ("[::ffff:192.0.2.1]:80", "192.0.2.1"),
            ("[2001:db8::1]:80", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("2001:DB8:0:0::1", "2001:db8::1"),
            ("2001:db8:85a3:8d3:1319:8a2e:370:9c82", "2001:db8:85a3:8d3:1319:8a2e:370:9c82"),
        ] {
            assert_eq!(parse(text.as_bytes()), Some(address.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn what_is_a_name() {
        for text in [
            "",
            "-",
            "host.example",
            "1.2.3",
            "1.2.3.4.5",
            "1.2.3.256",
            "1.2.3.04",
            "1..2.3",
            "1.2.3.",
            "1.2.3.4:",
            "1.2.3.4:x",
            "[::1",
            "[::1]x",
            "[::1]:",
            "fe80::1%eth0",
            "host:80",
            "unknown",
            ":",
            "::ffff:1.2.3.4:80:",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn quick_reading_agrees_with_the_library() {
        for a in [0, 1, 9, 10, 99, 100, 199, 255, 256, 999, 1000] {
            for text in [format!("{a}.1.2.3"), format!("1.{a}.2.3"), format!("1.2.3.{a}"), format!("1.2.3.0{a}")] {
                assert_eq!(v4(text.as_bytes()), text.parse().ok(), "{text}");
            }
        }
    }
}
