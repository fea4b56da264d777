"""The libraries that go by a name. Each is imported only when it is asked for."""

from __future__ import annotations

import importlib
import json
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from timewalk.errors import EmbedderError, MissingDependencyError

Loaded: TypeAlias = tuple[str, Callable[[list[str]], Any]]
_OPENAI_BATCH = 512
_WORDLLAMA_BATCH = 64  # texts whose token vectors are looked up at once: few enough to stay near the processor


def _import(package: str, extra: str) -> Any:
    try:
        return importlib.import_module(package)
    except ImportError as error:
        raise MissingDependencyError(
            f"this embedder needs the package {package}: pip install 'timewalk[{extra}]'"
        ) from error


def wordllama(model: str | None) -> Loaded:
    """WordLlama: static token vectors (256 dimensions), numpy only, weights inside its wheel."""
    package = _import("wordllama", "static")
    config = model or "l2_supercat"
    # Its own look-up misses the tokenizer that the wheel carries and would download it; the package folder as cache
    # folder has both under the names it expects.
    inference = package.WordLlama.load(config, cache_dir=Path(package.__file__).parent, dim=256, disable_download=True)
    # Its own embed pads each text to the longest of its batch; the mean of a text's token vectors needs none of that.
    inference.tokenizer.no_padding()
    encode = getattr(inference.tokenizer, "encode_batch_fast", inference.tokenizer.encode_batch)
    vectors = np.ascontiguousarray(inference.embedding, np.float32)

    def embed(texts: list[str]) -> npt.NDArray[np.float32]:
        out = np.zeros((len(texts), vectors.shape[1]), np.float32)
        tokens = [encoded.ids for encoded in encode(texts, add_special_tokens=False)]
        for start in range(0, len(tokens), _WORDLLAMA_BATCH):
            part = tokens[start : start + _WORDLLAMA_BATCH]
            lengths = np.asarray([len(ids) for ids in part])
            rows = np.flatnonzero(lengths)
            if not len(rows):
                continue
            begins = np.cumsum(lengths[rows]) - lengths[rows]
            ids = np.minimum(np.fromiter(chain.from_iterable(part), np.int64, int(lengths.sum())), len(vectors) - 1)
            sums = np.add.reduceat(vectors[ids], begins, axis=0)
            out[start + rows] = sums / lengths[rows, None].astype(np.float32)
        return out

    return f"wordllama:{config}", embed


def sentence_transformers(model: str | None) -> Loaded:
    """sentence-transformers, with any of its models."""
    name = model or "all-MiniLM-L6-v2"
    encoder = _import("sentence_transformers", "sentence-transformers").SentenceTransformer(name)
    return f"sentence-transformers:{name}", lambda texts: encoder.encode(texts, show_progress_bar=False)


def fastembed(model: str | None) -> Loaded:
    """fastembed: ONNX models."""
    name = model or "BAAI/bge-small-en-v1.5"
    encoder = _import("fastembed", "fastembed").TextEmbedding(name)
    return f"fastembed:{name}", lambda texts: list(encoder.embed(texts))


def model2vec(model: str | None) -> Loaded:
    """model2vec: static vectors distilled from sentence transformers; a model name or a folder."""
    name = model or "minishlab/potion-base-8M"
    encoder = _import("model2vec", "model2vec").StaticModel.from_pretrained(name)
    return f"model2vec:{name}", encoder.encode


def openai(model: str | None) -> Loaded:
    """Any endpoint that speaks OpenAI's embeddings protocol.

    OPENAI_BASE_URL names it (OpenAI's own unless set), OPENAI_API_KEY is sent if set.
    """
    name = model or "text-embedding-3-small"
    base = os.environ.get("OPENAI_BASE_URL", "https://api.openai.com/v1").rstrip("/")
    key = os.environ.get("OPENAI_API_KEY")

    def embed(texts: list[str]) -> list[list[float]]:
        vectors: list[list[float]] = []
        for start in range(0, len(texts), _OPENAI_BATCH):
            vectors += _post(f"{base}/embeddings", key, {"model": name, "input": texts[start : start + _OPENAI_BATCH]})
        return vectors

    return f"openai:{name}", embed


def _post(url: str, key: str | None, body: dict[str, Any]) -> list[list[float]]:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(url, json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as response:
            rows = json.load(response)["data"]
        # The protocol numbers its rows, since they may come in any order.
        return [row["embedding"] for row in sorted(rows, key=lambda row: int(row["index"]))]
    except urllib.error.HTTPError as error:
        raise EmbedderError(f"{url} answered {error.code}: {error.read(300).decode(errors='replace')}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EmbedderError(
            f"{url} gave no embeddings ({type(error).__name__}: {error}); is OPENAI_BASE_URL right?"
        ) from error


LOADERS: dict[str, Callable[[str | None], Loaded]] = {
    "wordllama": wordllama,
    "sentence-transformers": sentence_transformers,
    "fastembed": fastembed,
    "model2vec": model2vec,
    "openai": openai,
}
