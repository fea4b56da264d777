"""The examples with real vector stores: query, re-rank, write back; the second query shows the effect."""

import importlib.util
import math
from datetime import timedelta
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"


def example(name, needs):
    pytest.importorskip(needs, reason=f"the example needs {needs}; install the extra 'stores-test'")
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.filterwarnings("default")
def test_qdrant(capsys):
    qdrant = example("rerank_qdrant", "qdrant_client")
    client = qdrant.store()
    first = qdrant.recall(client, qdrant.NOW)[0]
    assert first["id"] == 2, "the new note comes before the better match that was last used 40 days ago"
    assert first["temporal_weight"] == pytest.approx(-0.5 * math.log(86_400))
    second = qdrant.recall(client, qdrant.NOW + timedelta(hours=1))[0]
    assert second["id"] == 2
    assert second["payload"]["historical_count"] == 2
    assert second["payload"]["last_access"] == qdrant.NOW.isoformat()
    assert second["temporal_weight"] > first["temporal_weight"] + 1
    qdrant.main()
    assert capsys.readouterr().out.count("The staging password was changed") == 2


@pytest.mark.filterwarnings("default")
def test_chroma(capsys):
    chroma = example("rerank_chroma", "chromadb")
    collection = chroma.store("test")
    first = chroma.recall(collection, chroma.NOW)[0]
    assert first["id"] == "new"
    assert first["temporal_weight"] == pytest.approx(0.5**0.1)
    second = chroma.recall(collection, chroma.NOW + timedelta(days=3))[0]
    assert second["id"] == "new"
    assert second["metadata"]["last_access"] == chroma.NOW.isoformat()
    assert second["metadata"]["historical_count"] == 2
    assert second["temporal_weight"] == pytest.approx(0.5**0.1)
    chroma.main()
    assert capsys.readouterr().out.count("fifth floor") == 2


@pytest.mark.filterwarnings("default")
def test_lancedb(tmp_path, capsys):
    lance = example("rerank_lancedb", "lancedb")
    table = lance.store(str(tmp_path))
    first = lance.recall(table, lance.NOW).to_pylist()[0]
    assert first["id"] == "often"
    second = lance.recall(table, lance.NOW + timedelta(hours=1)).to_pylist()[0]
    assert second["id"] == "often"
    assert second["historical_count"] == 5
    assert second["last_access"] == lance.NOW
    assert second["temporal_weight"] > first["temporal_weight"] + 1
    assert table.count_rows() == 2
    lance.main()
    assert capsys.readouterr().out.count("tabs") == 2
