"""The fidelity of a program's instructions: those of a kernel and of the functions that it may call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from openptx.call_graph import reachable_functions
from openptx.errors import Unsupported
from openptx.isa.fidelity import EXACT, UNSUPPORTED, Fidelity
from openptx.program import Function, Op, Program
from openptx.rewrite.rules import RULES


@dataclass(frozen=True, slots=True)
class Used:
    """One opcode of a program, its number of occurrences in the text, and its fidelity."""

    opcode: str
    count: int
    fidelity: Fidelity

    def __str__(self) -> str:
        return f"{self.opcode}: {self.fidelity!r}, {self.count} times"


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a program as it is executed, and its fidelity.

    `row` is its line in the file, from 1; `text` is as written. An instruction that ptxas makes from several statements
    (`rule`) is at the row of the last of them.
    """

    row: int
    text: str
    fidelity: Fidelity
    rule: str = ""

    def __str__(self) -> str:
        return f"{self.row}: {self.text}: {self.fidelity!r}"


@lru_cache(maxsize=512)
def gap(function: Function) -> Op | None:
    """The first instruction of a function that cannot be executed."""
    return next((op for op in function.code if fidelity_of(op) is UNSUPPORTED), None)


def require_meanings(program: Program, kernel: str) -> None:
    """Raises Unsupported if a kernel may execute an instruction without a meaning; memory is unchanged then."""
    for function in reachable_functions(program, kernel, launches=True):
        op = gap(function)
        if op is not None:
            raise Unsupported(str(op.m), file=program.file, span=op.span)


def fidelity_of(op: Op) -> Fidelity:
    """The fidelity of an instruction; control flow, which engines execute themselves, is exact."""
    instruction = op.form.instruction
    if instruction.control is not None:
        return EXACT
    own = UNSUPPORTED if instruction.meaning is None else instruction.fidelity(op.m)
    return RULES[op.rule] if op.rule and own is EXACT else own


def statements(program: Program, names: Iterable[str]) -> list[Statement]:
    """Every statement of the functions, in text order."""
    found = {
        (op.span, op.rule): Statement(program.file.location(op.span[0])[0], op.text, fidelity_of(op), op.rule)
        for function in reachable_functions(program, *names, launches=True)
        for op in function.code
    }
    return [found[key] for key in sorted(found)]


def fidelity(program: Program, names: Iterable[str]) -> list[Used]:
    """Every opcode that the functions use, the least exact first."""
    counts: dict[tuple[str, Fidelity], int] = {}
    for function in reachable_functions(program, *names, launches=True):
        for op in function.code:
            key = str(op.m), fidelity_of(op)
            counts[key] = counts.get(key, 0) + 1
    order = ("unsupported", "modelled", "bounded", "exact")
    used = [Used(opcode, count, each) for (opcode, each), count in counts.items()]
    return sorted(used, key=lambda u: (order.index(u.fidelity.kind), u.opcode))
