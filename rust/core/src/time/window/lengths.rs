//! Lengths of time around now or around another time: "three weeks ago", "the last two days", "a week after Easter".

use super::calendar::{DAY, Unit, hold, shift, unit_around, weekday};
use super::expression::{Found, Reader};
use super::lexicon::Cat;
use super::number::Length;
use super::phrase::{Lead, delta};
use super::resolve::{Prefer, Span};
use super::token::Kind;

impl Reader<'_> {
    /// "+15 minutes", "-3y", ">= 2019".
    pub(super) fn signed(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let sign = match scan.tokens[at].kind {
            Kind::Sign('+') => 1,
            Kind::Sign('-') => -1,
            _ => return None,
        };
        if !scan.glued(at + 1) || at > 0 {
            return None;
        }
        let (length, next) = scan.length(at + 1)?;
        Some(self.found(at, next, self.moved(&length, sign), 3))
    }

    /// A point in time away from now: an instant for hours, the day for days and longer.
    pub(super) fn moved(&self, length: &Length, sign: i64) -> Span {
        let time = length.shift(self.context.now, sign);
        match length.grain() {
            unit if unit.is_clock() => Span::instant(time),
            _ => {
                let day = time.div_euclid(DAY);
                Span::days(day, day + 1, Unit::Day)
            }
        }
    }

    /// "three weeks ago" is the week it was, "two days ago" the day, "five minutes ago" the minute.
    pub(super) fn ago(&self, length: &Length) -> Span {
        let time = length.shift(self.context.now, -1);
        let grain = match length.grain() {
            // "a decade ago" is about a year, not about ten.
            Unit::Decade => Unit::Year,
            Unit::Century => Unit::Decade,
            grain => grain,
        };
        if grain.is_clock() {
            return Span::clock_around(time, grain);
        }
        if grain == Unit::Workday {
            return self.moved(length, -1);
        }
        let (first, after) = unit_around(time.div_euclid(DAY), grain, 0);
        Span::days(first, after, grain)
    }

    /// The last or next so many units: up to now, or from tomorrow on.
    pub(super) fn stretch(&self, length: &Length, point: i64, singular: bool) -> Span {
        let now = self.context.now;
        let today = self.context.today();
        let grain = length.grain();
        let back = delta(point) < 0;
        let count = length.parts.first().map_or(1, |(_, count)| count / 1000).max(1);
        if point == 2 && singular && count > 1 {
            // "upcoming two week", in the singular, is the second week to come.
            let (first, after) = unit_around(today, grain, count);
            return Span::days(first, after, grain);
        }
        match grain {
            unit if unit.is_clock() => {
                let other = length.shift(now, if back { -1 } else { 1 });
                Span { start: Some(now.min(other)), end: Some(now.max(other)), grain }
            }
            Unit::Weekend | Unit::Quarter | Unit::Half | Unit::Season | Unit::Decade | Unit::Century => {
                if back {
                    Span::days(unit_around(today, grain, -count).0, unit_around(today, grain, 0).0, grain)
                } else {
                    Span::days(unit_around(today, grain, 1).0, unit_around(today, grain, count).1, grain)
                }
            }
            Unit::Workday if back => {
                Span::days(shift(today * DAY, Unit::Workday, -1000 * count).div_euclid(DAY), today, Unit::Day)
            }
            Unit::Workday => {
                let last = shift(today * DAY, Unit::Workday, 1000 * count).div_euclid(DAY);
                Span::days(shift(today * DAY, Unit::Workday, 1000).div_euclid(DAY), last + 1, Unit::Day)
            }
            _ if back => {
                let start = length.shift(now, -1).div_euclid(DAY);
                Span { start: Some(hold(start.saturating_mul(DAY))), end: Some(now), grain }
            }
            _ => {
                let first = (today + 1) * DAY;
                Span { start: Some(first), end: Some(length.shift(first, 1)), grain }
            }
        }
    }

    /// Whether the unit before a token is written in the singular.
    pub(super) fn singular(&self, to: usize) -> bool {
        self.scan.value(to.saturating_sub(1), Cat::Dayword).is_some()
    }

    /// Everything that begins with, or is about, a length of time.
    pub(super) fn lengths(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let now = self.context.now;
        if scan.relative_clock(at).is_some()
            || scan.value(at, Cat::Halfname).is_some_and(|(value, next)| value > 0 && next > at + 1)
        {
            return None;
        }
        // hace tres días, vor drei Tagen, il y a trois jours
        if let Some(next) = scan.skip(at, Cat::Agopre)
            && let Some((length, to)) = scan.length(scan.skip_all(next, &[Cat::More]))
        {
            return Some(self.found(at, to, self.ago(&length), 4));
        }
        // in the last three days, the past few weeks
        let start = scan.skip_all(at, &[Cat::Within, Cat::In, Cat::The]);
        let within = scan.skip(at, Cat::Within).is_some();
        if let Some((point, next)) = scan.value(start, Cat::Rel)
            && (point != 0 || scan.lexicon.has("thispast"))
            && let Some((length, to)) = scan.length(next)
            && let point = if point == 0 { -2 } else { point }
            && scan.value(next, Cat::Num).is_none_or(|(_, after)| scan.unit(after).is_none() || length.parts[0].1 > 0)
        {
            // "the last four months of 2021" is a position.
            if let Some(frame) = scan.phrase(start, Lead::default())
                && frame.nth.is_some()
                && frame.to > to
            {
                return None;
            }
            if !length.parts.is_empty() {
                if within && delta(point) > 0 {
                    let end = length.shift(if length.grain().is_clock() { now } else { self.context.today() * DAY }, 1);
                    return Some(self.found(
                        at,
                        to,
                        Span { start: Some(now), end: Some(end), grain: length.grain() },
                        4,
                    ));
                }
                if let Some(to) = scan.skip(to, Cat::Withinpost) {
                    let base = if length.grain().is_clock() { now } else { self.context.today() * DAY };
                    let span = Span { start: Some(now), end: Some(length.shift(base, 1)), grain: length.grain() };
                    return Some(self.found(start, to, span, 4));
                }
                let mut span = self.stretch(&length, point, self.singular(to));
                let mut end = to;
                // "the next two weeks after today"
                if let Some(after) = scan.skip(to, Cat::After)
                    && let Some(frame) = self.phrase(after, Lead { prep: true, ..Lead::default() })
                {
                    let from = self.context.resolve(&frame)?.start?;
                    span = Span { start: Some(from), end: Some(length.shift(from, 1)), grain: length.grain() };
                    end = frame.to;
                }
                return Some(self.found(start, end, span, 4));
            }
        }
        // "in recent months", "the past weeks": a few of them.
        let recent = scan.skip(start, Cat::Recent).or_else(|| {
            let (point, next) = scan.value(start, Cat::Rel)?;
            let pointed = start > at && self.ends_with(Cat::The, start) && matches!(point, -2 | -1);
            (pointed && scan.lexicon.has("clauses")).then_some(next)
        });
        if let Some(next) = recent
            && let Some((unit, to)) = scan.unit(next)
            && unit >= Unit::Day
            && !self.singular(to)
        {
            let length = Length { parts: vec![(unit, 3000)], rel: None };
            return Some(self.found(start, to, self.stretch(&length, -2, false), 4));
        }
        // "the past decade" is ten years up to now; "last decade" ends with a round year.
        if let Some((-2, next)) = scan.value(start, Cat::Rel)
            && let Some((unit @ (Unit::Decade | Unit::Century), to)) = scan.unit(next)
        {
            let length = Length { parts: vec![(unit, 1000)], rel: None };
            let from = length.shift(now, -1).div_euclid(DAY) * DAY;
            return Some(self.found(start, to, Span { start: Some(from), end: Some(now), grain: unit }, 4));
        }
        // within five days
        if let Some(next) = scan.skip(at, Cat::Within)
            && let Some((length, mut to)) = scan.length(scan.skip_all(next, &[Cat::The]))
        {
            if let Some(point) = length.rel {
                return Some(self.found(at, to, self.stretch(&length, point, self.singular(to)), 4));
            }
            let clock = length.grain().is_clock();
            let mut from = now;
            let hangs = scan.skip(to, Cat::Of).is_some();
            if let Some(after) =
                scan.skip(to, Cat::From).or_else(|| scan.skip(to, Cat::Of)).or_else(|| scan.skip(to, Cat::After))
                && let Some(frame) = self.phrase(after, Lead { prep: true, ..Lead::default() })
                && let Some(span) = self.context.resolve(&frame)
            {
                from = span.start?;
                to = frame.to;
            } else if hangs {
                return None;
            }
            let base = if clock { from } else { from.div_euclid(DAY) * DAY };
            let span = Span { start: Some(from), end: Some(length.shift(base, 1)), grain: length.grain() };
            return Some(self.found(at, to, span, 4));
        }
        // in three hours; seven days in a week is a rate
        let rate = at > 0 && (1..=2).any(|back| at >= back && scan.unit(at - back).is_some_and(|(_, end)| end == at));
        if let Some(next) = scan.skip(at, Cat::In)
            && !rate
            && !(self.context.prefer != Prefer::Future && scan.has_been(at))
            && let Some((length, to)) = scan.length(next)
            && length.rel.is_none()
            && scan.skip(to, Cat::Ago).is_none()
            && scan.skip(to, Cat::Relpost).is_none()
            && scan.skip(to, Cat::Old).is_none()
        {
            if let Some(found) = self.length_and_time(at, &length, to, true) {
                return Some(found);
            }
            let to = scan.skip(to, Cat::Later).unwrap_or(to);
            return Some(self.found(at, to, self.moved(&length, 1), 3));
        }
        // for three days from Monday
        let start = scan.skip_all(at, &[Cat::Fordur]);
        if scan.relative_clock(start).is_some() {
            return None;
        }
        if let Some(found) = self.weekdays_away(start) {
            return Some(found);
        }
        let (length, to) = scan.length(start).or_else(|| self.lone(start))?;
        if let Some(point) = length.rel.or_else(|| scan.value(to, Cat::Relpost).map(|(point, _)| point)) {
            let to = if length.rel.is_some() { to } else { scan.skip(to, Cat::Relpost).unwrap_or(to) };
            return Some(self.found(start, to, self.stretch(&length, point, self.singular(to)), 4));
        }
        if let Some(to) = scan.skip(to, Cat::Withinpost) {
            let base = if length.grain().is_clock() { now } else { self.context.today() * DAY };
            let span = Span { start: Some(now), end: Some(length.shift(base, 1)), grain: length.grain() };
            return Some(self.found(start, to, span, 4));
        }
        // "dos días antes de ayer" hangs on yesterday.
        if let (Some(ago), Some(before)) = (scan.skip(to, Cat::Ago), scan.skip(to, Cat::Before))
            && before > ago
            && let Some(found) = self.length_and_time(start, &length, to, false)
        {
            return Some(found);
        }
        if let Some((ago, to)) = scan.value(to, Cat::Ago) {
            // "a year ago today", "a month ago yesterday"
            if let Some((day @ (0 | -1), after)) = scan.value(to, Cat::Relday) {
                let day = length.shift((self.context.today() + day) * DAY, -1).div_euclid(DAY);
                return Some(self.found(start, after, Span::days(day, day + 1, Unit::Day), 4));
            }
            let told = self.away_from_told(&length, -1).filter(|_| ago == 2);
            return Some(self.found(start, to, told.unwrap_or_else(|| self.ago(&length)), 4));
        }
        if let Some((later, to)) = scan.value(to, Cat::Later) {
            if later == 2
                && let Some(span) = self.away_from_told(&length, 1)
            {
                return Some(self.found(start, to, span, 3));
            }
            let stretch = scan.value(to.wrapping_sub(1), Cat::Noword).is_some();
            let span = if stretch { self.stretch(&length, 1, false) } else { self.moved(&length, 1) };
            return Some(self.found(start, to, span, 3));
        }
        self.length_and_time(start, &length, to, false)
    }

    /// "decade ago", without a number.
    fn lone(&self, at: usize) -> Option<(Length, usize)> {
        let scan = &self.scan;
        let (unit, to) = scan.unit(at)?;
        let said = scan.lexicon.has("clauses") && self.singular(to) && matches!(scan.value(to, Cat::Ago), Some((1, _)));
        said.then(|| (Length { parts: vec![(unit, 1000)], rel: None }, to))
    }

    /// A length away from the time that the text spoke of before: "on 3 May …, and two weeks later". What is as long
    /// as a month or year leads from a day to that month or year; what is finer than the time said before leads
    /// nowhere.
    fn away_from_told(&self, length: &Length, sign: i64) -> Option<Span> {
        let told = self.told.get()?;
        let (start, end, grain) = (told.start?, told.end?, length.grain());
        let from = length.shift(start, sign);
        if told.grain > grain {
            return None;
        }
        if told.grain <= Unit::Day && grain >= Unit::Month {
            let (first, after) = unit_around(from.div_euclid(DAY), grain, 0);
            return Some(Span::days(first, after, grain));
        }
        Some(Span { start: Some(from), end: Some(length.shift(end, sign).max(from)), grain: told.grain })
    }

    /// "two Mondays from now", "2 Thursdays back".
    pub(super) fn weekdays_away(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let (count, next) = scan.whole(at)?;
        let (of_week, next) = scan.value(next, Cat::Weekday)?;
        let (sign, to) = match (scan.skip(next, Cat::Ago), scan.skip(next, Cat::Later)) {
            (Some(to), _) => (-1, to),
            (_, Some(to)) => (1, to),
            _ => return None,
        };
        let today = self.context.today();
        let first = if sign > 0 {
            today + 1 + (of_week - weekday(today + 1)).rem_euclid(7)
        } else {
            today - 1 - (weekday(today - 1) - of_week).rem_euclid(7)
        };
        let day = first + sign * 7 * (count.clamp(1, 1_000_000) - 1);
        Some(self.found(at, to, Span::days(day, day + 1, Unit::Day), 3))
    }

    /// "two weeks before 3 May", "three days from tomorrow", "two weeks starting 20 May".
    pub(super) fn length_and_time(&self, at: usize, length: &Length, next: usize, point: bool) -> Option<Found> {
        let scan = &self.scan;
        let gap = if scan.sign(next, ',') { next + 1 } else { next };
        // "nine months ended 30 September"
        if let Some(inside) = scan.skip(gap, Cat::Ended) {
            return self.ended(at, length, inside);
        }
        let (sign, lasting, inside) = if let Some(after) = scan.skip(gap, Cat::Starting) {
            (1, !point, after)
        } else if let Some(after) = scan.skip(gap, Cat::Before) {
            (-1, false, after)
        } else if let Some(after) = scan.skip(gap, Cat::After).or_else(|| scan.skip(gap, Cat::Since)) {
            (1, false, after)
        } else if let Some(after) = scan.skip(gap, Cat::From) {
            let lasting = at > 0 && scan.skip(at - 1, Cat::Fordur).is_some() || scan.sign(next, ',');
            (1, lasting, after)
        } else {
            return None;
        };
        let inside = scan.skip_all(inside, &[Cat::Prep]);
        let frame = self.phrase(inside, Lead { prep: true, ..Lead::default() }).or_else(|| {
            let start = scan.skip_all(inside, &[Cat::The]);
            self.phrase(start, Lead { prep: true, the: true, ..Lead::default() })
        })?;
        let mut context = self.context.clone();
        if scan.skip(gap, Cat::From).is_some() {
            // From a day on: one that is to come.
            context.prefer = Prefer::Future;
        }
        let span = context.resolve(&frame)?;
        let from = span.start?;
        if lasting {
            let span = Span { start: Some(from), end: Some(length.shift(from, 1)), grain: length.grain() };
            return Some(self.found(at, frame.to, span, 4));
        }
        let time = length.shift(from, sign);
        let span = if length.grain().is_clock() {
            Span::instant(time)
        } else {
            let day = time.div_euclid(DAY);
            Span::days(day, day + 1, Unit::Day)
        };
        Some(self.found(at, frame.to, span, 4))
    }

    /// "the week before 3 August", "the Sunday after Easter", "third Tuesday after Christmas".
    pub(super) fn beside(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        if scan.value(at, Cat::Relday).is_some() {
            return None;
        }
        let start = scan.skip(at, Cat::The).unwrap_or(at);
        let last = scan.value(start, Cat::Rel).filter(|(point, _)| *point == -1).map_or(start, |(_, next)| next);
        let (count, inside) = scan.ordinal(last).unwrap_or((1, last));
        let count = count.clamp(1, 10_000);
        let counted = scan.unit(inside).map(|(unit, next)| (Some(unit), 0, next));
        let (unit, of_week, next) =
            counted.or_else(|| scan.value(inside, Cat::Weekday).map(|(day, next)| (None, day, next)))?;
        if let (Some(unit), Some(inside)) = (unit, scan.skip(next, Cat::Ended)) {
            return self.ended(at, &Length { parts: vec![(unit, 1000)], rel: None }, inside);
        }
        let (sign, after) = match (scan.skip(next, Cat::Before), scan.skip(next, Cat::After)) {
            (Some(after), _) => (-1, after),
            (_, Some(after)) => (1, after),
            _ => return None,
        };
        // "the week before last", "the month after next"; "the day before" and nothing more
        if let Some(unit) = unit.filter(|unit| *unit >= Unit::Day && count == 1) {
            let inside = scan.skip(after, Cat::The).unwrap_or(after);
            let ends = |at: usize| scan.token(at).is_none_or(|token| matches!(token.kind, Kind::Sign(_)));
            let said = start > at;
            let pointed = scan.value(inside, Cat::Rel).filter(|(point, to)| delta(*point) == sign && ends(*to));
            let found = match pointed {
                Some((_, to)) => Some((2 * sign, to)),
                None => (said && ends(after)).then_some((sign, after)),
            };
            if let Some((shift, to)) = found {
                let (first, after) = unit_around(self.context.today(), unit, shift);
                return Some(self.found(at, to, Span::days(first, after, unit), 3));
            }
        }
        let lead = Lead { prep: true, ..Lead::default() };
        let frame = self.phrase(after, lead).or_else(|| self.phrase(scan.skip(after, Cat::The)?, lead))?;
        let span = self.context.resolve(&frame)?;
        let (first, end) = (span.start?.div_euclid(DAY), (span.end? - 1).div_euclid(DAY));
        let day = if sign < 0 { first } else { end };
        let span = match unit {
            None | Some(Unit::Weekend) => {
                let of_week = if unit.is_some() { 6 } else { of_week };
                let near = if sign < 0 {
                    day - 1 - (weekday(day - 1) - of_week).rem_euclid(7)
                } else {
                    day + 1 + (of_week - weekday(day + 1)).rem_euclid(7)
                };
                let found = near + sign * 7 * (count - 1);
                Span::days(found, found + if unit.is_some() { 2 } else { 1 }, unit.unwrap_or(Unit::Day))
            }
            Some(unit) if unit.is_clock() => return None,
            Some(unit) if sign < 0 => {
                let from = shift(first * DAY, unit, -1000 * count).div_euclid(DAY);
                Span::days(from, shift(from * DAY, unit, 1000).div_euclid(DAY), unit)
            }
            Some(unit) => {
                let to = shift((end + 1) * DAY, unit, 1000 * count).div_euclid(DAY);
                Span::days(shift(to * DAY, unit, -1000).div_euclid(DAY), to, unit)
            }
        };
        Some(self.found(at, frame.to, span, 4))
    }

    /// "for the month", "the weekend", "year to date".
    pub(super) fn this_unit(&self, at: usize) -> Option<Found> {
        let scan = &self.scan;
        let (unit, next) = scan.unit(at)?;
        // "over the years" is no year.
        let plural = scan.lexicon.has("halvesofgames") && !self.singular(next);
        if unit < Unit::Day || plural {
            return None;
        }
        let back = self.look_back(at);
        let (mut first, mut after) = unit_around(self.context.today(), unit, 0);
        if let Some(to) = scan.skip(next, Cat::Todate) {
            let span = Span { start: Some(first * DAY), end: Some(self.context.now), grain: unit };
            return Some(self.found(at, to, span, 3));
        }
        let ends =
            scan.token(next).is_none_or(|token| matches!(token.kind, Kind::Sign(sign) if sign != '-' && sign != '\''));
        let whole = self.is_whole(at, next);
        if !(ends && back.the && (back.prep || back.at || unit == Unit::Weekend)
            || whole && (back.the && unit > Unit::Day || unit == Unit::Weekend))
        {
            return None;
        }
        if unit == Unit::Weekend && self.context.prefer == Prefer::Past && first > self.context.today() {
            (first, after) = (first - 7, after - 7);
        }
        Some(self.found(at, next, Span::days(first, after, unit), 1))
    }

    /// The length of time that ends with a day or month.
    pub(super) fn ended(&self, at: usize, length: &Length, inside: usize) -> Option<Found> {
        let inside = self.scan.skip_all(inside, &[Cat::Prep, Cat::The]);
        let frame = self.phrase(inside, Lead { prep: true, ..Lead::default() })?;
        let span = self.context.resolve(&frame)?;
        let start = length.shift(span.end?, -1);
        Some(self.found(at, frame.to, Span { start: Some(start), end: span.end, grain: length.grain() }, 4))
    }
}
