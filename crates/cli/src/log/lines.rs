//! Lines of a stream, in constant memory whatever the stream holds.

use std::io::{self, ErrorKind, Read};

/// Bytes read at once.
const CHUNK: usize = 256 << 10;

/// Bytes of a line that are kept; a longer one is passed over without being held.
pub(crate) const LONGEST: usize = 1 << 20;

/// A stream cut into lines.
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    /// What was read and not yet handed out is `buffer[start..end]`; up to `scanned` it holds no newline.
    start: usize,
    scanned: usize,
    end: usize,
}

/// A line without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// Its bytes; a carriage return before the newline is part of the end.
    Text(&'a [u8]),
    /// It was longer than [`LONGEST`].
    TooLong,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(source: R) -> Lines<R> {
        Lines { source, buffer: vec![0; CHUNK], start: 0, scanned: 0, end: 0 }
    }

    /// The next line; `None` at the end. A last line without a newline is a line, but not where reading failed: what
    /// is cut off is not decided.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut is_too_long = false;
        let range = loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[self.scanned..self.end]) {
                let range = self.start..self.scanned + at;
                self.start = range.end + 1;
                self.scanned = self.start;
                break range;
            }
            self.scanned = self.end;
            if self.end - self.start > LONGEST {
                is_too_long = true;
                (self.start, self.scanned, self.end) = (0, 0, 0);
            }
            if self.fill()? == 0 {
                if self.start == self.end && !is_too_long {
                    return Ok(None);
                }
                let range = self.start..self.end;
                self.start = self.end;
                break range;
            }
        };
        let text = &self.buffer[range];
        let text = text.strip_suffix(b"\r").unwrap_or(text);
        Ok(Some(if is_too_long || text.len() > LONGEST { Line::TooLong } else { Line::Text(text) }))
    }

    /// Reads more behind what there is; 0 at the end of the stream.
    fn fill(&mut self) -> io::Result<usize> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.scanned -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            // No further than twice the longest line: past that `next_line` lets go of what there is.
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a text so many bytes at a time.
    struct Drip<'a>(&'a [u8], usize);

    impl Read for Drip<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(self.0.len()).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn all(text: &[u8], step: usize) -> Vec<Option<Vec<u8>>> {
        let mut lines = Lines::new(Drip(text, step));
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            all.push(match line {
                Line::Text(text) => Some(text.to_vec()),
                Line::TooLong => None,
            });
        }
        assert!(lines.buffer.len() <= 4 * LONGEST);
        all
    }

    #[test]
    fn however_the_bytes_arrive() {
        let text = b"one\r\n\ntwo\n\r\nthree\rfour\nlast";
        let expected = ["one", "", "two", "", "three\rfour", "last"].map(|line| Some(line.as_bytes().to_vec()));
        for step in [1, 2, 3, 7, 100] {
            assert_eq!(all(text, step), expected, "{step} at a time");
        }
        assert_eq!(all(b"", 1), []);
        assert_eq!(all(b"\n", 1), [Some(Vec::new())]);
    }

    #[test]
    fn a_line_too_long_is_one_line_and_the_next_is_whole() {
        for length in [LONGEST + 1, 2 * LONGEST, 5 * LONGEST + 17] {
            let text = [b"a\n".to_vec(), vec![b'x'; length], b"\nb\n".to_vec()].concat();
            assert_eq!(all(&text, CHUNK), [Some(b"a".to_vec()), None, Some(b"b".to_vec())], "{length}");
            assert_eq!(all(&text[2..length + 2], CHUNK), [None], "{length}, without an end");
        }
        let longest = vec![b'x'; LONGEST];
        assert_eq!(all(&longest, CHUNK), [Some(longest.clone())]);
        assert_eq!(all(&[&longest[..], b"\r\n"].concat(), CHUNK), [Some(longest)]);
    }

    #[test]
    fn what_is_cut_off_by_an_error_is_no_line() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let mut lines = Lines::new((&b"one\ntw"[..]).chain(Broken));
        assert_eq!(lines.next_line().unwrap(), Some(Line::Text(b"one")));
        assert!(lines.next_line().is_err());
    }
}
