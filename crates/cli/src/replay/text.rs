//! Text for terminals: nothing that a log holds may steer them, and everything fits 80 columns.

use unicode_width::UnicodeWidthChar;

/// Text in which what would steer a terminal is spelled out, cut to a width with `...` if it is longer.
pub(crate) fn visible(text: &str, width: usize) -> String {
    let (mut shown, mut used, mut fits) = (String::new(), 0, 0);
    for character in text.chars() {
        let piece = spelled(character);
        let columns: usize = piece.chars().filter_map(UnicodeWidthChar::width).sum();
        if used + columns > width {
            shown.truncate(fits);
            shown.push_str("...");
            return shown;
        }
        shown.push_str(&piece);
        used += columns;
        if used + 3 <= width {
            fits = shown.len();
        }
    }
    shown
}

fn spelled(character: char) -> String {
    // Marks that have no width of their own turn or join what is around them.
    let has_width = character.width().is_some_and(|columns| columns > 0);
    if character.is_control() || !has_width { character.escape_unicode().to_string() } else { character.to_string() }
}

/// Columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().filter_map(UnicodeWidthChar::width).sum()
}

/// A text made as wide as `width`.
pub(crate) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// A number with commas: `1,234,567`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A share in percent, to a tenth, rounded to the nearest; `-` of nothing.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "-".to_owned();
    }
    let tenths = (u128::from(part) * 2_000 + u128::from(whole)) / (u128::from(whole) * 2);
    format!("{}.{} %", tenths / 10, tenths % 10)
}

/// A length of time in the two largest units that it has.
pub(crate) fn span(nanos: u128) -> String {
    const UNITS: [(&str, u128); 7] = [
        ("d", 86_400_000_000_000),
        ("h", 3_600_000_000_000),
        ("min", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
    ];
    let Some(first) = UNITS.iter().position(|(_, length)| nanos >= *length) else {
        return "0 s".to_owned();
    };
    let (unit, length) = UNITS[first];
    let rest = UNITS.get(first + 1).map(|(unit, smaller)| (nanos % length / smaller, unit));
    match rest {
        Some((count, smaller)) if count > 0 => format!("{} {unit} {count} {smaller}", nanos / length),
        _ => format!("{} {unit}", nanos / length),
    }
}

/// A number of bytes.
pub(crate) fn bytes(count: usize) -> String {
    match count {
        0..10_000 => format!("{count} bytes"),
        10_000..10_000_000 => format!("{} KB", grouped(count as u64 / 1_000)),
        _ => format!("{} MB", grouped(count as u64 / 1_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(visible("a\u{1b}[2J\n\u{202e}b\u{9b}", 99), "a\\u{1b}[2J\\u{a}\\u{202e}b\\u{9b}");
        assert_eq!(visible("日本", 99), "日本");
    }

    #[test]
    fn cut_to_a_width() {
        assert_eq!(visible("abcdefgh", 8), "abcdefgh");
        assert_eq!(visible("abcdefghi", 8), "abcde...");
        assert_eq!(visible("日本日本日", 8), "日本...");
        for width in 3..20 {
            assert!(columns(&visible("x日\u{1b}y日本語zz", width)) <= width);
        }
    }

    #[test]
    fn numbers_as_people_read_them() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(grouped), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(
            [(1, 3), (2, 3), (0, 5), (5, 5), (0, 0)].map(|(part, whole)| percent(part, whole)),
            ["33.3 %", "66.7 %", "0.0 %", "100.0 %", "-"]
        );
        assert_eq!(
            [0, 1_500, 3_600_000_000_000, 90_061_000_000_000].map(span),
            ["0 s", "1 us 500 ns", "1 h", "1 d 1 h"]
        );
        assert_eq!(bytes(26_843_546), "26 MB");
    }
}
