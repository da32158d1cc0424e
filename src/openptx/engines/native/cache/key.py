"""The cache key of a kernel: a digest of everything that determines its code, known before anything is translated."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from openptx.call_graph import reached_directly
from openptx.device.shared_layout import shared_layout
from openptx.digests import text_digest
from openptx.engines.native.settings import Options
from openptx.llvm.codegen import version
from openptx.program import Function, Program

PACKAGE = Path(__file__).parents[3]


def name_of(program: Program, function: Function, options: Options, version_of_it: str) -> str:
    """A digest of the text that determines the code, and of the compilation options."""
    text = program.digests.get(function.name)
    if text is None:  # 4 ms for CUB's thousand declarations
        text = program.digests[function.name] = text_digest("\0".join(parts(program, function)))
    return digest(text, version_of_it, repr(tuple(options)))


def digest(*parts: str) -> str:
    """The digest of everything that a piece of code depends on, including the translator and the processor."""
    return text_digest("\0".join([*parts, SOURCES, version()]))


def parts(program: Program, function: Function) -> Iterator[str]:
    """The kernel, the functions it may call, and module-scope declarations; then the addresses of variables."""
    text = program.file.text
    needed = reached_directly(program, function)
    at = 0
    yield f"{function.name} {program.contract} {program.target}"
    for name, (start, stop) in sorted(program.definitions.items(), key=lambda one: one[1]):
        yield text[at:start]
        yield text[start:stop] if needed is None or name in needed else name
        at = stop
    yield text[at:]
    for v in program.variables.values():
        yield f"{v.name} {v.space} {v.size} {v.align}"
    layout = shared_layout(program, function.name)
    yield f"{program.reserved_shared} {layout.static} {layout.dynamic}"
    for (name, _), offset in layout.offsets.items():
        yield f"{name} {offset}"


def sources() -> str:
    """A digest of this package's files: names, sizes, times. A developer never runs old code."""
    folders, found = [str(PACKAGE)], list[str]()
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith((".py", ".ll")):
                    status = entry.stat()
                    found.append(f"{entry.path} {status.st_size} {status.st_mtime_ns}")
                elif "." not in entry.name and entry.name != "__pycache__":
                    folders.append(entry.path)
    return text_digest("\n".join(sorted(found)))


# Now, not when a launch first needs it: files edited meanwhile are not the code that this process runs.
SOURCES = sources()
