"""The examples of docs/ingestion.md run and print what the page says they print.

`python tests/python/test_docs.py` writes what they print now into the page.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "ingestion.md"
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n```text\n(.*?)^```$", re.M | re.S)


def examples() -> list[tuple[str, str]]:
    return EXAMPLE.findall(PAGE.read_text(encoding="utf-8"))


def printed(code: str, folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], cwd=folder, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_says_what_it_prints() -> None:
    assert len(examples()) == PAGE.read_text(encoding="utf-8").count("```python") == 2


@pytest.mark.parametrize("number", range(2))
def test_examples_print_what_the_page_says(number: int, tmp_path: Path) -> None:
    code, shown = examples()[number]
    assert shown
    assert printed(code, tmp_path) == shown


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(
        EXAMPLE.sub(lambda found: f"```python\n{found[1]}```\n```text\n{printed(found[1], Path.cwd())}```", text),
        encoding="utf-8",
    )
