//! Lines of the access logs of Apache and nginx, in the common and the combined format.
//!
//! ```text
//! client ident user [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 512 "referer" "agent"
//! ```
//!
//! Servers write what clients send, so a field may hold spaces, brackets and quotes that close nothing. A reading
//! starts from what cannot be imitated by accident: the time in its brackets, and the quote that a status follows.

use std::borrow::Cow;

use crate::log::moment::Moment;
use crate::log::stamp;

/// Why a line cannot be decided.
pub(crate) type Reason = Cow<'static, str>;

/// A line, cut at its fields. A field that is absent is empty or `-`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AccessLine<'a> {
    pub(crate) moment: Moment,
    pub(crate) client: &'a [u8],
    ident: &'a [u8],
    user: &'a [u8],
    request: &'a [u8],
    status: &'a [u8],
    bytes: &'a [u8],
    /// What follows the size: referer and agent, and what else the server was told to write.
    tail: &'a [u8],
}

/// A field of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    Client,
    Ident,
    User,
    Request,
    Method,
    Path,
    Status,
    Bytes,
    Referer,
    Agent,
}

/// Names of fields, as a user gives them.
pub(crate) const FIELDS: [(&str, Field); 10] = [
    ("client", Field::Client),
    ("ident", Field::Ident),
    ("user", Field::User),
    ("request", Field::Request),
    ("method", Field::Method),
    ("path", Field::Path),
    ("status", Field::Status),
    ("bytes", Field::Bytes),
    ("referer", Field::Referer),
    ("agent", Field::Agent),
];

impl Field {
    /// The field with this name.
    pub(crate) fn named(name: &str) -> Option<Field> {
        FIELDS.iter().find(|(known, _)| *known == name).map(|&(_, field)| field)
    }
}

impl<'a> AccessLine<'a> {
    /// Cuts a line. With `is_combined`, referer and agent must be there.
    pub(crate) fn parse(line: &'a [u8], is_combined: bool) -> Result<AccessLine<'a>, Reason> {
        let length = memchr::memchr(b' ', line).ok_or("no fields of an access log")?;
        let (client, rest) = (&line[..length], &line[length..]);
        if client.is_empty() {
            return Err("no client at the start".into());
        }
        let (names, moment, rest) = split_at_time(rest)?;
        let (ident, user) = match memchr::memchr(b' ', names) {
            Some(at) => (&names[..at], &names[at + 1..]),
            None => (names, &b""[..]),
        };
        let (request, rest) = split_request(rest)?;
        let (status, rest) = rest.split_at(if rest.starts_with(b"-") { 1 } else { 3 });
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        let (bytes, tail) = rest.split_at(memchr::memchr(b' ', rest).unwrap_or(rest.len()));
        if !is_count(bytes) {
            return Err("no size after the status".into());
        }
        if is_combined && (quoted(tail, 0).is_none() || quoted(tail, 1).is_none()) {
            return Err("no referer and agent after the size".into());
        }
        Ok(AccessLine { moment, client, ident, user, request, status, bytes, tail })
    }

    /// A field; `None` if it is absent.
    pub(crate) fn field(&self, field: Field) -> Option<&'a [u8]> {
        let value = match field {
            Field::Client => self.client,
            Field::Ident => self.ident,
            Field::User => self.user,
            Field::Request => self.request,
            Field::Method => word(self.request, 0),
            Field::Path => word(self.request, 1),
            Field::Status => self.status,
            Field::Bytes => self.bytes,
            Field::Referer => quoted(self.tail, 0)?,
            Field::Agent => quoted(self.tail, 1)?,
        };
        (!value.is_empty() && value != b"-").then_some(value)
    }
}

/// What stands between the client and the time, the time, and what follows its bracket.
fn split_at_time(rest: &[u8]) -> Result<(&[u8], Moment, &[u8]), Reason> {
    for open in memchr::memchr_iter(b'[', rest) {
        if open == 0 || rest[open - 1] != b' ' {
            continue; // a bracket inside a name
        }
        let inside = &rest[open + 1..];
        let close = stamp::ACCESS_LOG_LENGTH;
        let found = match inside.get(close) {
            Some(b']') => stamp::access_log(&inside[..close]).map(|moment| (moment, close)),
            _ => None,
        };
        // A server can be told to write the other form.
        let found = found.or_else(|| {
            let close = memchr::memchr(b']', &inside[..inside.len().min(40)])?;
            stamp::rfc3339(&inside[..close]).map(|moment| (moment, close))
        });
        if let Some((moment, close)) = found {
            let names = if open >= 2 { &rest[1..open - 1] } else { &[] };
            return Ok((names, moment, &inside[close + 1..]));
        }
    }
    Err("no time in brackets".into())
}

/// The request between its quotes, and what follows from the status on.
fn split_request(rest: &[u8]) -> Result<(&[u8], &[u8]), Reason> {
    let inside = rest.strip_prefix(b" \"").ok_or("no request in quotes after the time")?;
    for quote in memchr::memchr_iter(b'"', inside) {
        let status = inside.get(quote + 2..).unwrap_or_default();
        if !is_escaped(inside, quote) && inside.get(quote + 1) == Some(&b' ') && starts_with_status(status) {
            return Ok((&inside[..quote], status));
        }
    }
    Err("no status after the request".into())
}

/// Three digits or a dash, and a space.
fn starts_with_status(text: &[u8]) -> bool {
    match text {
        [b'-', b' ', ..] => true,
        [a, b, c, b' ', ..] => a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_digit(),
        _ => false,
    }
}

/// Whether an odd number of backslashes stands before a quote.
fn is_escaped(text: &[u8], quote: usize) -> bool {
    text[..quote].iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
}

fn is_count(text: &[u8]) -> bool {
    text == b"-" || (!text.is_empty() && text.iter().all(u8::is_ascii_digit))
}

/// The word at `index` of a request line.
fn word(request: &[u8], index: usize) -> &[u8] {
    request.split(|&byte| byte == b' ').nth(index).unwrap_or_default()
}

/// The text in quotes at `index` after the size; to the end of the line if its second quote was cut off.
fn quoted(mut tail: &[u8], index: usize) -> Option<&[u8]> {
    for _ in 0..index {
        tail = &tail[end_of_quoted(tail)?.min(tail.len())..];
    }
    let end = end_of_quoted(tail)?;
    tail.get(2..end.saturating_sub(1)).or(Some(&[]))
}

/// Where the text in quotes that starts after a space ends, its quote included.
fn end_of_quoted(tail: &[u8]) -> Option<usize> {
    let inside = tail.strip_prefix(b" \"")?;
    let close = memchr::memchr_iter(b'"', inside).find(|&quote| !is_escaped(inside, quote));
    Some(close.unwrap_or(inside.len()) + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(line: &str, field: Field) -> Option<String> {
        let line = AccessLine::parse(line.as_bytes(), false).unwrap_or_else(|reason| panic!("{reason}: {line}"));
        line.field(field).map(|value| String::from_utf8_lossy(value).into_owned())
    }

    const TIME: &str = "[17/May/2015:10:05:03 +0000]";

    #[test]
    fn all_fields_of_a_combined_line() {
        let line = format!("192.0.2.7 id joe {TIME} \"GET /a?b HTTP/1.1\" 200 512 \"http://r/\" \"an agent\"");
        for (name, expected) in [
            ("client", "192.0.2.7"),
            ("ident", "id"),
            ("user", "joe"),
            ("request", "GET /a?b HTTP/1.1"),
            ("method", "GET"),
            ("path", "/a?b"),
            ("status", "200"),
            ("bytes", "512"),
            ("referer", "http://r/"),
            ("agent", "an agent"),
        ] {
            assert_eq!(field(&line, Field::named(name).unwrap()).as_deref(), Some(expected), "{name}");
        }
        assert_eq!(Field::named("nobody"), None);
    }

    #[test]
    fn what_real_logs_hold() {
        for (line, of, expected) in [
            (format!("host.example - - {TIME} \"-\" 408 -"), Field::Request, None),
            (format!("host.example - - {TIME} \"-\" 408 -"), Field::Client, Some("host.example")),
            (format!("::1 - - {TIME} \"\" 400 0"), Field::Path, None),
            (format!("h - a b [c] d {TIME} \"GET / HTTP/1.0\" 200 1"), Field::User, Some("a b [c] d")),
            (format!("h - - {TIME} \"GET /\\\"x\\\" HTTP/1.0\" 200 1"), Field::Path, Some("/\\\"x\\\"")),
            (format!("h - - {TIME} \"GET /\"x\" HTTP/1.0\" 200 1"), Field::Path, Some("/\"x\"")),
            (format!("h - - {TIME} \"\\x16\\x03\\\\\" 400 226 \"-\" \"-\""), Field::Request, Some("\\x16\\x03\\\\")),
            (format!("h - - {TIME} \"GET / HTTP/1.0\" 200 1 \"-\" \"cut o"), Field::Agent, Some("cut o")),
            (format!("h - - {TIME} \"GET / HTTP/1.0\" 200 1 \"-\" \""), Field::Agent, None),
            (format!("h - - {TIME} \"GET / HTTP/1.0\" 200 1"), Field::Agent, None),
            (format!("h - - {TIME} \"GET / HTTP/1.0\" 200 1 0.003 x"), Field::Referer, None),
            (format!("h - - {TIME} \"GET / HTTP/1.0\" - 1"), Field::Status, None),
            (format!("h {TIME} \"GET / HTTP/1.0\" 200 1"), Field::User, None),
            ("h - - [2015-05-17T10:05:03+02:00] \"GET / HTTP/1.0\" 200 1".into(), Field::Bytes, Some("1")),
        ] {
            assert_eq!(field(&line, of).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn what_is_no_line_says_why() {
        for (line, reason) in [
            ("garbage", "no fields"),
            (" - - [17/May/2015:10:05:03 +0000] \"GET /\" 200 1", "no client"),
            ("h - - [17/Mai/2015:10:05:03 +0000] \"GET /\" 200 1", "no time"),
            ("h - - [17/May/2015:10:05:03 +0000", "no time"),
            ("h - - [17/May/2015:10:05:03 +0000]", "no request"),
            ("h - - [17/May/2015:10:05:03 +0000] \"", "no status"),
            ("h - - [17/May/2015:10:05:03 +0000] \"GET /\"", "no status"),
            ("h - - [17/May/2015:10:05:03 +0000] \"GET /\" 200", "no status"),
            ("h - - [17/May/2015:10:05:03 +0000] \"GET /\" 200 x", "no size"),
            ("[Fri Sep 09 10:42:29 2011] [error] [client 192.0.2.1] no", "no time"),
        ] {
            let error = AccessLine::parse(line.as_bytes(), false).unwrap_err();
            assert!(error.contains(reason), "{line}: {error}");
        }
        let common = format!("h - - {TIME} \"GET / HTTP/1.0\" 200 1");
        assert!(AccessLine::parse(common.as_bytes(), true).is_err_and(|error| error.contains("referer")));
        assert!(AccessLine::parse(format!("{common} \"-\" \"a\"").as_bytes(), true).is_ok());
    }

    #[test]
    fn no_line_cut_anywhere_panics() {
        let line = format!("h - a b {TIME} \"GET /\\\"x\" HTTP/1.0\" 200 1 \"r\\\"\" \"agent\"");
        for cut in 0..line.len() {
            if let Ok(line) = AccessLine::parse(&line.as_bytes()[..cut], false) {
                for (_, field) in FIELDS {
                    let _ = line.field(field);
                }
            }
        }
    }
}
