"""Places in the code: the arguments of `break`, and the positions of instructions."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.call_graph import reachable_functions
from openptx.control_flow import control
from openptx.debug.inlining import Calls, Inlining
from openptx.errors import InputError
from openptx.keywords import did_you_mean
from openptx.line_table import LineTable
from openptx.program import Function, Op, Program
from openptx.runtime.cxx_names import qualified, spelled

Place = tuple[str, int]
"""A function's name and a position in its code."""


class Places:
    """The code that a kernel may execute, by lines, labels and functions."""

    def __init__(self, program: Program, kernel: str) -> None:
        self.program = program
        self.file = program.file
        self.table = LineTable(program.file)
        self.inlining = Inlining(self.table, program.kernels)
        self.functions: dict[str, Function] = {f.name: f for f in reachable_functions(program, kernel)}

    def row(self, op: Op) -> int:
        """The row of the PTX."""
        return self.file.location(op.span[0])[0]

    def source(self, op: Op) -> tuple[str, int] | None:
        """The source line of the innermost call; None without `.loc`."""
        chain = self.table.of(op)
        return (chain[0][0], chain[0][1]) if chain else None

    def line(self, op: Op) -> tuple[str, int]:
        """The unit of a step by line: a line of the source, or of the PTX."""
        return self.source(op) or (self.file.name, self.row(op))

    def inlined(self, op: Op | None) -> Calls:
        """The inlined calls that an instruction is in, innermost first."""
        return self.inlining.calls(op) if op is not None else ()

    def find(self, text: str, current: Function | None = None) -> tuple[Place, ...]:
        """The places that a text names: `12`, `kernel.cu:12`, a label, `function:label`, a function.

        Raises InputError for a text that names none.
        """
        text = text.strip()
        if re.fullmatch(r"\d+", text):
            return self.of_row(int(text))
        name, colon, rest = text.rpartition(":")
        if colon and rest.isdecimal():
            return self.of_source(name, int(rest))
        if colon and name in self.functions:
            return self.of_label(rest, [self.functions[name]])
        if named := self.of_function(text):
            return named
        first = [current] if current is not None else []
        return self.of_label(text, [*first, *(f for f in self.functions.values() if f is not current)])

    def of_function(self, text: str) -> tuple[Place, ...]:
        """Where functions of a name begin: in the PTX, and in code that they were inlined into."""
        inlined = self.inlined_functions()
        exact = text in self.functions or text in inlined
        names = {text} if exact else {*spelled(text, self.functions), *spelled(text, inlined)}
        found = [(name, self.begin(name)) for name in self.functions if name in names]
        if inlined & names:
            for name, function in self.functions.items():
                found += [(name, pc) for pc in self.inlining.entries(function.code, names)]
        return tuple(found)

    def inlined_functions(self) -> set[str]:
        """The names of functions that were inlined."""
        return {call.function for _, _, op in self.code() for call in self.inlined(op)} - {""}

    def begin(self, name: str) -> int:
        """Where a function begins; in code for debugging, after the loads of its parameters, whose `.loc` has no
        column. Raises InputError for a function without instructions."""
        code = self.functions[name].code
        if not code:
            raise InputError(f"function `{name}` has no instructions")
        for pc, op in enumerate(code if self.program.debug else ()):
            chain = self.table.of(op)
            if chain and chain[0][2]:
                return pc
            if control(op):
                break
        return 0

    def of_row(self, row: int) -> tuple[Place, ...]:
        """The first instruction on a row of the PTX, or on the next row that has one. Raises InputError if there is
        none."""
        if not 1 <= row <= len(self.file.starts):
            raise InputError(f"{self.file.name} has {len(self.file.starts)} lines, not {row}")
        rows = sorted((self.row(op), name, pc) for name, pc, op in self.code())
        later = [entry for entry in rows if entry[0] >= row]
        if not later:
            raise InputError(f"{self.file.name}: no instruction on line {row} or after it")
        return (later[0][1:],)

    def of_source(self, file: str, line: int) -> tuple[Place, ...]:
        """The places where code of a source line begins; of a row, if the file is the PTX. Raises InputError if there
        are none, or if the file has no debug information."""
        if file in (self.file.name, self.file.name.rpartition("/")[2]):
            return self.of_row(line)
        if not self.table.names:
            raise InputError(f"{self.file.name} has no debug information (`.file` and `.loc`): compile with -lineinfo")
        found = list[Place]()
        inside = False
        for name, pc, op in self.code():
            on = any(line == at and file in (of, of.rpartition("/")[2]) for of, at, _ in self.table.of(op))
            if on and not (inside and pc):
                found.append((name, pc))
            inside = on
        if not found:
            raise InputError(f"no instruction of {file}:{line}; the sources are {', '.join(self.table.names.values())}")
        return tuple(found)

    def of_label(self, label: str, functions: list[Function]) -> tuple[Place, ...]:
        """A label, in the first of the functions that has it. Raises InputError for an unknown name."""
        for function in functions:
            pc = function.labels.get(label)
            if pc is not None and pc < len(function.code):
                return ((function.name, pc),)
        known = {*self.functions, *self.inlined_functions()}
        names = [*known, *map(qualified, known), *(label for f in functions for label in f.labels)]
        raise InputError(f"no line, label or function `{label}`{did_you_mean(label, names)}")

    def code(self) -> Iterator[tuple[str, int, Op]]:
        """All instructions."""
        for name, function in self.functions.items():
            for pc, op in enumerate(function.code):
                yield name, pc, op

    def describe(self, place: Place, outward: int = 0) -> str:
        """`scale, line 12`, by the function's name in the program that the PTX was made from; `outward` is the number
        of inlined calls to leave."""
        name, pc = place
        op = self.functions[name].code[pc]
        calls = self.inlined(op)[outward:]
        chain = self.table.of(op)[outward:]
        inlined = f"{qualified(calls[0].function) or 'a function'} inlined in " if calls else ""
        source = f" ({chain[0][0]}:{chain[0][1]})" if chain else ""
        return f"{inlined}{qualified(name)}, line {self.row(op)}{source}"
