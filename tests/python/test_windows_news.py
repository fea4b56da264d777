"""Times as newspapers write them: each sentence with the day it was printed and the window that it speaks of."""

from __future__ import annotations

import pytest
import windows_short

import timewalk as tw

WEDNESDAY = "1989-10-25"  # a Wednesday
FRIDAY = "1998-02-13"  # a Friday


def reading(text: str, printed: str) -> tuple[str | None, str | None] | None:
    return windows_short.reading(text, f"{printed}T12:00:00Z")


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("The retailer said Friday that it would close two stores.", "1989-10-20", "1989-10-21"),
        ("The vote was put off until Monday, officials said Tuesday.", None, "1989-10-24"),
        ("Net income climbed to $12 million from $9 million a year earlier.", "1988-01-01", "1989-01-01"),
        ("The bank had assets of $3.1 billion a year ago.", "1988-01-01", "1989-01-01"),
        ("Shipments fell 3% from a month earlier.", "1989-09-01", "1989-10-01"),
        ("The shares closed at $14 a week ago.", "1989-10-16", "1989-10-23"),
        ("Yields were unchanged from a day earlier.", "1989-10-24", "1989-10-25"),
        ("Sales for the third quarter fell 5%.", "1989-07-01", "1989-10-01"),
        ("The carrier expects a loss in the fourth quarter.", "1989-10-01", "1990-01-01"),
        ("It lost $2.1 million in last year's third quarter.", "1988-07-01", "1988-10-01"),
        ("It earned $2.1 million in the third quarter of last year.", "1988-07-01", "1988-10-01"),
        ("Last year's drought cut the harvest by a third.", "1988-01-01", "1989-01-01"),
        ("In the nine months ended Sept. 30, revenue rose 4%.", "1989-01-01", "1989-10-01"),
        ("For the six months ended June 30, profit slipped.", "1989-01-01", "1989-07-01"),
        ("Profit rose in the year ended March 31.", "1988-04-01", "1989-04-01"),
        ("Profit doubled in the first nine months of 1989.", "1989-01-01", "1989-10-01"),
        ("Revenue for the first half of 1988 was restated.", "1988-01-01", "1988-07-01"),
        ("The plant should pay for itself by the early 1990s.", "1989-10-25T12:00", "1994-01-01"),
        ("The early 1980s were hard on the steel towns.", "1980-01-01", "1984-01-01"),
        ("Output peaked in the mid-1970s.", "1973-01-01", "1977-01-01"),
        ("The late 1960s brought a boom.", "1966-01-01", "1970-01-01"),
        ("The agency spent $4 billion in fiscal 1989.", "1989-01-01", "1990-01-01"),
        ("Orders for fiscal year 1990 are up.", "1990-01-01", "1991-01-01"),
        ("The council met yesterday.", "1989-10-24", "1989-10-25"),
        ("The ministry denied the report late yesterday.", "1989-10-24T12:00", "1989-10-25"),
        ("Trading was light this morning.", "1989-10-25T08:00", "1989-10-25T12:00"),
        ("Rescuers worked throughout Monday night.", "1989-10-23T20:00", "1989-10-24T06:00"),
        ("The jury returned Thursday morning.", "1989-10-19T08:00", "1989-10-19T12:00"),
        ("The payout will be made Nov. 13.", "1989-11-13", "1989-11-14"),
        ("The offer is scheduled to expire Nov. 13.", "1989-11-13", "1989-11-14"),
        ("The market plunged Oct. 13.", "1989-10-13", "1989-10-14"),
        ("The letter was dated 10/25/88.", "1988-10-25", "1988-10-26"),
        ("The accord was signed on Sept. 30, 1988.", "1988-09-30", "1988-10-01"),
        ("The past five years have been kind to growers.", "1984-10-25", "1989-10-25T12:00"),
        ("Over the last three weeks, prices have eased.", "1989-10-04", "1989-10-25T12:00"),
        ("During the past 12 months the fund returned 20%.", "1988-10-25", "1989-10-25T12:00"),
        ("In recent months several chains have failed.", "1989-07-25", "1989-10-25T12:00"),
        ("In recent weeks the tone has changed.", "1989-10-04", "1989-10-25T12:00"),
        ("Prices dropped in the past few days.", "1989-10-22", "1989-10-25T12:00"),
        ("The strike began two weeks ago.", "1989-10-09", "1989-10-16"),
        ("Two years ago the group sold its mills.", "1987-01-01", "1988-01-01"),
        ("A decade ago nobody would have paid that much.", "1979-01-01", "1980-01-01"),
        ("Earlier this year it bought a rival.", "1989-01-01", "1989-07-01"),
        ("Earlier this month the dam overflowed.", "1989-10-01", "1989-10-16"),
        ("Late last month the two sides met.", "1989-09-16", "1989-10-01"),
        ("Early next year the plant reopens.", "1990-01-01", "1990-07-01"),
        ("A hearing was held last Thursday.", "1989-10-19", "1989-10-20"),
        ("Last week the panel heard 12 witnesses.", "1989-10-16", "1989-10-23"),
        ("The current quarter looks weak.", "1989-10-01", "1990-01-01"),
        ("In the latest quarter it took a charge.", "1989-07-01", "1989-10-01"),
        ("From the year-ago period, sales rose 8%.", "1988-01-01", "1989-01-01"),
        ("In mid-October the index fell for five days.", "1989-10-11", "1989-10-21"),
        ("In late 1987 the dollar sank.", "1987-07-01", "1988-01-01"),
        ("He ran the zoo from 1979 to 1986.", "1979-01-01", "1987-01-01"),
        ("The 1980-86 boom is over.", "1980-01-01", "1987-01-01"),
        ("Between 1980 and 1987 the herd doubled.", "1980-01-01", "1988-01-01"),
        ("Since August, the unit has been for sale.", "1989-08-01", "1989-10-25T12:00"),
        ("Since 1985 it has lost money each year.", "1985-01-01", "1989-10-25T12:00"),
        ("The tax was in force until Dec. 31, 1986.", None, "1987-01-01"),
        ("As of Sept. 30 it had 211 stores.", "1989-09-30", "1989-10-01"),
        ("The sale should close by year's end.", "1989-10-25T12:00", "1990-01-01"),
        ("It hopes to finish by the end of the year.", "1989-10-25T12:00", "1990-01-01"),
        ("In the summer of 1988 the reservoirs were empty.", "1988-06-01", "1988-09-01"),
        ("Last spring the dam was finished.", "1989-03-01", "1989-06-01"),
        ("So far this year 40 banks have closed.", "1989-01-01", "1989-10-25T12:00"),
        ("The rest of the year looks better.", "1989-10-25T12:00", "1990-01-01"),
        ("He was named chairman in October 1984.", "1984-10-01", "1984-11-01"),
        ("The '80s were the decade of debt.", "1980-01-01", "1990-01-01"),
        ("It was the worst crash of the 20th century.", "1900-01-01", "2000-01-01"),
        ("The board will meet Monday.", "1989-10-30", "1989-10-31"),
        ("The board will meet next week.", "1989-10-30", "1989-11-06"),
        ("She was hurt over the weekend.", "1989-10-21", "1989-10-23"),
        ("Over Labor Day weekend the bridge was shut.", "1989-09-02", "1989-09-05"),
        ("The previous day it had risen 30 points.", "1989-10-24", "1989-10-25"),
        ("The 1990 budget was sent back.", "1990-01-01", "1991-01-01"),
        ("In December and January the river froze.", "1988-12-01", "1989-02-01"),
        ("The two months through August were dry.", "1989-07-01", "1989-09-01"),
        ("The week ended Oct. 14 saw a drop in claims.", "1989-10-08", "1989-10-15"),
    ],
)
def test_a_business_page(text: str, start: str | None, end: str | None) -> None:
    assert reading(text, WEDNESDAY) == (start, end)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("The embassy was reopened Tuesday.", "1998-02-10", "1998-02-11"),
        ("An envoy arrived on Thursday evening.", "1998-02-12T16:00", "1998-02-12T20:00"),
        ("The envoys last met on Nov. 3, 1997.", "1997-11-03", "1997-11-04"),
        ("The ferry sank in January, killing nine.", "1998-01-01", "1998-02-01"),
        ("The clinic was bombed Jan. 29.", "1998-01-29", "1998-01-30"),
        ("He fled in the early 1990s.", "1990-01-01", "1994-01-01"),
        ("The war began more than seven years ago.", "1991-01-01", "1992-01-01"),
        ("Talks broke down almost two months ago.", "1997-12-01", "1998-01-01"),
        ("On the night of Feb. 10 a fire broke out.", "1998-02-10T20:00", "1998-02-11T06:00"),
        ("At 8:30 p.m. Wednesday the alarm went off.", "1998-02-11T20:30", "1998-02-11T20:31"),
        ("Earlier Friday, shots were heard.", "1998-02-13", "1998-02-13T12:00"),
        ("Tonight the president speaks.", "1998-02-13T20:00", "1998-02-14T06:00"),
        ("He was arrested May 3, 1996, and freed two weeks later.", "1996-05-03", "1996-05-04"),
        ("By the mid-1980s the reef was dead.", None, "1987-01-01"),
        ("The couple married three decades ago.", "1968-01-01", "1969-01-01"),
        ("In the last two years 90 people have died.", "1996-02-13", "1998-02-13T12:00"),
        ("Last Christmas the family was in Ohio.", "1997-12-25", "1997-12-26"),
        ("In the days since Feb. 1 nothing has moved.", "1998-02-01", "1998-02-13T12:00"),
    ],
)
def test_a_wire_story(text: str, start: str | None, end: str | None) -> None:
    assert reading(text, FRIDAY) == (start, end)


def test_what_follows_in_a_story_hangs_on_what_came_before() -> None:
    text = "He was arrested May 3, 1996, and freed two weeks later."
    found = tw.find_windows(text, now=f"{FRIDAY}T12:00:00Z")
    assert [(str(window.start)[:10], window.text) for window in found] == [
        ("1996-05-03", "May 3, 1996"),
        ("1996-05-17", "two weeks later"),
    ]
