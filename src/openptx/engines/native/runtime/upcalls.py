"""Handles upcalls of compiled code: system functions, the time, instructions that it does not lower.

The reference engine's implementations are used. The lanes' values are passed as 64-bit words in the worker's state
(`abi.DATA`, for instructions `abi.OPERANDS`), the request in `ASKED`.
"""

from __future__ import annotations

import struct
import time

import numpy as np
from numpy.typing import NDArray

from openptx.engines.common import fault_text
from openptx.engines.interp import lane_sets
from openptx.engines.interp.builtins import EXTERNALS
from openptx.engines.interp.geometry import Geometry, Shape
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.memory.spaces import Violation
from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.requests import FLUSH, INSTRUCTION, TIME, UPCALLS
from openptx.engines.native.runtime.compiled_kernel import slow
from openptx.engines.native.runtime.fault_decoding import place
from openptx.engines.native.runtime.interp_call import execute
from openptx.engines.native.runtime.run import Run
from openptx.engines.native.runtime.workers import Worker
from openptx.errors import Triple, Unsupported
from openptx.locks import cancellable
from openptx.numerics import Bits


def answer(run: Run, worker: Worker) -> int:
    """Does what the code requests, for the lanes that it names; returns 1 if one of them did something illegal."""
    number, mask, first, detail, local = struct.unpack_from("<4Iq", worker.memory, abi.REQUEST)
    what = UPCALLS[number]
    if what == TIME:
        struct.pack_into("<Q", worker.memory, abi.DATA, time.monotonic_ns())
        return 0
    if what == FLUSH:
        assert run.observer is not None
        run.observer.flush(worker)
        return 0
    if run.poll():  # an upcall may take long, and the code polls only between loop iterations
        worker.violation = Violation(
            "timeout", fault_text.timed_out(run.timeout), first + (mask & -mask).bit_length() - 1
        )
        return 1
    lanes = np.array([i for i in range(N) if mask >> i & 1], np.intp)
    x = threads(run, worker)
    x.executing, x.local_size = lane_sets.normalize(lanes + first, x.n), local
    try:
        with cancellable(run.check):
            if what == INSTRUCTION:
                execute(run.plan.program, place(run, detail), detail & 0xFFFFF, x, worker)
                if x.tensor_code:
                    worker.keep(detail, x.tensor_code)
                    x.tensor_code = 0
            else:
                run.called_system = True
                external(x, what, worker, lanes, detail)
    except Violation as violation:
        worker.violation = violation
        return 1
    except Unsupported as gap:
        if gap.file is not None:
            raise
        worker.violation = gap  # of the instruction whose place the code reports
        return 1
    return 0


def add_generic_version(run: Run, worker: Worker) -> int:
    """Compiles the generic version, at the first side exit of a worker's code."""
    plan = run.plan
    try:
        with cancellable(run.check):
            address = slow(plan.program, plan.function, run.image, plan.options, plan.code)
    except UnsupportedByJit as reason:
        if run.observer is not None:  # which restores memory
            raise
        raise Unsupported(
            f"{reason}, after a part of the kernel has run", help='launch it with `engine="interp"`'
        ) from None
    struct.pack_into("<q", worker.memory, abi.GENERIC, address)
    return 0


def external(x: Threads, name: str, worker: Worker, lanes: NDArray[np.intp], count: int) -> None:
    """A system function with `count` arguments."""
    data = worker.bytes[abi.DATA : abi.DATA + abi.COLUMN * count].view(np.uint64).reshape(count, N)
    found = EXTERNALS[name](x, *[Bits(x, 64, column[lanes]) for column in data])
    if found is not None:
        worker.bytes[abi.DATA : abi.DATA + abi.COLUMN].view(np.uint64)[lanes] = found.v


def shape_of(run: Run) -> Shape:
    """The launch's, without clusters."""
    plan = run.plan
    own = plan.program.own_shared(plan.shared)
    return Shape(plan.grid, plan.block, (1, 1, 1), False, plan.layout, plan.shared, plan.dynamic, own)


def threads(run: Run, worker: Worker, machine: type[Threads] = Threads) -> Threads:
    """The worker's CTA as the reference engine sees it, in the worker's memory: one object as long as it is one CTA."""
    cta = struct.unpack_from("<III", worker.memory, abi.CTAID)
    if worker.cta is None or worker.cta[0] != cta:
        worker.cta = cta, make_threads(run, worker, cta, machine)
    return worker.cta[1]


def make_threads(run: Run, worker: Worker, cta: Triple, machine: type[Threads]) -> Threads:
    plan = run.plan
    x, y, z = cta
    geometry = Geometry(shape_of(run), (z * plan.grid[1] + y) * plan.grid[0] + x, 1)
    found = machine(geometry, run.memory, run.image)
    found.use_memory(worker.shared.view(), worker.local.view()[: plan.stride * plan.threads], plan.stride)
    if worker.tensor is not None:
        found.tensor_block = worker.tensor.view()
    return found
