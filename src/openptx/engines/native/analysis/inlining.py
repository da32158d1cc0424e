"""Inlining: a kernel with the code of those functions in it whose instructions only a kernel can execute.

A compiled function runs its lanes to the end before its caller continues, so its warps cannot wait in it for others,
and its lanes cannot exit. Such functions become parts of the kernel, each call a copy, with registers of its own and
a frame where the call would have it. The passes that follow see a kernel without these calls; the reference engine
executes the calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from openptx.call_graph import calls_by_address
from openptx.control_flow import branch_targets, control, places, retarget
from openptx.engines.common.call_site import CallSite, operand_of
from openptx.engines.native.analysis.activations import ARGUMENTS, Activation, InlinedKernel, Origin
from openptx.engines.native.analysis.call_graph import callees
from openptx.engines.native.analysis.call_parts import (
    access,
    branch,
    comparisons,
    in_frame,
    instruction,
    moved,
    moved_op,
    whole_variables,
    with_callees,
)
from openptx.engines.native.analysis.cluster_barriers import with_cta_barriers
from openptx.engines.native.analysis.context import ONLY_IN_KERNELS
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.settings import Options
from openptx.isa.instructions.load_store import ld, st
from openptx.isa.instructions.move import mov
from openptx.program import (
    Function,
    FunctionName,
    Imm,
    Op,
    Operand,
    Program,
    Reg,
    Register,
    Sink,
    Symbol,
    Targets,
    temporary,
)

MOST = 20_000
"""Instructions of a kernel with its copies: compile time grows with them, and positions in faults have 20 bits."""

MOST_COPIED = 512
"""Bytes of a parameter variable that is copied to another one."""


def compiled_function(program: Program, kernel: Function, options: Options) -> Function:
    """What is compiled in the place of a kernel. What is observed keeps its calls."""
    return kernel if options.counts or options.watched else inlined(program, kernel)


def inlined(program: Program, kernel: Function) -> Function:
    """The kernel with its copies, and with barriers of the CTA for those of clusters; itself, if it calls no such
    function and has no such barrier. Raises UnsupportedByJit if a function cannot be inlined."""
    found = program.inlined.get(kernel.name)
    if found is None or found[0] is not kernel:
        wanted = functions_to_inline(program, kernel)
        made = Inliner(program, wanted).run(kernel) if wanted else kernel
        found = program.inlined[kernel.name] = kernel, with_cta_barriers(made)
    return found[1]


def called(program: Program, op: Op) -> list[Function]:
    """The functions of the program that an instruction may call."""
    if control(op) != "call":
        return []
    site = CallSite(op)
    if not isinstance(site.target, FunctionName):
        return callees(program, site)
    return [program.function(site.target.name)] if site.target.name in program.functions else []


def functions_to_inline(program: Program, kernel: Function) -> frozenset[str]:
    """The functions that a kernel may call and that have an instruction which only a kernel can execute,
    or call one that has."""
    callers: dict[str, set[str]] = {}
    work, wanted = [kernel], list[str]()
    for function in work:  # this list grows
        if function is not kernel and any(control(op) in ONLY_IN_KERNELS for op in function.code):
            wanted.append(function.name)
        for callee in chain.from_iterable(called(program, op) for op in function.code):
            if callee.name not in callers:
                work.append(callee)
            callers.setdefault(callee.name, set()).add(function.name)
    for name in wanted:  # this list grows
        wanted += sorted(callers[name] - {*wanted, kernel.name})
    return frozenset(wanted)


class Inliner:
    def __init__(self, program: Program, wanted: frozenset[str]) -> None:
        self.program, self.wanted = program, wanted
        self.code: list[Op] = []
        self.origins: list[Origin] = []
        self.registers: list[Register] = []
        self.recursive = set[int]()
        self.callees = set[str]()
        self.frame_size = 0

    def run(self, kernel: Function) -> InlinedKernel:
        starts = self.add(self.begin(kernel, None, 0))
        return InlinedKernel(
            name=kernel.name, kind=kernel.kind, linkage=kernel.linkage, parameters=kernel.parameters,
            returns=kernel.returns, registers=tuple(self.registers), code=tuple(self.code),
            frame_size=self.frame_size, parameter_size=kernel.parameter_size, local=kernel.local, shared=kernel.shared,
            labels={name: starts[pc] for name, pc in kernel.labels.items()}, directives=kernel.directives,
            callees=frozenset(self.callees - self.wanted), span=kernel.span, noreturn=kernel.noreturn,
            rolled=frozenset(starts[pc] for pc in kernel.rolled), origins=tuple(self.origins),
            recursive=frozenset(self.recursive),
        )  # fmt: skip

    def begin(self, function: Function, caller: Activation | None, call: int) -> Activation:
        """A new activation, with its registers and its frame."""
        base, first = caller.top if caller is not None else 0, len(self.registers)
        self.registers += [replace(r, index=first + r.index) for r in function.registers]
        widths = whole_variables(function, frozenset(self.inlined_calls(function)))
        values = {offset: temporary(self.registers, width) for offset, width in widths.items()}
        made = Activation(function, caller, call, base, first, values)
        self.callees |= function.callees
        self.frame_size = max(self.frame_size, made.top)
        return made

    def inlined_calls(self, function: Function) -> Iterator[int]:
        """The positions of calls whose functions are inlined."""
        for pc, op in enumerate(function.code):
            if any(callee.name in self.wanted for callee in called(self.program, op)):
                yield pc

    def append(self, op: Op, activation: Activation, pc: int) -> int:
        self.code.append(op)
        self.origins.append(Origin(activation, pc))
        return len(self.code) - 1

    def add(self, activation: Activation) -> list[int]:
        """Adds an activation's code; returns where each of its instructions begins, and where the code ends."""
        check_carry(activation.function)
        calls = frozenset(self.inlined_calls(activation.function))
        starts: list[int] = []
        own: list[int] = []
        end = len(activation.function.code)
        for pc, op in enumerate(activation.function.code):
            starts.append(len(self.code))
            if pc in calls:
                if op.guard is not None:
                    unless = replace(op.guard, negated=not op.guard.negated)
                    own.append(self.append(branch(moved(unless, activation), pc + 1, op), activation, pc))
                if calls_by_address(op):
                    self.call_by_address(activation, pc, op)
                else:
                    self.call(activation, pc, op, *called(self.program, op))
            elif control(op) == "return" and activation.caller is not None:
                if op.guard is not None or pc + 1 < end:
                    own.append(self.append(branch(moved(op.guard, activation), end, op), activation, pc))
            else:
                own.append(self.append(moved_op(op, activation), activation, pc))
        starts.append(len(self.code))
        for i in own:
            self.code[i] = retarget(self.code[i], starts)
        return starts

    def call_by_address(self, outer: Activation, pc: int, op: Op) -> None:
        """A call of one function after the other, each for the lanes that have its address. Before them the call
        remains for lanes that have none of these addresses, which is a fault."""
        address, chosen, done = moved(CallSite(op).target, outer), list[tuple[Function, Reg]](), list[int]()
        known: Reg | None = None
        for callee in called(self.program, op):
            ops, is_callee, known = comparisons(self.registers, address, callee, known, op)
            for each in ops:
                self.append(each, outer, pc)
            chosen.append((callee, is_callee))
        self.append(branch(known, len(self.code) + 2, op), outer, pc)
        self.append(moved_op(with_callees(op, None, Targets()), outer), outer, pc)
        for callee, is_callee in chosen:
            skip = self.append(op, outer, pc)
            if callee.name in self.wanted:
                done.append(self.append(op, *self.call(outer, pc, op, callee)))
            else:
                self.append(moved_op(with_callees(op, FunctionName(callee.name), None), outer), outer, pc)
                done.append(self.append(op, outer, pc + 1))
            self.code[skip] = branch(replace(is_callee, negated=True), len(self.code), op)
        for place in done:
            self.code[place] = branch(None, len(self.code), op)

    def call(self, outer: Activation, pc: int, op: Op, callee: Function) -> Origin:
        """A copy of a function in the place of a call: its arguments, its code, its results; the call, if it is in such
        a copy. Returns what follows."""
        if any(one.function is callee for one in outer.chain()):
            self.recursive.add(self.append(moved_op(replace(op, guard=None), outer), outer, pc))
            return Origin(outer, pc + 1)
        if len(self.code) + len(callee.code) > MOST:
            raise UnsupportedByJit("calls of functions that wait or exit, too long to be inlined")
        site = CallSite(op)
        if len(site.arguments) > len(callee.parameters) or len(site.results) != len(callee.returns):
            raise UnsupportedByJit(f"a call of `{callee.name}` with arguments that do not match its parameters")
        inner = self.begin(callee, outer, pc)
        for given, formal in zip(site.arguments, callee.parameters, strict=False):
            self.transfer(moved(given, outer), moved(operand_of(formal), inner), op, inner, ARGUMENTS)
        self.add(inner)
        for formal, wanted in zip(callee.returns, site.results, strict=True):
            self.transfer(moved(operand_of(formal), inner), moved(wanted, outer), op, inner, len(callee.code))
        return Origin(inner, len(callee.code))

    def transfer(self, given: Operand, wanted: Operand, call: Op, activation: Activation, pc: int) -> None:
        """Passes an argument or a result, as `transfer` of the interpreter's calls does."""
        match given, wanted:
            case _, Sink():
                return
            case Symbol(), Symbol() if in_frame(given):
                self.copy(given, wanted, call, activation, pc)
                return
            case Symbol(), Reg() if in_frame(given) and 8 * given.variable.size <= wanted.width:
                made = access(ld, given.variable.size, wanted, given, 0, call)
            case Reg() | Imm(), Symbol() if given.width >= 8 * wanted.variable.size:
                made = access(st, wanted.variable.size, given, wanted, 0, call)
            case Reg(), Reg() if given.width == wanted.width:
                made = instruction(mov, (f"b{wanted.width}",), {"d": wanted, "a": given}, call)
            case Imm(), Reg():
                made = instruction(mov, (f"b{wanted.width}",), {"d": wanted, "a": given}, call)
            case _:
                made = None
        if made is None:
            raise UnsupportedByJit(f"arguments or results of `{call.one_line}`, in a call that would be inlined")
        self.append(made, activation, pc)

    def copy(self, given: Symbol, wanted: Symbol, call: Op, activation: Activation, pc: int) -> None:
        """Copies a parameter variable, in pieces to which both are aligned."""
        size, at = min(given.variable.size, wanted.variable.size), 0
        if size > MOST_COPIED:
            raise UnsupportedByJit(f"a parameter of {size} bytes, in a call that would be inlined")
        while at < size:
            places = given.variable.offset + at, wanted.variable.offset + at
            step = next(n for n in (8, 4, 2, 1) if at + n <= size and not any(place % n for place in places))
            held = temporary(self.registers, 8 * step)
            for op in (access(ld, step, held, given, at, call), access(st, step, held, wanted, at, call)):
                assert op is not None
                self.append(op, activation, pc)
            at += step


def check_carry(function: Function) -> None:
    """Raises UnsupportedByJit if an instruction may read a carry from another block, where a copy that shares the
    kernel's carry may have changed it."""
    goals, known = branch_targets(function), False
    for pc, op in enumerate(function.code):
        of = places(op.form)
        known = known and pc not in goals
        if of.reads_carry and not known:
            raise UnsupportedByJit("a carry from another block, in a kernel whose calls would be inlined")
        known = control(op) is None and (known or (of.writes_carry and op.guard is None))
