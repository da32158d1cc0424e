"""The folder of OpenPTX's caches, and whether its files can only have been written by this user.

Machine code from the disk is executed, so no other file is read. The rule is that of ssh for its keys: a file and its
folder belong to the effective user and nobody else may write to them; the folders above belong to that user or to
root, and others may write to them only where the sticky bit keeps each user's entries apart, as in /tmp.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

WRITABLE = stat.S_IWGRP | stat.S_IWOTH
ROOT = 0
FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
"""Links are not followed, and opening a FIFO without a writer does not block."""


def cache_folder() -> str | None:
    """OPENPTX_CACHE, or a folder in the user's cache, which need not exist; None if OPENPTX_CACHE is empty, or if this
    user has no home."""
    chosen = os.environ.get("OPENPTX_CACHE")
    if chosen is not None:
        return chosen or None
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if not base:
        home = os.path.expanduser("~")
        if home.startswith("~"):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "openptx")


def read_own_file(path: Path, limit: int) -> bytes | None:
    """The content of a regular file of this user; None for any other file, and if it exceeds `limit` bytes."""
    handle = os.open(path, os.O_RDONLY | FLAGS)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit or ownership_problem(status) is not None:
            return None
        with open(handle, "rb", closefd=False) as stream:
            return stream.read(status.st_size)
    finally:
        os.close(handle)


def distrust_reason(*own: Path) -> str | None:
    """Why files in nested folders, the innermost first, may be another user's; None if they cannot be.

    The paths must be real ones (`os.path.realpath`): no link is followed. Nonexistent folders are skipped.
    """
    for folder in own:
        if (reason := folder_problem(folder, above=False)) is not None:
            return reason
    for folder in own[-1].parents:
        if (reason := folder_problem(folder, above=True)) is not None:
            return reason
    return None


def folder_problem(folder: Path, *, above: bool) -> str | None:
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return None
    if not stat.S_ISDIR(status.st_mode):
        return f"{folder} is not a folder"
    reason = ownership_problem(status, above=above)
    return f"{folder} {reason}" if reason is not None else None


def ownership_problem(status: os.stat_result, *, above: bool = False) -> str | None:
    """The problem with an owner and a mode. Windows protects a user's folders by other means."""
    if not hasattr(os, "geteuid"):
        return None
    if status.st_uid != os.geteuid() and not (above and status.st_uid == ROOT):
        return f"belongs to user {status.st_uid}, not to user {os.geteuid()}"
    if status.st_mode & WRITABLE and not (above and status.st_mode & stat.S_ISVTX):
        return "can be written to by other users (`chmod go-w` it)"
    return None
