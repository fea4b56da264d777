"""The history of a git repository as records: commits with their times, authors, files, and what they fix or revert."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import IO, Any

from timewalk.errors import FileAccessError, InvalidValueError, MissingDependencyError, UnknownIdError
from timewalk.times import TimeLike, from_micros, to_micros

_FIELDS = ("%H", "%P", "%an", "%ae", "%at", "%ct", "%B")
_CHUNK = 1 << 16

_HASH = r"[0-9a-fA-F]{7,64}"
_FIXES = re.compile(rf"^[ \t]*Fixes:[ \t]*(?:commit[ \t]+)?({_HASH})\b(?:[ \t]*\(\s*\"(.*)\"\s*\))?", re.M | re.I)
_REVERTS = re.compile(rf"\breverts?\s+commits?\s+({_HASH}(?:(?:\s*,\s*|\s+and\s+){_HASH})*)", re.I)
_TRAILER = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*:\s|\(cherry picked from commit ")
_KNOWN_TRAILER = re.compile(
    r"(?:signed-off-by|acked-by|reviewed-by|tested-by|reported-by|reported-at|suggested-by|co-authored-by|"
    r"co-developed-by|submitted-at|fixes|closes|cc|change-id|link|bugzilla|vmware-bz|\(cherry picked from)\b",
    re.I,
)


def read_history(
    path: str | os.PathLike[str],
    *,
    revision: str = "HEAD",
    since: TimeLike | None = None,
    max_count: int | None = None,
    merges: bool = True,
    tz: str | tzinfo = "UTC",
) -> Iterator[dict[str, Any]]:
    """Commits that `revision` reaches, parents first, as records for `timewalk.ingest.records.to_table`.

    A commit's id is its hash; its text is subject and body without trailers; `author` is the author's name, also an
    entity of type "person"; `occurred_start` is the author time, and `occurred_end` the commit time where that is
    later; `files` are the changed paths (none for merges). `caused_by` names commits of the same history that it
    reverts ("This reverts commit …") or fixes (`Fixes: <hash> ("subject")`; the subject decides where the hash is
    not of this history, as after a rebase). What could not be resolved stays in the metadata keys `fixes` and
    `reverts`, beside `author_email` and `parents`.

    `since` leaves out commits before that time (a naive one is read in `tz`), `max_count` keeps the newest ones,
    `merges=False` leaves merges out. Bytes that are not UTF-8 are replaced. Runs `git log` without a shell and holds
    one commit at a time, and the hash and subject of all.

    Raises `FileAccessError` for a path that is no repository or has no commits, `UnknownIdError` for a revision that
    does not exist, `MissingDependencyError` where git is not installed; all of these at once, not at the first commit.
    """
    folder = Path(path)
    if max_count is not None and max_count < 0:
        raise InvalidValueError(f"max_count is 0 or more, not {max_count}")
    if not folder.is_dir():
        raise FileAccessError(f"there is no folder {folder}")
    _check(folder, revision)
    options = ["--no-merges"] if not merges else []
    if since is not None:
        options.append(f"--since={from_micros(to_micros(since, tz=tz)).isoformat()}")
    if max_count is not None:
        options.append(f"--max-count={max_count}")
    return _records(folder, revision, options)


def _command(folder: Path, *arguments: str) -> list[str]:
    # A user's configuration must not change the form of the output.
    settings = ("i18n.logOutputEncoding=UTF-8", "log.showSignature=false", "core.quotePath=false", "log.showRoot=true")
    chosen = [word for setting in settings for word in ("-c", setting)]
    return ["git", "--no-replace-objects", "--no-pager", "-C", str(folder), *chosen, *arguments]


def _environment() -> dict[str, str]:
    # GIT_DIR and its like would make git read another repository than the one named.
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return {**kept, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}


def _check(folder: Path, revision: str) -> None:
    _run(folder, "rev-parse", "--git-dir", error=f"{folder} is not a git repository")
    found = _run(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if found.returncode and revision == "HEAD":
        raise FileAccessError(f"the git repository {folder} has no commits")
    if found.returncode:
        raise UnknownIdError(f"the git repository {folder} has no revision {revision!r}")


def _run(folder: Path, *arguments: str, error: str | None = None) -> subprocess.CompletedProcess[bytes]:
    try:
        done = subprocess.run(
            _command(folder, *arguments), capture_output=True, env=_environment(), stdin=subprocess.DEVNULL, check=False
        )
    except FileNotFoundError:
        raise MissingDependencyError("reading a repository needs the program git; install it") from None
    if error is not None and done.returncode:
        raise FileAccessError(f"{error} ({_said(done.stderr)})")
    return done


def _said(stderr: bytes) -> str:
    lines = stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[0] if lines else "git gave no reason"


def _records(folder: Path, revision: str, options: list[str]) -> Iterator[dict[str, Any]]:
    # A token that no file can be called marks the begin of each commit.
    mark = secrets.token_hex(16)
    form = "%x00".join((mark, *_FIELDS))
    log = ("log", "-z", "--reverse", "--topo-order", "--name-only", "--no-renames", "--no-color", "--no-notes")
    command = _command(folder, *log, "--no-ext-diff", f"--format=tformat:{form}%x00", *options)
    known = _Known()
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            [*command, "--end-of-options", revision, "--"],
            stdout=subprocess.PIPE,
            stderr=complaints,
            stdin=subprocess.DEVNULL,
            env=_environment(),
        )
        try:
            assert process.stdout is not None
            for commit in _commits(process.stdout, mark.encode()):
                yield _record(commit, known)
            if process.wait():
                complaints.seek(0)
                raise FileAccessError(f"git could not read the history of {folder}: {_said(complaints.read())}")
        finally:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()


def _commits(stream: IO[bytes], mark: bytes) -> Iterator[list[bytes]]:
    """The fields of one commit after the other, with the names of its files at the end."""
    fields: list[bytes] | None = None
    for token in _tokens(stream):
        if token.strip(b"\n") == mark:
            if fields is not None:
                yield fields
            fields = []
        elif fields is not None:
            # Git sets a line break between the message and the first name.
            name = token.removeprefix(b"\n") if len(fields) == len(_FIELDS) else token
            if name or len(fields) < len(_FIELDS):
                fields.append(name)
    if fields is not None:
        yield fields


def _tokens(stream: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    while chunk := stream.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
    if rest:
        yield rest


@dataclass
class _Known:
    """Commits seen so far, by the begin of their hash and by subject."""

    by_prefix: dict[str, list[str]] = field(default_factory=dict)
    by_subject: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, subject: str) -> None:
        self.by_prefix.setdefault(name[:7], []).append(name)
        self.by_subject.setdefault(subject, []).append(name)

    def find(self, prefix: str, subject: str | None) -> str | None:
        prefix = prefix.lower()
        found = [name for name in self.by_prefix.get(prefix[:7], ()) if name.startswith(prefix)]
        if not found and subject:
            found = self.by_subject.get(" ".join(subject.split()), [])
        return found[0] if len(found) == 1 else None


def _record(fields: list[bytes], known: _Known) -> dict[str, Any]:
    name, parents, author, email, authored, committed, message = (
        field.decode("utf-8", "replace") for field in fields[: len(_FIELDS)]
    )
    files = [field.decode("utf-8", "replace") for field in fields[len(_FIELDS) :]]
    subject, text = _text(message)
    start, end = _moment(authored), _moment(committed)
    record: dict[str, Any] = {
        "id": name,
        "text": text or f"Commit {name[:12]}, without a message",
        "occurred_start": start if start is not None else end,
        "occurred_end": end if start is not None and end is not None and end > start else None,
        "files": files,
        "parents": parents.split(),
    }
    if author.strip():
        record["author"] = author.strip()
        record["entities"] = [{"name": author.strip(), "type": "person"}]
    if email.strip():
        record["author_email"] = email.strip()
    causes, record["fixes"], record["reverts"] = _causes(message, known)
    record["caused_by"] = causes
    known.add(name, subject)
    return {key: value for key, value in record.items() if value not in (None, [])}


def _causes(message: str, known: _Known) -> tuple[list[str], list[str], list[str]]:
    """Commits that this one fixes or reverts, then the hashes of each kind that are not of this history."""
    named: list[tuple[str, str | None]] = [(match[1], match[2]) for match in _FIXES.finditer(message)]
    undone: list[tuple[str, str | None]] = [
        (word, None) for match in _REVERTS.finditer(message) for word in re.findall(rf"\b{_HASH}\b", match[1])
    ]
    causes: dict[str, None] = {}
    lost: list[list[str]] = [[], []]
    for unknown, pairs in zip(lost, (named, undone), strict=True):
        for prefix, subject in pairs:
            found = known.find(prefix, subject)
            if found is None:
                unknown.append(prefix)
            else:
                causes[found] = None
    return list(causes), lost[0], lost[1]


def _text(message: str) -> tuple[str, str]:
    """The subject, and the message without the trailers in its last paragraph."""
    paragraphs = [part.strip() for part in re.split(r"\n[ \t]*\n", message.replace("\r\n", "\n").strip())]
    subject = " ".join(paragraphs[0].split())
    while len(paragraphs) > 1 and (kept := _without_trailers(paragraphs[-1])) is not None:
        paragraphs.pop()
        if kept:
            paragraphs.append(kept)
            break
    body = "\n\n".join(paragraphs[1:])
    return subject, f"{subject}\n{body}" if body else subject


def _without_trailers(paragraph: str) -> str | None:
    """The paragraph without trailers, or None if it has none.

    As in git: all lines are trailers, or one is of a known kind and at least a quarter of the lines are trailers.
    """
    lines = paragraph.split("\n")
    is_trailer: list[bool] = []
    for line in lines:
        continued = line[:1] in (" ", "\t") and bool(is_trailer) and is_trailer[-1]
        is_trailer.append(continued or _TRAILER.match(line) is not None)
    known = any(_KNOWN_TRAILER.match(line) for line in lines)
    if not all(is_trailer) and not (known and 4 * sum(is_trailer) >= len(lines)):
        return None
    if not any(is_trailer):
        return None
    return "\n".join(line for line, trailer in zip(lines, is_trailer, strict=True) if not trailer).strip()


def _moment(seconds: str) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds), UTC)
    except (ValueError, OverflowError, OSError):
        return None
