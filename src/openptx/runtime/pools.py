"""What is known of executors: their workers, the errors that report a lost one, and another pool like a broken one."""

from __future__ import annotations

import os
from concurrent.futures import Executor, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any


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
