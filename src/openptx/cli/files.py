"""The files that a command line names: paths, `-` for stdin, and folders for the `*.ptx` in them."""

from __future__ import annotations

import os
import stat
import sys

from openptx.errors import InputError
from openptx.reading import content, decode, read
from openptx.source import File

STDIN = "-"
CURRENT = os.path.join(os.curdir, "")
"""`./`, which files below `.` do not have in front: annotations of a pull request name files as the repository does."""


def expand(paths: list[str], suffix: str = ".ptx") -> list[str]:
    """The paths, with each folder replaced by the files below it that end in `suffix`, in the order of their names."""
    found: list[str] = []
    for path in paths:
        if path == STDIN or not os.path.isdir(path):
            found.append(path)
            continue
        inside = sorted(files_below(path, suffix))
        if not inside:
            print(f"warning: no *{suffix} in {path}", file=sys.stderr)
        found += inside
    return list(dict.fromkeys(found))


def files_below(folder: str, suffix: str) -> list[str]:
    """Every file below a folder with this suffix; hidden folders, and anything but files, are omitted.

    A FIFO is read only if it is named itself. Links to folders are not followed, because they may form cycles.
    """
    found: list[str] = []
    for at, folders, names in os.walk(folder, onerror=raise_it):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = [os.path.join(at, name).removeprefix(CURRENT) for name in names if name.endswith(suffix)]
        found += [path for path in paths if not is_special(path)]
    return found


def is_special(path: str) -> bool:
    """Whether a path is, or links to, a device or a pipe, such as `/dev/null` or `/dev/stdout`."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def raise_it(error: OSError) -> None:
    """`os.walk` silently skips folders that it may not read without an error handler."""
    raise error


def read_named(path: str) -> File:
    """Reads a file. For a pattern that the shell did not expand, FileNotFoundError says that no file matches."""
    try:
        return read(path)
    except FileNotFoundError as error:
        if any(character in path for character in "*?["):
            error.strerror = "no file matches"
        raise


def require_one_stdin(*paths: str | None) -> None:
    """Raises InputError if stdin is to be more than one file."""
    if paths.count(STDIN) > 1:
        raise InputError(f"stdin ({STDIN}) can be only one of the files")


def require_names(*paths: str) -> None:
    """Raises InputError for an empty name, which is the current folder for some functions of Python."""
    if "" in paths:
        raise InputError("an empty file name")


def load(path: str) -> File:
    """Reads one file, or stdin. Raises InputError for an empty name and a closed stdin, OSError for a file that cannot
    be read."""
    require_names(path)
    if path != STDIN:
        return read_named(path)
    if not (stdin := getattr(sys.stdin, "buffer", None)):
        raise InputError("stdin is closed")
    return decode("<stdin>", content(stdin, "<stdin>"))
