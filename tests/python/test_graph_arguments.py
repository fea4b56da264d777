"""Arguments of the memory graph: every wrong one is a typed error that names it, and help() says what the stub says."""

import ast
import inspect
import textwrap
from pathlib import Path

import pyarrow as pa
import pytest

import timewalk as tw

STUB = Path(tw.__file__).with_name("_core_graph.pyi")


def stub():
    classes = [node for node in ast.parse(STUB.read_text()).body if isinstance(node, ast.ClassDef)]
    return next(node for node in classes if node.name == "MemoryGraph")


def small():
    graph = tw.MemoryGraph()
    graph.add_memories(pa.table({"id": ["a", "b"], "embedding": [[1.0, 0.0], [0.0, 1.0]]}))
    return graph


def kernels(graph):
    """Each kernel with its positional argument, and its keyword-only parameters."""
    firsts = {"spread": ["a"], "pagerank": ["a"], "best_first": ["a"], "walk": (0, 1)}
    firsts |= {"spread_many": [["a"]], "pagerank_many": [["a"]], "walk_many": [(0, 1)]}
    for name, first in firsts.items():
        method = getattr(graph, name)
        yield name, lambda method=method, first=first, **options: method(first, **options), inspect.signature(method)


def test_help_says_what_the_stub_says():
    documented = 0
    assert inspect.getdoc(tw.MemoryGraph) == ast.get_docstring(stub())
    for node in stub().body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("__"):
            assert inspect.getdoc(getattr(tw.MemoryGraph, node.name)) == ast.get_docstring(node), node.name
            documented += 1
    assert documented > 20


def test_defaults_that_are_shown_are_the_ones_that_hold():
    graph = small()
    for _, call, signature in kernels(graph):
        options = {
            name: parameter.default
            for name, parameter in signature.parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY
        }
        assert len(options) > 8
        assert call(**options).equals(call())


@pytest.mark.parametrize("wrong", ["x", -1, -0.5, 2**70, object(), True, [1], float("nan"), b"x"])
def test_every_option_refuses_what_it_is_not_with_a_typed_error(wrong):
    graph = small()
    refused = 0
    for _, call, signature in kernels(graph):
        for name in list(signature.parameters)[1:]:
            try:
                call(**{name: wrong})
            except tw.TimewalkError:  # anything else would be a failure of this test
                refused += 1
    assert refused > 40


def test_counts_and_numbers_are_named_when_they_are_wrong():
    graph = small()
    for name, value, error in [
        ("depth", -1, tw.InvalidValueError),
        ("limit", -1, tw.InvalidValueError),
        ("limit", 1.5, tw.InvalidTypeError),
        ("depth", None, tw.InvalidTypeError),
        ("decay", "0.5", tw.InvalidTypeError),
        ("max_active", 2**64, tw.InvalidValueError),
        ("fire", 3, tw.InvalidTypeError),
        ("paths", 1, tw.InvalidTypeError),
    ]:
        with pytest.raises(error, match=name):
            graph.spread(["a"], **{name: value})
    with pytest.raises(tw.InvalidValueError, match="budget"):
        graph.walk((0, 1), budget=-1)
    with pytest.raises(tw.InvalidTypeError, match=r"'dept'; known are depth|'dept'; known are .*depth"):
        graph.spread(["a"], dept=3)


def test_other_methods_refuse_with_typed_errors():
    graph = small()
    edge = pa.table({"source": ["a"], "target": ["b"], "relation": ["causes"]})
    for call in [
        lambda: graph.add_memories(None),
        lambda: graph.add_memories({"id": ["c"]}),
        lambda: graph.add_memories(pa.array(["c"])),
        lambda: graph.add_memories(pa.table({"id": ["c"]}), tz=5),
        lambda: graph.add_memories(pa.table({"id": ["c"]}), zone="UTC"),
        lambda: graph.add_entities(3),
        lambda: graph.add_edges(None),
        lambda: graph.add_edges(edge, merge=1),
        lambda: graph.remove_edges("a"),
        lambda: graph.register_relation(3),
        lambda: graph.register_relation("x", boost="2"),
        lambda: graph.register_relation("x", inverse=3),
        lambda: graph.register_relation("x", kind=None),
        lambda: graph.delete(None),
        lambda: graph.delete([None]),
        lambda: graph.invalidate(["a"], at="soon"),
        lambda: graph.invalidate(["a"], at=object()),
        lambda: graph.merge_entities(None, []),
        lambda: graph.merge_entities("a", None),
        lambda: graph.save(None),
        lambda: tw.MemoryGraph.load(3),
        lambda: tw.MemoryGraph.from_bytes("x"),
        lambda: tw.MemoryGraph.from_bytes(None),
        lambda: graph.spread(None),
        lambda: graph.spread({"a": "much"}),
        lambda: graph.walk(None),
        lambda: graph.walk((0, 1, 2)),
        lambda: graph.walk(("x", None)),
        lambda: graph.walk((0, 1), query="x"),
        lambda: graph.walk_many(None),
    ]:
        with pytest.raises(tw.TimewalkError) as caught:
            call()
        assert isinstance(caught.value, TypeError | ValueError), textwrap.shorten(str(caught.value), 100)
    assert tw.MemoryGraph.from_bytes(bytearray(graph.to_bytes())).memories().equals(graph.memories())
    assert len(graph) == 2
