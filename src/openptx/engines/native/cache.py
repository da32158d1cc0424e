"""Compiled kernels on disk: by the digest of what they are made of, safe among processes, limited in size."""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
import time
from pathlib import Path

from openptx.engines.native import settings

LIMIT = 256 << 20
"""Bytes that the folder may hold; the objects used longest ago go first."""

SUFFIX = ".object"
BEGUN = ".new"
FORGOTTEN = 3600
"""Seconds after which a file that was begun will not be finished: its process has ended."""


def load(name: str) -> bytes | None:
    """What was stored under a name; None if it is not there, or not as it was, or the folder can't be used."""
    path = path_of(name)
    if path is not None:
        with contextlib.suppress(OSError, ValueError):
            data = path.read_bytes()
            if sound(data):
                with contextlib.suppress(OSError, ValueError):
                    os.utime(path)
                return data[32:]
    return None


def store(name: str, data: bytes) -> None:
    """Keeps data for `load`, if there is where."""
    path = path_of(name)
    if path is not None:
        with contextlib.suppress(OSError, ValueError):
            keep(path, hashlib.sha256(data).digest() + data)


def path_of(name: str) -> Path | None:
    folder = settings.cache_folder()
    return folder / name[:2] / (name + SUFFIX) if folder is not None else None


def sound(data: bytes) -> bool:
    """Whether a file is as it was written: an object that is not would be run all the same."""
    return len(data) > 32 and hashlib.sha256(data[32:]).digest() == data[:32]


def keep(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all, then makes room."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=BEGUN)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except OSError:
        os.unlink(temporary)
        raise
    if int(path.stem[:2], 16) % 16 == 0:  # now and then
        trim(path.parent.parent, LIMIT)


def files(folder: Path) -> list[tuple[float, int, Path]]:
    """Time of last use, size and path of all objects, those used longest ago first."""
    found: list[tuple[float, int, Path]] = []
    for path in folder.glob(f"*/*{SUFFIX}"):
        with contextlib.suppress(OSError, ValueError):
            status = path.stat()
            found.append((status.st_mtime, status.st_size, path))
    return sorted(found)


def trim(folder: Path, limit: int) -> tuple[int, int]:
    """Removes objects until those that are left take at most `limit` bytes; how many went, and their bytes."""
    for path in folder.glob(f"*/{BEGUN}*"):
        with contextlib.suppress(OSError, ValueError):
            if time.time() - path.stat().st_mtime > FORGOTTEN:
                path.unlink()
    there = files(folder)
    total, count, freed = sum(size for _, size, _ in there), 0, 0
    for _, size, path in there:
        if total - freed <= limit:
            break
        with contextlib.suppress(OSError, ValueError):
            path.unlink()
            count, freed = count + 1, freed + size
    return count, freed
