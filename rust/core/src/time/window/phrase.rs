//! Phrases: slots filled one after the other, in whatever order the words come.

use super::calendar::{Unit, valid};
use super::clock::Clock;
use super::frame::{Counted, Frame};
use super::lexicon::Cat;
use super::scan::Scan;
use super::token::Kind;

/// What stood just before a word.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lead {
    /// A preposition of time, "in" or "during".
    pub prep: bool,
    /// "at", "around".
    pub at: bool,
    /// "of".
    pub of: bool,
    /// The definite article.
    pub the: bool,
    /// "from" or "between": a range is to be expected.
    pub range: bool,
    /// A dash or slash without spaces.
    pub dash: bool,
    /// The phrase is all there is.
    pub whole: bool,
}

impl Scan<'_> {
    /// Reads as many parts of a time as belong together from a token on.
    pub fn phrase(&self, at: usize, lead: Lead) -> Option<Frame> {
        let mut frame = Frame { from: at, ..Frame::default() };
        let mut next = self.component(at, &mut frame, lead)?;
        frame.to = next;
        'parts: loop {
            let mut lead = Lead { range: lead.range, ..Lead::default() };
            let mut gap = next;
            for _ in 0..4 {
                if self.token(gap).is_some_and(|token| token.new_line) {
                    break 'parts;
                }
                if let Some(after) = self.component(gap, &mut frame, lead) {
                    next = after;
                    frame.to = next;
                    continue 'parts;
                }
                match self.connector(gap, &frame, &mut lead) {
                    Some(after) => gap = after,
                    None => break 'parts,
                }
            }
            break;
        }
        self.finish(frame)
    }

    /// Words and signs that hold the parts of a phrase together.
    fn connector(&self, at: usize, frame: &Frame, lead: &mut Lead) -> Option<usize> {
        let token = self.token(at)?;
        if token.is('\'')
            && let Some(after) = self.skip(at, Cat::Of)
        {
            lead.of = true;
            return Some(after);
        }
        if let Kind::Sign(sign) = token.kind {
            let tight = token.glued && self.glued(at + 1);
            match sign {
                ',' | '、' | '(' | ')' | '[' | ']' => {}
                '@' => lead.at = true,
                // An abbreviation's dot, or a dot inside a date.
                '.' if token.glued
                    && (tight
                        || self.value(at + 1, Cat::Month).is_some()
                        || self.token(at.wrapping_sub(1)).is_some_and(|word| {
                            word.kind == Kind::Word && word.end - word.start <= 5 && at == frame.to
                        })
                        || self.lexicon.has("dotted")) => {}
                '-' | '/' if tight => lead.dash = true,
                '\'' if token.glued => {}
                _ => return None,
            }
            return Some(at + 1);
        }
        if let Some(after) = self.skip(at, Cat::At) {
            lead.at = true;
            return Some(after);
        }
        for (cat, flag) in [(Cat::Of, 0), (Cat::Prep, 1), (Cat::The, 2)] {
            if let Some(after) = self.skip(at, cat) {
                match flag {
                    0 => lead.of = true,
                    1 => lead.prep = true,
                    _ => lead.the = true,
                }
                return Some(after);
            }
        }
        if frame.lasting.is_some()
            && let Some(after) = self.skip(at, Cat::From)
        {
            lead.at = true;
            return Some(after);
        }
        None
    }

    /// One part of a time; fills its slot and gives the token after it.
    fn component(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        self.numeric_date(at, frame, lead)
            .or_else(|| self.decade_mark(at, frame))
            .or_else(|| self.marked_date(at, frame))
            .or_else(|| self.clock_range(at, frame, lead))
            .or_else(|| self.time_of_day(at, frame, lead))
            .or_else(|| self.edge(at, frame, lead))
            .or_else(|| self.quarter(at, frame))
            .or_else(|| self.pointed(at, frame))
            .or_else(|| self.counted(at, frame))
            .or_else(|| self.words(at, frame))
            .or_else(|| self.decade(at, frame, lead))
            .or_else(|| self.week(at, frame))
            .or_else(|| self.day_of_month(at, frame, lead))
            .or_else(|| self.year(at, frame, lead))
            .or_else(|| self.tail(at, frame))
    }

    /// Months, weekdays, days such as "yesterday", parts of the day, holidays, seasons.
    fn words(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        let first = frame.slots() == 0;
        // "dienstag morgen", "ayer por la mañana": the morning, not tomorrow.
        let morning = (frame.has_day() || frame.clock.is_some() && self.lexicon.has("partclock"))
            && self.value(at, Cat::Part).is_some();
        if frame.relday.is_none()
            && !morning
            && frame.month.is_none()
            && frame.rel.is_none()
            && let Some((value, next)) = self.value(at, Cat::Relday)
        {
            frame.relday = Some(value);
            return Some(next);
        }
        if let Some((holiday, next)) = self.value(at, Cat::Holiday)
            && frame.holiday.is_none()
            && frame.month.is_none()
        {
            frame.holiday = Some(holiday);
            if let Some((Unit::Weekend, after)) = self.unit(next) {
                frame.rel = Some((Unit::Weekend, 0));
                return Some(after);
            }
            return Some(next);
        }
        if frame.month.is_none()
            && !matches!(frame.rel, Some((unit, _)) if unit != Unit::Year && unit != Unit::Week && unit != Unit::Day && unit != Unit::Weekend)
            && let Some((sense, next)) = self.sense(at, Cat::Month)
        {
            frame.month = Some(sense.value);
            frame.weak |= sense.weak && first;
            frame.name |= sense.name && first;
            if let Some((point, after)) = self.relpost(next) {
                frame.point = Some(point);
                return Some(after);
            }
            return Some(next);
        }
        if frame.weekday.is_none()
            && let Some((sense, next)) = self.sense(at, Cat::Weekday)
        {
            frame.weekday = Some(sense.value);
            frame.weak |= sense.weak && first;
            if let Some((point, after)) = self.relpost(next) {
                frame.weekday_point = Some(point);
                return Some(after);
            }
            return Some(next);
        }
        if frame.part.is_none()
            && let Some((part, next)) = self.value(at, Cat::Part)
        {
            if part > 100 {
                if frame.relday.is_some() || frame.weekday.is_some() {
                    return None;
                }
                frame.relday = Some(if part > 200 { -1 } else { 0 });
            }
            frame.part = Some(part % 100);
            return Some(next);
        }
        if frame.season.is_none()
            && let Some((season, next)) = self.value(at, Cat::Season)
            // The Summer Olympics are no summer.
            && !(self.unknown_word(next) && self.tokens[next].capital)
        {
            frame.season = Some(season);
            if let Some((point, after)) = self.relpost(next) {
                frame.point = Some(point);
                return Some(after);
            }
            return Some(next);
        }
        if first && let Some((_, next)) = self.value(at, Cat::Now) {
            frame.now = true;
            return Some(next);
        }
        // la semaine dernière
        if let Some((unit, next)) = self.unit(at)
            && frame.rel.is_none()
        {
            let (sense, _) = self.sense(at, Cat::Unit)?;
            let gap = self.skip_all(next, &[Cat::Of, Cat::The]);
            if !sense.weak
                && let Some((point, after)) = self.relpost(next).or_else(|| self.relpost(gap))
            {
                frame.rel = Some((unit, delta(point)));
                return Some(after);
            }
            if unit == Unit::Weekend
                && let Some(after) = self.skip(next, Cat::Of)
                && let Some((holiday, after)) = self.value(after, Cat::Holiday)
                && frame.holiday.is_none()
            {
                frame.rel = Some((Unit::Weekend, 0));
                frame.holiday = Some(holiday);
                return Some(after);
            }
        }
        None
    }

    /// A pointing word that follows what it points at, unless it points at the next word.
    fn relpost(&self, at: usize) -> Option<(i64, usize)> {
        if !self.lexicon.has("postpointing") {
            return None;
        }
        self.value(at, Cat::Relpost).filter(|(_, next)| {
            let ahead = self.value(at, Cat::Rel).is_some();
            !(ahead && (self.unit(*next).is_some() || self.value(*next, Cat::Month).is_some()))
        })
    }

    /// "last week", "this March", "next Friday", "last night".
    fn pointed(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if let Some((shift, next)) = self.value(at, Cat::Relyear)
            && frame.rel.is_none()
            && frame.year.is_none()
        {
            frame.rel = Some((Unit::Year, shift));
            return Some(next);
        }
        let (point, next) = self.value(at, Cat::Rel)?;
        // "pasado mañana" is a day.
        if self.value(at, Cat::Relday).is_some_and(|(_, after)| after > next) {
            return None;
        }
        let next = self.skip(next, Cat::Nextto).unwrap_or(next);
        let named_day = self.value(next, Cat::Weekday).map_or(0, |(_, after)| after);
        if let Some((unit, after)) = self.unit(next)
            && after >= named_day
        {
            // A later unit, said with "of", makes the first one a position: the last week of last month.
            match frame.rel {
                None => {}
                Some((held, -1)) if held < unit && frame.nth.is_none() => {
                    frame.nth = Some((-1, Counted::Unit(held), 1));
                }
                _ => return None,
            }
            if frame.month.is_some() && unit < Unit::Month && point == -1 && frame.nth.is_none() && frame.day.is_none()
            {
                frame.nth = Some((-1, Counted::Unit(unit), 1));
                return Some(after);
            }
            if frame.relday.is_some() || (frame.month.is_some() && unit < Unit::Year) {
                return None;
            }
            frame.rel = Some((unit, delta(point)));
            return Some(after);
        }
        if let Some((part, after)) = self.value(next, Cat::Part)
            && part < 100
            && frame.part.is_none()
            && frame.relday.is_none()
        {
            frame.part = Some(part);
            if !frame.has_date() {
                frame.relday = Some(delta(point));
            }
            return Some(after);
        }
        if frame.point.is_some() || frame.weekday_point.is_some() {
            return None;
        }
        if let Some((weekday, after)) = self.value(next, Cat::Weekday)
            && frame.weekday.is_none()
        {
            frame.weekday = Some(weekday);
            frame.weekday_point = Some(point);
            return Some(after);
        }
        if frame.month.is_some() || frame.holiday.is_some() || frame.season.is_some() {
            return None;
        }
        let mut inner = frame.clone();
        let after = if let Some((month, after)) = self.value(next, Cat::Month) {
            inner.month = Some(month);
            after
        } else if let Some((season, after)) = self.value(next, Cat::Season) {
            inner.season = Some(season);
            after
        } else if let Some((holiday, after)) = self.value(next, Cat::Holiday) {
            inner.holiday = Some(holiday);
            after
        } else if self.digits(next).is_some() {
            let lead = Lead { prep: true, ..Lead::default() };
            self.numeric_date(next, &mut inner, lead).or_else(|| self.day_of_month(next, &mut inner, lead))?
        } else {
            return None;
        };
        inner.point = Some(point);
        *frame = inner;
        Some(after)
    }

    /// "first Monday", "third week", "21st century", "15th day", "first two weeks", "third last day".
    fn counted(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if frame.nth.is_some() {
            return None;
        }
        // 15世紀, siglo XV
        if frame.century.is_none() {
            let before = self.whole(at).filter(|_| self.lexicon.has("marked")).or_else(|| self.value(at, Cat::Roman));
            if let Some((number, next)) = before
                && (1..=40).contains(&number)
                && let Some((Unit::Century, after)) = self.unit(next)
            {
                frame.century = Some((number - 1) * 100);
                return Some(after);
            }
            if let Some((Unit::Century, next)) = self.unit(at)
                && let Some((number, after)) = self.value(next, Cat::Roman)
            {
                frame.century = Some((number - 1) * 100);
                return Some(after);
            }
        }
        let (mut position, mut next) = match self.ordinal(at) {
            Some(found) => found,
            None => {
                // "the last four months of 2021"
                let (-1, next) = self.value(at, Cat::Rel)? else { return None };
                let (count, after) = self.whole(next)?;
                let (unit, after) = self.unit(after)?;
                let inside = self.skip(after, Cat::Of)?;
                let named = self.digits(inside).is_some_and(|(_, digits)| digits == 4)
                    || self.value(inside, Cat::Month).is_some()
                    || self.value(inside, Cat::Rel).is_some_and(|(_, next)| self.unit(next).is_some());
                if !named || unit.is_clock() {
                    return None;
                }
                frame.nth = Some((-1, Counted::Unit(unit), count.clamp(1, 10_000)));
                return Some(after);
            }
        };
        if !(1..=400).contains(&position) {
            return None;
        }
        if let Some((-1, after)) = self.value(next, Cat::Rel) {
            position = -position;
            next = after;
        }
        let mut count = 1;
        if self.unit(next).is_none()
            && let Some((many, after)) = self.whole(next)
            && self.unit(after).is_some()
            && position > 0
        {
            count = many.clamp(1, 10_000);
            next = after;
        }
        if self.lexicon.has("marked") {
            next = self.skip(next, Cat::Of).unwrap_or(next);
        }
        if let Some((weekday, after)) = self.value(next, Cat::Weekday) {
            if frame.weekday.is_some() {
                return None;
            }
            frame.nth = Some((position, Counted::Weekday(weekday), 1));
            return Some(after);
        }
        let (unit, after) = self.unit(next)?;
        match unit {
            Unit::Second | Unit::Minute | Unit::Hour | Unit::Part => return None,
            Unit::Quarter if (1..=4).contains(&position) && count == 1 => {
                if frame.quarter.is_some() {
                    return None;
                }
                frame.quarter = Some(position);
            }
            Unit::Half if (1..=2).contains(&position) && count == 1 => {
                if frame.half.is_some() {
                    return None;
                }
                frame.half = Some(position);
            }
            Unit::Century if position > 0 && count == 1 => {
                if frame.century.is_some() {
                    return None;
                }
                frame.century = Some((position - 1) * 100);
            }
            Unit::Day if (1..=31).contains(&position) && count == 1 && frame.day.is_none() => {
                // The 15th day of next month is a date; of anything else it is a position.
                let inside = self.skip_all(after, &[Cat::Of, Cat::The]);
                let of_month = self.value(inside, Cat::Month).is_some()
                    || matches!(self.unit(inside), Some((Unit::Month, _)))
                    || self
                        .value(inside, Cat::Rel)
                        .is_some_and(|(_, next)| matches!(self.unit(next), Some((Unit::Month, _))));
                if !of_month {
                    frame.nth = Some((position, Counted::Unit(unit), count));
                } else {
                    frame.day = Some(position);
                    if let Some((Unit::Month, end)) = self.unit(inside) {
                        frame.rel = Some((Unit::Month, 0));
                        return Some(end);
                    }
                }
            }
            _ => frame.nth = Some((position, Counted::Unit(unit), count)),
        }
        Some(after)
    }

    /// "Q1", "1Q", "H2", "18q4".
    fn quarter(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        let read = |at: usize| -> Option<(bool, i64, usize)> {
            for (cat, quarter, most) in [(Cat::Quartername, true, 4), (Cat::Halfname, false, 2)] {
                if let Some((0, next)) = self.value(at, cat)
                    && self.glued(next)
                    && let Some((number, 1)) = self.digits(next)
                    && (1..=most).contains(&number)
                {
                    return Some((quarter, number, next + 1));
                }
                if let Some((number, next)) = self.value(at, cat)
                    && number > 0
                {
                    return Some((quarter, number, next));
                }
            }
            None
        };
        if frame.quarter.is_some() || frame.half.is_some() {
            return None;
        }
        if let Some((year, 2 | 4)) = self.digits(at)
            && frame.year.is_none()
            && self.glued(at + 1)
            && let Some((is_quarter, number, next)) = read(at + 1)
            && next == at + 3
        {
            frame.year = Some(if year < 100 { 2000 + year } else { year });
            if is_quarter {
                frame.quarter = Some(number)
            } else {
                frame.half = Some(number)
            }
            return Some(next);
        }
        let (is_quarter, number, next) = read(at)?;
        if is_quarter {
            frame.quarter = Some(number)
        } else {
            frame.half = Some(number)
        }
        Some(next)
    }

    /// "1990s", "the 90s", "nineties".
    fn decade(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.decade.is_some() || frame.year.is_some() || frame.month.is_some() {
            return None;
        }
        if let Some((value, next)) = self.value(at, Cat::Decadeword)
            && value > 2
        {
            frame.decade = Some(if value < 100 { (1900 + value, false) } else { (value, true) });
            return Some(next);
        }
        // les années 90
        let prefix = self.value(at, Cat::Decadeword).filter(|(value, _)| *value == 2);
        let start = prefix.map_or(at, |(_, next)| next);
        let token = self.token(start)?;
        if token.kind != Kind::Number || token.value % 10 != 0 || !matches!(token.digits, 2 | 4) {
            return None;
        }
        let (value, digits) = (token.value, token.digits);
        let next = match prefix {
            Some(_) => start + 1,
            None => {
                let (mark, next) = self.value(start + 1, Cat::Decadeword)?;
                if mark != 1 || !(self.glued(start + 1) || digits == 4) {
                    return None;
                }
                next
            }
        };
        if digits == 2 {
            if !(lead.the || lead.prep || lead.whole || prefix.is_some() || frame.edge.is_some()) {
                return None;
            }
            frame.decade = Some((1900 + value, false));
        } else {
            frame.decade = Some((value, true));
        }
        Some(next)
    }

    /// 1970年代, 九十年代
    fn decade_mark(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if !self.lexicon.has("marked") || frame.decade.is_some() || frame.year.is_some() || frame.month.is_some() {
            return None;
        }
        let (value, next) = self.whole(at)?;
        let (1, after) = self.value(next, Cat::Decadeword)? else { return None };
        if value % 10 != 0 || !(10..3000).contains(&value) {
            return None;
        }
        frame.decade = Some(if value < 100 { (1900 + value, false) } else { (value, true) });
        Some(after)
    }

    /// "week 31", "week of 6 October".
    fn week(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if let Some((Unit::Week, next)) = self.unit(at)
            && frame.week.is_none()
            && frame.rel.is_none_or(|(unit, _)| unit == Unit::Year)
            && let Some((number, 1 | 2)) = self.digits(next)
            && (1..=53).contains(&number)
        {
            frame.week = Some(number);
            return Some(next + 1);
        }
        if let Some(next) = self.skip(at, Cat::Weekof)
            && !frame.week_of
            && frame.slots() == 0
        {
            let mut inner = Frame { week_of: true, ..frame.clone() };
            let start = self.skip_all(next, &[Cat::The, Cat::Prep]);
            let lead = Lead { prep: true, the: true, ..Lead::default() };
            let after = self.component(start, &mut inner, lead)?;
            if !inner.has_date() {
                return None;
            }
            *frame = inner;
            return Some(after);
        }
        None
    }

    /// "early", "the end of"; the rest of a time; a time up to now.
    fn edge(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if let Some((sense, next)) = self.sense(at, Cat::Edgeof)
            && (!sense.weak || self.tokens[at].upper)
            && let value = sense.value
            && frame.edge.is_none()
            && frame.rel.is_none()
        {
            frame.edge = Some(value / 100);
            frame.rel = Some((super::scan::unit_of(value % 100)?, 0));
            return Some(next);
        }
        if let Some(next) = self.skip(at, Cat::Rest)
            && !frame.rest
            && frame.slots() == 0
        {
            let inside = self.skip_all(next, &[Cat::The, Cat::Of]);
            let mut inner = Frame { rest: true, ..frame.clone() };
            if let Some((unit, after)) = self.unit(inside) {
                inner.rel = Some((unit, 0));
                *frame = inner;
                return Some(after);
            }
            let after = self.component(inside, &mut inner, Lead::default())?;
            *frame = inner;
            return Some(after);
        }
        let (edge, mut next) = self.value(at, Cat::Edge)?;
        // "fin de semana" is a unit.
        if self.unit(at).is_some_and(|(_, after)| after > next) {
            return None;
        }
        if self.sign(next, '-') {
            next += 1;
        }
        let inside = self.skip_all(next, &[Cat::Of, Cat::The, Cat::Around, Cat::Prep]);
        if frame.part.is_none()
            && let Some((part, after)) = self.value(inside, Cat::Part)
        {
            frame.part = Some(part % 100);
            frame.part_edge = Some(edge);
            if part > 100 {
                frame.relday = Some(0);
            }
            return Some(after);
        }
        if frame.edge.is_some() || frame.has_date() {
            return None;
        }
        let mut inner = Frame { edge: Some(edge), ..frame.clone() };
        let of = inside > next || matches!(edge, 4..=6);
        if of
            && let Some((unit, after)) = self.unit(inside)
            && unit >= Unit::Day
            && self.skip(after, Cat::Of).is_none()
            && self.relpost(after).is_none()
        {
            inner.rel = Some((unit, 0));
            *frame = inner;
            return Some(after);
        }
        let lead = Lead { prep: true, the: inside > next, whole: lead.whole, ..Lead::default() };
        let after = self.component(inside, &mut inner, lead)?;
        if inner.part.is_some() && inner.relday.is_some() {
            // "late last night"
            inner.part_edge = inner.edge.take();
        } else if !inner.has_date() {
            return None;
        }
        inner.weak = false;
        *frame = inner;
        Some(after)
    }

    /// "7 to 9", "between 9:30 and 11", "3-8pm".
    fn clock_range(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.clock.is_some() || (frame.month.is_some() && frame.day.is_none() && frame.relday.is_none()) {
            return None;
        }
        let opened = self.skip(at, Cat::From).or_else(|| self.skip(at, Cat::Between)).filter(|_| frame.has_date());
        let start = opened.map_or(at, |next| self.skip_all(next, &[Cat::At, Cat::The]));
        let between = opened.is_some() || lead.range;
        let (first, mut next) = self.plain_or_fixed(start)?;
        if let Some((zone, after)) = self.zone(next) {
            frame_zone(frame, zone);
            next = after;
        }
        let joint = self.skip(next, Cat::To).or_else(|| self.skip(next, Cat::And).filter(|_| between))?;
        let joint = self.skip_all(joint, &[Cat::At, Cat::The]);
        let (last, after) = self.plain_or_fixed(joint)?;
        if first.bare && last.bare {
            if lead.dash {
                return None;
            }
            let small = |clock: &Clock| clock.grain == Unit::Hour;
            let timely =
                frame.relday.is_some() || frame.weekday.is_some() || frame.day.is_some() || frame.part.is_some();
            let room = timely && small(&first) && small(&last);
            // "between 3 and 5 on 1/1/2015": the day comes after.
            let later = between && small(&first) && small(&last) && self.day_follows(after);
            if !(room || later) || self.unit(after).is_some() || self.value(after, Cat::Month).is_some() {
                return None;
            }
        } else if (first.bare && first.grain == Unit::Minute) || (last.bare && last.grain == Unit::Minute) {
            return None;
        }
        frame.clock = Some(Clock { bare: false, ..first });
        frame.clock_to = Some(Clock { bare: false, ..last });
        Some(after)
    }

    fn plain_or_fixed(&self, at: usize) -> Option<(Clock, usize)> {
        let found = self.clock(at, true)?;
        // Years are no times of day.
        let year = found.0.bare && self.digits(at).is_some_and(|(value, digits)| digits == 4 && value >= 1300);
        (!year).then_some(found)
    }

    /// Whether a whole date, and not just a month, comes next.
    fn day_follows(&self, at: usize) -> bool {
        let next = self.skip_all(at, &[Cat::Of, Cat::Prep, Cat::The]);
        self.value(next, Cat::Relday).is_some()
            || self.value(next, Cat::Weekday).is_some()
            || self.value(next, Cat::Part).is_some()
            || self.numeric_date(next, &mut Frame::default(), Lead { prep: true, ..Lead::default() }).is_some()
    }

    /// One time of day.
    fn time_of_day(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.clock.is_some() {
            return None;
        }
        // 今夜午後10時: the part of the day stands once more before the hour.
        if self.lexicon.has("partclock")
            && frame.part.is_some()
            && let Some((part @ (1 | 2), next)) = self.value(at, Cat::Part)
            && let Some((clock, after)) = self.clock(next, true)
            && !clock.bare
        {
            frame.clock = Some(Clock { half: if clock.is_open() { part } else { clock.half }, ..clock });
            return Some(after);
        }
        let (mut clock, next) = self.clock(at, true)?;
        // "Feb 5 AM" is the morning of a day.
        let dayless = frame.month.is_some() && frame.day.is_none();
        if frame.has_date() && !frame.has_day() && !dayless && frame.part.is_none() {
            return None;
        }
        if dayless && !lead.at && clock.grain == Unit::Hour && (1..=12).contains(&clock.hour) {
            return None;
        }
        if clock.bare {
            let digits = self.digits(at).map(|(_, digits)| digits);
            let inside = self.skip_all(next, &[Cat::Prep, Cat::At, Cat::The, Cat::Of]);
            let part = self.value(inside, Cat::Part).is_some_and(|(part, _)| part < 100) && inside > next;
            let this_part = self.value(next, Cat::Rel).is_some_and(|(_, at)| self.value(at, Cat::Part).is_some());
            let day_after = self.value(next, Cat::Relday).is_some() || this_part;
            let hour = clock.grain == Unit::Hour && clock.hour <= 24;
            if frame.month.is_some() && frame.day.is_none() {
                return None;
            }
            let year = digits == Some(4) && self.digits(at).is_some_and(|(value, _)| (1300..2200).contains(&value));
            let spelled_time = digits.is_none() && clock.grain == Unit::Minute && (frame.has_day() || day_after);
            let fits = if year {
                false
            } else if lead.at || frame.clock_lead(lead) {
                frame.has_day()
                    || frame.part.is_some()
                    || part
                    || day_after
                    || (lead.at && !self.unknown_word(next) && self.unit(next).is_none() && digits.is_some())
            } else {
                (hour && part)
                    || (hour && day_after && lead.whole)
                    || (spelled_time && digits.is_none())
                    || (frame.part.is_some() && frame.relday.is_some() && hour && at == frame.to + 1)
            };
            if !fits || self.unit(next).is_some() && digits.is_some() {
                return None;
            }
            // A day of the month, not an hour: "the 15th"; part of a longer number: 10.0.3.15.
            let chained = (self.sign(next, '.') || self.sign(next, ',') || self.sign(next, '/'))
                && self.glued(next)
                && self.token(next + 1).is_some_and(|token| token.kind == Kind::Number && token.glued);
            if self.ordinal(at).is_some() || self.month_at(next) || chained {
                return None;
            }
            clock.bare = false;
            frame.weak |= frame.slots() == 0;
        }
        frame.clock = Some(clock);
        Some(next)
    }

    /// Day of a month, or several days of it.
    fn day_of_month(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.day.is_some() || frame.relday.is_some() || frame.holiday.is_some() || frame.nth.is_some() {
            return None;
        }
        let at = if frame.month.is_some() {
            self.skip(at, Cat::Between).or_else(|| self.skip(at, Cat::From)).unwrap_or(at)
        } else {
            at
        };
        let (first, ordinal, mut next) = self.day_number(at)?;
        let mut last = None;
        let joint = self
            .skip(next, Cat::To)
            .or_else(|| self.skip(next, Cat::And).filter(|_| lead.range || frame.month.is_some()));
        if let Some(joint) = joint {
            let start = self.skip_all(joint, &[Cat::The]);
            if let Some((to, _, after)) = self.day_number(start)
                && to > first
                && !(frame.month.is_some() && self.month_at(after))
                && (frame.month.is_some() || self.month_at(after) || self.rel_month_at(after))
                // 2014-05-01-07 and the like are not ours to read.
                && !(self.sign(after, '/') && self.glued(after))
            {
                last = Some(to);
                next = after;
            }
        }
        let month_set = frame.month.is_some() || matches!(frame.rel, Some((Unit::Month, _)));
        let weekday = frame.weekday.is_some() && frame.month.is_none() && frame.rel.is_none();
        let accepted = month_set
            || self.month_at(next) && frame.month.is_none()
            || self.rel_month_at(next) && frame.rel.is_none()
            || (ordinal && (lead.the || weekday || lead.whole))
            || (weekday && self.digits(at).is_some() && !lead.at)
            || (lead.prep && self.digits(at).is_some() && self.clock_next(next))
            || (lead.the && (lead.prep || lead.at || weekday || lead.whole) && !self.unknown_word(next));
        if !accepted {
            return None;
        }
        frame.the_day = ordinal || lead.the;
        frame.day = Some(first);
        frame.day_to = last;
        Some(next)
    }

    /// A number that can be a day of the month: value, whether it is an ordinal, what follows.
    fn day_number(&self, at: usize) -> Option<(i64, bool, usize)> {
        if let Some((value, next)) = self.ordinal(at) {
            return (1..=31).contains(&value).then_some((value, true, next));
        }
        let (value, next) = match self.digits(at) {
            Some((value, 1 | 2)) => (value, at + 1),
            Some(_) => return None,
            None if self.article(at) => return None,
            None => self.whole(at)?,
        };
        let clock = (self.sign(next, ':') && self.glued(next))
            || (self.meridiem(next).is_some() && self.glued(next))
            || self.skip(next, Cat::Oclock).is_some()
            || (self.skip(next, Cat::Hourmark).is_some() && self.glued(next))
            || self.unit(next).is_some()
            || self.skip(next, Cat::Mult).is_some();
        // Dots of day numbers, as in "3. Mai".
        let next = if self.lexicon.has("dotted") && self.sign(next, '.') && self.glued(next) { next + 1 } else { next };
        ((1..=31).contains(&value) && !clock).then_some((value, false, next))
    }

    /// "at 8:00", ", 8pm"
    fn clock_next(&self, at: usize) -> bool {
        let inside = if self.sign(at, ',') { at + 1 } else { self.skip_all(at, &[Cat::At]) };
        inside > at && self.clock(inside, true).is_some_and(|(clock, _)| !clock.bare)
    }

    fn month_at(&self, at: usize) -> bool {
        let next = if ((self.sign(at, '-') || self.sign(at, '/')) && self.glued(at + 1)) || self.sign(at, '.') {
            at + 1
        } else {
            self.skip_all(at, &[Cat::Of, Cat::The])
        };
        self.value(next, Cat::Month).is_some()
    }

    fn rel_month_at(&self, at: usize) -> bool {
        let inside = self.skip_all(at, &[Cat::Of]);
        self.value(inside, Cat::Rel).is_some_and(|(_, next)| matches!(self.unit(next), Some((Unit::Month, _))))
            || matches!(self.unit(inside), Some((Unit::Month, next)) if self.skip(next, Cat::Relpost).is_some())
    }

    /// A year, with its era.
    fn year(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.year.is_some()
            || frame.decade.is_some()
            || matches!(frame.rel, Some((Unit::Year, _)))
            || frame.relday.is_some()
        {
            return None;
        }
        let (mut year, mut next, marked) = self.year_number(at, frame, lead)?;
        if let Some((era, after)) = self.value(next, Cat::Era) {
            year = match era {
                -1 => 1 - year,
                1 => year,
                lag => year - lag,
            };
            next = after;
        }
        frame.year = Some(year);
        frame.marked_year |= marked;
        Some(next)
    }

    fn year_number(&self, at: usize, frame: &Frame, lead: Lead) -> Option<(i64, usize, bool)> {
        if let Some((1, next)) = self.value(at, Cat::Yearmark) {
            let (year, digits, next) = match self.digits(next) {
                Some((value, digits)) => (value, digits, next + 1),
                None => self.spelled(next).map(|(value, next)| (value, 4, next))?,
            };
            if digits == 2 && !self.glued(next - 1) {
                return None;
            }
            return (year > 0).then_some((if digits == 2 { 2000 + year } else { year }, next, true));
        }
        let era = |next: usize| self.value(next, Cat::Era).is_some();
        if let Some((value, digits)) = self.digits(at) {
            let clock = self.sign(at + 1, ':') || self.meridiem(at + 1).is_some();
            let unit = self.unit(at + 1).is_some_and(|(unit, _)| unit != Unit::Quarter)
                || self.skip(at + 1, Cat::Mult).is_some();
            let group = (self.sign(at + 1, ',') || self.sign(at + 1, '.'))
                && self.glued(at + 1)
                && self.glued(at + 2)
                && self.digits(at + 2).is_some_and(|(_, digits)| digits == 3);
            if clock || unit || group {
                return None;
            }
            if digits == 4 && ((1000..3100).contains(&value) || era(at + 1)) {
                return Some((value, at + 1, false));
            }
            if era(at + 1) && value > 0 && (frame.month.is_some() || lead.prep) {
                return Some((value, at + 1, false));
            }
            if digits == 2
                && frame.month.is_some()
                && (lead.of || (frame.day.is_some() && !lead.at && !lead.the))
                && self.skip(at + 1, Cat::Oclock).is_none()
                && self.skip(at + 1, Cat::Hourmark).is_none()
                && self.ordinal(at).is_none()
                && !((self.sign(at + 1, '/') || self.sign(at + 1, '-')) && self.glued(at + 1) && self.glued(at + 2))
            {
                return Some((century(value), at + 1, false));
            }
            return None;
        }
        if self.sign(at, '\'')
            && self.glued(at + 1)
            && let Some((value, 2)) = self.digits(at + 1)
            && (frame.month.is_some() || frame.season.is_some() || lead.prep)
        {
            return Some((century(value), at + 2, false));
        }
        if frame.month.is_some() || frame.nth.is_some() || frame.holiday.is_some() || lead.prep || lead.whole {
            let (year, next) = self.spelled_year(at)?;
            return Some((year, next, false));
        }
        None
    }

    /// What may only follow: a zone, "a.m." as a part of the day, "for two days", "in three years", "or so".
    fn tail(&self, at: usize, frame: &mut Frame) -> Option<usize> {
        if frame.slots() == 0 {
            return None;
        }
        if (frame.clock.is_some() || frame.part.is_some())
            && frame.zone.is_none()
            && let Some((zone, next)) = self.zone(at)
        {
            frame.zone = Some(zone);
            return Some(next);
        }
        if frame.has_day()
            && frame.clock.is_none()
            && frame.part.is_none()
            && let Some((half, next)) = self.meridiem(at)
        {
            frame.part = Some(half);
            return Some(next);
        }
        if let Some((edge, next)) = self.value(at, Cat::Edgepost)
            && frame.edge.is_none()
            && frame.clock.is_none()
            && frame.part.is_none()
            && frame.half.is_none()
        {
            frame.edge = Some(edge);
            return Some(next);
        }
        if let Some(next) = self.skip(at, Cat::Orso)
            && !frame.approximate
        {
            frame.approximate = true;
            return Some(next);
        }
        if let Some(next) = self.skip(at, Cat::Fordur)
            && frame.lasting.is_none()
            && frame.has_date() | frame.clock.is_some()
            && let Some((length, after)) = self.length(next)
        {
            frame.lasting = Some(length);
            return Some(after);
        }
        if frame.offset.is_none()
            && frame.year.is_none()
            && (frame.weekday.is_some() || frame.holiday.is_some() || (frame.month.is_some() && frame.day.is_none()))
        {
            if let Some(next) = self.skip(at, Cat::In)
                && let Some((length, after)) = self.length(next)
            {
                frame.offset = Some((length, 1));
                return Some(after);
            }
            if let Some((length, next)) = self.length(at) {
                if let Some(after) = self.skip(next, Cat::Ago) {
                    frame.offset = Some((length, -1));
                    return Some(after);
                }
                if let Some(after) = self.skip(next, Cat::Later) {
                    frame.offset = Some((length, 1));
                    return Some(after);
                }
            }
        }
        None
    }

    /// A named zone, or an offset such as +08:00.
    pub fn zone(&self, at: usize) -> Option<(i64, usize)> {
        let inner = if self.sign(at, '(') { at + 1 } else { at };
        if let Some((zone, next)) = self.value(inner, Cat::Zone) {
            if inner > at && self.sign(next, ')') {
                return Some((zone, next + 1));
            }
            return Some((zone, next));
        }
        self.zone_offset(at)
    }

    fn zone_offset(&self, at: usize) -> Option<(i64, usize)> {
        let sign = match self.token(at)?.kind {
            Kind::Sign('+') => 1,
            Kind::Sign('-') => -1,
            _ => return None,
        };
        if !self.glued(at) || !self.glued(at + 1) {
            return None;
        }
        let (hours, digits) = self.digits(at + 1)?;
        if digits == 2
            && self.sign(at + 2, ':')
            && let Some((minutes, 2)) = self.digits(at + 3)
            && hours < 15
        {
            return Some((sign * (hours * 60 + minutes), at + 4));
        }
        (digits == 4 && hours < 1500).then_some((sign * (hours / 100 * 60 + hours % 100), at + 2))
    }

    /// Puts right what only the whole phrase shows, and drops phrases that say nothing.
    fn finish(&self, mut frame: Frame) -> Option<Frame> {
        let bigger = frame.month.is_some() || frame.year.is_some() || frame.quarter.is_some() || frame.season.is_some();
        if frame.nth.is_none()
            && let Some((unit, -1)) = frame.rel
            && (frame.month.is_some() || (frame.year.is_some() && unit < Unit::Year) || frame.quarter.is_some())
        {
            frame.rel = None;
            frame.nth = Some((-1, Counted::Unit(unit), 1));
        }
        // 第31週 without a month or year is a week of this year.
        if let Some((position, Counted::Unit(Unit::Week), 1)) = frame.nth
            && position > 0
            && self.lexicon.has("marked")
            && !(Frame { nth: None, ..frame.clone() }).has_date()
        {
            frame.nth = None;
            frame.week = Some(position);
        }
        // The first half of a month is its early half.
        let short = frame.month.is_some() || matches!(frame.rel, Some((unit, _)) if unit != Unit::Year);
        if let (Some(half), true) = (frame.half, short) {
            frame.half = None;
            frame.edge.get_or_insert(if half == 1 { 1 } else { 3 });
        }
        let in_rel = matches!(frame.rel, Some((unit, _)) if unit >= Unit::Month);
        if frame.nth.is_none()
            && frame.day.is_none()
            && frame.weekday_point == Some(-1)
            && (bigger || in_rel)
            && let Some(weekday) = frame.weekday.take()
        {
            frame.weekday_point = None;
            frame.nth = Some((-1, Counted::Weekday(weekday), 1));
        }
        if let (Some(month), Some(day)) = (frame.month, frame.day) {
            // 2000 is a leap year: the day exists in some year.
            valid(frame.year.unwrap_or(2000), month, day)?;
        }
        (frame.slots() > 0 && (frame.has_date() || frame.now || frame.clock.is_some() || frame.part.is_some()))
            .then_some(frame)
    }
}

impl Frame {
    /// Whether a bare number after this phrase may be an hour without a word such as "at".
    fn clock_lead(&self, lead: Lead) -> bool {
        lead.range && self.has_day()
    }
}

fn frame_zone(frame: &mut Frame, zone: i64) {
    frame.zone.get_or_insert(zone);
}

/// How far a pointing word moves a unit.
pub fn delta(point: i64) -> i64 {
    if point.abs() >= 10 { point % 10 } else { point.signum() }
}

/// The year of two digits.
pub fn century(value: i64) -> i64 {
    if value < 50 { 2000 + value } else { 1900 + value }
}
