"""Expressions that hang on an event: "two weeks before the outage", "the month after Maria moved"."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo
from typing import Literal, TypeAlias

from timewalk import _core
from timewalk.times import TimeLike, to_micros
from timewalk.windows.find import checked_locale, checked_text, zone_name
from timewalk.windows.foreign import built_in
from timewalk.windows.window import Window

Relation: TypeAlias = Literal["before", "after", "since", "until", "during", "around", "within"]


@dataclass(frozen=True, slots=True)
class AnchoredExpression:
    """Where a text names an event, and how to go from the event's time to a window.

    `event` is the event as the text names it, without quotes, `event_span` its characters, `span` those of the whole
    expression. `relation` says how the window lies to the event; `length` holds units with thousandths of each
    (("week", 2000) is two weeks), empty where the text says none. `stretch` is the whole length up to the event or
    from it on ("in the two weeks before"); without it the window is the day, week or month that far away ("three
    days before"). `explicit` is false for a lone "before", "after" or "until", which may not be about time.
    """

    relation: Relation
    event: str
    event_span: tuple[int, int]
    span: tuple[int, int]
    text: str
    length: tuple[tuple[str, int], ...] = ()
    stretch: bool = False
    explicit: bool = True

    def window(
        self,
        start: TimeLike | int,
        end: TimeLike | int | None = None,
        *,
        now: TimeLike | int,
        tz: str | tzinfo = "UTC",
        anchor: str | None = None,
    ) -> Window:
        """The window, given when the event began and ended (times, or microseconds since the epoch).

        `anchor` is the id of the memory that is the event; the window carries it.
        """
        first = _micros(start, tz)
        last = first if end is None else max(_micros(end, tz), first)
        found = _core.anchor_window(
            self.relation,
            list(self.length),
            self.stretch,
            self.span,
            first,
            last,
            _micros(now, tz),
            zone_name(tz),
        )
        opens, closes, grain, _, _, margin, _ = found
        return Window.from_micros(
            opens, closes, grain=grain, span=self.span, text=self.text, margin=margin, anchor=anchor
        )


def find_anchor(text: str, *, now: TimeLike, tz: str | tzinfo = "UTC", locale: str = "en") -> AnchoredExpression | None:
    """The expression in a text that hangs on an event, or None; those that say a length or a unit come first.

    What is a time by itself ("two weeks before 3 May") is no such expression; `find_window` reads it. Languages that
    are not built in have none.
    """
    if not built_in(checked_locale(locale)):
        return None
    row = _core.find_anchor(checked_text(text), to_micros(now, tz=tz), zone_name(tz), locale)
    if row is None:
        return None
    relation, length, stretch, event, span, explicit = row
    return AnchoredExpression(
        relation=relation,  # type: ignore[arg-type]
        event=text[event[0] : event[1]],
        event_span=event,
        span=span,
        text=text[span[0] : span[1]],
        length=tuple(length),
        stretch=stretch,
        explicit=explicit,
    )


def _micros(time: TimeLike | int, tz: str | tzinfo) -> int:
    return time if isinstance(time, int) else to_micros(time, tz=tz)
