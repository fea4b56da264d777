"""The README's examples run and print what the README says they print."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)
EXAMPLES = [
    (
        number,
        code,
        BLOCKS[number + 1][1] if BLOCKS[number + 1 : number + 2] and BLOCKS[number + 1][0] == "text" else None,
    )
    for number, (kind, code) in enumerate(BLOCKS)
    if kind == "python"
]


def test_the_readme_has_examples_and_the_two_commands() -> None:
    assert len(EXAMPLES) >= 2
    shell = [code for kind, code in BLOCKS if kind == "sh"]
    assert 'python -m pip install ".[static]" && timewalk demo\n' in shell
    assert 'python -m pip install ".[static,test]" && cargo test --quiet && python -m pytest\n' in shell
    first = EXAMPLES[0][1].strip().splitlines()
    assert len(first) <= 15


@pytest.mark.parametrize(("number", "code", "expected"), EXAMPLES, ids=[str(example[0]) for example in EXAMPLES])
def test_python_examples_run(number: int, code: str, expected: str | None, tmp_path: Path) -> None:
    pytest.importorskip("wordllama", reason="the README's examples embed with wordllama: pip install '.[static]'")
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    if expected is not None:
        assert done.stdout == expected


def test_the_picture_is_what_the_demo_prints() -> None:
    pytest.importorskip("wordllama", reason="the README shows the demo with wordllama: pip install '.[static]'")
    shown = next(
        code for (kind, command), (_, code) in itertools.pairwise(BLOCKS) if kind == "sh" and "timewalk demo" in command
    )
    from typer.testing import CliRunner

    from timewalk.cli.app import app

    result = CliRunner().invoke(app, ["demo"], env={"COLUMNS": "100"})
    printed = [line.rstrip() for line in result.stdout.splitlines()]
    at = 0
    lines = [line.rstrip() for line in shown.splitlines() if line.strip() not in ("", "⋮")]
    assert len(lines) >= 15
    for line in lines:
        assert line in printed[at:], f"{line!r} is not in the demo's output, or not in that order"
        at = printed.index(line, at) + 1
