"""Waits for mbarriers whose result nothing depends on.

`test_wait` and `try_wait` do not block until the phase is complete: they return whether it is (9.7.13.15.16). A thread
that does not look at the answer goes on either way: the wait orders nothing, also where the answer happened to be true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.control_flow import is_read, is_written, registers
from openptx.sanitize.semantics import WAITS

if TYPE_CHECKING:
    from openptx.program import Function, Op


def ignored_waits(function: Function) -> frozenset[Op]:
    """The waits of a function whose answer reaches no guard, no memory access and no control instruction."""
    waits = [op for op in function.code if op.form.instruction in WAITS]
    return frozenset(op for op in waits if not decides(function, op))


def decides(function: Function, wait: Op) -> bool:
    """Whether anything that is seen may depend on the result of an instruction."""
    tainted = results(wait)
    changed = True
    while changed:
        changed = False
        for op in function.code:
            if op.guard is not None and op.guard.index in tainted:
                return True
            if op is wait or tainted.isdisjoint(sources(op)):
                continue
            if op.form.instruction.access or op.form.instruction.control:
                return True
            changed |= not results(op) <= tainted
            tainted |= results(op)
    return False


def results(op: Op) -> set[int]:
    """The registers that an instruction writes."""
    return {r.index for i, operand in enumerate(op.operands) if is_written(op, i) for r in registers(operand)}


def sources(op: Op) -> set[int]:
    """The registers that an instruction reads, without its guard."""
    return {r.index for i, operand in enumerate(op.operands) if is_read(op, i) for r in registers(operand)}
