"""Code asks Python: for functions of the system, and for the time. The reference engine's implementation answers.

The lanes' values travel as 64-bit words through the worker's state (`layout.DATA`), the question through `ASKED`.
"""

from __future__ import annotations

import struct
import time
from typing import TYPE_CHECKING

import numpy as np

from openptx.engines.interp.externals import EXTERNALS
from openptx.engines.interp.geometry import Geometry, Shape
from openptx.engines.interp.machine import Threads
from openptx.engines.interp.memory import Violation
from openptx.engines.native import layout
from openptx.engines.native.values import N
from openptx.numerics import Bits

if TYPE_CHECKING:
    from openptx.engines.native.launch import Run
    from openptx.engines.native.workers import Worker

TIME = "time"
QUESTIONS = (TIME, *EXTERNALS)
"""By number, as code asks them: nanoseconds, and functions of the system."""


def answer(run: Run, worker: Worker) -> int:
    """Does what the code asks for, for the lanes that it names; 1 where one of them did wrong."""
    number, mask, first, count, local = struct.unpack_from("<4Iq", worker.memory, layout.ASKED)
    if QUESTIONS[number] == TIME:
        struct.pack_into("<Q", worker.memory, layout.DATA, time.monotonic_ns())
        return 0
    run.asked = True
    data = worker.bytes[layout.DATA : layout.DATA + 8 * N * count].view(np.uint64).reshape(count, N)
    here = np.array([i for i in range(N) if mask >> i & 1], np.intp)
    cta = struct.unpack_from("<III", worker.memory, layout.CTAID)
    if worker.cta is None or worker.cta[0] != cta:
        worker.cta = cta, threads(run, worker)
    x = worker.cta[1]
    x.who, x.local_size = here + first, local
    try:
        found = EXTERNALS[QUESTIONS[number]](x, *[Bits(x, 64, column[here]) for column in data])
    except Violation as violation:
        worker.violation = violation
        return 1
    if found is not None:
        worker.bytes[layout.DATA : layout.DATA + 8 * N].view(np.uint64)[here] = found.v
    return 0


def shape_of(run: Run) -> Shape:
    """The launch's, without clusters."""
    plan = run.plan
    return Shape(plan.grid, plan.block, (1, 1, 1), False, plan.shared - plan.dynamic, plan.dynamic)


def threads(run: Run, worker: Worker) -> Threads:
    """The worker's CTA as the reference engine sees it, in the worker's memory."""
    plan = run.plan
    x, y, z = struct.unpack_from("<III", worker.memory, layout.CTAID)
    geometry = Geometry(shape_of(run), (z * plan.grid[1] + y) * plan.grid[0] + x, 1)
    found = Threads(geometry, run.memory, run.image)
    found.lies_in(worker.shared.view(), worker.local.view()[: plan.stride * plan.threads], plan.stride)
    return found
