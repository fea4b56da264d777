"""The README's examples run and print what the README says they print.

`python tests/python/test_readme.py` writes what they print now into the README.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
DEMO = 'python -m pip install ".[static]" && timewalk demo\n'
TESTS = 'python -m pip install ".[static,test]" && cargo test --quiet && python -m pytest\n'
CUT = "⋮"


def blocks() -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)


def outputs() -> dict[str, str]:
    """Each block that is followed by the text it prints, and that text; the demo's stands after both commands."""
    return {DEMO if code == TESTS else code: shown for (_, code), (kind, shown) in pairwise(blocks()) if kind == "text"}


def printed(code: str, folder: Path) -> str:
    """What an example prints, or the picked lines of what the demo prints at 100 columns."""
    command = ["-m", "timewalk.cli", "demo"] if code == DEMO else ["-W", "error", "-c", code]
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return picked(done.stdout) if code == DEMO else done.stdout


def picked(output: str) -> str:
    """The demo's table around the window's edges, and a few events of its timeline."""
    lines = [line.rstrip() for line in output.splitlines()]

    def at(text: str, start: int = 0) -> int:
        return next(number for number in range(start, len(lines)) if text in lines[number])

    def event(label: str, start: int) -> tuple[int, int]:
        first = at(label, start)
        last = next(n for n in range(first + 1, len(lines)) if "│  " not in lines[n] and "┃  " not in lines[n])
        return first, last

    table, inside, after, caption = at("a date filter"), at("inside │"), at("after  │"), at("each column holds")
    story = at("The story, and")
    window = at("─── the window", story)
    drop, heat = event("Oxygen shelf dropped", story), event("Test changed", story)
    burst, delay = event("Tank explosion", window), event("Apollo 14 delayed", window)
    parts = [
        lines[table : inside + 3],
        [*lines[after - 1 : caption + 1], ""],
        lines[slice(*drop)],
        lines[slice(*heat)],
        [lines[window]],
        lines[slice(*burst)],
        lines[slice(*delay)],
    ]
    return f"\n{CUT}\n".join("\n".join(part) for part in parts).rstrip() + "\n"


def test_the_readme_has_examples_and_the_two_commands() -> None:
    shell = [code for kind, code in blocks() if kind == "sh"]
    assert DEMO in shell
    assert TESTS in shell
    python = [code for kind, code in blocks() if kind == "python"]
    assert len(python) >= 2
    assert len(python[0].splitlines()) <= 15
    assert python[0] in outputs()
    assert DEMO in outputs()


@pytest.mark.parametrize("number", range(sum(kind == "python" for kind, _ in blocks())))
def test_examples_run_and_print_what_the_readme_says(number: int, tmp_path: Path) -> None:
    pytest.importorskip("wordllama", reason="the README's examples embed with wordllama: pip install '.[static]'")
    code = [code for kind, code in blocks() if kind == "python"][number]
    output = printed(code, tmp_path)
    assert output == outputs().get(code, output)


def test_the_picture_is_what_the_demo_prints(tmp_path: Path) -> None:
    pytest.importorskip("wordllama", reason="the README shows the demo with wordllama: pip install '.[static]'")
    assert outputs()[DEMO] == printed(DEMO, tmp_path)


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    for code, shown in outputs().items():
        text = text.replace(f"```text\n{shown}```", f"```text\n{printed(code, Path.cwd())}```")
    README.write_text(text, encoding="utf-8")
