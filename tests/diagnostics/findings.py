"""All diagnostics of the golden files and of the examples of `openptx explain`, with the text that they mark."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import NamedTuple

import openptx
from openptx.diagnostics import Diagnostic
from openptx.diagnostics.codes import every_code

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.rglob("*.ptx"))
HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"
REGISTERS = (
    ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .f64 %fd<10>;"
)
OPT_IN = {"unused", "unreachable", "deprecated"}
FOUND_BY_CHECK = [row for row in every_code() if not row.code.startswith(("PTX7", "PTX8", "PTX9"))]
WHOLE = (".version", ".entry", ".func", ".target")


class Finding(NamedTuple):
    """The diagnostics of one text, and where that text comes from."""

    origin: str
    text: str
    profile: str
    found: list[Diagnostic]


def module(example: str) -> str:
    """An example as a module: one without a function is the body of a kernel."""
    if any(word in example for word in WHOLE) or min(example) < "\t":
        return example
    return f"{HEAD}.visible .entry example() {{ {REGISTERS}\n{example}\nret; }}\n"


@cache
def findings() -> tuple[Finding, ...]:
    """All of them: golden files by their path, examples by their code. Not for collecting tests: each worker does."""
    return *map(of_file, FILES), *map(of_example, (row.name for row in FOUND_BY_CHECK))


def of_file(path: Path) -> Finding:
    """What is found in a golden file; one whose name ends in `_isa` has that profile."""
    text = path.read_bytes().decode("utf-8", "surrogateescape")
    profile = "isa" if path.stem.endswith("_isa") else "ptxas"
    found = openptx.check(text, filename=path.name, profile=profile)
    return Finding(path.relative_to(FOLDER).with_suffix("").as_posix(), text, profile, found)


def of_example(name: str) -> Finding:
    """What is found in the example of a code."""
    text = module(next(row.example for row in FOUND_BY_CHECK if row.name == name))
    return Finding(name, text, "ptxas", openptx.check(text, extend_select=[name] if name in OPT_IN else []))
