"""How true the instructions of a program are: what a kernel and the functions that it may call use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from openptx.isa.fidelity import EXACT, UNSUPPORTED, Fidelity
from openptx.program import Function, Program


@dataclass(frozen=True, slots=True)
class Used:
    """One opcode of a program, how often its text has it, and how true its results are."""

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


def fidelity(program: Program, names: Iterable[str]) -> list[Used]:
    """Every opcode that the functions use, the least true first."""
    counts: dict[str, int] = {}
    found: dict[str, Fidelity] = {}
    for function in reachable(program, names):
        for op in function.code:
            opcode = str(op.m)
            counts[opcode] = counts.get(opcode, 0) + 1
            instruction = op.form.instruction
            found[opcode] = EXACT if instruction.control is not None else instruction.fidelity(op.m)
            if instruction.meaning is None and instruction.control is None:
                found[opcode] = UNSUPPORTED
    order = ("unsupported", "modelled", "bounded", "exact")
    used = [Used(opcode, counts[opcode], each) for opcode, each in found.items()]
    return sorted(used, key=lambda u: (order.index(u.fidelity.kind), u.opcode))
