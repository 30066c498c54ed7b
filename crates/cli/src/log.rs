//! Reading access logs: from files to lines, from lines to times and callers.

pub(crate) mod access;
pub(crate) mod address;
pub(crate) mod json;
pub(crate) mod lines;
pub(crate) mod moment;
pub(crate) mod source;
pub(crate) mod stamp;
