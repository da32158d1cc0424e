"""A cache on disk of texts without findings: `openptx check` does not check them again.

A verdict is a digest of a text, of the options, and of the checker's own files: a line in one file. Several processes
append to it at once; incomplete lines are ignored. When it is full its older half is removed. It suppresses findings,
so it is read only if no other user can have written it.
"""

from __future__ import annotations

import os
import stat

from openptx.cache_folder import cache_folder
from openptx.digests import digest

NAME = "clean"
DIGITS = 40
"""The hexadecimal digits of a digest: 160 bits."""
LIMIT = 1 << 20
"""The maximum size of the file in bytes: some 25,000 verdicts."""
CHECKER = ("check", "diagnostics", "isa", "numerics", "syntax")
"""Folders whose files determine verdicts. A changed file, or another version of OpenPTX, has other verdicts."""
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FLAGS = sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
PRIVATE = stat.S_IWGRP | stat.S_IWOTH


class Verdicts:
    """The verdicts for one set of options, as of its creation."""

    def __init__(self, *options: str | None) -> None:
        folder = cache_folder()
        self.path = os.path.join(folder, NAME) if folder is not None else None
        self._salt = repr((options, checker())).encode() + b"\0"
        self._known = read(self.path) if self.path is not None else b""
        self._new: list[bytes] = []

    def digest(self, data: bytes) -> bytes:
        """The digest of a text."""
        return digest(self._salt + data, DIGITS // 2).hex().encode() + b"\n"

    def is_clean(self, path: str, most: int) -> bool:
        """Whether a file of at most this many bytes is known to have no findings. Pipes and devices are never read."""
        try:
            if not self._known or not stat.S_ISREG(os.stat(path).st_mode):
                return False
            with open(path, "rb") as stream:
                data = stream.read(most + 1)
        except (OSError, ValueError):
            return False
        return len(data) <= most and self.digest(data) in self._known

    def add(self, digest: bytes) -> None:
        """Records that a text has no findings."""
        self._new.append(digest)

    def save(self) -> None:
        """Writes new verdicts. A disk that cannot be written to does not affect results."""
        if self.path is not None and self._new:
            try:
                append(self.path, b"".join(self._new))
            except (OSError, ValueError):
                self.path = None
            self._new.clear()


def checker() -> list[tuple[str, int, int]]:
    """Name, time and size of the checker's files."""
    found: list[tuple[str, int, int]] = []
    folders = [os.path.join(PACKAGE, name) for name in CHECKER]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    found.append((entry.path, status.st_mtime_ns, status.st_size))
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return sorted(found)


def read(path: str) -> bytes:
    """The content of a file that only this user can have written; b"" for other files."""
    try:
        handle = os.open(path, os.O_RDONLY | FLAGS)
        with open(handle, "rb") as stream:
            own = is_trusted(os.fstat(handle)) and is_trusted(os.stat(os.path.dirname(path)))
            return stream.read(2 * LIMIT) if own else b""
    except (OSError, ValueError):
        return b""


def is_trusted(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user, and no other user may write to it."""
    own = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & PRIVATE)
    return own and (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def append(path: str, lines: bytes) -> None:
    """Appends lines; of a full file the newer half is kept."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | FLAGS, 0o600)
    try:
        status = os.fstat(handle)
        if not is_trusted(status):
            return
        if status.st_size and status.st_size % (DIGITS + 1):  # a line was truncated: new text must begin a line
            lines = b"\n" + lines
        os.write(handle, lines)
        full = status.st_size + len(lines) > LIMIT
    finally:
        os.close(handle)
    if full:
        kept = [line for line in read(path).splitlines(keepends=True) if len(line) == DIGITS + 1]
        temporary = f"{path}.{os.getpid()}"
        with open(temporary, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
            stream.writelines(kept[-LIMIT // 2 // (DIGITS + 1) :])
        os.replace(temporary, path)
