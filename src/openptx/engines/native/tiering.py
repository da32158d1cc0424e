"""Tier-up policy: compiled code wherever it can run a launch; `auto` interprets until compiling pays, or until the
compile server has compiled the code.

The cost of deciding counts, too: the modules that compile and run machine code are imported, the compile time is
estimated, and the disk is searched only when launches have taken several times as long as that does.
"""

from __future__ import annotations

import logging
import math
import sys
import time
import weakref
from typing import TYPE_CHECKING, NamedTuple

from openptx.device.image import Image
from openptx.engines.common.call_graph import calls_indirectly, reached_directly
from openptx.engines.common.engine import engine_in_time
from openptx.engines.interp import launch as interp
from openptx.engines.interp.builtins import EXTERNALS, LASTING
from openptx.engines.native import settings
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.options import Options
from openptx.engines.native.runtime.code_requests import KEYS, name_of_code, on_disk, request_code, usual
from openptx.engines.native.runtime.compile_time import OPERATION, least_seconds_to_make, seconds_to_make
from openptx.engines.native.runtime.engine_times import EngineTimes
from openptx.engines.native.runtime.worker_count import ITERATIONS, loops
from openptx.engines.tiers.conditions import Wanted, after, later, now
from openptx.engines.tiers.service import Job, service
from openptx.engines.tiers.takeover import host_threads, launch_and_replace, tried
from openptx.errors import Triple
from openptx.late import late
from openptx.program import Function, Program

MACHINE_CODE = "openptx.engines.native.runtime.launch"
"""Modules imported on first use: they run machine code. So is `KEYS`, which names it."""

if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.engines.common.prepared import PreparedLaunch
    from openptx.engines.native.runtime.compiled_kernel import compiled, ready
    from openptx.engines.native.runtime.launch import launch as run
else:
    compiled = late("openptx.engines.native.runtime.compiled_kernel", "compiled")
    ready = late("openptx.engines.native.runtime.compiled_kernel", "ready")
    run = late("openptx.engines.native.runtime.launch", "launch")

LOG = logging.getLogger("openptx")
FALLBACK = logging.getLogger("openptx.fallback")
"""Reports that the reference engine runs a launch for which machine code was requested."""

IMPORTS, NAMING = 0.08, 0.035
"""Seconds to import `MACHINE_CODE`, and `KEYS` alone, most of which is LLVM's library."""

LOOK = 0.003
"""Seconds to estimate the compile time, and to look for the code on disk."""

SHARE = 5
"""Each of these steps is taken when a kernel's launches have taken this many times as long. So a result that is
available before code could be is delayed by less than a fifth."""

AT_ONCE, AT_ONCE_ALONE = 0.02, 0.12
"""The compile time in seconds below which a launch compiles the code itself if it cannot fork: where a server is
running, and where one would have to be started."""

SERVER = 0.4
"""Seconds to start the server: 0.3, or 0.75 if Python cannot store its compiled files."""

ASKED = 0.15
"""The part of the time until code would be available that launches must have taken before they request it: a program
that launches a kernel once for a moment does not pay for code that is never run, which on two processors slows the
launch itself."""

FORK = 0.08
"""The minimum seconds of launches before they request a fork, which costs them 7 to 20 ms. Simulated with 14 ms, 3 of
440 first results take over 1.2 times as long as on the faster engine; 5 with 0.065, 9 with 0.05 (docs/decisions)."""

FAR = 2.0
"""How many times longer than making code a launch must be forecast to take for a fork to be requested at once. Both are
often wrong by a factor of 1.5: with 1.0, `odd_even_sm80` takes 1.6 times as long as on the faster engine."""

BASELINE, BASELINE_OF_FORKS = 0.12, 0.03
"""The compile time of optimised code in seconds from which baseline code is compiled first: by a server, and by a fork,
for which a launch waits that has taken `FORK` already. Baseline code takes 0.65 of the time for such short ones."""

FOUND = 0.0015
"""Seconds that it takes instead if the code is on disk."""


class TierState:
    """The state that `auto` keeps for a kernel."""

    __slots__ = ("_seconds", "baseline", "blocks", "each", "found", "function", "jobs", "logged", "looked", "loops",
                 "program", "spent", "times")  # fmt: skip

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.loops = loops(function, calls=False) or (
            not function.callees <= {*EXTERNALS} or calls_indirectly(function)
        )
        self.each = OPERATION * len(function.code)
        self._seconds = -1.0
        self.spent = 0.0
        self.times = EngineTimes()
        self.looked = self.found = False  # on disk
        self.jobs: dict[Triple, Job] = {}  # code that has been requested
        self.blocks: set[Triple] = set()  # for which code exists
        self.baseline: set[Triple] = set()  # for which that is baseline code, at first
        self.logged: set[Triple] = set()  # for which a launch on the reference engine has been logged

    @property
    def seconds(self) -> float:
        """The compile time, estimated on first use."""
        if self._seconds < 0:
            self._seconds = seconds_to_make(self.program, self.function)
        return self._seconds

    @property
    def left(self) -> float:
        """The seconds of work before machine code can run."""
        return (0.0 if self.found else self.seconds) + imports()

    def level(self, block: Triple) -> int:
        """The level at which a launch on the reference engine is logged: the first with such blocks concerns users."""
        known = block in self.logged
        self.logged.add(block)
        return logging.DEBUG if known else logging.INFO

    def surely_less(self, seconds: float) -> bool:
        """Whether something takes less than the remaining work; answered without an estimate if that is clear."""
        return not self.found and seconds < least_seconds_to_make(self.function) + imports()


states: weakref.WeakKeyDictionary[Image, dict[str, TierState]] = weakref.WeakKeyDictionary()
"""The state kept for kernels of loaded modules."""


def launch(
    prepared: PreparedLaunch, *, workers: int | None = None, meanwhile: Callable[[], bool] = bool,
    baseline: bool = False,
) -> bool:  # fmt: skip
    """Runs a kernel as machine code (`run`, which has the same options), or on the reference engine if it needs
    something that only that supports. Returns whether that ran parts of a launch of machine code."""
    if prepared.since is None:
        prepared = prepared._replace(since=time.monotonic())
    try:
        if prepared.interpreted:  # `run` would have to be imported to say so
            raise UnsupportedByJit("clusters, or counted instructions")
        return run(prepared, workers=workers, meanwhile=meanwhile, baseline=baseline)
    except UnsupportedByJit as reason:
        FALLBACK.info("kernel `%s` runs on the reference engine: %s", prepared.function.name, reason)
        interp.launch(prepared)
        return False


def gap(program: Program, function: Function, image: Image, block: Triple) -> str | None:
    """What in a kernel, launched with these blocks, machine code cannot do; None if nothing."""
    try:
        compiled(program, function, image, Options(block, False))
    except UnsupportedByJit as reason:
        return str(reason)
    return None


def auto(prepared: PreparedLaunch, *, workers: int | None = None) -> None:
    """Starts on the engine where the first result is expected first, and moves to the one where later ones are faster.

    Launches of kernels without loops run on interp until they have taken as long as compiling would, so a kernel takes
    at most twice as long as if its number of launches had been known. With tiers, launches of other kernels start on
    interp, too, and are abandoned for machine code when they have taken as long as compiling it would or, if that takes
    long, when the compile server has finished.
    """
    function, grid, block = prepared.function, prepared.grid, prepared.block
    known = states.get(prepared.image) or states.setdefault(prepared.image, {})
    state = known.get(function.name) or known.setdefault(function.name, TierState(prepared.program, function))
    times, shape, clock = state.times, (grid, block), time.perf_counter()
    slower = times.settled.get(shape)
    if block not in state.blocks or slower:
        start = time.thread_time()
        if slower or prefers_interp(state, prepared):
            interp.launch(prepared)
            state.spent += time.thread_time() - start
            times.interp_took(shape, time.perf_counter() - clock)
            return
        wanted = code_wanted(state, prepared, workers)
        if wanted is not None and launch_and_replace(prepared, wanted, level=state.level(block)):
            state.spent += time.thread_time() - start
            times.interp_took(shape, time.perf_counter() - clock)
            return
        state.blocks.add(block)
        clock = time.perf_counter()
    elif times.untried(shape) and may_try(prepared):
        times.interp_took(shape, tried(prepared, times.to_beat(shape)))
        if math.isfinite(times.interp[shape]):
            return
        clock = time.perf_counter()
    if not imported() and not prepared.interpreted:
        since = prepared.since or time.monotonic()
        engine_in_time("native", prepared.program, function, prepared.timeout, since)

    def meanwhile() -> bool:
        return settings.has_tiers() and not made_at_once(state, service().may_fork())

    shared = launch(prepared, workers=workers, meanwhile=meanwhile, baseline=block in state.baseline)
    if slower is None and times.native_took(shape, time.perf_counter() - clock, shared):
        LOG.info(
            "kernel `%s`, grid %s, blocks of %s: the reference engine runs such launches from now on, in %.4f s"
            " instead of %.4f s as machine code", function.name, grid, block, times.interp[shape], times.native[shape],
        )  # fmt: skip


def may_try(prepared: PreparedLaunch) -> bool:
    """Whether a launch may start on the reference engine and be undone if it takes too long."""
    program, function = prepared.program, prepared.function
    if not settings.has_tiers() or prepared.interpreted or prepared.image.bound or host_threads(function):
        return False
    names = reached_directly(program, function)
    return names is not None and all(program.function(name).callees.isdisjoint(LASTING) for name in names)


def made_at_once(state: TierState, forks: bool) -> bool:
    """Whether a launch compiles the code itself: it compiles quickly and no fork does it, or there is no server."""
    found = service()
    if found.broken:
        return True
    return not forks and state.seconds < (AT_ONCE if found.server is not None else AT_ONCE_ALONE)


def imported(what: str = MACHINE_CODE) -> bool:
    return what in sys.modules


def imports() -> float:
    """Seconds of imports before machine code can run."""
    return 0.0 if imported() else IMPORTS


def code_wanted(state: TierState, prepared: PreparedLaunch, workers: int | None) -> Wanted | None:
    """When a launch that starts on interp is to be abandoned; None if it is to start as machine code.

    It does if the code exists already. It also waits for the code, as without tiers, if the launch is likely to take
    longer on interp and could not be abandoned. Launches that may end soon decide that later.
    """
    function, image, block = prepared.function, prepared.image, prepared.block
    if not settings.has_tiers() or prepared.interpreted or image.bound or has_code(image, function, block):
        return None
    stays = host_threads(function) or not function.callees.isdisjoint(LASTING)
    estimate = once(state, prepared) * (ITERATIONS if stays else 1)
    launch = PendingLaunch(
        state, prepared.program, function, image, block, estimate, bool(stays), (workers or 1) > 1, time.thread_time()
    )
    soon = SHARE * LOOK - state.spent
    if soon > 0 and state.surely_less(estimate):
        return later(lambda _: when_to_abandon(launch), soon, soon)
    return when_to_abandon(launch)


class PendingLaunch(NamedTuple):
    """A launch that starts on interp, and what is known of it before."""

    state: TierState
    program: Program
    function: Function
    image: Image
    block: Triple
    estimate: float
    """The minimum seconds of the launch, or the likely ones if it `stays`."""
    stays: bool
    """Whether it could not be abandoned on the reference engine."""
    several_workers: bool
    start: float
    """The thread's processor time then."""

    @property
    def spent(self) -> float:
        """The seconds that launches of the kernel have taken, this one included."""
        return self.state.spent + time.thread_time() - self.start

    @property
    def baseline(self) -> bool:
        """Whether baseline code comes first."""
        return self.block in self.state.baseline


def when_to_abandon(launch: PendingLaunch) -> Wanted | None:
    """The result of `code_wanted`, from an estimate of the compile time and from the code on disk."""
    state, forks = launch.state, service().may_fork()
    at_once = made_at_once(state, forks)
    small = state.surely_less(launch.estimate)
    if not small and (launch.stays or at_once or state.seconds < BASELINE) and launch.estimate > state.left:
        return None
    job = job_of(launch)
    if imported(KEYS) and (job.reply is not None if job is not None else is_cached(launch)):
        return None
    if job is not None:
        return when_compiled(job, launch)
    if at_once:
        return when_compiling_pays(launch)
    if forks and small:  # the estimate, which reads functions that may not be called, is not needed before
        least = FAR * least_seconds_to_make(launch.function)
        return later(lambda _: when_requested(launch, forks), FORK - launch.spent, least)
    return when_requested(launch, forks)


def job_of(launch: PendingLaunch) -> Job | None:
    """The earlier request for the kernel's code, if any."""
    if imported(KEYS):
        return service().find(name_of_code(launch.program, launch.function, usual(launch.block, launch.baseline)))
    job = launch.state.jobs.get(launch.block)
    return job if job in service().jobs else None  # requests made before a fork are the parent's


def when_compiling_pays(launch: PendingLaunch) -> Wanted | None:
    """True when launches have taken as long as compiling takes in this thread; None if they have already."""
    left, spent = launch.state.left, launch.spent
    return after(left - spent, left) if spent < left else None


def when_requested(launch: PendingLaunch, forks: bool) -> Wanted:
    """Requests the code once launches have taken long enough, and is true when it exists."""
    state = launch.state
    if state.seconds >= (BASELINE_OF_FORKS if forks else BASELINE):
        state.baseline.add(launch.block)
    spent, longer = before_asking(state, launch.estimate, forks)

    def ask(left: float) -> Wanted:
        if imported(KEYS) and is_cached(launch):
            return now
        if left > longer and forks and not launch.stays and state.seconds < BASELINE:
            return now  # a fork would have the code later, and only the reference engine's result could be earlier
        return requested(launch)

    return later(ask, spent - launch.spent, longer)


def requested(launch: PendingLaunch) -> Wanted:
    """Requests the code of a fork or a server; true when it exists."""
    state, function, block = launch.state, launch.function, launch.block
    LOG.info(
        "kernel `%s`, blocks of %s: code is requested (making it takes about %.2f s)",
        function.name, block, state.seconds,
    )  # fmt: skip
    options, several = usual(block, launch.baseline), launch.several_workers
    job = request_code(launch.program, function, launch.image, options, several_workers=several, waits=True)
    state.jobs[block] = job
    return when_compiled(job, launch)


def is_cached(launch: PendingLaunch) -> bool:
    """Whether code is on the disk: optimised or, if acceptable, baseline."""
    kernel = launch.program, launch.function, launch.block
    return on_disk(*kernel) or (launch.baseline and on_disk(*kernel, baseline=True))


def before_asking(state: TierState, estimate: float, forks: bool) -> tuple[float, float]:
    """The seconds of launches after which they request code, and those that a launch is forecast to take longer, from
    which it requests code at once."""
    if forks:
        until = state.seconds + imports()
        return 0.0 if estimate > until else max(ASKED * until, FORK), FAR * until
    until = state.seconds + (SERVER if service().server is None else 0.0)
    return max(ASKED * until, 0.0 if imported(KEYS) else SHARE * NAMING), until


def has_code(image: Image, function: Function, block: Triple) -> bool:
    """Whether the kernel's code for such blocks has been compiled in this process."""
    return imported() and ready(image, function, block)


def when_compiled(job: Job, launch: PendingLaunch) -> Wanted:
    """True when the code exists, and importing the modules that run it takes no longer than launches have taken."""
    imports_pay = after(imports() - launch.spent)
    return lambda left: job.reply is not None and job.reply.made and imports_pay(left)


def once(state: TierState, prepared: PreparedLaunch) -> float:
    """Seconds in which the reference engine executes each instruction once by each thread."""
    grid, block = prepared.grid, prepared.block
    return state.each * grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]


def prefers_interp(state: TierState, prepared: PreparedLaunch) -> bool:
    """Whether interp would end the launch before code exists, as it has ended all earlier ones together."""
    function, block = prepared.function, prepared.block
    if state.loops or has_code(prepared.image, function, block):
        return False
    work = state.spent + once(state, prepared)
    if not state.surely_less(work) and work >= state.left:
        return False
    if not state.looked and state.spent > (FOUND if imported(KEYS) else SHARE * NAMING):
        state.looked = True
        state.found = on_disk(prepared.program, function, block)
    return not state.found
