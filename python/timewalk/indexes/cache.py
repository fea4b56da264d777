"""Indexes on disk beside their store: a folder of files that one manifest holds together.

The store is the truth. It notes the stamp of the cache that was written last; a cache with another stamp belongs to
another history, and is not read. Files are written under names of their own, synced, and count from the moment the
manifest that names them has been renamed into its place, so that no reader sees half of a cache. Whatever is wrong with
one, it is made anew: deleting the folder is always safe.
"""

from __future__ import annotations

import json
import logging
import os
import secrets
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from timewalk.stores.sqlite import Store

log = logging.getLogger("timewalk")

_FORMAT = 2
_MANIFEST = "manifest.json"
_PIECE = 1 << 20
_SETTLED = 3600  # seconds after which a file without a manifest has been left behind


def folder_of(store: Store) -> Path | None:
    """Where the indexes of a store lie: `FILE-index`; None for a store in RAM."""
    return None if store.path is None else store.path.with_name(f"{store.path.name}-index")


def load(store: Store, rules: str) -> tuple[dict[str, Any], dict[str, Path]] | None:
    """What a manifest says and the files that it names, checked; None if there is no cache that fits.

    `rules`: what the indexes were made by besides the store.
    """
    folder = folder_of(store)
    stamp = store.meta("cache")
    if folder is None or stamp is None:
        return None
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        seal = manifest.pop("seal")
        if seal != _seal(manifest):
            raise ValueError(f"{_MANIFEST} is damaged")
        if (manifest["format"], manifest["stamp"], manifest["rules"]) != (_FORMAT, stamp, rules):
            return None
        files = {}
        for name, known in manifest["files"].items():
            path = folder / known["file"]
            if path.parent != folder or _checksum(path) != known["checksum"]:
                raise ValueError(f"{path} is damaged")
            files[name] = path
        facts: dict[str, Any] = manifest["facts"]
        return facts, files
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        log.info("the index cache in %s is made anew (%s)", folder, error)
        return None


def save(store: Store, rules: str, facts: dict[str, Any], parts: dict[str, Callable[[Path], bool]]) -> None:
    """Writes a cache: each part to a file of its own (or none, if it returns False), then the manifest.

    Never raises for a disk that is full or read-only: a cache is not needed, only fast.
    """
    folder = folder_of(store)
    if folder is None:
        return
    stamp = secrets.token_hex(16)
    try:
        folder.mkdir(exist_ok=True)
        files: dict[str, dict[str, Any]] = {}
        for name, write in parts.items():
            path = folder / f"{name}-{stamp}.bin"
            if write(path):
                _sync(path)
                files[name] = {"file": path.name, "checksum": _checksum(path)}
        manifest = {"format": _FORMAT, "stamp": stamp, "rules": rules, "facts": facts, "files": files}
        manifest["seal"] = _seal(manifest)
        temporary = folder / f"{_MANIFEST}.{stamp}"
        temporary.write_text(json.dumps(manifest), encoding="utf-8")
        _sync(temporary)
        # Under the store's lock, so that of two processes one has both the manifest and the note.
        with store.noting() as connection:
            before = _named(folder)
            os.replace(temporary, folder / _MANIFEST)
            connection.execute(
                "INSERT INTO meta VALUES ('cache', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (stamp,)
            )
        kept = {_MANIFEST, *(known["file"] for known in files.values())}
        _remove(folder / name for name in before - kept)
        _tidy(folder, kept)
    except OSError as error:
        log.info("the index cache in %s could not be written (%s)", folder, error)
        if folder.is_dir():
            _remove(folder.glob(f"*{stamp}*"))


def _tidy(folder: Path, kept: set[str]) -> None:
    """Removes what earlier caches have left, but for what another process may be writing just now."""
    newest = (folder / _MANIFEST).stat().st_mtime
    _remove(path for path in folder.iterdir() if path.name not in kept and path.stat().st_mtime < newest - _SETTLED)


def _named(folder: Path) -> set[str]:
    """Files that the present manifest names."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_text(encoding="utf-8"))
        return {Path(known["file"]).name for known in manifest["files"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return set()


def _remove(paths: Iterable[Path]) -> None:
    for path in list(paths):
        try:
            path.unlink()
        except OSError:
            continue  # another process reads it, or was faster


def _sync(path: Path) -> None:
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _seal(manifest: dict[str, Any]) -> int:
    return zlib.crc32(json.dumps(manifest, sort_keys=True).encode())


def _checksum(path: Path) -> list[int]:
    size = total = 0
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            total = zlib.crc32(piece, total)
            size += len(piece)
    return [size, total]
