"""Embedders by callable and by name, and what they may return."""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import numpy as np
import pytest

from timewalk import EmbedderError, InvalidTypeError, InvalidValueError, MissingDependencyError
from timewalk.embedders import named, resolve


def two(texts):
    return [[len(text), 1.0] for text in texts]


def test_a_callable_gives_float32_rows_under_its_own_name():
    embedder = resolve(two)
    vectors = embedder(["a", "bcd"])
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[1.0, 1.0], [3.0, 1.0]]
    assert embedder.name.endswith(".two")
    assert embedder([], dimension=2).shape == (0, 2)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda texts: [1.0] * len(texts), "shape"),
        (lambda texts: [[1.0, 2.0]], "shape"),
        (lambda texts: np.zeros((len(texts), 0)), "shape"),
        (lambda texts: 1 / 0, "ZeroDivisionError"),
        (lambda texts: [[1.0], [float("nan")]], "finite"),
    ],
)
def test_what_is_not_a_row_of_finite_numbers_a_text_is_refused(function, words):
    with pytest.raises(EmbedderError, match=words):
        resolve(function)(["a", "b"])


def test_another_dimension_than_the_store_has_is_refused():
    with pytest.raises(EmbedderError, match="2 dimensions"):
        resolve(two)(["a"], dimension=3)


def test_unknown_names_and_types_say_what_is_known():
    with pytest.raises(InvalidValueError, match="wordllama"):
        resolve("word2vec")
    with pytest.raises(InvalidTypeError):
        resolve(3)


def test_a_missing_library_names_the_command(monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(named.importlib, "import_module", missing)
    for name in ("wordllama", "sentence-transformers", "fastembed", "model2vec"):
        with pytest.raises(MissingDependencyError, match="pip install 'timewalk"):
            resolve(name)


def test_wordllama_works_without_a_download():
    pytest.importorskip("wordllama", reason="the extra 'static' is not installed")
    embedder = resolve("wordllama")
    launch, start, soup = embedder(["the rocket launch", "lift-off of the rocket", "tomato soup recipe"])
    assert launch.shape == (256,)

    def cosine(a, b):
        return a @ b / np.linalg.norm(a) / np.linalg.norm(b)

    assert cosine(launch, start) > cosine(launch, soup) + 0.2


class _Endpoint(BaseHTTPRequestHandler):
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if body["model"] == "broken":
            self.send_error(500, "out of order")
            return
        rows = [{"index": i, "embedding": [float(len(text)), 0.5]} for i, text in enumerate(body["input"])]
        answer = json.dumps({"data": rows[::-1]}).encode()  # rows may come in any order
        self.send_response(200)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def endpoint(monkeypatch):
    server = HTTPServer(("127.0.0.1", 0), _Endpoint)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{server.server_port}/v1/")
    yield
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.usefixtures("endpoint")
def test_an_endpoint_with_openai_protocol():
    embedder = resolve("openai:some-model")
    assert embedder.name == "openai:some-model"
    texts = ["x" * n for n in range(1, 1200)]
    assert embedder(texts)[:, 0].tolist() == [float(n) for n in range(1, 1200)]
    with pytest.raises(EmbedderError, match="500"):
        resolve("openai:broken")(["a"])
