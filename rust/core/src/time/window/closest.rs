//! "The second closest Monday to 5 October", "the nearest Christmas to today".

use super::calendar::{DAY, Unit, date, weekday};
use super::expression::{Found, Reader};
use super::holiday;
use super::lexicon::Cat;
use super::phrase::Lead;
use super::resolve::Span;

/// How many years on both sides are looked through: enough for what comes every fourth year, three times.
const YEARS: i64 = 13;

impl Reader<'_> {
    /// A weekday or holiday by how near it lies to another time.
    pub(super) fn closest(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let start = scan.skip(at, Cat::The).unwrap_or(at);
        let (count, next) = scan.ordinal(start).unwrap_or((1, start));
        let next = scan.skip(next, Cat::Nextto)?;
        let (of_week, holiday) = (scan.value(next, Cat::Weekday), scan.value(next, Cat::Holiday));
        let (_, named) = of_week.or(holiday)?;
        let inside = scan.skip(named, Cat::To)?;
        let lead = Lead { prep: true, the: true, ..Lead::default() };
        let frame = self.phrase(inside, lead).or_else(|| self.phrase(scan.skip(inside, Cat::The)?, lead))?;
        let span = self.context.resolve(&frame)?;
        let (first, last) = (span.start?.div_euclid(DAY), (span.end? - 1).div_euclid(DAY));
        let mut found: Vec<(i64, i64)> = match of_week {
            Some((of_week, _)) => {
                let before = first - (weekday(first) - of_week).rem_euclid(7);
                (-count.clamp(1, 400)..=count.clamp(1, 400))
                    .map(|week| (before + 7 * week, before + 7 * week + 1))
                    .collect()
            }
            None => {
                let (id, _) = holiday?;
                let (year, _, _) = date(first);
                (year - YEARS..=year + YEARS).filter_map(|year| holiday::span(id, year)).collect()
            }
        };
        found.sort_by_key(|(day, _)| ((first - day).max(day - last).max(0), *day));
        let (from, to) = *found.get(usize::try_from(count - 1).ok()?)?;
        Some(self.found(at, frame.to, Span::days(from, to, Unit::Day), 4))
    }
}
