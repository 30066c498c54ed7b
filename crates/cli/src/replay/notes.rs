//! What a reader of the numbers should know besides.

use crate::replay::summary::Summary;
use crate::replay::text::grouped;

/// Remarks on a summary, a sentence each.
pub(crate) fn of(summary: &Summary) -> Vec<String> {
    let Summary { lines, decided, key, capacity, .. } = summary;
    let mut notes = Vec::new();
    if *lines == 0 {
        notes.push("the log is empty".to_owned());
    }
    match summary.by_address {
        0 => {}
        count if count == *decided => notes.push(format!("key: {key}; no line has the first, so it is the address")),
        count => notes.push(format!("key: {key}; it is the address of {} lines", grouped(count))),
    }
    if summary.without_key > 0 && summary.without_key == *decided {
        notes.push(format!("no line has {key}: all share one bucket"));
    }
    if summary.denied_for_good > 0 && summary.denied_for_good == *decided {
        let capacity = grouped(*capacity);
        notes.push(format!("every line costs more than the {capacity} tokens that a bucket holds: none can ever pass"));
    }
    if summary.began_short > 0 {
        let count = grouped(summary.began_short);
        notes.push(format!(
            "{count} times a caller was decided on another's debt, for the table was crowded: raise --keys"
        ));
    }
    if summary.beyond_horizon > 0 {
        let count = grouped(summary.beyond_horizon);
        notes.push(format!(
            "{count} lines come more than 36 years after the first, without a pause that fills a bucket; nothing refills there"
        ));
    }
    notes
}
