"""When a launch that starts on the reference engine is abandoned for machine code, and when code is requested."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, NamedTuple

from openptx.device.image import Image
from openptx.engines.auto import costs
from openptx.engines.auto.tier_state import TierState
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.interp.builtins import LASTING
from openptx.engines.native import settings
from openptx.engines.native.runtime.compile_time import least_seconds_to_make
from openptx.engines.native.runtime.worker_count import ITERATIONS
from openptx.engines.native.settings import KEYS
from openptx.engines.tiers.conditions import Wanted, after, later, now
from openptx.engines.tiers.takeover import host_threads
from openptx.errors import Triple
from openptx.late import late
from openptx.program import Function, Program

if TYPE_CHECKING:
    from openptx.engines.native.runtime.code_requests import name_of_code, on_disk, request_code, usual
    from openptx.engines.native.runtime.compiled_kernel import ready
    from openptx.engines.tiers.service import Job, service
else:
    name_of_code = late("openptx.engines.native.runtime.code_requests", "name_of_code")
    on_disk = late("openptx.engines.native.runtime.code_requests", "on_disk")
    request_code = late("openptx.engines.native.runtime.code_requests", "request_code")
    usual = late("openptx.engines.native.runtime.code_requests", "usual")
    service = late("openptx.engines.tiers.service", "service")
    ready = late("openptx.engines.native.runtime.compiled_kernel", "ready")

LOG = logging.getLogger("openptx")


def prefers_interp(state: TierState, prepared: PreparedLaunch) -> bool:
    """Whether interp would end the launch before code exists, as it has ended all earlier ones together."""
    function, block = prepared.function, prepared.block
    if state.loops or has_code(prepared.image, function, block):
        return False
    work = state.interp_seconds + seconds_of_one_pass(state, prepared)
    if not state.surely_before_code(work) and work >= state.seconds_until_code:
        return False
    search_pays_after = costs.FOUND if costs.imported(KEYS) else costs.SHARE * costs.NAMING
    if not state.searched_disk and state.interp_seconds > search_pays_after:
        state.searched_disk = True
        state.found_on_disk = on_disk(prepared.program, function, block)
    return not state.found_on_disk


def code_wanted(state: TierState, prepared: PreparedLaunch, workers: int | None) -> Wanted | None:
    """When a launch that starts on interp is to be abandoned; None if it is to start as machine code.

    It does if the code exists already. It also waits for the code, as without tiers, if the launch is likely to take
    longer on interp and could not be abandoned. Launches that may end soon decide that later.
    """
    function, image, block = prepared.function, prepared.image, prepared.block
    if not settings.has_tiers() or prepared.interpreted or image.bound or has_code(image, function, block):
        return None
    stays = host_threads(function) or not function.callees.isdisjoint(LASTING)
    estimate = seconds_of_one_pass(state, prepared) * (ITERATIONS if stays else 1)
    launch = PendingLaunch(
        state, prepared.program, function, image, block, estimate, bool(stays), (workers or 1) > 1, time.thread_time()
    )
    soon = costs.SHARE * costs.look() - state.interp_seconds
    if soon > 0 and state.surely_before_code(estimate):
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
        return self.state.interp_seconds + time.thread_time() - self.start

    @property
    def baseline(self) -> bool:
        """Whether baseline code comes first."""
        return self.block in self.state.baseline_blocks


def when_to_abandon(launch: PendingLaunch) -> Wanted | None:
    """The result of `code_wanted`, from an estimate of the compile time and from the code on disk."""
    state, forks = launch.state, service().may_fork()
    at_once = made_at_once(state, forks)
    small = state.surely_before_code(launch.estimate)
    if (
        not small
        and launch.estimate > state.seconds_until_code
        and (launch.stays or at_once or state.compile_seconds < costs.BASELINE)
    ):
        return None
    job = job_of(launch)
    if costs.imported(KEYS) and (job.reply is not None if job is not None else is_cached(launch)):
        return None
    if job is not None:
        return when_compiled(job, launch)
    if at_once:
        return when_compiling_pays(launch)
    if forks and small:  # the estimate, which reads functions that may not be called, is not needed before
        least = costs.FAR * least_seconds_to_make(launch.function)
        return later(lambda _: when_requested(launch, forks), costs.FORK - launch.spent, least)
    return when_requested(launch, forks)


def job_of(launch: PendingLaunch) -> Job | None:
    """The earlier request for the kernel's code, if any."""
    if costs.imported(KEYS):
        return service().find(name_of_code(launch.program, launch.function, usual(launch.block, launch.baseline)))
    job = launch.state.jobs.get(launch.block)
    return job if job in service().jobs else None  # requests made before a fork are the parent's


def when_compiling_pays(launch: PendingLaunch) -> Wanted | None:
    """True when launches have taken as long as compiling takes in this thread; None if they have already."""
    left, spent = launch.state.seconds_until_code, launch.spent
    return after(left - spent, left) if spent < left else None


def when_requested(launch: PendingLaunch, forks: bool) -> Wanted:
    """Requests the code once launches have taken long enough, and is true when it exists."""
    state = launch.state
    if state.compile_seconds >= (costs.BASELINE_OF_FORKS if forks else costs.BASELINE):
        state.baseline_blocks.add(launch.block)
    spent, longer = seconds_before_request(state, launch.estimate, forks)

    def ask(left: float) -> Wanted:
        if costs.imported(KEYS) and is_cached(launch):
            return now
        if left > longer and forks and not launch.stays and state.compile_seconds < costs.BASELINE:
            return now  # a fork would have the code later, and only the reference engine's result could be earlier
        return requested(launch)

    return later(ask, spent - launch.spent, longer)


def requested(launch: PendingLaunch) -> Wanted:
    """Requests the code of a fork or a server; true when it exists."""
    state, function, block = launch.state, launch.function, launch.block
    LOG.info(
        "kernel `%s`, blocks of %s: code is requested (making it takes about %.2f s)",
        function.name, block, state.compile_seconds,
    )  # fmt: skip
    options, several = usual(block, launch.baseline), launch.several_workers
    job = request_code(launch.program, function, launch.image, options, several_workers=several, waits=True)
    state.jobs[block] = job
    return when_compiled(job, launch)


def is_cached(launch: PendingLaunch) -> bool:
    """Whether code is on the disk: optimised or, if acceptable, baseline."""
    kernel = launch.program, launch.function, launch.block
    return on_disk(*kernel) or (launch.baseline and on_disk(*kernel, baseline=True))


def seconds_before_request(state: TierState, estimate: float, forks: bool) -> tuple[float, float]:
    """The seconds of launches after which they request code, and those that a launch is forecast to take longer, from
    which it requests code at once."""
    if forks:
        until = state.compile_seconds + costs.imports()
        return 0.0 if estimate > until else max(costs.ASKED * until, costs.FORK), costs.FAR * until
    until = state.compile_seconds + (costs.SERVER if service().server is None else 0.0)
    return max(costs.ASKED * until, 0.0 if costs.imported(KEYS) else costs.SHARE * costs.NAMING), until


def has_code(image: Image, function: Function, block: Triple) -> bool:
    """Whether the kernel's code for such blocks has been compiled in this process."""
    return costs.imported() and ready(image, function, block)


def when_compiled(job: Job, launch: PendingLaunch) -> Wanted:
    """True when the code exists, and importing the modules that run it takes no longer than launches have taken."""
    imports_pay = after(costs.imports() - launch.spent)
    return lambda left: job.reply is not None and job.reply.made and imports_pay(left)


def made_at_once(state: TierState, forks: bool) -> bool:
    """Whether a launch compiles the code itself: it compiles quickly and no fork does it, or there is no server."""
    found = service()
    if found.broken:
        return True
    return not forks and state.compile_seconds < (costs.AT_ONCE if found.server is not None else costs.AT_ONCE_ALONE)


def seconds_of_one_pass(state: TierState, prepared: PreparedLaunch) -> float:
    """Seconds in which the reference engine executes each instruction once by each thread."""
    grid, block = prepared.grid, prepared.block
    return state.seconds_per_thread * grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2]
