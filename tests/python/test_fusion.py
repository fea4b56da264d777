"""Fusion of rankings as a caller uses it; the arithmetic is tested beside the core."""

import pyarrow as pa
import pytest

import timewalk as tw


def test_lists_pairs_mappings_and_tables_are_rankings():
    expected = [("b", 1 / 61 + 1 / 61), ("a", 1 / 62 + 1 / 62)]
    for ranking in (
        ["b", "a"],
        [("b", 0.9), ("a", 0.1)],
        {"a": 0.1, "b": 0.9},
        pa.table({"id": ["a", "b"], "score": [0.1, 0.9]}),
    ):
        fused = tw.fuse([ranking, ["b", "a"]])
        assert [(entry.id, entry.score) for entry in fused] == expected


def test_a_memory_found_twice_keeps_both_scores():
    fused = {entry.id: entry for entry in tw.fuse({"dense": [("a", 0.7)], "sparse": [("b", 9.0), ("a", 3.0)]})}
    assert fused["a"].scores == (0.7, 3.0)
    assert fused["a"].ranks == (1, 2)
    assert fused["b"].scores == (None, 9.0)


def test_weights_by_name_and_by_place():
    rankings = {"x": ["a"], "y": ["b"]}
    assert tw.fuse(rankings, weights={"y": 2.0})[0].id == "b"
    assert tw.fuse(list(rankings.values()), weights=[2.0, 1.0])[0].id == "a"


def test_weak_hits_of_one_arm_do_not_crowd_out_the_first_of_another():
    dense = [(f"d{n}", 0.9 - n / 1000) for n in range(100)]
    assert [entry.id for entry in tw.fuse([dense, [("only", 5.0)]])][1] == "only"


def test_nothing_in_nothing_out():
    assert tw.fuse([]) == []
    assert tw.fuse([[], []]) == []
    assert tw.fuse({}) == []


@pytest.mark.parametrize(
    "arguments",
    [
        {"rankings": [["a"]], "method": "mean"},
        {"rankings": [["a"]], "k": -1},
        {"rankings": [["a"]], "weights": [1.0, 2.0]},
        {"rankings": [["a"]], "weights": [float("nan")]},
        {"rankings": {"x": ["a"]}, "weights": {"y": 1.0}},
        {"rankings": [["a"]], "weights": {"x": 1.0}},
        {"rankings": [[("a", float("inf"))]]},
        {"rankings": [["a"]], "method": "zscore"},
    ],
)
def test_bad_arguments_are_typed_errors(arguments):
    with pytest.raises(tw.InvalidValueError):
        tw.fuse(**arguments)


def test_odd_entries_are_type_errors():
    with pytest.raises(tw.InvalidTypeError):
        tw.fuse([[1, 2]])
