//! What has the words of a time and is no window: repetitions, what is denied, days that no calendar has.

use super::calendar::Unit;
use super::expression::{Found, Reader};
use super::lexicon::Cat;
use super::phrase::Lead;

impl Reader<'_> {
    /// The token after a repetition, which is no window: "every Monday at 5pm", "on Fridays", "each week".
    pub(super) fn repetition(&self, at: usize) -> Option<usize> {
        let scan = &self.scan;
        let (plural, next) = scan.value(at, Cat::Every)?;
        let day = if plural == 2 {
            next
        } else {
            let length = scan.length(next).map(|(_, to)| to);
            let unit = scan.unit(next).map(|(_, to)| to);
            let named = [Cat::Weekday, Cat::Month, Cat::Season, Cat::Holiday, Cat::Part];
            let day = named.iter().filter_map(|cat| scan.skip(next, *cat)).chain(length).chain(unit).max()?;
            // 毎週月曜日
            let inside = scan.skip(day, Cat::Of).unwrap_or(day);
            scan.skip(inside, Cat::Weekday).filter(|_| unit == Some(day)).unwrap_or(day)
        };
        let day = scan.skip(day, Cat::Part).unwrap_or(day);
        let timed = scan.skip_all(day, &[Cat::At, Cat::Prep]);
        let part = scan.skip(scan.skip_all(timed, &[Cat::The]), Cat::Part).filter(|_| timed > day);
        let clock = scan.clock(timed, timed > day).filter(|(clock, _)| !clock.bare || timed > day);
        Some(part.or(clock.map(|(_, to)| to)).unwrap_or(day))
    }

    /// Whether the text says that it does not mean the time: "not last week but in May".
    pub(super) fn is_denied(&self, found: &Found) -> bool {
        let scan = &self.scan;
        let bound = [Cat::Since, Cat::Before, Cat::After, Cat::Until, Cat::By, Cat::Within];
        if bound.iter().any(|cat| scan.skip(found.from, *cat).is_some()) {
            return false;
        }
        let mut from = found.from;
        for _ in 0..2 {
            let step = (1..=3).find(|back| {
                from >= *back
                    && scan
                        .senses(from - back)
                        .any(|(sense, next)| next == from && matches!(sense.cat, Cat::Prep | Cat::The | Cat::In))
            });
            from -= step.unwrap_or(0);
        }
        (1..=2).any(|back| {
            from >= back && scan.senses(from - back).any(|(sense, next)| sense.cat == Cat::Not && next == from)
        })
    }

    /// The token after a day that no calendar has, whose month alone is not meant: "29 February 2025", "32 May".
    pub(super) fn no_such_day(&self, at: usize) -> Option<usize> {
        let scan = &self.scan;
        if let Some((value, 2)) = scan.digits(at)
            && value > 31
            && let Some(to) = scan.skip(at + 1, Cat::Month)
            && !scan.glued(at)
        {
            return Some(scan.digits(to).filter(|(_, digits)| *digits == 4).map_or(to, |_| to + 1));
        }
        if scan.digits(at).is_none() && scan.sense(at, Cat::Month).is_none() && scan.ordinal(at).is_none() {
            return None;
        }
        let frame = scan.phrase(at, Lead { prep: true, ..Lead::default() })?;
        let of_month = frame.month.is_some() || matches!(frame.rel, Some((Unit::Month, _)));
        (frame.day.is_some() && of_month && self.context.resolve(&frame).is_none()).then_some(frame.to)
    }
}
