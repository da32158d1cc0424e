"""Assembles the page: template, style, script, and the data that the script draws.

The data is compressed, so that a report of thousands of lines is small, and base64-encoded, so that its text cannot be
markup. The policy in the template's head allows only this style and this script, and forbids loading anything.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from openptx.line_table import candidates
from openptx.profile.render.as_json import as_json

if TYPE_CHECKING:
    from openptx.profile.counted_launch import CountedLaunch


# fmt: off
SUFFIXES = frozenset((
    ".c", ".cc", ".cpp", ".cu", ".cuh", ".cxx", ".f90", ".h", ".hpp", ".inl", ".jl", ".ll", ".mlir", ".mojo", ".ptx",
    ".py", ".rs", ".ttgir", ".ttir", ".zig",
))
# fmt: on
"""Extensions of displayed files: PTX may name any file, and reports are shared."""
MOST_BYTES = 1 << 20
"""The maximum size of a displayed file."""


def ptx_parts(profile: CountedLaunch) -> list[dict[str, Any]]:
    """The executed functions: name, first line, and the lines of each."""
    found: list[dict[str, Any]] = []
    for function in profile.functions:
        first = profile.ptx.location(function.span[0])[0]
        last = profile.ptx.location(function.span[1])[0]
        lines = [profile.ptx.line(row).expandtabs(4) for row in range(first, last + 1)]
        found.append({"function": function.name, "row": first, "lines": lines})
    return found


def sources(profile: CountedLaunch) -> dict[str, list[str] | None]:
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


SCRIPTS = (
    "elements", "sortable", "counters", "overview", "picture", "code", "graph", "roofline", "tables", "main",
)  # fmt: skip
"""In the order in which the browser reads them."""


def page(profile: CountedLaunch) -> str:
    """The whole document."""
    folder = files("openptx.profile.render.html")
    style = folder.joinpath("report.css").read_text("utf-8")
    scripts = "\n".join(folder.joinpath("script", f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    data = {"profile": as_json(profile), "ptx": ptx_parts(profile), "sources": sources(profile)}
    return Template(folder.joinpath("template.html").read_text("utf-8")).substitute(
        title=escape(f"profile of {profile.kernel}"),
        style=style,
        style_hash=digest(style),
        script=scripts,
        script_hash=digest(scripts),
        data=compressed_json(data),
    )


def digest(text: str) -> str:
    """The digest by which a content security policy identifies the text of an element."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def compressed_json(data: object) -> str:
    """JSON, gzip, base64; the same for the same data."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode()
