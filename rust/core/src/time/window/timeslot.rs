//! The slots of the time of day, its zone, and what may only follow.

use super::calendar::Unit;
use super::clock::Clock;
use super::frame::Frame;
use super::lexicon::Cat;
use super::phrase::{Lead, frame_zone};
use super::scan::Scan;
use super::token::Kind;

impl Scan<'_> {
    /// "7 to 9", "between 9:30 and 11", "3-8pm".
    pub(super) fn clock_range(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
        if frame.clock.is_some() || (frame.month.is_some() && frame.day.is_none() && frame.relday.is_none()) {
            return None;
        }
        let opened = self.skip(at, Cat::From).or_else(|| self.skip(at, Cat::Between)).filter(|_| frame.has_date());
        let start = opened.map_or(at, |next| self.skip_all(next, &[Cat::At, Cat::The]));
        let between = opened.is_some() || lead.range;
        let (first, mut next) = self.plain_or_fixed(start)?;
        let zone = self.zone(next);
        if let Some((_, after)) = zone {
            next = after;
        }
        let joint = self.skip(next, Cat::To).or_else(|| self.skip(next, Cat::And).filter(|_| between))?;
        // "viernes 23 a las 4" is a day and a time.
        if !between && first.bare && self.skip(next, Cat::At).is_some_and(|after| after > joint) {
            return None;
        }
        let joint = self.skip_all(joint, &[Cat::At, Cat::The]);
        let (last, after) = self.plain_or_fixed(joint)?;
        // 4時から2月3日: the end is a date of its own.
        let dated = [Cat::Monthmark, Cat::Daymark, Cat::Yearmark].iter().any(|cat| self.skip(after, *cat).is_some());
        if last.bare && dated {
            return None;
        }
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
        if let Some((zone, _)) = zone {
            frame_zone(frame, zone);
        }
        frame.clock = Some(Clock { bare: false, ..first });
        frame.clock_to = Some(Clock { bare: false, ..last });
        Some(after)
    }

    pub(super) fn plain_or_fixed(&self, at: usize) -> Option<(Clock, usize)> {
        let found = self.clock(at, true)?;
        // Years are no times of day.
        let year = found.0.bare && self.digits(at).is_some_and(|(value, digits)| digits == 4 && value >= 1300);
        (!year).then_some(found)
    }

    /// Whether a whole date, and not just a month, comes next.
    pub(super) fn day_follows(&self, at: usize) -> bool {
        let next = self.skip_all(at, &[Cat::Of, Cat::Prep, Cat::The]);
        self.value(next, Cat::Relday).is_some()
            || self.value(next, Cat::Weekday).is_some()
            || self.value(next, Cat::Part).is_some()
            || self.day_number(next).is_some_and(|(_, _, after)| self.month_at(after))
            || self.numeric_date(next, &mut Frame::default(), Lead { prep: true, ..Lead::default() }).is_some()
    }

    /// One time of day.
    pub(super) fn time_of_day(&self, at: usize, frame: &mut Frame, lead: Lead) -> Option<usize> {
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
            // "10, tonight"
            let comma = if self.sign(next, ',') { next + 1 } else { next };
            let now_part = self.value(comma, Cat::Part).is_some_and(|(part, _)| part > 100);
            let this_part = self.value(comma, Cat::Rel).is_some_and(|(_, at)| self.value(at, Cat::Part).is_some());
            let day_after = self.value(next, Cat::Relday).is_some() || this_part || comma > next && now_part;
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
                    || (hour && day_after && (lead.whole || comma > next))
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

    /// What may only follow: a zone, "a.m." as a part of the day, "for two days", "in three years", "or so".
    pub(super) fn tail(&self, at: usize, frame: &mut Frame) -> Option<usize> {
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
        // "martedì sera tardi"
        if let Some((edge, next)) = self.value(at, Cat::Edgepost)
            && frame.part.is_some()
            && frame.part_edge.is_none()
            && frame.clock.is_none()
            && !self.lexicon.has("marked")
        {
            frame.part_edge = Some(edge);
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
        if let Some(next) = self.skip(at, Cat::Todate)
            && frame.rel.is_some()
            && !frame.to_date
        {
            frame.to_date = true;
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

    pub(super) fn zone_offset(&self, at: usize) -> Option<(i64, usize)> {
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
}
