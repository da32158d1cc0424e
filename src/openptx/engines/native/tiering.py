"""Tier-up policy: compiled code wherever it can run a launch; `auto` interprets until compiling pays, or until the
compile server has made the code.

What a decision costs counts, too: what makes and runs machine code is imported, the time that making code takes is
estimated, and the disk is searched, when launches have taken some times as long as that does.
"""

from __future__ import annotations

import logging
import math
import sys
import time
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from openptx.device.image import Image
from openptx.engines.common.call_graph import calls_indirectly
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
from openptx.engines.tiers.processor_time import Alarm
from openptx.engines.tiers.service import Job, service
from openptx.engines.tiers.takeover import Wanted, host_threads, launch_and_replace
from openptx.errors import Triple
from openptx.late import late
from openptx.program import Function, Program

MACHINE_CODE = "openptx.engines.native.runtime.launch"
"""What is imported when it is first called: what runs machine code. So is what names it, `KEYS`."""

if TYPE_CHECKING:
    from openptx.engines.native.runtime.compiled_kernel import compiled, ready
    from openptx.engines.native.runtime.launch import launch as run
else:
    compiled = late("openptx.engines.native.runtime.compiled_kernel", "compiled")
    ready = late("openptx.engines.native.runtime.compiled_kernel", "ready")
    run = late("openptx.engines.native.runtime.launch", "launch")

LOG = logging.getLogger("openptx")
FALLBACK = logging.getLogger("openptx.fallback")
"""Says that the reference engine runs what machine code was wanted for."""

IMPORTS, NAMING = 0.08, 0.035
"""Seconds that importing `MACHINE_CODE` takes, and `KEYS` alone, of which LLVM's library is most."""

LOOK = 0.003
"""Seconds that it takes to estimate how long making code takes, and to look for it on disk."""

SHARE = 5
"""How many times as long as one of these takes a kernel's launches have taken, before it is done. So nobody waits a
fifth longer for a result that is there before code can be."""

AT_ONCE, AT_ONCE_ALONE = 0.02, 0.12
"""Seconds that making code takes, below which a launch does that itself where no fork can: with a server running, or
to be started."""

SERVER = 0.4
"""Seconds that the server takes to start: 0.3, or 0.75 where Python may not keep its compiled files."""

ASKED = 0.15
"""How much of the time until there will be code launches have taken before they ask for it: who launches a kernel once
for a moment does not pay for code that nobody runs, which on two processors slows the launch itself."""

FORK = 0.035
"""Seconds that launches take at least before they ask for a fork, which costs them 7 ms with the look for code on disk.
By bench/tier_policy.py: of 441 kernels the first results of 10 take more than 1.2 times the faster engine's with this,
of 25 with 0.025."""

BASELINE, BASELINE_OF_FORKS = 0.12, 0.03
"""Seconds that making optimised code takes, from which on baseline code is made first: by a server, and by a fork, for
which a launch waits that has taken `FORK` already. That takes 0.65 of the time where it is so short."""

FOUND = 0.0015
"""Seconds that it takes instead if the code is on disk."""


class TierState:
    """What `auto` remembers about a kernel."""

    __slots__ = ("_seconds", "baseline", "blocks", "each", "found", "function", "jobs", "looked", "loops", "program",
                 "spent", "times")  # fmt: skip

    def __init__(self, program: Program, function: Function) -> None:
        self.program, self.function = program, function
        self.loops = loops(function, calls=not function.callees <= {*EXTERNALS} or calls_indirectly(function))
        self.each = OPERATION * len(function.code)
        self._seconds = -1.0
        self.spent = 0.0
        self.times = EngineTimes()
        self.looked = self.found = False  # on disk
        self.jobs: dict[Triple, Job] = {}  # code that has been asked for
        self.blocks: set[Triple] = set()  # that it has code for
        self.baseline: set[Triple] = set()  # for which that is baseline code, at first

    @property
    def seconds(self) -> float:
        """How long making the code takes, estimated when first asked for."""
        if self._seconds < 0:
            self._seconds = seconds_to_make(self.program, self.function)
        return self._seconds

    @property
    def left(self) -> float:
        """What there is to do before machine code can run, in seconds."""
        return (0.0 if self.found else self.seconds) + imports()

    def surely_less(self, seconds: float) -> bool:
        """Whether something takes less than what is left to do; without an estimate, where that is clear."""
        return not self.found and seconds < least_seconds_to_make(self.function) + imports()


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
        if interpreted(options):
            raise UnsupportedByJit("clusters, or counted instructions")
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
    if not imported() and not interpreted(options):
        engine_in_time("native", program, function, options.get("timeout"), options.get("since") or time.monotonic())
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
    found = service()
    if found.broken:
        return True
    return not found.may_fork() and state.seconds < (AT_ONCE if found.server is not None else AT_ONCE_ALONE)


def interpreted(options: dict[str, Any]) -> bool:
    """Whether these options of a launch are the reference engine's alone."""
    return options.get("cluster") is not None or options.get("max_instructions") is not None


def imported(what: str = MACHINE_CODE) -> bool:
    return what in sys.modules


def imports() -> float:
    """Seconds of importing that come before machine code."""
    return 0.0 if imported() else IMPORTS


def code_wanted(
    state: TierState, program: Program, function: Function, image: Image, block: Triple, threads: int,
    workers: int | None, options: dict[str, Any],
) -> Wanted | None:  # fmt: skip
    """When a launch that begins on interp is to be abandoned; None where it is to begin as machine code.

    It does where the code is there already. It also waits for the code, as without tiers, where the launch is likely to
    take longer on interp and could not be abandoned. Launches that may be over soon decide that later.
    """
    if not settings.has_tiers() or interpreted(options) or image.bound or has_code(image, function, block):
        return None
    stays = host_threads(function) or not function.callees.isdisjoint(LASTING)
    guess = threads * state.each * (ITERATIONS if stays else 1)

    def decide(_: float) -> Wanted | None:
        return decided(state, program, function, image, block, guess, bool(stays), (workers or 1) > 1)

    soon = SHARE * LOOK - state.spent
    return wanted_later(decide, soon) if soon > 0 and state.surely_less(guess) else decide(0.0)


def decided(
    state: TierState, program: Program, function: Function, image: Image, block: Triple, guess: float, stays: bool,
    several: bool,
) -> Wanted | None:  # fmt: skip
    """What `code_wanted` says, by an estimate of the time that making code takes and by the code on disk.

    `guess`: seconds that the launch takes at least, or is likely to take if it `stays` on the engine it begins on.
    """
    at_once, baseline = made_at_once(state), block in state.baseline
    if (stays or at_once or state.seconds < BASELINE) and guess > state.left:
        return None
    if imported(KEYS):
        if (job := service().find(name_of_code(program, function, usual(block, baseline)))) is not None:
            return None if job.reply is not None else wanted_when_made(job, state)
        if kept(program, function, block, baseline):
            return None
    elif (job := state.jobs.get(block)) is not None and job in service().jobs:  # those before a fork are not
        return wanted_when_made(job, state)
    if at_once:
        return wanted_after(state.left - state.spent, state.left) if state.spent < state.left else None
    forks = service().may_fork()
    if state.seconds >= (BASELINE_OF_FORKS if forks else BASELINE):
        state.baseline.add(block)
        baseline = True
    spent, until = before_asking(state, guess)

    def ask(left: float) -> Wanted:
        if imported(KEYS) and kept(program, function, block, baseline):
            return now
        if left > until and forks and not stays and state.seconds < BASELINE:
            return now  # a fork would have the code later, and only the reference engine's result could be earlier
        LOG.info("kernel `%s`, blocks of %s: code is being made (about %.1f s)", function.name, block, state.seconds)
        options = usual(block, baseline)
        job = request_code(program, function, image, options, several_workers=several, waits=True)
        state.jobs[block] = job
        return wanted_when_made(job, state)

    return wanted_later(ask, spent - state.spent, until)


def kept(program: Program, function: Function, block: Triple, baseline: bool) -> bool:
    """Whether code is on the disk, optimised or, where that would do, not."""
    return on_disk(program, function, block) or (baseline and on_disk(program, function, block, baseline))


def before_asking(state: TierState, guess: float) -> tuple[float, float]:
    """Seconds that launches have taken when they ask for code, and until there would be code."""
    if service().may_fork():
        until = state.seconds + imports()
        return state.spent if guess > until else max(ASKED * until, FORK), until
    until = state.seconds + (SERVER if service().server is None else 0.0)
    return max(ASKED * until, 0.0 if imported(KEYS) else SHARE * NAMING), until


def has_code(image: Image, function: Function, block: Triple) -> bool:
    """Whether the kernel's code for such blocks has been made in this process."""
    return imported() and ready(image, function, block)


def now(_: float) -> bool:
    return True


def wanted_after(seconds: float, longer: float = math.inf) -> Wanted:
    """When this thread has had the processor for so long: a busy machine makes code later, too. Or when the launch will
    take `longer`."""
    alarm = Alarm(seconds)
    return lambda left: left > longer or alarm.rings()


def wanted_when_made(job: Job, state: TierState) -> Wanted:
    """When the code is there, and importing what runs it takes no longer than launches have taken."""
    imports_pay = wanted_after(imports() - state.spent)
    return lambda left: job.reply is not None and job.reply.made and imports_pay(left)


def wanted_later(decide: Callable[[float], Wanted | None], seconds: float, longer: float = math.inf) -> Wanted:
    """The condition that `decide` gives once `wanted_after(seconds, longer)` holds.

    `decide` gets the seconds that the launch is forecast to take yet. None abandons the launch at once.
    """
    is_due = wanted_after(seconds, longer)
    found: list[Wanted] = []

    def wanted(left: float) -> bool:
        if not found:
            if not is_due(left):
                return False
            found.append(decide(left) or now)
        return found[0](left)

    return wanted


def prefers_interp(
    state: TierState, program: Program, function: Function, image: Image, threads: int, block: Triple
) -> bool:
    """Whether interp would end the launch before there is code, as it has ended all earlier ones together."""
    if state.loops or has_code(image, function, block):
        return False
    work = state.spent + threads * state.each
    if not state.surely_less(work) and work >= state.left:
        return False
    if not state.looked and state.spent > (FOUND if imported(KEYS) else SHARE * NAMING):
        state.looked = True
        state.found = on_disk(program, function, block)
    return not state.found
