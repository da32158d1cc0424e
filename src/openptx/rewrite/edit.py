"""Edits a function's code: replaces, removes and inserts instructions, and keeps branch targets and labels correct."""

from __future__ import annotations

from dataclasses import replace

from openptx.control_flow import retarget
from openptx.program import Function, Op


class Edit:
    """Changes to a function, which itself is not modified; `finish` creates the new one."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.code: list[Op | None] = list(function.code)
        self.registers = list(function.registers)
        self.before: dict[int, list[Op]] = {}

    def insert(self, position: int, op: Op) -> None:
        """Inserts an instruction before a position of the old code, after earlier insertions there."""
        self.before.setdefault(position, []).append(op)

    def finish(self) -> Function:
        """The function with all changes."""
        places: list[int] = []
        code: list[Op] = []
        for position, op in enumerate(self.code):
            places.append(len(code))
            code += self.before.get(position, ())
            if op is not None:
                code.append(op)
        places.append(len(code))
        return replace(
            self.function,
            registers=tuple(self.registers),
            code=tuple(retarget(op, places) for op in code),
            labels={name: places[pc] for name, pc in self.function.labels.items()},
            rolled=frozenset(places[pc] for pc in self.function.rolled),
        )
