"""Screening on the native engine: a launch that is certainly clean is not run on the reference engine.

Compiled code checks each access against shadow memory by the rule of engines/native/instrument/watch/rule.py, which may
suspect but never accepts a race. Without a suspicion there is nothing to report; otherwise memory is restored, and the
reference engine finds the error.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from openptx.call_graph import calls_indirectly, reachable_functions
from openptx.control_flow import control, registers
from openptx.device import contents
from openptx.device.allocation import Allocation
from openptx.engines.common.definite_assignment import unassigned_reads
from openptx.engines.common.engine import PreparedLaunch
from openptx.engines.common.operands import has_operand
from openptx.engines.common.provenance import provenance
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.instrument.watch.accesses import granule_of_shared
from openptx.engines.native.instrument.watch.launch import LIMIT, Suspicion, Watch
from openptx.engines.native.instrument.watch.layout import LANES_AWAY, OUTSIDE, RACE, SMALL, UNWRITTEN, WARPS_AWAY
from openptx.engines.native.runtime.compile_time import observed_code_pays
from openptx.engines.native.runtime.launch import launch
from openptx.errors import Bug, Fault
from openptx.isa.instructions import (
    async_copy,
    async_store,
    cache_control,
    launch_control,
    load_store,
    mbarrier,
    multimem,
    tensor_copy,
    tensor_memory,
    tensor_multiply,
    wgmma,
)
from openptx.isa.notation import Instruction
from openptx.program import Address, Function, Op, Program, Variable
from openptx.sanitize.options import Options
from openptx.sanitize.undefined_bits.marks import Marks

SLOWER, LONGER = 10, 2
"""The slowdown of the reference engine with race detection, and the growth of the text to compile."""

RESTARTS = 3
"""How often a launch restarts because it accesses bytes of an allocation that is watched by words."""

_MODULES = (
    async_copy, async_store, launch_control, mbarrier, multimem, tensor_copy, tensor_memory, tensor_multiply, wgmma,
)  # fmt: skip
ASYNCHRONOUS = frozenset(v for module in _MODULES for v in vars(module).values() if isinstance(v, Instruction))
"""Kinds of ordering beyond program order and barriers."""

UNDEFINED_IN_THE_END = "bytes of an output that are undefined in the end"
KINDS = {
    RACE: "accesses that no barrier orders",
    LANES_AWAY: "an instruction of the warp that not all of its lanes execute",
    OUTSIDE: "an access outside of its variable",
    SMALL: "an access of bytes",
    UNWRITTEN: "a load of bytes that were never written",
    WARPS_AWAY: "a barrier of the block that not all of its warps execute",
}


MOST_DOUBTFUL = 1 / 4
"""The largest share of the CTAs that run again alone, and not with all others."""

MOST_RUNS = 64
"""The largest number of ranges of such CTAs: those between them are launched one by one."""


class Screening(NamedTuple):
    """`reason`: why the reference engine must run; "" if the launch was clean. `limits`: what was not watched. `clean`:
    how the CTAs that are certainly clean run, if only others must run again."""

    reason: str
    limits: list[str]
    clean: CleanBlocks | None = None


class CleanBlocks(NamedTuple):
    """`doubtful`: the ranges of CTAs for the reference engine. `watch` makes what watches a run of others, which the
    same code as in the screening executes: what they write is undefined no longer."""

    doubtful: list[range]
    prepared: PreparedLaunch
    options: Options
    watch: Callable[[], Watch]

    def run(self, first: int, stop: int) -> None:
        """Runs the CTAs of a range, all of which are clean."""
        if first < stop and (
            gap := run_watched(self.prepared._replace(blocks=(first, stop)), self.options, self.watch())
        ):
            raise Bug(f"blocks {first} to {stop - 1}, which have run without a fault: {gap}")


def screen(prepared: PreparedLaunch, options: Options, marks: Marks) -> Screening:
    """Runs a launch as watched machine code. If there is a suspicion, memory is restored."""
    program, function, tracks = prepared.program, prepared.function, "init" in options.tools
    if reason := unscreenable(prepared, marks, tracks):
        return Screening(reason, [])
    before = contents.Contents(prepared.memory)
    if not before.kept:
        most = contents.MOST >> 20
        return Screening(f"more than {most} MiB of memory, which a suspicion would require to restore", [])
    undefined = marks.partly_undefined() if tracks else {}
    granule, by_bytes = granule_of_shared(reachable_functions(program, function.name)), frozenset[int]()
    while True:
        bytes_alone = by_bytes if len(by_bytes) <= RESTARTS else None
        make = partial(Watch, options.tools, granule, bytes_alone, undefined)
        watch = make()
        reason = run_watched(prepared, options, watch)
        seen = watch.suspicion()
        if seen is not None and not reason:
            reason = as_text(program, function, seen)
        if not reason and tracks and not marks.outputs_are_defined():
            reason = UNDEFINED_IN_THE_END
        if not reason and (own := watch.suspicion(of_ctas=True)) is not None:
            reason = as_text(program, function, own)
            if few(watch.doubtful(), watch):
                before.restore()
                clean = CleanBlocks(watch.doubtful(), prepared, options, make)
                return Screening(reason, list(map(limit, watch.not_watched())), clean)
        if reason:
            before.restore()
            watch.put_back()
        if seen is None or seen.kind != SMALL:
            return Screening(reason, [] if reason else list(map(limit, watch.not_watched())))
        by_bytes |= {seen.place}


def unscreenable(prepared: PreparedLaunch, marks: Marks, tracks: bool) -> str:
    """Why a launch cannot be watched as machine code, with undefined values if it `tracks` them; "" if it can."""
    program, function = prepared.program, prepared.function
    reason = unwatchable(program, function)
    if reason or not tracks:
        return reason
    return untrackable(program, function) or marks.untrackable(prepared.memory)


def few(doubtful: Sequence[range], watch: Watch) -> bool:
    """Whether CTAs with a suspicion run again alone."""
    return sum(map(len, doubtful)) <= MOST_DOUBTFUL * watch.doubts.size and len(doubtful) <= MOST_RUNS


def run_watched(prepared: PreparedLaunch, options: Options, watch: Watch) -> str:
    """Runs a launch as machine code; returns why it did not complete, or ""."""
    try:
        launch(prepared.within(options.timeout, options.max_instructions), workers=1, observer=watch)
        watch.finish()
    except UnsupportedByJit as gap:
        return str(gap)
    except Fault as fault:
        return fault.message
    return ""


def pays(prepared: PreparedLaunch) -> bool:
    """Whether a watched run of the reference engine is likely to take longer than compiling machine code."""
    threads = math.prod(prepared.grid) * math.prod(prepared.block)
    return observed_code_pays(prepared.program, prepared.function, threads, SLOWER, LONGER)


def limit(a: Allocation) -> str:
    return f"races in {a} were not watched: its shadow memory is beyond the limit of a launch, {LIMIT >> 20} MiB"


def unwatchable(program: Program, function: Function) -> str:
    """Why only the reference engine can watch a kernel."""
    for called in reachable_functions(program, function.name):
        if calls_indirectly(called):
            return "calls by address"
        if foreign := called.callees - {*program.functions}:
            return f"`{min(foreign)}`, a system function"
        for op in called.code:
            if reason := unwatched(op):
                return reason
        if stores_local_address(called):
            return "an address of local memory is stored where other threads may load it"
    return ""


def stores_local_address(function: Function) -> bool:
    """Whether the address of a local variable is stored in memory other than local."""
    stores = [op for op in function.code if op.form.instruction is load_store.st and op.m.space != "local"]
    if not stores:
        return False
    known = provenance(function)
    values = [r for op in stores for t in op.operands if not isinstance(t, Address) for r in registers(t)]
    return any(isinstance(v := known.get(r.index), Variable) and v.space == "local" for r in values)


def untrackable(program: Program, function: Function) -> str:
    """Why only the reference engine can track a kernel's undefined bits."""
    for called in reachable_functions(program, function.name):
        for read in unassigned_reads(called):
            name = called.registers[read.register].name if read.register < len(called.registers) else "CC"
            line = program.file.location(called.code[read.pc].span[0])[0]
            return f"register `{name}`, which may be read before it is written, line {line}"
        if called.returns and not (
            called.code and control(called.code[-1]) == "return" and called.code[-1].guard is None
        ):
            return f"`{called.name}`, a function that may end without `ret`"
    return ""


def unwatched(op: Op) -> str:
    """Why an instruction cannot be watched in compiled code."""
    partial = control(op) == "barrier" and (op.m.mode == "arrive" or has_operand(op, "b"))
    elsewhere = op.form.instruction in ASYNCHRONOUS or op.form.instruction is cache_control.discard
    if elsewhere or control(op) == "cluster-barrier" or partial:
        return f"`{op.form.instruction.name}`" + (" for some of the threads" if partial else "")
    return ""


def as_text(program: Program, function: Function, seen: Suspicion) -> str:
    """A suspicion as text."""
    in_kernel = seen.place < len(function.code)  # other sites have the number of a function above their 20 bits
    where = f", line {program.file.location(function.code[seen.place].span[0])[0]}" if in_kernel else ""
    return f"{KINDS[seen.kind]}{where}"
