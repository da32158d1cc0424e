"""Small files in the cache folder that only this user can have written; no others are read."""

from __future__ import annotations

import os
import stat

FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
"""A link is not followed, and opening a FIFO that nobody writes to does not wait."""
PRIVATE = stat.S_IWGRP | stat.S_IWOTH


def read(path: str, limit: int) -> bytes:
    """At most so many bytes of a file that only this user can have written; nothing of any other."""
    try:
        handle = os.open(path, os.O_RDONLY | FLAGS)
        with open(handle, "rb") as stream:
            own = trusted(os.fstat(handle)) and trusted(os.stat(os.path.dirname(path)))
            return stream.read(limit) if own else b""
    except (OSError, ValueError):
        return b""


def trusted(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, and nobody else may write to it."""
    own = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & PRIVATE)
    return own and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def folder_of(path: str) -> None:
    """Make the folder of a file, for this user alone."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)


def replace(path: str, data: bytes) -> None:
    """Write a file at once: whoever reads it has the old content or the new one."""
    temporary = f"{path}.{os.getpid()}"
    with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
        stream.write(data)
    os.replace(temporary, path)
