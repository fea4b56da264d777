"""Time windows from plain language: half-open ranges of time that a text speaks of.

Where people, or comparable systems, disagree, this is what is read:

- Ranges include their last day, month or year ("January to March" ends with March); up to a time of day they end at it.
- "Three weeks ago" is the calendar week, month or year that lies so far back; "in three weeks" is a day. Hours and
  minutes lead to an instant, held for one second. Weeks begin on Monday; a week belongs to the month or year that
  holds its Thursday (ISO 8601).
- "The last three days" begin at midnight three days back and end now; "the next three days" begin tomorrow. Of
  quarters, weekends, decades and centuries whole ones are meant, but "the past decade" ends now.
- "Last Friday" and "Friday" are the latest, "next Friday" is that of next week, "this Friday" that of this week, and
  "previous Friday" that of last week. After "will" or "scheduled" a day is to come. "The weekend" is the latest that
  has begun if the past is preferred.
- Early and late are halves of a month or year, beginning, middle and end are thirds; of decades four years each.
- Seasons are those of the weather in the north: spring begins on 1 March.
- Morning 8 to 12, afternoon to 16, evening to 20, night to midnight.
- Around: one day on both sides of a day, three of a week, seven of a month, fifteen of a quarter, a month of a year.
- The month of Ramadan and its kin follow the moon over Mecca; Jewish holidays begin on the eve.
- Dates in digits: month first in English unless the locale has another region ("en-GB"), else day first.
"""

from timewalk.windows.anchor import AnchoredExpression, find_anchor
from timewalk.windows.find import find_window, find_windows
from timewalk.windows.window import MAX_MICROS, MIN_MICROS, Window

__all__ = ["MAX_MICROS", "MIN_MICROS", "AnchoredExpression", "Window", "find_anchor", "find_window", "find_windows"]
