"""Compiled kernels on disk: by the digest of what they are made of, safe among processes, limited in size.

What is read here is run. So only files are read that nobody but this user can have written (`owned`); a folder that
others can write to is neither read nor written, and a warning says so once.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from openptx.engines.native import settings
from openptx.engines.native.cache import owned

LIMIT = 256 << 20
"""Bytes that the folder may hold; the objects used longest ago go first."""

SUFFIX = ".object"
BEGUN = ".new"
FORGOTTEN = 3600
"""Seconds after which a file that was begun will not be finished: its process has ended."""

LOG = logging.getLogger("openptx")
_warned: set[Path] = set()


def load(name: str) -> bytes | None:
    """What was stored under a name; None if it is not there, or not as it was, or the folder can't be used."""
    path = path_of(name)
    if path is not None:
        with contextlib.suppress(OSError, ValueError):
            data = owned.read(path, LIMIT)
            if data is None:
                warn(path.parents[1], f"{path} is not used: it is not a file that only this user can have written")
            elif sound(data):
                with contextlib.suppress(OSError, ValueError):
                    os.utime(path)
                return data[32:]
    return None


def has(name: str) -> bool:
    """Whether something was stored under a name."""
    path = path_of(name)
    return path is not None and os.path.isfile(path)


def store(name: str, data: bytes) -> None:
    """Keeps data for `load`, if there is where."""
    path = path_of(name)
    if path is not None:
        with contextlib.suppress(OSError, ValueError):
            keep(path, hashlib.sha256(data).digest() + data)


def path_of(name: str) -> Path | None:
    """The path of an object, without links in it; None where no folder can be trusted to hold it."""
    with contextlib.suppress(OSError, ValueError):
        folder = real_folder()
        if folder is not None and trusted(folder, name[:2]):
            return folder / name[:2] / (name + SUFFIX)
    return None


def real_folder() -> Path | None:
    folder = settings.cache_folder()
    return Path(os.path.realpath(folder)) if folder is not None else None


def trusted(folder: Path, *inner: str) -> bool:
    """Whether only this user can have written what is in the store, or in one of its folders; warns where not."""
    reason = owned.distrusted(*(folder / one for one in inner), folder)
    if reason is not None:
        warn(
            folder, f"the store of compiled kernels is not used: {reason}; OPENPTX_CACHE names another folder, or none"
        )
    return reason is None


def warn(folder: Path, message: str) -> None:
    """Once for a folder and process: what is wrong with one file is wrong with others, or soon mended."""
    if folder not in _warned:
        _warned.add(folder)
        LOG.warning(message)


def sound(data: bytes) -> bool:
    """Whether a file is as it was written: an object that is not would be run all the same."""
    return len(data) > 32 and hashlib.sha256(data[32:]).digest() == data[:32]


def keep(path: Path, data: bytes) -> None:
    """Writes a file whole or not at all, then makes room."""
    for folder in reversed([path.parent, *path.parent.parents]):
        if not os.path.lexists(folder):
            with contextlib.suppress(FileExistsError):
                folder.mkdir(mode=0o700)
    if not trusted(path.parents[1], path.parent.name):  # somebody else made it just now
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
    """All files in the folders of a store. Links are not followed: what they lead to is not the store's."""
    with contextlib.suppress(OSError, ValueError), os.scandir(folder) as inner:
        for one in inner:
            if one.is_dir(follow_symlinks=False):
                with contextlib.suppress(OSError), os.scandir(one) as found:
                    for entry in found:
                        with contextlib.suppress(OSError):
                            status = entry.stat(follow_symlinks=False)
                            if stat.S_ISREG(status.st_mode):
                                yield entry, status


def files(folder: Path) -> list[tuple[float, int, Path]]:
    """Time of last use, size and path of all objects, those used longest ago first."""
    found = [(s.st_mtime, s.st_size, Path(e.path)) for e, s in entries(folder) if e.name.endswith(SUFFIX)]
    return sorted(found)


def trim(folder: Path, limit: int) -> tuple[int, int]:
    """Removes objects until those that are left take at most `limit` bytes; how many went, and their bytes."""
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
