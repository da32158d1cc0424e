"""Ranges of a distributed launch whose worker was lost: they run again, once, if that has no other effect.

A range runs on copies of the arguments, and its writes are merged at the end, so running it twice leaves the same
memory. Its output would be printed twice, so kernels that print are not run again. What is known of executors, Python's
and dask's, comes first: their workers, the errors that report a lost one, and another pool like a broken one.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from openptx.call_graph import reachable_functions
from openptx.errors import WorkerLost
from openptx.program import Program
from openptx.progress import INTERVAL, progress


def is_of_dask(thing: object) -> bool:
    """Whether a class of dask.distributed made it."""
    return type(thing).__module__.split(".")[0] == "distributed"


def workers_of(executor: Executor) -> int:
    """How many tasks it runs at once, in a pool of Python's or a cluster of dask; the processors of this computer for
    other executors, and for a cluster without workers yet."""
    if is_of_dask(executor) and hasattr(executor, "_client"):
        cluster: Any = executor
        chosen = cluster._kwargs.get("workers")  # of `client.get_executor(workers=...)`
        count = sum(cluster._client.nthreads([chosen] if isinstance(chosen, str) else chosen).values())
    else:
        count = getattr(executor, "_max_workers", None)
    return count or os.cpu_count() or 1


def is_loss(error: BaseException) -> bool:
    """Whether a task failed because its worker's process or machine ended, as reported by Python's or dask's
    executors."""
    dask = is_of_dask(error) and type(error).__name__ in ("KilledWorker", "CommClosedError")
    return isinstance(error, BrokenProcessPool) or dask


def pool_like(broken: Executor, workers: int) -> ProcessPoolExecutor:
    """A pool of processes that start as those of a broken one did. Raises OSError if there is no room for it."""
    context, initializer = getattr(broken, "_mp_context", None), getattr(broken, "_initializer", None)
    return ProcessPoolExecutor(workers, context, initializer, getattr(broken, "_initargs", ()))


Range = tuple[int, int]
Result = TypeVar("Result")

PRINTS = "vprintf"


def run_all(
    executor: Executor, work: Callable[[Range], Result], ranges: Sequence[Range], program: Program, kernel: str
) -> dict[Range, Result]:
    """The results of `work` for all ranges. Raises the error of the lowest range that failed, or WorkerLost."""
    found, lost, cause = attempt(executor, work, ranges, kernel)
    if not lost or cause is None:
        return found
    if prints(program, kernel):
        why = f"kernel `{kernel}` prints, and would print twice"
        raise WorkerLost(
            f"the worker of {describe_ranges(lost)} was lost ({cause}); they are not run again: {why}"
        ) from cause
    if isinstance(cause, BrokenProcessPool):  # it no longer runs anything
        try:
            with pool_like(executor, min(len(lost), os.cpu_count() or 1)) as other:
                again, still, second = attempt(other, work, lost, kernel)
        except OSError as error:  # no room for semaphores in /dev/shm, no memory, too many processes
            why = f"they cannot run again: {error}"
            raise WorkerLost(f"the worker of {describe_ranges(lost)} was lost ({cause}); {why}") from cause
    else:
        again, still, second = attempt(executor, work, lost, kernel)
    if still:
        raise WorkerLost(f"the worker of {describe_ranges(still)} was lost twice ({second})") from second
    return {**found, **again}


def attempt(
    executor: Executor, work: Callable[[Range], Result], ranges: Sequence[Range], kernel: str
) -> tuple[dict[Range, Result], list[Range], BaseException | None]:
    """The results, the lost ranges, and the first error that reported a lost worker."""
    futures: list[Future[Result] | BrokenProcessPool] = []
    found: dict[Range, Result] = {}
    lost: list[Range] = []
    cause: BaseException | None = None

    def describe() -> str:
        done = sum(isinstance(future, BrokenProcessPool) or future.done() for future in futures)
        return f"kernel `{kernel}` on workers, {done} of {len(ranges)} ranges of blocks are done"

    try:
        for each in ranges:
            futures.append(submitted(executor, work, each))
        with progress(describe) as update:
            for each, future in zip(ranges, futures, strict=True):
                try:
                    found[each] = result_of(future, update)
                except Exception as error:
                    if not is_loss(error):
                        raise
                    lost.append(each)
                    cause = cause or error
    finally:
        for future in futures:
            if not isinstance(future, BrokenProcessPool):
                future.cancel()
    return found, lost, cause


def submitted(executor: Executor, work: Callable[[Range], Result], each: Range) -> Future[Result] | BrokenProcessPool:
    """A future; the error if the executor has lost a worker already."""
    try:
        return executor.submit(work, each)
    except BrokenProcessPool as error:
        return error


def result_of(future: Future[Result] | BrokenProcessPool, update: Callable[[], None]) -> Result:
    """Waits for a result, and calls `update` meanwhile."""
    if isinstance(future, BrokenProcessPool):
        raise future
    while not wait((future,), INTERVAL).done:
        update()
    return future.result()


def prints(program: Program, kernel: str) -> bool:
    return any(PRINTS in function.callees for function in reachable_functions(program, kernel))


def describe_ranges(ranges: Sequence[Range]) -> str:
    """`blocks 0 to 7 and 16 to 23`."""
    return "blocks " + " and ".join(f"{first} to {stop - 1}" for first, stop in ranges)
