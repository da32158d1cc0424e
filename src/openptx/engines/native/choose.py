"""Which engine runs a launch: machine code wherever it can; `auto` also asks whether making it pays."""

from __future__ import annotations

import logging
import time
import weakref
from typing import Any

from openptx.engines import interp
from openptx.engines.native.body import Options
from openptx.engines.native.kernel import compiled, ready
from openptx.engines.native.launch import launch as run
from openptx.engines.native.memory import Fallback
from openptx.engines.native.team import loops
from openptx.errors import Triple
from openptx.program import Function, Program
from openptx.runtime.image import Image
from openptx.runtime.memory import Map

LOG = logging.getLogger("openptx")

SMALL = 1 << 13
"""Threads below which a kernel without loops starts on the reference engine, and for how long it stays there:"""

PATIENCE = 0.05
"""Seconds, about what compiling takes."""


class Patience:
    """What `auto` remembers of a kernel."""

    __slots__ = ("blocks", "left", "loops")

    def __init__(self, function: Function) -> None:
        self.loops = loops(function)
        self.left = PATIENCE
        self.blocks: set[Triple] = set()  # that it has code for


_patience: weakref.WeakKeyDictionary[Image, dict[str, Patience]] = weakref.WeakKeyDictionary()


def launch(
    program: Program,
    function: Function,
    grid: Triple,
    block: Triple,
    *,
    memory: Map,
    image: Image,
    workers: int | None = None,
    **options: Any,
) -> None:
    """Runs a kernel as machine code, or on the reference engine if it needs something that only that has."""
    try:
        run(program, function, grid, block, memory=memory, image=image, workers=workers, **options)
    except Fallback as reason:
        LOG.info("kernel `%s` runs on the reference engine: %s", function.name, reason)
        interp.launch(program, function, grid, block, memory=memory, image=image, **options)


def gap(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with such blocks, machine code can not do; None where there is no such thing."""
    try:
        compiled(program, function, image, Options(block, False))
    except Fallback as reason:
        return str(reason)
    return None


def auto(
    program: Program,
    function: Function,
    grid: Triple,
    block: Triple,
    *,
    memory: Map,
    image: Image,
    workers: int | None = None,
    **options: Any,
) -> None:
    """Small launches of kernels without loops run on interp, until they have taken as long as compiling."""
    threads = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
    known = _patience.get(image)
    if known is None:
        known = _patience.setdefault(image, {})
    patience = known.get(function.name)
    if patience is None:
        patience = known.setdefault(function.name, Patience(function))
    if (
        block in patience.blocks or threads >= SMALL or patience.loops or patience.left <= 0
        or ready(image, function, block)
    ):  # fmt: skip
        patience.blocks.add(block)
        launch(program, function, grid, block, memory=memory, image=image, workers=workers, **options)
        return
    start = time.perf_counter()
    interp.launch(program, function, grid, block, memory=memory, image=image, **options)
    patience.left -= time.perf_counter() - start
