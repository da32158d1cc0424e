"""Calls and returns: the callee, and the transfer of arguments and results between activations."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from openptx.engines.common.call_site import CallSite, Formal, operand_of, wrong_target
from openptx.engines.interp import lane_sets
from openptx.engines.interp.builtins import EXTERNALS
from openptx.engines.interp.frames import Frame, Group
from openptx.engines.interp.memory.spaces import Violation
from openptx.errors import Undefined
from openptx.numerics import Bits
from openptx.numerics.reductions import distinct
from openptx.program import FunctionName, Op, Operand, Reg, Register, Sink, Symbol, Variable

if TYPE_CHECKING:
    from openptx.engines.interp.batch_state import BatchState


@lru_cache(maxsize=1 << 12)
def site_of(op: Op) -> CallSite:
    return CallSite(op)


def call(batch: BatchState, group: Group, op: Op, end: int) -> bool:
    """Executes a call for a group; False if an indirect call splits it by callee."""
    site = site_of(op)
    if isinstance(site.target, FunctionName):
        return enter(batch, group, op, end, site.target.name)
    assert site.target is not None
    address = group.frame.plan.source(site.target, None)(batch.x, group.frame.regs, group.lanes)
    found = distinct(address.v).tolist()
    if len(found) == 1:
        return enter(batch, group, op, end, name_of(batch, group, site, found[0]))
    all_lanes = group.lanes
    found.sort(key=address.v.tolist().index)  # a fault is that of the first lane
    for value in found:
        some = Group(group.frame, group.pc, lane_sets.where(all_lanes, address.v == value, batch.x.n))
        batch.x.executing = some.lanes
        if enter(batch, some, op, end, name_of(batch, some, site, value)):
            batch.add(some.frame, some.pc, some.lanes)
        batch.at(group.frame, all_lanes)
    return False


def name_of(batch: BatchState, group: Group, site: CallSite, address: int) -> str:
    """The function at an address. Raises Violation unless the call may call it."""
    problem = wrong_target(batch.program, batch.x.image.names, site, address)
    if problem is not None:
        raise Violation("invalid-call-target", problem, lane_sets.first(group.lanes))
    return batch.x.image.names[address]


def enter(batch: BatchState, group: Group, op: Op, end: int, name: str) -> bool:
    """Lanes continue at the function's entry, with their arguments."""
    x, caller, site = batch.x, group.frame, site_of(op)
    if name not in batch.program.functions:
        external = EXTERNALS.get(name)
        if external is None:
            raise Undefined("call", name, file=batch.program.file, span=op.span)
        values = [value_of(batch, caller, group.lanes, argument) for argument in site.arguments]
        result = external(x, *values)
        if site.results and result is not None:
            receive(batch, caller, group.lanes, site.results[0], result)
        group.pc = end
        return True
    callee = batch.frame(batch.callee(name), caller, end, op)
    batch.enters(callee, group.lanes)
    for formal, argument in zip(callee.plan.function.parameters, site.arguments, strict=False):
        transfer(batch, group.lanes, caller, argument, callee, formal)
        if batch.watch is not None and isinstance(formal, Register):
            batch.watch.write(callee, formal.index, group.lanes)
    group.frame, group.pc = callee, 0
    return True


def return_from_call(batch: BatchState, group: Group) -> None:
    """Lanes return to the instruction after the call, with their results."""
    callee = group.frame
    caller = callee.parent
    assert caller is not None
    assert callee.call is not None
    for formal, wanted in zip(callee.plan.function.returns, site_of(callee.call).results, strict=False):
        transfer(batch, group.lanes, callee, operand_of(formal), caller, wanted)
    group.frame, group.pc = caller, callee.back


def transfer(
    batch: BatchState, lanes: lane_sets.Lanes, sender: Frame, given: Operand, receiver: Frame, taken: Formal | Operand
) -> None:
    """Transfers a value between activations: bytes if both sides are memory, else a word."""
    if isinstance(taken, Sink):
        return
    x = batch.x
    target = taken.variable if isinstance(taken, Symbol) else taken
    if isinstance(given, Symbol) and isinstance(target, Variable):
        a, b = sender.base + given.variable.offset, receiver.base + target.offset
        x.copy_local(lanes, a, b, min(given.variable.size, target.size))
        return
    value = value_of(batch, sender, lanes, given)
    wanted = Reg(target.index, target.type.width) if isinstance(target, Register) else taken
    if isinstance(target, Variable):
        wanted = Symbol(target)
    assert isinstance(wanted, Reg | Symbol)
    receive(batch, receiver, lanes, wanted, value)


def value_of(batch: BatchState, frame: Frame, lanes: lane_sets.Lanes, operand: Operand) -> Any:
    """An argument as a value: a register's, an immediate, or the content of a parameter variable."""
    x = batch.x
    if isinstance(operand, Symbol) and operand.variable.space == "frame":
        batch.at(frame, lanes)
        size = operand.variable.size
        where = x.const(frame.base + operand.variable.offset, 64)
        if size > 8:
            return x.load("frame", where, 64, size // 8)
        return x.load("frame", where, 8 * size)[0]
    batch.at(frame, lanes)
    return frame.plan.source(operand, None)(x, frame.regs, lanes)


def receive(batch: BatchState, frame: Frame, lanes: lane_sets.Lanes, operand: Operand, value: Any) -> None:
    """Writes a value to a register or a parameter variable of an activation."""
    x = batch.x
    batch.at(frame, lanes)
    if isinstance(operand, Symbol):
        width = 8 * operand.variable.size
        values = [x.resize(value, width)] if isinstance(value, Bits) else list(value)
        x.store("frame", x.const(frame.base + operand.variable.offset, 64), values)
        return
    write = frame.plan.destination(operand, None)
    if write is not None:
        write(x, frame.regs, lanes, value)
