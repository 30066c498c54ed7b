//! Rate-limit policies, read from YAML.
//!
//! ```
//! use catraca_policy::PolicyFile;
//!
//! let file = PolicyFile::parse("policies.yaml", "
//! buckets:
//!   search:
//!     capacity: 30
//!     refill_rate: 10   # a second; or a text such as 100/min
//! key_by: ip            # or user_id, api_token, ip/64
//! ")?;
//! let search = file.get("search").expect("it is there");
//! assert_eq!(search.quota().to_string(), "10/s burst 30");
//! # Ok::<(), catraca_policy::PolicyError>(())
//! ```
//!
//! Reading is strict. A key that means nothing, a key given twice, a number that no limiter can hold:
//! each is a [`Fault`] with its line and column, and a [`PolicyError`] shows all faults of a file at once.
//! Numbers are taken from the text, digit by digit; a rate of `0.1` is one token in ten seconds
//! exactly, which no binary fraction says.
//!
//! | file | noun |
//! |---|---|
//! | `file` | [`PolicyFile`], the way in |
//! | `policy` | [`Policy`] and its settings |
//! | `key_by` | [`KeyBy`], what tells callers apart |
//! | `fault` | [`Fault`] and [`PolicyError`], and how they are shown |
//! | `tree` | YAML as nodes that know their place |
//! | `schema` | from nodes to policies |

#![forbid(unsafe_code)]

mod fault;
mod file;
mod key_by;
mod policy;
mod schema;
mod tree;

pub use fault::{Fault, PolicyError};
pub use file::PolicyFile;
pub use key_by::{KeyBy, KeyByError, Prefixes};
pub use policy::{OnDeny, Policy, Storage};
