"""The call graph of a kernel: all functions that it may call, each with its facts, before any of them is emitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from openptx.engines.common.call_site import CallSite
from openptx.engines.interp.builtins import EXTERNALS
from openptx.engines.native.analysis.accesses import OF_CTA
from openptx.engines.native.analysis.context import FunctionContext
from openptx.engines.native.analysis.fixpoint import Facts, solve
from openptx.engines.native.analysis.possible_waits import OF_THREAD
from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.isa.memory_consistency import strong
from openptx.isa.types import TYPES
from openptx.program import Function, FunctionName, Program, Targets, Variable

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

    @property
    def stores(self) -> bool:
        """Whether memory that other threads can access is written."""
        return any(
            op.form.instruction.access in ("store", "update") and op.m.space not in OF_THREAD
            for op in self.c.function.code
        )

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
