//! Faults of a policy file, and how they are shown.

use std::fmt;
use std::io;

/// A place in a file. Line and column count from 1, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) line: u64,
    pub(crate) column: u64,
    /// Characters that it takes on its line.
    pub(crate) width: u64,
}

impl Place {
    pub(crate) const START: Place = Place { line: 1, column: 1, width: 1 };
}

/// One thing that is wrong with a policy file: where, and what was expected instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    place: Place,
    message: String,
    excerpt: Excerpt,
}

/// The line of a fault, made safe for a terminal, and the part of it to point at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Excerpt {
    line: String,
    from: usize,
    width: usize,
}

/// Columns of a source line that are shown around a fault.
const SHOWN: usize = 68;

impl Fault {
    pub(crate) fn new(place: Place, message: String) -> Fault {
        Fault { place, message: message.chars().map(visible).collect(), excerpt: Excerpt::default() }
    }

    /// The line, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.place.line
    }

    /// The column in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> u64 {
        self.place.column
    }

    /// What is wrong and what was expected, in one line.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// This fault with the line that it is on.
    pub(crate) fn with_source(self, text: &str) -> Fault {
        let line = text.lines().nth(self.place.line.saturating_sub(1) as usize).unwrap_or("");
        let column = self.place.column.saturating_sub(1) as usize;
        let length = line.chars().count();
        // A line that does not fit is shown from a little before the fault.
        let start = if length <= SHOWN { 0 } else { column.saturating_sub(SHOWN / 3).min(length - SHOWN) };
        let line: String = line.chars().skip(start).take(SHOWN).map(visible).collect();
        let from = column.saturating_sub(start).min(SHOWN);
        let end = line.chars().count().max(from + 1);
        let width = (self.place.width.max(1) as usize).min(end - from);
        Fault { excerpt: Excerpt { line: line.trim_end().to_owned(), from, width }, ..self }
    }
}

/// A character that a terminal shows and does not obey. A tab is shown as an arrow, one column wide.
fn visible(character: char) -> char {
    match character {
        '\t' => '→',
        // Marks that turn the direction of text would show a line that is not the one in the file.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        character if character.is_control() => '\u{fffd}',
        character => character,
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.place.line, self.place.column, self.message)
    }
}

/// Why a policy file cannot be used.
#[derive(Debug)]
#[non_exhaustive]
pub enum PolicyError {
    /// The file cannot be read.
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        error: io::Error,
    },
    /// The file is larger than any policy file is.
    TooLarge {
        /// The file.
        file: String,
        /// The most bytes that are read.
        limit: u64,
    },
    /// The file was read and is wrong.
    Faulty {
        /// The file.
        file: String,
        /// Everything that is wrong with it, in the order of the file. Not empty.
        faults: Vec<Fault>,
    },
}

impl PolicyError {
    /// What is wrong inside the file; empty if it could not be read.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        match self {
            PolicyError::Faulty { faults, .. } => faults,
            _ => &[],
        }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PolicyError::Unreadable { file, error } => write!(f, "{file}: {error}"),
            PolicyError::TooLarge { file, limit } => {
                write!(f, "{file}: a policy file holds at most {limit} bytes, and this one is larger")
            }
            PolicyError::Faulty { file, faults } => {
                for (index, fault) in faults.iter().enumerate() {
                    let between = if index == 0 { "" } else { "\n" };
                    write!(f, "{between}{file}:{fault}")?;
                    show_excerpt(f, fault)?;
                }
                Ok(())
            }
        }
    }
}

/// The line of the fault with its number, and a line of carets below.
fn show_excerpt(f: &mut fmt::Formatter<'_>, fault: &Fault) -> fmt::Result {
    let Excerpt { line, from, width } = &fault.excerpt;
    if line.is_empty() {
        return Ok(());
    }
    let number = fault.place.line.to_string();
    let gutter = number.len();
    write!(f, "\n {number} | {line}\n {:gutter$} | {:from$}{:^<width$}", "", "", "^")
}

impl std::error::Error for PolicyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PolicyError::Unreadable { error, .. } => Some(error),
            _ => None,
        }
    }
}
