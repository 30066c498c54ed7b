//! A policy: a quota with a name, and what goes with it.

use std::fmt;

use catraca::Quota;

use crate::key_by::KeyBy;

/// One named limit of a [`PolicyFile`](crate::PolicyFile).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    pub(crate) name: String,
    pub(crate) line: u64,
    pub(crate) quota: Quota,
    pub(crate) key_by: KeyBy,
    pub(crate) storage: Storage,
    pub(crate) on_deny: OnDeny,
}

impl Policy {
    /// The name of its bucket in the file.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The line of the file that names it.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.line
    }

    /// What every caller is limited to.
    #[must_use]
    pub fn quota(&self) -> Quota {
        self.quota
    }

    /// What tells callers apart; the address where the file does not say.
    #[must_use]
    pub fn key_by(&self) -> KeyBy {
        self.key_by
    }

    /// Where buckets live; in memory where the file does not say.
    #[must_use]
    pub fn storage(&self) -> Storage {
        self.storage
    }

    /// What a caller is told who may not pass; 429 where the file does not say.
    #[must_use]
    pub fn on_deny(&self) -> OnDeny {
        self.on_deny
    }
}

/// Where the buckets of a policy live.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Storage {
    /// In the memory of the process that decides.
    #[default]
    Memory,
    /// In a Redis server that several processes share.
    Redis,
}

impl Storage {
    /// Every storage, in the order in which messages list them.
    pub const ALL: [Storage; 2] = [Storage::Memory, Storage::Redis];
}

impl fmt::Display for Storage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Storage::Memory => "memory",
            Storage::Redis => "redis",
        })
    }
}

/// The answer to a caller who may not pass: an HTTP status from 400 to 599.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OnDeny {
    status: u16,
}

impl OnDeny {
    /// Too Many Requests (RFC 6585).
    pub const TOO_MANY_REQUESTS: OnDeny = OnDeny { status: 429 };

    /// The answer with this status; `None` if it does not tell a caller of an error.
    #[must_use]
    pub fn new(status: u16) -> Option<OnDeny> {
        (400..=599).contains(&status).then_some(OnDeny { status })
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(self) -> u16 {
        self.status
    }
}

impl Default for OnDeny {
    fn default() -> OnDeny {
        OnDeny::TOO_MANY_REQUESTS
    }
}
