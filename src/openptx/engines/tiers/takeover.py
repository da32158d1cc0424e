"""A launch on the reference engine while the kernel's code is compiled; when it is ready, the code runs the whole
launch.

The launch is abandoned and restarted, not continued: code that waits for other threads, or depends on their order, sees
only one engine. That requires restored memory, and no concurrent use of it.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from typing import TYPE_CHECKING

from openptx.engines.common.engine import PreparedLaunch, alone
from openptx.engines.interp.abandon import Abandonable, Abandoned
from openptx.engines.interp.batch import Batch
from openptx.engines.interp.launch import launch
from openptx.engines.tiers.conditions import Wanted, after
from openptx.engines.tiers.forecast import Forecast
from openptx.isa.memory_consistency import may_wait
from openptx.late import late
from openptx.program import Function
from openptx.progress import progress

if TYPE_CHECKING:
    from openptx.engines.tiers.service import service
else:
    service = late("openptx.engines.tiers.service", "service")

LOG = logging.getLogger("openptx")


def launch_and_replace(prepared: PreparedLaunch, wanted: Wanted, *, level: int = logging.INFO) -> bool:
    """Runs a kernel on the reference engine; False, with memory restored, if compiled code is to run all of it. What
    happened is logged at `level`."""
    start, function = time.monotonic(), prepared.function
    threads = host_threads(function)

    def objection() -> str:
        shared = not alone(abandon) or host_threads(function) > threads
        return "other threads of the host are at work" if shared else ""

    def describe() -> str:
        done, all = service().progress()
        compiling = f", compiling {done + 1} of {all} kernels" if done < all else ""
        return f"kernel `{function.name}` on the reference engine{compiling}"

    def runs(batch: Batch) -> None:
        nonlocal running
        running = batch

    def asked() -> bool:
        update()
        return wanted(forecast.update(running))

    running: Batch | None = None
    forecast = Forecast(function)
    abandon = Abandonable(asked, objection)
    if threads:
        abandon.keep("other threads of the host may use its arrays")
    try:
        with progress(describe) as update:
            launch(prepared, abandon=abandon, runs=runs)
    except Abandoned:
        abandon.restore()
        LOG.log(
            level,
            "kernel `%s`: abandoned after %.3f s on the reference engine for machine code, %d bytes were restored",
            function.name, time.monotonic() - start, abandon.copied,
        )  # fmt: skip
        return False
    said = f"; it was not replaced: {abandon.kept}" if abandon.missed else ""
    level = logging.INFO if said else level
    LOG.log(level, "kernel `%s`: %.3f s on the reference engine%s", function.name, time.monotonic() - start, said)
    return True


def try_on_interp(prepared: PreparedLaunch, seconds: float) -> float:
    """The seconds of a launch on the reference engine; infinite if it takes longer than `seconds` of the processor, and
    has been undone."""
    start = time.perf_counter()
    ended = launch_and_replace(prepared, after(seconds))
    return time.perf_counter() - start if ended else math.inf


def host_threads(function: Function) -> int:
    """Threads of the host that may use arrays of a launch while it runs.

    Threads of notebooks and progress bars are daemons, and do not. If the kernel may wait for a value that another
    thread writes, it may be any thread.
    """
    others = [t for t in threading.enumerate() if t is not threading.current_thread() and not ours(t)]
    lasting = sum(not t.daemon for t in others)
    if lasting < len(others) and any(may_wait(op.m) for op in function.code):
        return len(others)
    return lasting


def ours(thread: threading.Thread) -> bool:
    return thread.name.startswith("openptx-")
