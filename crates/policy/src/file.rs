//! A policy file: the way in.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::fault::{Fault, Place, PolicyError};
use crate::policy::Policy;
use crate::{schema, tree};

/// The policies of one file, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyFile {
    file: String,
    policies: Vec<Policy>,
}

/// The most bytes that are read. A thousand buckets take less than a tenth.
const MOST_BYTES: u64 = 1 << 20;

impl PolicyFile {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read, is not text, holds more than a mebibyte, or is wrong.
    pub fn load(path: impl AsRef<Path>) -> Result<PolicyFile, PolicyError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        let bytes = match read(path) {
            Ok(bytes) => bytes,
            Err(error) => return Err(PolicyError::Unreadable { file: name, error }),
        };
        if bytes.len() as u64 > MOST_BYTES {
            return Err(PolicyError::TooLarge { file: name, limit: MOST_BYTES });
        }
        match std::str::from_utf8(&bytes) {
            Ok(text) => PolicyFile::parse(&name, text),
            Err(error) => Err(faulty(&name, vec![not_text(&bytes, error.valid_up_to())])),
        }
    }

    /// Reads a text; `name` is what errors call it.
    ///
    /// # Errors
    /// Every fault of the text.
    pub fn parse(name: &str, text: &str) -> Result<PolicyFile, PolicyError> {
        // Editors of one system put a mark in front that is not part of the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut faults = Vec::new();
        let policies = match tree::parse(text) {
            Ok(root) => schema::policies(&root, &mut faults),
            Err(fault) => {
                faults.push(fault);
                Vec::new()
            }
        };
        if faults.is_empty() {
            return Ok(PolicyFile { file: name.to_owned(), policies });
        }
        faults.sort_by_key(|fault| (fault.line(), fault.column()));
        Err(faulty(name, faults.into_iter().map(|fault| fault.with_source(text)).collect()))
    }

    /// The name of the file, as it was given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The policy with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Policy> {
        self.policies.iter().find(|policy| policy.name() == name)
    }

    /// The names of all policies, in the order of the file.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.policies.iter().map(Policy::name)
    }

    /// All policies, in the order of the file; never empty.
    #[must_use]
    pub fn policies(&self) -> &[Policy] {
        &self.policies
    }
}

/// The start of a file: one byte more than allowed, so that the caller can tell.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a directory, not a policy file"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn faulty(file: &str, faults: Vec<Fault>) -> PolicyError {
    PolicyError::Faulty { file: file.to_owned(), faults }
}

/// The fault of a file that is not text from the byte at `offset` on.
fn not_text(bytes: &[u8], offset: usize) -> Fault {
    let before = &bytes[..offset];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
    let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() as u64 + 1;
    let byte = bytes.get(offset).copied().unwrap_or_default();
    let message = format!("this is not a policy file: the byte 0x{byte:02x} is not UTF-8 text");
    Fault::new(Place { line, column, width: 1 }, message)
}
