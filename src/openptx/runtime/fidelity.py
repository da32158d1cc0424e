"""The fidelity of a program's instructions: those of a kernel and of the functions that it may call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from openptx.errors import Unsupported
from openptx.isa.fidelity import EXACT, UNSUPPORTED, Fidelity
from openptx.program import Function, Op, Program


@dataclass(frozen=True, slots=True)
class Used:
    """One opcode of a program, how often the text has it, and its fidelity."""

    opcode: str
    count: int
    fidelity: Fidelity

    def __str__(self) -> str:
        return f"{self.opcode}: {self.fidelity!r}, {self.count} times"


def reachable(program: Program, names: Iterable[str]) -> Iterator[Function]:
    """The functions, and those that they may call."""
    seen, waiting = set[str](), list(names)
    while waiting:
        name = waiting.pop()
        if name in seen or name not in (*program.kernels, *program.functions):
            continue
        seen.add(name)
        function = program.function(name)
        yield function
        waiting += function.callees


@lru_cache(maxsize=512)
def gap(function: Function) -> Op | None:
    """The first instruction of a function that can not be executed."""
    return next((op for op in function.code if fidelity_of(op) == UNSUPPORTED), None)


def require_meanings(program: Program, kernel: str) -> None:
    """Raises Unsupported if a kernel may execute an instruction without a meaning; nothing has been written then."""
    for function in reachable(program, (kernel,)):
        op = gap(function)
        if op is not None:
            raise Unsupported(str(op.m), file=program.file, span=op.span)


def fidelity_of(op: Op) -> Fidelity:
    """The fidelity of an instruction; control flow, which engines do themselves, is exact."""
    instruction = op.form.instruction
    if instruction.control is not None:
        return EXACT
    return UNSUPPORTED if instruction.meaning is None else instruction.fidelity(op.m)


def fidelity(program: Program, names: Iterable[str]) -> list[Used]:
    """Every opcode that the functions use, the least exact first."""
    counts: dict[str, int] = {}
    found: dict[str, Fidelity] = {}
    for function in reachable(program, names):
        for op in function.code:
            opcode = str(op.m)
            counts[opcode] = counts.get(opcode, 0) + 1
            found[opcode] = fidelity_of(op)
    order = ("unsupported", "modelled", "bounded", "exact")
    used = [Used(opcode, counts[opcode], each) for opcode, each in found.items()]
    return sorted(used, key=lambda u: (order.index(u.fidelity.kind), u.opcode))
