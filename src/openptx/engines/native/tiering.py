"""Tier-up policy: compiled code wherever it can run a launch; `auto` interprets until compiling pays, or until the
compile server has made the code."""

from __future__ import annotations

import logging
import time
import weakref
from typing import Any

from openptx.device.image import Image
from openptx.engines.interp import launch as interp
from openptx.engines.native import settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import name_of
from openptx.engines.native.options import Options
from openptx.engines.native.runtime.compiled_kernel import compiled, on_disk, ready, usual
from openptx.engines.native.runtime.launch import launch as run
from openptx.engines.native.runtime.worker_count import loops
from openptx.engines.tiers.messages import Request
from openptx.engines.tiers.service import Job, service
from openptx.engines.tiers.takeover import launch_and_replace
from openptx.errors import Triple
from openptx.program import Function, Program

LOG = logging.getLogger("openptx")

# Measured by bench/auto.py, as times on one machine: only their ratios matter.
OPERATION = 3e-9
"""Seconds that the reference engine takes for an instruction of a thread (2.2 to 4.8 where there are many)."""

MADE, MADE_OF_EACH = 0.010, 0.0006
"""Seconds that translating and compiling takes: at least, and for each instruction."""

AT_ONCE = 0.1
"""Seconds that making the code takes, below which a launch waits for it."""

FOUND = 0.0015
"""Seconds that it takes instead if the code is on disk."""


class TierState:
    """What `auto` remembers of a kernel."""

    __slots__ = ("blocks", "each", "left", "looked", "loops", "seconds", "spent")

    def __init__(self, function: Function) -> None:
        self.loops = loops(function)
        self.each = OPERATION * len(function.code)
        self.left = self.seconds = MADE + MADE_OF_EACH * len(function.code)
        self.spent = 0.0
        self.looked = False  # on disk
        self.blocks: set[Triple] = set()  # that it has code for


_states: weakref.WeakKeyDictionary[Image, dict[str, TierState]] = weakref.WeakKeyDictionary()


def launch(
    program: Program,
    function: Function,
    grid: Triple,
    block: Triple,
    *,
    workers: int | None = None,
    since: float | None = None,
    **options: Any,
) -> None:
    """Runs a kernel as machine code, or on the reference engine if it needs something that only that has."""
    since = time.monotonic() if since is None else since
    try:
        run(program, function, grid, block, workers=workers, since=since, **options)
    except UnsupportedByJit as reason:
        LOG.info("kernel `%s` runs on the reference engine: %s", function.name, reason)
        interp.launch(program, function, grid, block, since=since, **options)


def gap(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with such blocks, machine code can not do; None where there is no such thing."""
    try:
        compiled(program, function, image, Options(block, False))
    except UnsupportedByJit as reason:
        return str(reason)
    return None


def auto(
    program: Program, function: Function, grid: Triple, block: Triple, *, image: Image, workers: int | None = None,
    **options: Any,
) -> None:  # fmt: skip
    """Launches of kernels without loops run on interp until they have taken as long as making the code would.

    So a kernel takes at most twice as long as if it had been known how often it runs.
    """
    threads = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
    known = _states.setdefault(image, {})
    state = known.get(function.name) or known.setdefault(function.name, TierState(function))
    if block not in state.blocks and prefers_interp(state, program, function, image, threads, block):
        start = time.perf_counter()
        interp.launch(program, function, grid, block, image=image, **options)
        state.spent += time.perf_counter() - start
        return
    if block not in state.blocks and (job := made_meanwhile(state, program, function, image, block, workers, options)):
        if job.reply is None:
            if launch_and_replace(program, function, grid, block, job, image=image, **options):
                return
        elif job.reply.problem:
            interp.launch(program, function, grid, block, image=image, **options)
            return
    state.blocks.add(block)
    launch(program, function, grid, block, image=image, workers=workers, **options)


def made_meanwhile(
    state: TierState, program: Program, function: Function, image: Image, block: Triple, workers: int | None,
    options: dict[str, Any],
) -> Job | None:  # fmt: skip
    """The request for a kernel's code that the launch need not wait for; None where it is to be found or made at once.

    Launches that only the reference engine takes ask for none.
    """
    if not settings.has_tiers() or state.seconds < AT_ONCE or service().broken or ready(image, function, block):
        return None
    if options.get("cluster") is not None or options.get("max_instructions") is not None or image.bound:
        return None
    name = name_of(program, function, usual(block), "fast")
    if (job := service().find(name)) is not None:
        return job
    if store.has(name):
        return None
    folder = settings.cache_folder()
    LOG.info(
        "kernel `%s`, blocks of %s: the reference engine begins while code is made (about %.1f s)",
        function.name, block, state.seconds,
    )  # fmt: skip
    return service().request(
        Request(
            name,
            program.file.text,
            program.file.name,
            program.target,
            program.profile,
            program.contract,
            function.name,
            usual(block),
            (workers or 1) > 1,
            str(folder) if folder is not None else None,
        )
    )


def prefers_interp(
    state: TierState, program: Program, function: Function, image: Image, threads: int, block: Triple
) -> bool:
    """Whether the launch would be over there before there is code, as all before it together were."""
    if state.loops or state.spent + threads * state.each >= state.left or ready(image, function, block):
        return False
    if state.spent > FOUND and not state.looked:
        state.looked = True
        if on_disk(program, function, block):
            state.left = 0.0
            return False
    return True
