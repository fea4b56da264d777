"""Time windows from plain language: half-open ranges of time that a text speaks of.

Where people, or comparable systems, disagree, this is what is read:

- Ranges include their last day, month or year ("January to March" ends with March); up to a time of day they end at it.
- Times of one grain that are said side by side and adjoin are one window ("yesterday and today", "May and June 2024",
  "Monday, Tuesday and Wednesday"); of others ("Monday and Thursday") the first governs.
- "Three weeks ago" is the calendar week (month, year, hour, minute) that lies so far back, "a year ago today" a day;
  "in three weeks" is a day, "in two hours" an instant, held for one second. "Two weeks later" and "a year earlier" are
  measured from the time that the text spoke of before, if it did. After "was" or "did", "in a week" is no window.
- Weeks begin on Monday; a week belongs to the month or year that holds its Thursday (ISO 8601).
- "The last three days" begin at midnight three days back and end now; "the next three days" begin tomorrow. Of
  quarters, weekends, decades and centuries whole ones are meant, but "the past decade" ends now. "Recent months" and
  "the past months" are three. "Recently" and "lately" have no bounds: no window.
- "Last Friday" and "Friday" are the latest, "next Friday" is that of next week, "this Friday" that of this week, and
  "previous Friday" that of last week. After "will" or "scheduled" a day is to come. "The weekend" is the latest that
  has begun if the past is preferred.
- A repetition ("every Monday", "on Fridays") is no window, a time that is denied ("not last week but in May") is not
  meant, and a day that no calendar has ("29 February 2025") gives none.
- Early and late are halves of a month or year, beginning, middle and end are thirds (the beginning of a year is a
  quarter); of decades four years each. In French, Spanish, Italian and Portuguese beginning and end are halves too.
- Seasons are those of the weather in the north: spring begins on 1 March. A fiscal year is the year of its name.
- Morning 8 to 12, afternoon to 16, evening to 20, night to 6 the next day: "last night at 2am" is this morning. A bare
  hour from one to six is after noon; 03:30 is as it says.
- Around: one day on both sides of a day, three of a week, seven of a month, fifteen of a quarter, a month of a year.
- The month of Ramadan and its kin follow the moon over Mecca; Jewish holidays begin on the eve.
- Dates in digits: month first in English unless the locale has another region ("en-GB"), else day first; Chinese and
  Japanese write the year before the month and the month before the day. Short numbers with dots are versions in English
  unless "on" stands before them.
- Years before the first are counted as astronomers do: 44 BC is -0043; see `Window.clipped`.
"""

from timewalk.windows.anchor import AnchoredExpression, find_anchor
from timewalk.windows.find import find_window, find_windows
from timewalk.windows.window import MAX_MICROS, MIN_MICROS, Window

__all__ = ["MAX_MICROS", "MIN_MICROS", "AnchoredExpression", "Window", "find_anchor", "find_window", "find_windows"]
