"""Saves arrays as .npy files. Whether they can be written is tested before the kernel runs."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from errno import EACCES, EISDIR, ELOOP
from typing import TYPE_CHECKING

from openptx.cli.files import is_special
from openptx.errors import InputError

STDOUT = "-"
"""The name of stdout among the files that a command line names for text."""

if TYPE_CHECKING:
    from collections.abc import Iterable

    from openptx.array_types import Array


def require_writable(paths: list[str]) -> None:
    """`OSError` if a file cannot be written. A temporary file is created in each path's folder, and removed."""
    for path in paths:
        if path == STDOUT:
            continue
        refuse_links(path)
        with contextlib.suppress(FileNotFoundError):
            wrong = EISDIR if stat.S_ISDIR(os.stat(path).st_mode) else 0 if os.access(path, os.W_OK) else EACCES
            if wrong:
                raise OSError(wrong, os.strerror(wrong), path)
        if not is_special(path):
            os.unlink(write_temporary(path, b""))


def refuse_stdout(path: str | None, option: str) -> None:
    """Raises InputError where stdout is named as a file, but has other contents."""
    if path == STDOUT:
        raise InputError(f"{option}: name a file, as stdout has other contents; ./{STDOUT} is a file of this name")


def save_arrays(saves: list[tuple[str, Array]]) -> None:
    """Writes all arrays or none."""
    save_files((path, npy(array)) for path, array in saves)


def save_files(saves: Iterable[tuple[str, bytes]]) -> None:
    """Writes all files or none: to temporary files first, which then replace the old ones. Devices and pipes are
    written directly."""
    written: dict[str, str] = {}
    try:
        for path, data in saves:
            refuse_links(path)
            if is_special(path):
                write_into(path, data)
            else:
                written[write_temporary(path, data)] = path
        for temporary, path in written.items():
            replace(temporary, path)
    finally:
        for temporary in written:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def replace(temporary: str, path: str) -> None:
    """Renames a temporary file to the one that it replaces; errors name the latter."""
    try:
        os.replace(temporary, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from None


def write_into(path: str, data: bytes) -> None:
    """Writes a device or a pipe."""
    try:
        with open(path, "wb") as stream:
            stream.write(data)
    except OSError as error:
        error.filename = path  # which only `open` knows
        raise


def refuse_links(path: str) -> None:
    """`OSError` for a link: replacing it or its target might not be what was meant."""
    if os.path.islink(path) and not is_special(path):
        raise OSError(ELOOP, f"is a symbolic link to {os.readlink(path)}; name the file itself", path)


def write_temporary(path: str, data: bytes) -> str:
    """A new file in the same folder with an unpredictable name; errors name the final path."""
    temporary = os.path.join(os.path.dirname(path), f".openptx-{secrets.token_hex(8)}")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        error.filename = path
        raise
    return temporary


def npy(array: Array) -> bytes:
    """An array as the content of a .npy file; NumPy's own writer needs seekable files."""
    from io import BytesIO

    import numpy as np

    stream = BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()
