"""Compiled kernels on disk: by the digest of their inputs, safe for concurrent processes, limited in size.

Files read by this module are executed. So only files are read that only this user can have written (`owned`); a folder
that others can write to is neither read nor written, which a warning reports once.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from openptx.cache_folder import distrust_reason, read_own_file
from openptx.digests import SIZE, digest
from openptx.engines.native import settings

LIMIT = 256 << 20
"""The maximum size of the folder in bytes; the least recently used objects are removed first."""

SUFFIX = ".object"
BEGUN = ".new"
FORGOTTEN = 3600
"""The age in seconds from which an unfinished file is abandoned: its process has ended."""

LOG = logging.getLogger("openptx")
_warned: set[Path] = set()


def load(name: str) -> bytes | None:
    """The data stored under a name; None if it does not exist, is damaged, or the folder cannot be used."""
    path = path_of(name)
    if path is not None:
        with contextlib.suppress(OSError, ValueError):
            data = read_own_file(path, LIMIT)
            if data is None:
                warn(path.parents[1], f"{path} is not used: it is not a file that only this user can have written")
            elif sound(data):
                with contextlib.suppress(OSError, ValueError):
                    os.utime(path)
                return data[SIZE:]
    return None


def has(name: str) -> bool:
    """Whether something was stored under a name. Owners and modes are examined only if it exists."""
    folder = settings.cache_folder()
    if folder is None or not os.path.isfile(os.path.join(folder, name[:2], name + SUFFIX)):
        return False
    return path_of(name) is not None


def store(name: str, data: bytes) -> None:
    """Stores data for `load`, if there is a usable folder."""
    path = path_of(name)
    if path is not None:
        with contextlib.suppress(OSError, ValueError):
            keep(path, digest(data) + data)


def path_of(name: str) -> Path | None:
    """The path of an object, without links in it; None if no folder can be trusted to hold it."""
    with contextlib.suppress(OSError, ValueError):
        folder = real_folder()
        if folder is not None and is_trusted(folder, name[:2]):
            return folder / name[:2] / (name + SUFFIX)
    return None


def real_folder() -> Path | None:
    folder = settings.cache_folder()
    return Path(os.path.realpath(folder)) if folder is not None else None


def is_trusted(folder: Path, *inner: str) -> bool:
    """Whether only this user can have written the contents of the store, or of one of its folders; warns if not."""
    reason = distrust_reason(*(folder / one for one in inner), folder)
    if reason is not None:
        warn(
            folder, f"the store of compiled kernels is not used: {reason}; OPENPTX_CACHE names another folder, or none"
        )
    return reason is None


def warn(folder: Path, message: str) -> None:
    """Once per folder and process: a problem with one file usually affects others, or is soon repaired."""
    if folder not in _warned:
        _warned.add(folder)
        LOG.warning(message)


def sound(data: bytes) -> bool:
    """Whether a file is intact: a damaged object would otherwise be executed."""
    return len(data) > SIZE and digest(data[SIZE:]) == data[:SIZE]


def keep(path: Path, data: bytes) -> None:
    """Writes a file atomically, then makes room."""
    for folder in reversed([path.parent, *path.parent.parents]):
        if not os.path.lexists(folder):
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
    if not is_trusted(path.parents[1], path.parent.name):  # another process has just written it
        return
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=BEGUN)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    if int(path.stem[:2], 16) % 16 == 0:  # now and then
        trim(path.parent.parent, LIMIT)


def entries(folder: Path) -> Iterator[tuple[os.DirEntry[str], os.stat_result]]:
    """All files in the folders of a store. Links are not followed: their targets are not part of the store."""
    folders = (each for each in scan(folder) if each.is_dir(follow_symlinks=False))
    for entry in (entry for inner in folders for entry in scan(inner)):
        with contextlib.suppress(OSError):
            status = entry.stat(follow_symlinks=False)
            if stat.S_ISREG(status.st_mode):
                yield entry, status


def scan(folder: str | os.PathLike[str]) -> Iterator[os.DirEntry[str]]:
    """What is in a folder; nothing if it cannot be read."""
    with contextlib.suppress(OSError, ValueError), os.scandir(folder) as found:
        yield from found


def files(folder: Path) -> list[tuple[float, int, Path]]:
    """Time of last use, size and path of all objects, the least recently used first."""
    found = [(s.st_mtime, s.st_size, Path(e.path)) for e, s in entries(folder) if e.name.endswith(SUFFIX)]
    return sorted(found)


def trim(folder: Path, limit: int) -> tuple[int, int]:
    """Removes objects until the remaining ones take at most `limit` bytes; returns how many it removed, and their
    bytes."""
    for entry, status in entries(folder):
        if entry.name.startswith(BEGUN) and time.time() - status.st_mtime > FORGOTTEN:
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
    found_files = files(folder)
    total, count, freed = sum(size for _, size, _ in found_files), 0, 0
    for _, size, path in found_files:
        if total - freed <= limit:
            break
        with contextlib.suppress(OSError, ValueError):
            path.unlink()
            count, freed = count + 1, freed + size
    return count, freed
