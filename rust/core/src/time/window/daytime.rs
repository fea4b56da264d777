//! Parts of the day and times of day on a day.

use super::calendar::{DAY, HOUR, MINUTE, Unit};
use super::clock::Clock;
use super::frame::Frame;
use super::resolve::{Context, Prefer, Span, part_hours, size};

impl Context {
    /// Part of the day and time of day on a day.
    pub(super) fn within_day(&self, frame: &Frame, day: i64) -> Option<Span> {
        let midnight = day.saturating_mul(DAY);
        let Some(clock) = frame.clock else {
            let part = frame.part?;
            let (mut from, mut to) = part_hours(part);
            // Late at night is before and after midnight.
            let middle = (from + to.min(24)) / 2;
            match frame.part_edge.or(frame.edge) {
                Some(1 | 4 | 9) => to = middle,
                Some(3 | 6..=8) => from = middle,
                Some(_) => (from, to) = (middle - 1, middle + 1),
                None => {}
            }
            let span = Span { start: Some(midnight + from * HOUR), end: Some(midnight + to * HOUR), grain: Unit::Part };
            return Some(self.in_zone(frame, span));
        };
        let (mut first, mut last) = self.sides(frame, clock);
        // The small hours of a night belong to the day after: "last night at 2am".
        if frame.part == Some(4) && first < 6 * HOUR {
            first += DAY;
            last = last.map(|last| last + DAY);
        }
        let start = midnight + first;
        let span = match last {
            Some(last) => {
                let end = midnight + last + if last <= first { DAY } else { 0 };
                let grain = frame.clock_to.map_or(clock.grain, |to| to.grain.min(clock.grain));
                Span { start: Some(start), end: Some(end), grain }
            }
            None => Span { start: Some(start), end: Some(start + size(clock.grain)), grain: clock.grain },
        };
        Some(self.in_zone(frame, span))
    }

    /// Microseconds after midnight of both ends, each taking its half of the day from the other or from the part.
    pub(super) fn sides(&self, frame: &Frame, clock: Clock) -> (i64, Option<i64>) {
        let by_part = |mut clock: Clock| {
            if clock.is_open() {
                match frame.part {
                    Some(1 | 6 | 9 | 11 | 15) => clock.half = 1,
                    Some(13) if clock.hour < 11 => clock.half = 2,
                    Some(2 | 5 | 7 | 8 | 12 | 14) if clock.hour < 12 => {
                        clock.half = if frame.part == Some(7) && clock.hour > 7 { 1 } else { 2 };
                    }
                    Some(2 | 12) => clock.half = 2,
                    Some(3 | 4 | 10) if clock.hour >= 5 && clock.hour < 12 => clock.half = 2,
                    _ => {}
                }
            }
            clock
        };
        let Some(mut to) = frame.clock_to else {
            return (by_part(clock).micros(), None);
        };
        let mut from = by_part(clock);
        to = by_part(to);
        if from.is_open() && to.half != 0 {
            let same = Clock { half: to.half, ..from };
            let other = Clock { half: 3 - to.half, ..from };
            from = if same.micros() < to.micros() { same } else { other };
        } else if to.is_open() && from.half != 0 {
            let same = Clock { half: from.half, ..to };
            let other = Clock { half: 3 - from.half, ..to };
            to = if same.micros() > from.micros() { same } else { other };
        } else if to.is_open() && to.micros() <= from.micros() {
            to.half = 2;
        }
        (from.micros(), Some(to.micros()))
    }

    /// A time of day without a day.
    pub(super) fn time_alone(&self, frame: &Frame) -> Option<Span> {
        let today = self.today();
        let mut frame = frame.clone();
        if frame.zone.is_none()
            && frame.part.is_none()
            && let Some(clock) = frame.clock.as_mut()
            && clock.is_open()
            && frame.clock_to.is_none()
        {
            clock.half = match self.prefer {
                // The next time that the clock shows this.
                Prefer::Future => {
                    let morning = Clock { half: 1, ..*clock };
                    let evening = Clock { half: 2, ..*clock };
                    let ahead = |clock: &Clock| (clock.micros() - self.now.rem_euclid(DAY)).rem_euclid(DAY);
                    if ahead(&morning) <= ahead(&evening) { 1 } else { 2 }
                }
                // By day, people are awake.
                _ => i64::from(clock.hour < 7 || clock.hour == 12) + 1,
            };
        }
        let span = self.within_day(&frame, today)?;
        let (start, end) = (span.start?, span.end?);
        let moved = match self.prefer {
            Prefer::Past if start > self.now => -DAY,
            Prefer::Future if end <= self.now => DAY,
            _ => 0,
        };
        let span = Span { start: Some(start + moved), end: Some(end + moved), grain: span.grain };
        self.lasting(&frame, span)
    }

    /// From the zone that the text names to the caller's.
    pub(super) fn in_zone(&self, frame: &Frame, span: Span) -> Span {
        let Some(minutes) = frame.zone else { return span };
        let moved = |time: i64| self.to_wall(time - minutes * MINUTE);
        Span { start: span.start.map(moved), end: span.end.map(moved), grain: span.grain }
    }
}
