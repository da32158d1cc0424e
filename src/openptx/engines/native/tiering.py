"""Tier-up policy: compiled code wherever it can run a launch; `auto` interprets until compiling pays, or until the
compile server has made the code."""

from __future__ import annotations

import logging
import time
import weakref
from collections.abc import Callable
from typing import Any

from openptx.device.image import Image
from openptx.engines.common.call_graph import calls_indirectly
from openptx.engines.interp import launch as interp
from openptx.engines.interp.builtins import EXTERNALS, LASTING
from openptx.engines.native import settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.cache import store
from openptx.engines.native.options import Options
from openptx.engines.native.runtime.code_requests import name_of_code, request_code
from openptx.engines.native.runtime.compile_time import seconds_to_make
from openptx.engines.native.runtime.compiled_kernel import compiled, on_disk, ready, usual
from openptx.engines.native.runtime.engine_times import EngineTimes
from openptx.engines.native.runtime.launch import launch as run
from openptx.engines.native.runtime.worker_count import ITERATIONS, loops
from openptx.engines.tiers.service import Job, service
from openptx.engines.tiers.takeover import Wanted, host_threads, launch_and_replace
from openptx.errors import Triple
from openptx.program import Function, Program

LOG = logging.getLogger("openptx")
FALLBACK = logging.getLogger("openptx.fallback")
"""Says that the reference engine runs what machine code was wanted for."""

# Measured by bench/auto.py, as times on one machine: only their ratios matter.
OPERATION = 3e-9
"""Seconds that the reference engine takes for an instruction of a thread (2.2 to 4.8 where there are many)."""

AT_ONCE, AT_ONCE_ALONE = 0.02, 0.05
"""Seconds that making code takes, below which a launch does that itself: with a server running, or to be started."""

SERVER = 0.6
"""Seconds of the processor that the server takes to start."""

ASKED = 0.15
"""How much of the time until there will be code launches have taken before they ask for it: who launches a kernel once
for a moment does not pay for code that nobody runs, which on two processors slows the launch itself."""

BASELINE = 0.12
"""Seconds that making optimised code takes, from which on baseline code is made first."""

FOUND = 0.0015
"""Seconds that it takes instead if the code is on disk."""


class TierState:
    """What `auto` remembers about a kernel."""

    __slots__ = ("baseline", "blocks", "each", "left", "looked", "loops", "seconds", "spent", "times")

    def __init__(self, program: Program, function: Function) -> None:
        self.loops = loops(function, calls=not function.callees <= {*EXTERNALS} or calls_indirectly(function))
        self.each = OPERATION * len(function.code)
        self.left = self.seconds = seconds_to_make(program, function)
        self.spent = 0.0
        self.times = EngineTimes()
        self.looked = False  # on disk
        self.blocks: set[Triple] = set()  # that it has code for
        self.baseline: set[Triple] = set()  # for which that is baseline code, at first


states: weakref.WeakKeyDictionary[Image, dict[str, TierState]] = weakref.WeakKeyDictionary()
"""What is remembered of the kernels of modules that are loaded."""


def launch(
    program: Program,
    function: Function,
    grid: Triple,
    block: Triple,
    *,
    workers: int | None = None,
    since: float | None = None,
    meanwhile: bool = False,
    baseline: bool = False,
    **options: Any,
) -> None:
    """Runs a kernel as machine code, or on the reference engine if it needs something that only that has."""
    since = time.monotonic() if since is None else since
    try:
        how = {"workers": workers, "since": since, "meanwhile": meanwhile, "baseline": baseline}
        run(program, function, grid, block, **how, **options)
    except UnsupportedByJit as reason:
        FALLBACK.info("kernel `%s` runs on the reference engine: %s", function.name, reason)
        interp.launch(program, function, grid, block, since=since, **options)


def gap(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with such blocks, machine code cannot do; None where there is no such thing."""
    try:
        compiled(program, function, image, Options(block, False))
    except UnsupportedByJit as reason:
        return str(reason)
    return None


def auto(
    program: Program, function: Function, grid: Triple, block: Triple, *, image: Image, workers: int | None = None,
    **options: Any,
) -> None:  # fmt: skip
    """Begins where the first result is expected, and goes on where later ones are faster.

    Launches of kernels without loops run on interp until they have taken as long as making the code would, so a kernel
    takes at most twice as long as if it had been known how often it runs. With tiers, launches of other kernels begin
    on interp, too, and are abandoned for machine code: when they have taken as long as making it would, or where
    that takes long, when the compile server has made it.
    """
    threads = grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
    known = states.setdefault(image, {})
    state = known.get(function.name) or known.setdefault(function.name, TierState(program, function))
    times, shape, clock = state.times, (grid, block), time.perf_counter()
    slower = times.settled.get(shape)
    if block not in state.blocks or slower:
        start = time.thread_time()
        if slower or prefers_interp(state, program, function, image, threads, block):
            interp.launch(program, function, grid, block, image=image, **options)
            state.spent += time.thread_time() - start
            times.interp_took(shape, time.perf_counter() - clock)
            return
        wanted = code_wanted(state, program, function, image, block, threads, workers, options)
        if wanted is not None and launch_and_replace(program, function, grid, block, wanted, image=image, **options):
            state.spent += time.thread_time() - start
            times.interp_took(shape, time.perf_counter() - clock)
            return
        state.blocks.add(block)
        clock = time.perf_counter()
    meanwhile = settings.has_tiers() and not made_at_once(state)
    how = {"workers": workers, "meanwhile": meanwhile, "baseline": block in state.baseline}
    launch(program, function, grid, block, image=image, **how, **options)
    if slower is None and times.native_took(shape, time.perf_counter() - clock):
        LOG.info(
            "kernel `%s`, grid %s, blocks of %s: the reference engine runs such launches from now on, in %.4f s"
            " instead of %.4f s as machine code", function.name, grid, block, times.interp[shape], times.native[shape],
        )  # fmt: skip


def made_at_once(state: TierState) -> bool:
    """Whether a launch makes the code itself: it is made quickly, or there is no server."""
    return service().broken or state.seconds < (AT_ONCE if service().running else AT_ONCE_ALONE)


def observed_code_pays(program: Program, function: Function, threads: int, slower: float, longer: float) -> bool:
    """Whether making code that is observed, `longer` than plain code, is likely to take less time than a launch of so
    many threads on the reference engine, which is `slower` where it is observed."""
    work = threads * len(function.code) * (ITERATIONS if loops(function) else 1)
    return work * OPERATION * slower > seconds_to_make(program, function) * longer


def code_wanted(
    state: TierState, program: Program, function: Function, image: Image, block: Triple, threads: int,
    workers: int | None, options: dict[str, Any],
) -> Wanted | None:  # fmt: skip
    """When a launch that begins on interp is to be abandoned; None where it is to begin as machine code.

    It does where the code is there already. It also waits for the code, as without tiers, where the launch is likely to
    take longer on interp and could not be abandoned.
    """
    only_interp = options.get("cluster") is not None or options.get("max_instructions") is not None or image.bound
    if not settings.has_tiers() or only_interp or ready(image, function, block):
        return None
    stays = host_threads(function) or not function.callees.isdisjoint(LASTING)
    long = stays and threads * state.each * ITERATIONS > state.seconds
    baseline = block in state.baseline
    at_once = made_at_once(state)
    if at_once and threads * state.each > state.seconds:
        return None
    name = name_of_code(program, function, usual(block, baseline))
    if (job := service().find(name)) is None:
        if store.has(name) or (baseline and on_disk(program, function, block)):
            return None
        if state.seconds >= BASELINE and not at_once:
            state.baseline.add(block)
            baseline = True
        if long or (baseline and on_disk(program, function, block, baseline)):
            return None
        if at_once:
            return wanted_after(state.left - state.spent) if state.spent < state.left and not stays else None

        def ask() -> Job:
            LOG.info(
                "kernel `%s`, blocks of %s: code is being made (about %.1f s)", function.name, block, state.seconds
            )
            return request_code(program, function, usual(block, baseline), several_workers=(workers or 1) > 1)

        until = state.seconds if service().running else state.seconds + SERVER
        return wanted_when_made(ask, ASKED * until - state.spent)
    if long or job.reply is not None:
        return None
    return lambda: job.reply is not None and job.reply.made


def wanted_after(seconds: float) -> Wanted:
    """When this thread has had the processor for so long: a busy machine makes code later, too."""
    end = time.thread_time() + seconds
    return lambda: time.thread_time() > end


def wanted_when_made(ask: Callable[[], Job], seconds: float) -> Wanted:
    """When there is the code that is asked for after this thread has had the processor for so long."""
    time_has_come = wanted_after(seconds)
    jobs: list[Job] = []

    def wanted() -> bool:
        if not jobs and time_has_come():
            jobs.append(ask())
        return bool(jobs) and jobs[0].reply is not None and jobs[0].reply.made

    return wanted


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
