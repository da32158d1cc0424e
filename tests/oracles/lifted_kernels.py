"""Launches of what ptxas makes of a kernel, translated back to PTX by tools/lifting."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openptx

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
listing: Any = import_module("contraction.listing")
kernels: Any = import_module("lifting.kernels")
Unreadable: type[Exception] = import_module("lifting.operands").Unreadable


@cache
def lifted(text: str, target: str) -> tuple[openptx.LoadedModule, dict[str, int]]:
    """The module, and how much more shared memory each kernel needs. Raises Unreadable."""
    with TemporaryDirectory() as folder:
        found = kernels.lifted(text, listing.assemble(Path(folder), text, target))
    return openptx.load(found.text, contract="off"), found.static


def launch(kernel: openptx.Kernel, grid: Any, block: Any, args: Any, **options: Any) -> None:
    """A launch of a test, of what ptxas makes of its kernel."""
    program = kernel.module.program
    module, static = lifted(program.file.text, program.target)
    options["shared_mem"] = int(options.get("shared_mem") or 0) + static[kernel.name]
    module[kernel.name](grid, block, args, **options)
