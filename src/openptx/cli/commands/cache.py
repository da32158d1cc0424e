"""Show or clear the cache of compiled kernels and of files that `openptx check` found clean.

The native engine caches the machine code of kernels on disk, so that they are compiled once. The cache is limited in
size and may be deleted at any time. The environment variable OPENPTX_CACHE names another folder; if it is empty,
nothing is cached. Because code from the cache is executed, a folder that belongs to another user, or that others can
write to, is not used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.cache_folder import distrust_reason
from openptx.cli.exit_status import CLEAN
from openptx.cli.failures import complain
from openptx.cli.verdicts import NAME, read
from openptx.diagnostics.render.summary import plural
from openptx.engines.native.cache.store import LIMIT, files, real_folder, trim

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from pathlib import Path


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx cache`."""
    parser.add_argument("action", nargs="?", choices=("show", "clear"), default="show", help="show (default) or clear")


def run(args: Namespace) -> int:
    """Print what the cache contains, or clear it."""
    folder = real_folder()
    if folder is None:
        print("nothing is cached: OPENPTX_CACHE is empty, or there is no home folder")
    elif (reason := distrust_reason(folder)) is not None:
        return complain(f"the cache at {folder} is not used: {reason}")
    elif args.action == "clear":
        count, size = trim(folder, 0)
        known = remembered(folder)
        (folder / NAME).unlink(missing_ok=True)
        print(f"removed {plural(count, 'kernel')}, {mebibytes(size)}{known} from {folder}")
    else:
        kernels = files(folder)
        size = sum(size for _, size, _ in kernels)
        of = f"{mebibytes(size)} of at most {mebibytes(LIMIT)}"
        print(f"{plural(len(kernels), 'kernel')}, {of}{remembered(folder)}, in {folder}")
    return CLEAN


def remembered(folder: Path) -> str:
    """The number of files that are known to have no findings, as text; empty if there are none."""
    count = read(str(folder / NAME)).count(b"\n")
    return f", {plural(count, 'checked file')} without findings" if count else ""


def mebibytes(size: int) -> str:
    """A size in mebibytes, as text."""
    return f"{size / (1 << 20):.1f} MiB"
