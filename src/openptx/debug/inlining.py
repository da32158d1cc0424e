"""Inlined calls: those that an instruction is in, and where the code of a function begins that was inlined."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from typing import NamedTuple

from openptx.line_table import LineTable, Place
from openptx.program import Op

_DEF = re.compile(r"([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)")


class InlinedCall(NamedTuple):
    """A call that was inlined: the function, and the place of the call."""

    function: str
    place: Place


Calls = tuple[InlinedCall, ...]
"""Calls in each other, innermost first."""


class Inlining:
    """The inlined calls of a program with these kernels."""

    def __init__(self, table: LineTable, kernels: Container[str]) -> None:
        self.table, self.kernels = table, kernels
        self._calls: dict[Op, Calls] = {}

    def calls(self, op: Op) -> Calls:
        """The inlined calls that an instruction is in."""
        found = self._calls.get(op)
        if found is None:
            functions, chain = self.table.functions(op), self.table.of(op)
            named = [self._named(name, within) for name, within in zip(functions, chain, strict=False)]
            found = self._calls[op] = tuple(map(InlinedCall, named, chain[1:]))
        return found

    def _named(self, function: str, within: Place) -> str:
        """The function that a place is in. Triton names the kernel, which is inlined nowhere: then the function of the
        Python source, if that exists."""
        if function not in self.kernels:
            return function
        lines = self.table.lines(within[0])[: within[1]]
        if not lines or not within[0].endswith(".py"):
            return ""
        inner = len(lines[-1]) - len(lines[-1].lstrip())
        defined = [found for line in reversed(lines) if (found := _DEF.match(line))]
        return next((found[2] for found in defined if found.string is lines[-1] or len(found[1]) < inner), "")

    def entries(self, code: Iterable[Op], functions: Container[str]) -> list[int]:
        """The positions in code where inlined calls of functions begin.

        A call whose code the compiler has mixed with other code begins where its first line does, again for each copy
        in an unrolled loop.
        """
        found, before, first = list[int](), set[Calls](), dict[Calls, tuple[str, int]]()
        for pc, op in enumerate(code):
            calls, chain = self.calls(op), self.table.of(op)
            now = {calls[i:]: chain[i][:2] for i, call in enumerate(calls) if call.function in functions}
            begun = [call for call, line in now.items() if call not in before and first.setdefault(call, line) == line]
            if begun:
                found.append(pc)
            before = set(now)
        return found
