//! RFC 3339 date-times, by the calendar and with leap seconds.

/// A moment, as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Instant {
    /// Unix seconds; of a leap second, those of the second before it.
    pub(crate) seconds: i64,
    /// Whether it is exactly that second: no fraction, no leap second.
    pub(crate) exact: bool,
    /// Whether the offset is zero.
    pub(crate) utc: bool,
}

impl Instant {
    /// Reads an RFC 3339 §5.6 date-time; `t` and `z` in either case. Second 60 exists in the last minute of a UTC month
    /// only (D-2). `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (date_time, rest) = text.as_bytes().split_at_checked(19)?;
        let number = |range: std::ops::Range<usize>| digits(date_time.get(range)?);
        let separated = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')]
            .iter()
            .all(|(place, mark)| date_time.get(*place) == Some(mark));
        if !separated || !matches!(date_time.get(10), Some(b'T' | b't')) {
            return None;
        }
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
        if !(1..=12).contains(&month)
            || !(1..=days_in(year, month)).contains(&day)
            || hour > 23
            || minute > 59
            || second > 60
        {
            return None;
        }
        let (whole, zone) = fraction(rest)?;
        let offset = offset(zone)?;
        let leap = second == 60;
        let seconds =
            days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - i64::from(leap) - offset;
        if leap && !ends_month(seconds + 1) {
            return None;
        }
        Some(Self {
            seconds,
            exact: whole && !leap,
            utc: offset == 0,
        })
    }
}

fn digits(text: &[u8]) -> Option<i64> {
    text.iter()
        .try_fold(0, |n, b| b.is_ascii_digit().then(|| n * 10 + i64::from(b - b'0')))
}

/// Whether the fraction is absent or zero, and what follows it.
fn fraction(text: &[u8]) -> Option<(bool, &[u8])> {
    let Some(text) = text.strip_prefix(b".") else {
        return Some((true, text));
    };
    let length = text.iter().take_while(|b| b.is_ascii_digit()).count();
    let (fraction, rest) = text.split_at(length);
    (length > 0).then(|| (fraction.iter().all(|b| *b == b'0'), rest))
}

/// Seconds east of UTC.
fn offset(zone: &[u8]) -> Option<i64> {
    match zone {
        b"Z" | b"z" => Some(0),
        [sign @ (b'+' | b'-'), h1, h2, b':', m1, m2] => {
            let (hours, minutes) = (digits(&[*h1, *h2])?, digits(&[*m1, *m2])?);
            let seconds = hours * 3600 + minutes * 60;
            let seconds = if *sign == b'-' { -seconds } else { seconds };
            (hours <= 23 && minutes <= 59).then_some(seconds)
        }
        _ => None,
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i64::from(is_leap(year)),
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar: years are counted from March, so that the leap day is
/// their last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month < 3 { year - 1 } else { year };
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
}

/// Whether a month ends at this second: it is midnight before a first day.
fn ends_month(seconds: i64) -> bool {
    seconds.rem_euclid(86_400) == 0 && day_of_month(seconds.div_euclid(86_400)) == 1
}

/// The inverse of [`days`], of the day alone; an era is 400 years.
fn day_of_month(days: i64) -> i64 {
    let day_of_era = (days + 719_468).rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    day_of_year - (153 * month + 2) / 5 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn leap_seconds_end_a_utc_month() {
        let read = |text| Instant::parse(text);
        assert_eq!(
            read("2016-12-31T23:59:60Z"),
            Some(Instant {
                seconds: 1_483_228_799,
                exact: false,
                utc: true
            })
        );
        assert!(read("2015-06-30T23:59:60.5z").is_some());
        assert!(read("9999-12-31T23:59:60Z").is_some());
        assert!(read("0000-02-29T23:59:60Z").is_some());
        assert_eq!(
            read("2016-12-31T18:29:60-05:30").map(|i| (i.seconds, i.utc)),
            Some((1_483_228_799, false))
        );
        for bad in [
            "2016-12-30T23:59:60Z",
            "2016-12-31T23:58:60Z",
            "2016-12-31T23:59:60+01:00",
            "2016-12-31T23:59:61Z",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_fraction_of_zeros_is_exact() {
        let exact = |text| Instant::parse(text).map(|i| i.exact);
        assert_eq!(exact("2026-11-30T12:00:00.0000000000000000000000Z"), Some(true));
        assert_eq!(exact("2026-11-30T12:00:00.00000000000000000000001Z"), Some(false));
    }

    proptest! {
        #[test]
        fn agrees_with_the_calendar(seconds in -62_167_219_200_i64..253_402_207_200) {
            let text = jiff::Timestamp::from_second(seconds).unwrap().to_string();
            let instant = Instant::parse(&text).unwrap();
            prop_assert_eq!(instant, Instant { seconds, exact: true, utc: true });
        }

        #[test]
        fn every_month_may_end_in_a_leap_second(seconds in -62_167_219_200_i64..253_402_207_200) {
            let next = jiff::Timestamp::from_second(seconds + 1).unwrap().to_string();
            prop_assert_eq!(ends_month(seconds + 1), next.ends_with("-01T00:00:00Z"));
            let midnight = (seconds / 86_400) * 86_400;
            let text = jiff::Timestamp::from_second(midnight).unwrap().to_string();
            prop_assert_eq!(ends_month(midnight), text.ends_with("-01T00:00:00Z"));
        }

        #[test]
        fn never_panics(text: String) {
            let _ = Instant::parse(&text);
        }
    }
}
