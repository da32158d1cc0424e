"""The call graph of a kernel: all functions that it may call, each with its facts, before any of them is emitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from openptx.engines.common.call_site import CallSite
from openptx.engines.interp.builtins import EXTERNALS
from openptx.engines.native.analysis.accesses import OF_CTA
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts, solve
from openptx.engines.native.analysis.spin_loops import advances, is_of_cta, loops_with_calls, spins, waiting_loops
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.isa.memory_consistency import strong
from openptx.isa.types import TYPES
from openptx.program import Function, FunctionName, Program, Targets, Variable

WAITS = 1 << 12
"""What an iteration counts for in a loop that may be waiting; 1 if it most likely is not (`advances`)."""

FUTILE = WAITS << 11
"""The same in a loop that only threads can end which do not run meanwhile: those of the CTA, or all if there is one
worker. Few of them are needed: lanes of the warp may release each other, one in each."""

INDIRECT = 64
"""The maximum number of candidates of an indirect call."""


class FunctionFacts(NamedTuple):
    c: FunctionContext
    facts: Facts

    @property
    def touches_others(self) -> bool:
        """Whether atomics or strong loads of memory that other CTAs can access are among the operations."""
        return self.has_strong(self.facts.touches_others)

    @property
    def in_parts(self) -> bool:
        """Whether an instruction whose effect others see at once is executed in parts: by the interpreter, or as
        accesses of 64 bits."""
        moves = [op for op in self.c.function.code if op.form.instruction.access in ("load", "store")]
        wide = [op for op in moves if op.m.values.get("type") == TYPES["b128"] and strong(op.m)]
        return self.facts.interprets_globally or any(op.m.space not in OF_CTA for op in wide)

    def has_strong(self, touches: Mapping[int, str]) -> bool:
        """Whether atomics or strong loads are among these operations."""
        code = self.c.function.code
        return any(kind != "load" or strong(code[pc].m) for pc, kind in touches.items())


def call_graph(kernel: Function, context: Callable[[Function, int], FunctionContext]) -> list[FunctionFacts]:
    """The kernel and what it calls, in the order in which calls name them: their numbers.

    `context` creates the context of a function from its number. Raises UnsupportedByJit if only the interpreter can run
    one.
    """
    found: list[FunctionFacts] = []
    functions = [kernel]
    numbers = {kernel.name: 0}
    for function in functions:  # this list grows
        c = context(function, len(found))
        found.append(FunctionFacts(c, solve(c)))
        for callee in called_functions(*found[-1]):
            if callee.name not in numbers:
                numbers[callee.name] = len(functions)
                functions.append(callee)
    return found


def called_functions(c: FunctionContext, facts: Facts) -> Iterator[Function]:
    for pc in sorted(facts.calls):
        yield from callees(c.program, CallSite(c.function.code[pc]))


def callees(program: Program, site: CallSite) -> list[Function]:
    """The functions of the program that a call may reach; none for a system function. Raises UnsupportedByJit if they
    are not known, or are too many."""
    if isinstance(site.target, FunctionName):
        name = site.target.name
        if name not in program.functions:
            if name in EXTERNALS:
                return []
            raise UnsupportedByJit(f"`{name}`, which the module does not define")
        function = program.function(name)
        if not fits(function, site):
            raise UnsupportedByJit(f"a call of `{name}` with arguments that do not match its parameters")
        return [function]
    names = site.prototype.functions if isinstance(site.prototype, Targets) else program.address_taken
    found = [program.function(name) for name in names if name in program.functions]
    found = [function for function in found if fits(function, site)]
    if len(found) > INDIRECT:
        raise UnsupportedByJit("a call of one of too many functions")
    return found


def fits(function: Function, site: CallSite) -> bool:
    """Whether a call has as many arguments and results as a function; `.b8 rest[]` may get none."""
    last = function.parameters[-1] if function.parameters else None
    rest = isinstance(last, Variable) and last.shape == (0,)
    missing = len(function.parameters) - len(site.arguments)
    return 0 <= missing <= int(rest) and len(function.returns) == len(site.results)


def counted_loops(functions: list[FunctionFacts]) -> list[dict[int, int]]:
    """For each function the headers of loops whose iterations are counted, because they may be waiting for other
    threads, with the number of iterations that each one counts for.

    After many iterations the interpreter takes over, which is impossible within a call.
    """
    kernel, *others = functions
    calls_wait = any(f.has_strong(f.facts.touches) for f in others) and any(
        loops_with_calls(f.c.graph) for f in functions
    )
    if calls_wait and any(loops_with_calls(f.c.graph) for f in others):
        raise UnsupportedByJit("a loop with calls of functions that may wait for other threads, in a function")
    for f in others:
        for pc, _ in waiting_loops(f.c.graph, f.facts.touches):
            raise UnsupportedByJit(f"a loop that may wait for other threads, at `{f.c.function.code[pc].text}`")
    c = kernel.c
    touches = kernel.facts.touches
    waiting = [loop for _, loop in waiting_loops(c.graph, touches)]
    with_calls = loops_with_calls(c.graph) if calls_wait else []
    loops = waiting + with_calls
    steady = frozenset[int]().union(*with_calls, *(loop for loop in waiting if not advances(c.graph, touches, loop)))
    if c.options.deoptimize_after:
        return [dict.fromkeys(c.headers, 1), *({} for _ in others)]
    counted = {b: WAITS if b in steady else 1 for b in c.headers & frozenset[int]().union(*loops)}
    for loop in waiting:
        is_alone = not c.options.locked or is_of_cta(c.graph, touches, loop)
        if is_alone and spins(c.graph, touches, loop):
            counted[min(loop)] = FUTILE
    return [counted, *({} for _ in others)]
