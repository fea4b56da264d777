"""Accuracy: golden values in the tree, and the larger sets of TIMEWALK_DATA, on every instruction set."""

import gzip
import json
import math
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

import timewalk as tw
from timewalk.times import to_micros

NOW = datetime(2026, 1, 1, tzinfo=UTC)
STAMP = pa.timestamp("us", tz="UTC")
GOLDEN = Path(__file__).parent / "golden" / "decay.jsonl"
MICROSECOND = 1e-6


def stamps(ages):
    """Times of ages in seconds; None if an age is not a whole number of microseconds."""
    micros = [round(age * 1e6) for age in ages]
    if any(abs(count - age * 1e6) > 1e-4 for count, age in zip(micros, ages, strict=True)):
        return None
    return [to_micros(NOW) - count for count in micros]


def actr(ages, decay, older=0, lifetime=None):
    recent, created = stamps(ages), stamps([lifetime] if lifetime is not None else [])
    if recent is None or created is None:
        return None
    options = {}
    if lifetime is not None:
        options = {"historical_count": [len(ages) + older], "created_at": pa.array(created, STAMP)}
    column = pa.array([recent], pa.list_(STAMP))
    return tw.actr(column, now=NOW, decay=decay, min_age=MICROSECOND, **options)[0].as_py()


def close(got, truth, relative):
    assert got is not None
    assert abs(got - truth) <= relative * abs(truth) + 5e-324, f"{got!r} is not {truth!r}"


def folder():
    data = os.environ.get("TIMEWALK_DATA")
    if not data or not (Path(data) / "decay").is_dir():
        pytest.skip("TIMEWALK_DATA names no folder with decay/ in it")
    return Path(data) / "decay"


def rows_of(path):
    with gzip.open(path, "rt") as lines:
        return [json.loads(line) for line in lines]


def test_golden_values():
    rows = [json.loads(line) for line in GOLDEN.read_text().splitlines()]
    assert len(rows) > 250
    for row in rows:
        truth, engine = float(row["truth"]), row["engine"]
        if engine == "actr":
            got = actr(row["ages"], row["decay"], row.get("older", 0), row.get("lifetime"))
            close(got, truth, 1e-13)
        elif "age" in row:
            times = pa.array(stamps([row["age"]]), STAMP)
            options = {name: row[name] for name in ("floor", "decay") if name in row}
            span = {"half_life": "half_life", "ebbinghaus": "strength", "power_law": "stability"}[engine]
            got = getattr(tw, engine)(times, now=NOW, **{span: row["span"]}, **options)[0].as_py()
            close(got, truth, 1e-14 if engine == "power_law" else 3e-16 * (1 + row["age"] / row["span"]))
        else:
            got = getattr(tw, engine)([row["distance"]], origin=0.0, scale=2.0, offset=0.5, decay=row["decay"])
            close(got[0].as_py(), truth, 1e-14)


def test_truth():
    checked = 0
    for row in rows_of(folder() / "truth_mpmath_dev.jsonl.gz"):
        kind, given = row["kind"], row["inputs"]
        truth = float(row["truth"])
        if not math.isfinite(truth):
            assert actr(given["ages_s"], given["d"]) is None
            continue
        if kind in ("half_life", "ebbinghaus"):
            span = given.get("half_life_s") or given.get("strength_s")
            function, name = (tw.half_life, "half_life") if kind == "half_life" else (tw.ebbinghaus, "strength")
            got = function(pa.array(stamps([given["age_s"]]), STAMP), now=NOW, **{name: span})[0].as_py()
            if given["age_s"] < 0:
                truth = 1.0  # the future has age 0
            close(got, truth, 3e-16 * (1 + max(given["age_s"], 0) / span))
        elif kind == "fsrs_retrievability":
            times = pa.array(stamps([given["elapsed_days"] * 86_400]), STAMP)
            got = tw.power_law(times, now=NOW, stability=given["stability_days"] * 86_400, decay=-given["decay"])
            close(got[0].as_py(), truth, 1e-14)
        elif kind.endswith("_decay"):
            function = getattr(tw, kind.removesuffix("_decay"))
            options = {name: given[name] for name in ("scale", "offset", "decay")}
            close(function([given["distance"]], origin=0.0, **options)[0].as_py(), truth, 1e-14)
        elif kind == "bll_optimized":
            close(actr([], given["d"], given["n"], given["lifetime_s"]), truth, 1e-13)
        else:
            ages = given["ages_s"] if kind == "bll_exact" else given["recent_ages_s"]
            older = () if kind == "bll_exact" else (given["older_count"], given["lifetime_s"])
            got = actr(ages, given["d"], *older)
            if got is None:
                continue  # ages that fall between microseconds
            close(got, truth, 1e-13)
        checked += 1
    assert checked > 450


def test_peers_where_the_formula_is_the_same():
    seen = set()
    for row in rows_of(folder() / "peers_golden_dev.jsonl.gz"):
        if not row.get("agrees_with_formula"):
            continue
        peer, feature, given, truth = row["peer"], row["feature"], row["inputs"], row["formula_truth"]
        if feature == "retrievability":
            # The peer floors to whole days and counts none before; ages here are fractions.
            days = max(math.floor(given["elapsed_days"]), 0)
            times = pa.array(stamps([days * 86_400]), STAMP)
            stability = given["stability"] * 86_400
            got = tw.power_law(times, now=NOW, stability=stability, decay=-given["decay"])[0].as_py()
            close(got, row["output"], 1e-13)
        elif feature in ("gauss_decay", "exp_decay", "linear_decay", "lin_decay"):
            shape = {"lin": "linear"}.get(feature.split("_")[0], feature.split("_")[0])
            if "midpoint" in given:
                options = {"origin": given["target"], "scale": given["scale"], "decay": given["midpoint"]}
                value = given["x"]
            else:
                options = {name: given[name] for name in ("origin", "scale", "offset", "decay")}
                value = given["value"]
            if options["scale"] is None:
                continue
            got = getattr(tw, shape)([float(value)], **options)[0].as_py()
            # The peers work in float32 and float64 with a constant of their own.
            assert abs(got - row["output"]) <= 2e-6 * abs(got) + 1e-9, row
            close(got, truth, 1e-12) if truth > 1e-290 else None
        elif feature == "half_life":
            times = pa.array(stamps([given["age_s"]]), STAMP)
            got = tw.half_life(times, now=NOW, half_life=given["half_life_s"])[0].as_py()
            assert abs(got - row["output"]) <= 1e-13 * got + 1e-300, row
        elif feature == "time_weighted_score" and peer == "langchain-classic" and given["decay_rate"] < 1:
            if given["vector_relevance"] is None or 1 - given["decay_rate"] == 1 or given["hours_passed"] > 10**6:
                continue
            # (1 - rate)^hours is a decay curve with scale one hour.
            times = pa.array(stamps([given["hours_passed"] * 3600]), STAMP)
            recency = tw.exp(times, now=NOW, scale=3600.0, decay=1 - given["decay_rate"])[0].as_py()
            assert abs(recency + given["vector_relevance"] - row["output"]) < 1e-12, row
        else:
            continue
        seen.add((peer, feature))
    assert len(seen) >= 8, seen


def test_actr_peers():
    seen = set()
    for row in rows_of(folder() / "actr_golden_dev.jsonl.gz"):
        if not row["agrees_with_formula"] or row["mode"] not in ("exact", "hybrid", "optimized"):
            continue
        ages = [row["now"] - time for time in row["access_times"]]
        lifetime = row["now"] - row["created"]
        if row["mode"] == "exact":
            got = actr(ages, row["d"])
        elif row["mode"] == "hybrid":
            recent = sorted(ages)[: row["k"]]
            if len(recent) == len(ages):
                got = actr(ages, row["d"])
            else:
                got = actr(recent, row["d"], len(ages) - len(recent), lifetime)
        else:
            got = actr([], row["d"], len(ages), lifetime)
        if got is None:
            continue
        assert abs(got - row["formula_truth"]) <= 1e-12 * (1 + abs(got)), row
        seen.add((row["peer"], row["mode"]))
    assert len(seen) >= 3, seen


@pytest.mark.parametrize("level", ["scalar", "avx2", "avx512", "neon"])
def test_every_instruction_set_is_as_accurate(level):
    """The tests above once more, in a process that the environment variable forces to one set."""
    environment = {**os.environ, "TIMEWALK_SIMD": level}
    probe = [sys.executable, "-c", "import timewalk.decay as d; print(d.simd())"]
    asked = subprocess.run(probe, env=environment, capture_output=True, text=True, check=False)
    if asked.returncode != 0:
        assert "cannot run here" in asked.stderr
        assert level not in ("scalar",)
        return
    assert asked.stdout.strip() == level
    tests = [f"{__file__}::{name}" for name in ("test_golden_values", "test_truth")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
