"""The parts of `timewalk bench`: measures, intervals, results, comparison, tables."""

from __future__ import annotations

import io
import json
import math
import random

import numpy as np
import pytest
from rich.console import Console

import timewalk as tw
from timewalk.bench import Interval, Part, Result, compare, markdown
from timewalk.bench.bootstrap import intervals
from timewalk.bench.metrics import all_at, ndcg_at, r_precision, recall_at, reciprocal_rank, story_at
from timewalk.bench.questions import spread
from timewalk.bench.report import print_sheet
from timewalk.bench.rss import peak_mib, rss_mib
from timewalk.bench.suites.longmemeval import moment, sessions_of
from timewalk.bench.suites.multihop import Titles
from timewalk.bench.tables import Sheet, number, signed


def test_measures_have_their_closed_forms():
    ranked, gold = ["a", "x", "b", "y", "c"], {"a", "b", "c", "d"}
    assert recall_at(ranked, gold, 3) == 2 / 4
    assert story_at(ranked, gold, 3) == 2 / 3
    assert story_at(ranked, gold, 10) == 3 / 4
    assert r_precision(ranked, gold) == 2 / 4
    assert reciprocal_rank(["x", "y", "b"], gold) == 1 / 3
    assert reciprocal_rank(["x"], gold) == 0
    assert (all_at(ranked, {"a", "b"}, 3), all_at(ranked, {"a", "b"}, 2)) == (1, 0)
    gained = 1 + 1 / math.log2(4)
    assert ndcg_at(ranked, gold, 3) == pytest.approx(gained / (1 + 1 / math.log2(3) + 1 / math.log2(4)), rel=1e-15)
    assert ndcg_at(["a", "b", "c", "d"], gold, 10) == 1


@pytest.mark.parametrize(
    "measure", [*(lambda r, g, f=f: f(r, g, 10) for f in (recall_at, story_at, ndcg_at, all_at)), r_precision]
)
def test_measures_lie_between_0_and_1_whatever_comes(measure):
    rng = random.Random(5)
    for _ in range(300):
        gold = {str(rng.randrange(20)) for _ in range(rng.randrange(1, 15))}
        ranked = [str(rng.randrange(20)) for _ in range(rng.randrange(15))]  # with repeats
        assert 0 <= measure(ranked, gold) <= 1
    assert measure(["a"], set()) is None
    assert measure([], {"a"}) == 0
    assert measure(["a", "a", "a"], ["a", "a"]) == 1


def test_a_repeated_hit_gains_once():
    assert ndcg_at(["a", "a", "b"], {"a", "b"}, 3) == 1
    assert recall_at(["a", "a"], {"a", "b"}, 2) == 0.5


def test_intervals_are_those_of_the_mean():
    rng = np.random.default_rng(3)
    values = (rng.random(400) < 0.3).astype(float)
    ((mean, low, high),) = intervals(values.reshape(-1, 1)).tolist()
    assert mean == pytest.approx(values.mean(), rel=1e-12)
    error = 1.96 * values.std() / math.sqrt(400)
    assert low == pytest.approx(mean - error, abs=0.2 * error)
    assert high == pytest.approx(mean + error, abs=0.2 * error)


def test_intervals_cover_as_often_as_they_say():
    rng = np.random.default_rng(11)
    draws = rng.normal(0.5, 0.2, size=(60, 300))  # 300 samples of 60, side by side
    found = intervals(draws)
    covered = np.mean((found[:, 1] <= 0.5) & (found[:, 2] >= 0.5))
    assert 0.9 <= covered <= 0.99


def test_intervals_are_the_same_on_every_call_and_paired():
    values = np.random.default_rng(1).random((50, 2))
    assert intervals(values).tobytes() == intervals(values).tobytes()
    assert intervals(values, seed=1).tobytes() != intervals(values, seed=2).tobytes()
    same = intervals(np.column_stack([values[:, 0] - values[:, 0], values[:, 0]]))
    assert same[0].tolist() == [0, 0, 0]
    # A constant gain on every question is certain, however much the questions differ.
    assert intervals((values[:, :1] + 0.1) - values[:, :1])[0].tolist() == pytest.approx([0.1] * 3)


def test_what_does_not_count_is_left_out_of_the_intervals():
    values = [[0.2, math.nan], [0.4, math.nan], [math.nan, math.nan]]
    found = intervals(values)
    assert found[0, 0] == pytest.approx(0.3)
    assert found[0, 1:].tolist() == pytest.approx([0.2, 0.4])
    assert np.isnan(found[1]).all()
    assert np.isnan(intervals(np.zeros((0, 2)))).all()
    one = intervals([[0.7]])[0].tolist()
    assert one == pytest.approx([0.7, 0.7, 0.7])


def test_a_limit_spreads_over_all():
    assert spread(10, None) == spread(10, 10) == spread(10, 99) == list(range(10))
    assert spread(10, 3) == [0, 3, 6]
    for count in range(1, 30):
        for limit in range(1, count + 1):
            kept = spread(count, limit)
            assert len(set(kept)) == limit
            assert min(kept) >= 0
            assert max(kept) < count


def test_memory_is_measured():
    now, most = rss_mib(), peak_mib()
    if most is not None:
        assert now is not None
        assert 1 < now <= most * 1.1


def part(ours, theirs, **more):
    return Part(
        name="part",
        measures=["hit"],
        questions=[f"q{n}" for n in range(len(ours))],
        groups=["even" if n % 2 == 0 else "odd" for n in range(len(ours))],
        values={"timewalk": {"hit": ours}, "BM25": {"hit": theirs}},
        facts={"memories": 3},
        millis={"timewalk": 1.5, "BM25": 120.0},
        **more,
    )


def result(*parts, suite="own"):
    platform = {"timewalk": "0", "python": "3", "system": "x", "machine": "y", "processors": 1}
    return Result(suite, "About it.", {"embedder": "none", "limit": None}, platform, list(parts))


def test_a_result_survives_json():
    before = result(part([1.0, 0.0, None, 1 / 3], [0.5, 0.5, None, 0.25]))
    after = Result.from_json(before.to_json())
    assert after.parts[0].values["timewalk"]["hit"] == [1.0, 0.0, None, 0.333333333]
    assert after.to_json() == before.to_json()
    told = json.loads(before.to_json())["parts"][0]
    assert told["summary"]["BM25"]["hit"]["mean"] == pytest.approx(1.25 / 3)
    assert told["less_timewalk"]["hit"]["BM25"]["mean"] == pytest.approx((1.25 - 4 / 3) / 3)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", "null", '{"format": "timewalk-bench/1"}', '{"format": "timewalk-bench/1", "parts": [3]}']
)
def test_what_is_no_result_is_refused(text, tmp_path):
    with pytest.raises(tw.errors.FileFormatError, match="timewalk bench"):
        Result.from_json(text)
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(tw.errors.FileFormatError, match=r"x\.json"):
        Result.read(file)
    with pytest.raises(tw.errors.FileAccessError, match="missing"):
        Result.read(tmp_path / "missing.json")


def test_groups_and_their_wholes():
    made = part([1.0, 0.0, 1.0, 0.0], [0.0] * 4)
    made.groups = ["de/point", "de/window", "fr/point", "fr"]
    assert made.summary("de")["timewalk"]["hit"].mean == 0.5
    assert made.summary("fr/point")["timewalk"]["hit"].mean == 1
    assert math.isnan(made.summary("d")["timewalk"]["hit"].mean)


def test_the_largest_has_no_interval():
    made = part([0.1, 0.4, None], [0.2, 0.1, 0.3], aggregate={"hit": "max"})
    assert made.summary()["timewalk"]["hit"].mean == 0.4
    assert math.isnan(made.summary()["timewalk"]["hit"].low)
    assert made.differences("hit") == {}
    (change,) = [c for c in compare(result(made), result(part([0.3], [0.3]))) if c.system == "timewalk"]
    assert (change.before, change.after) == (0.3, 0.1)


def test_runs_are_compared_question_by_question():
    before = result(part([0.0, 0.0, 1.0, 0.0] * 10, [0.5] * 40))
    now = result(part([1.0, 0.0, 1.0, 1.0] * 10, [0.5] * 40))
    ours, theirs = compare(now, before)
    assert (ours.system, ours.questions, ours.before, ours.after) == ("timewalk", 40, 0.25, 0.75)
    assert ours.difference.mean == 0.5
    assert ours.difference.clear
    assert tuple(theirs.difference) == (0, 0, 0)
    assert not theirs.difference.clear
    back = compare(before, now)[0].difference
    assert back.mean == -0.5
    assert back.low == pytest.approx(-ours.difference.high)


def test_only_common_questions_are_compared():
    before = part([1.0, 0.0], [1.0, 1.0])
    before.questions = ["q1", "other"]
    (change, _) = compare(result(part([0.0, 0.0, 1.0], [1.0] * 3)), result(before))
    assert (change.questions, change.before, change.after) == (1, 1.0, 0.0)
    before.questions = ["none", "other"]
    with pytest.raises(tw.InvalidValueError, match="in common"):
        compare(result(part([0.0], [1.0])), result(before))
    with pytest.raises(tw.InvalidValueError, match="different suites"):
        compare(result(part([0.0], [1.0])), result(part([0.0], [1.0]), suite="story"))


def test_markdown_has_whole_tables():
    made = part([1.0, 0.0, 1.0, 0.5], [0.5, 0.0, 0.25, 0.5])
    made.values["without keyword"] = {"hit": [0.0, 0.0, 0.0, 0.0]}
    text = markdown([result(made), result(part([1.0], [0.0]))])
    assert "# Results" in text
    assert "| **timewalk** |" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths = [line.count(" | ") + 1 for line in rows]
    assert len(rows) > 10
    for at in range(1, len(rows)):
        if rows[at].startswith("| ---"):
            assert widths[at] == widths[at - 1]
    assert "`keyword` clearly helps in 1 of 1" in text


def test_numbers_are_short_and_true():
    assert [number(value) for value in (0.0, 1.0, 0.12345, 1.3e-14, math.nan, None)] == [
        "0.000",
        "1.000",
        "0.123",
        "1.3e-14",
        "–",
        "–",
    ]
    assert signed(Interval(-0.1234, -0.2, -0.05)) == "−0.123 (−0.200, −0.050) *"
    assert signed(Interval(0.0, -0.01, 0.01)) == "+0.000 (−0.010, +0.010)"
    assert signed(Interval(math.nan, math.nan, math.nan)) == "–"


def test_titles_resolve_as_people_write_them():
    titles = Titles(["Good People (film)", "Lothair II", "Camille (1917 film)", "Camille (1921 film)", "Lake", "lake"])
    assert titles("good people") == [0]
    assert titles(" lothair  ii") == [1]
    assert titles("Camille") == []
    assert titles('"Lake') == [4, 5]
    assert titles("nothing") == []


def test_dates_and_sessions_of_longmemeval():
    assert moment("2023/05/20 (Sat) 02:21").isoformat() == "2023-05-20T02:21:00+00:00"
    assert moment("2023/05/20").isoformat() == "2023-05-20T00:00:00+00:00"
    assert sessions_of(["b\x1f3", "a\x1f0", "b\x1f1"]) == ["b", "a"]


@pytest.mark.parametrize("width", [40, 60, 80, 120, 300])
@pytest.mark.parametrize("columns", [1, 5, 8, 24])
def test_no_column_is_lost_however_narrow_the_terminal(width, columns):
    names = ["", *(f"system {n:02} measure@{n:02}" for n in range(columns))]
    rows = [[f"row {row}", *(f"{row}.{column:02}7 *" for column in range(columns))] for row in range(4)]
    spans = [[row[0], *(f"{cell[:-2]} (0.100–0.900) *" for cell in row[1:])] for row in rows]
    for cells in (rows, spans):
        file = io.StringIO()
        sheet = Sheet("A table of many columns", names, cells, strong={1}, notes=["a note"])
        print_sheet(sheet, Console(file=file, width=width, highlight=False))
        shown = file.getvalue()
        assert max(map(len, shown.splitlines())) <= width
        for row in rows:
            for cell in row[1:]:
                assert shown.count(f" {cell[:-2]} ") == 1, cell
        for word in (word for name in names[1:] for word in name.split()):
            assert word in shown
        assert ("no room for the intervals" in shown) == (cells is spans and "(0.100" not in shown)
        assert "a note" in shown
