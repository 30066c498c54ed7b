//! Where a log comes from: a file or standard input, packed or not.

use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, BufReader, Cursor, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use flate2::bufread::MultiGzDecoder;

/// Bytes that are read from the system at once.
const CHUNK: usize = 256 << 10;

/// The first bytes of a gzip file, which no text begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A log that was named on the command line.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    /// `-`.
    Stdin,
    /// A file.
    File(PathBuf),
}

/// How many bytes were taken from files and standard input so far, before unpacking.
#[derive(Clone, Default)]
pub(crate) struct BytesRead(Rc<Cell<u64>>);

/// What is known of the size of a log, or of several, before it is read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    /// Bytes to be read.
    pub(crate) bytes: Option<u64>,
    /// Bytes that these are when unpacked.
    pub(crate) text: Option<u64>,
}

impl Size {
    /// The size of nothing.
    pub(crate) const ZERO: Size = Size { bytes: Some(0), text: Some(0) };

    /// Both together.
    pub(crate) fn plus(self, other: Size) -> Size {
        let sum = |one: Option<u64>, other: Option<u64>| one?.checked_add(other?);
        Size { bytes: sum(self.bytes, other.bytes), text: sum(self.text, other.text) }
    }
}

impl BytesRead {
    pub(crate) fn get(&self) -> u64 {
        self.0.get()
    }
}

impl Source {
    pub(crate) fn named(path: &Path) -> Source {
        if path == "-" { Source::Stdin } else { Source::File(path.to_owned()) }
    }

    /// What messages call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Source::Stdin => "standard input".to_owned(),
            Source::File(path) => path.display().to_string(),
        }
    }

    /// What is known of its size beforehand; an error for what cannot be a log.
    pub(crate) fn inspect(&self) -> io::Result<Size> {
        let Source::File(path) = self else {
            return Ok(Size::default());
        };
        let about = fs::metadata(path)?;
        if about.is_dir() {
            return Err(io::Error::new(ErrorKind::IsADirectory, "is a directory, not a log"));
        }
        if !about.is_file() {
            return Ok(Size::default()); // a pipe, which may be opened only once
        }
        let is_packed = head(&mut File::open(path)?)? == GZIP;
        Ok(Size { bytes: Some(about.len()), text: (!is_packed).then_some(about.len()) })
    }

    /// Opens it for reading; what is packed is unpacked, whatever its name.
    pub(crate) fn open(&self, count: &BytesRead) -> io::Result<Box<dyn Read>> {
        let raw: Box<dyn Read> = match self {
            Source::Stdin => Box::new(io::stdin().lock()),
            Source::File(path) => Box::new(File::open(path)?),
        };
        let mut raw = Counted { inner: raw, count: count.clone() };
        let head = head(&mut raw)?;
        let is_packed = head == GZIP;
        let whole = Cursor::new(head).chain(raw);
        Ok(match is_packed {
            true => Box::new(MultiGzDecoder::new(BufReader::with_capacity(CHUNK, whole))),
            false => Box::new(whole),
        })
    }
}

/// The first bytes of a stream: two, or as many as there are.
fn head(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut head = Vec::with_capacity(GZIP.len());
    reader.take(GZIP.len() as u64).read_to_end(&mut head)?;
    Ok(head)
}

/// A reader that counts.
struct Counted {
    inner: Box<dyn Read>,
    count: BytesRead,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.count.0.set(self.count.0.get() + length as u64);
        Ok(length)
    }
}
