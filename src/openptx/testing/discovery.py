"""Finds tests below a path: case folders, and PTX files with annotations."""

from __future__ import annotations

import os
from collections.abc import Iterator

from openptx.errors import InputError
from openptx.reading import read
from openptx.testing.annotated import run_annotated
from openptx.testing.annotations import EXPECTED, RUN
from openptx.testing.case import is_case, read_case, run_case
from openptx.testing.launching import Launch, plain
from openptx.testing.result import Result, timed


def find(paths: list[str]) -> list[str]:
    """Every test below the paths, in name order. A path named explicitly is a test, whatever its content."""
    found: list[str] = []
    for path in paths:
        if os.path.isdir(path) and not is_case(path):
            found += sorted(below(path))
        else:
            found.append(path)
    return list(dict.fromkeys(found))


def below(folder: str) -> Iterator[str]:
    """The case folders below a folder, and the PTX files outside them that have annotations."""
    for at, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if is_case(at):
            folders.clear()
            yield at
            continue
        for name in names:
            path = os.path.join(at, name)
            if name.endswith(".ptx") and has_annotations(path):
                yield path


def has_annotations(path: str) -> bool:
    """Whether a PTX file has annotations."""
    if not os.path.isfile(path):  # reading a FIFO would block
        return False
    try:
        text = read(path).text
    except InputError:
        return False
    except OSError:
        return True  # the test reports the reason
    return bool(RUN.search(text) or EXPECTED.search(text))


def run_test(path: str, engine: str = "auto", sanitize: str | None = None, launch: Launch = plain) -> Result:
    """Runs one case folder or one annotated file; `launch` launches its kernels."""
    name = os.path.basename(os.path.normpath(path))

    def run() -> None:
        if os.path.isdir(path) or os.path.basename(path) == "case.json":
            run_case(read_case(path if os.path.isdir(path) else os.path.dirname(path)), engine, sanitize, launch)
        else:
            run_annotated(read(path), engine, launch)

    return timed(name, run)
