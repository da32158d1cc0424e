"""Writes PTX back: into its file, atomically, or to stdout."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from contextlib import suppress
from errno import EINVAL

from openptx.reading import encode


def print_text(text: str) -> None:
    """Writes the text to stdout, byte for byte."""
    sys.stdout.flush()
    sys.stdout.buffer.write(encode(text))
    sys.stdout.buffer.flush()


def replace(path: str, text: str) -> None:
    """Writes a file atomically: an interruption leaves the old text or the new one. `OSError` names the path.

    Keeps the mode and, if the system allows it, the owner. A symbolic link is kept: its target is written. Only regular
    files are written this way.
    """
    target = os.path.realpath(path)
    old = os.stat(target)
    if not stat.S_ISREG(old.st_mode):
        raise OSError(EINVAL, "not a regular file", path)
    try:
        handle, name = tempfile.mkstemp(dir=os.path.dirname(target), prefix=".openptx-")
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(encode(text))
            if hasattr(os, "chown"):
                with suppress(PermissionError):  # only root may change the owner of a file
                    os.chown(name, old.st_uid, old.st_gid)
            os.chmod(name, stat.S_IMODE(old.st_mode))
            os.replace(name, target)
        except BaseException:
            os.unlink(name)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
