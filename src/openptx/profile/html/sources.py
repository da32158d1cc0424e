"""The texts that a report shows: the PTX of the executed functions, and the files that its `.loc` names."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from openptx.line_table import candidates

if TYPE_CHECKING:
    from openptx.profile.report import Profile

# fmt: off
SUFFIXES = frozenset((
    ".c", ".cc", ".cpp", ".cu", ".cuh", ".cxx", ".f90", ".h", ".hpp", ".inl", ".jl", ".ll", ".mlir", ".mojo", ".ptx",
    ".py", ".rs", ".ttgir", ".ttir", ".zig",
))
# fmt: on
"""Extensions of displayed files: PTX may name any file, and reports are shared."""
MOST_BYTES = 1 << 20
"""The maximum size of a displayed file."""


def ptx_parts(profile: Profile) -> list[dict[str, Any]]:
    """The executed functions: name, first line, and the lines of each."""
    found: list[dict[str, Any]] = []
    for function in profile.functions:
        first = profile.ptx.location(function.span[0])[0]
        last = profile.ptx.location(function.span[1])[0]
        lines = [profile.ptx.line(row).expandtabs(4) for row in range(first, last + 1)]
        found.append({"function": function.name, "row": first, "lines": lines})
    return found


def sources(profile: Profile) -> dict[str, list[str] | None]:
    """The lines of each file that instructions come from, the kernel's own first; None if it cannot be read."""
    own = dict.fromkeys(each.line[0] for each in profile.instructions if each.source)
    others = (file for each in profile.instructions for file, _, _ in each.source)
    return {name: lines_of(name, profile.file) for name in dict.fromkeys((*own, *others))}


def lines_of(name: str, beside: str) -> list[str] | None:
    """The lines of a source file; None if it is missing, too large or not a source by its name."""
    if Path(name).suffix.lower() not in SUFFIXES:
        return None
    for path in candidates(name, beside):
        try:
            if path.is_file() and path.stat().st_size <= MOST_BYTES:
                return [line.expandtabs(4) for line in path.read_text("utf-8", "replace").splitlines()]
        except (OSError, ValueError):
            continue
    return None
