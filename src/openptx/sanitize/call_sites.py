"""Source positions of statements, with the calls that led there: code without inlining (-G) calls functions of
headers."""

from __future__ import annotations

import re

from openptx.device.shared_layout import reachable_functions
from openptx.engines.common.call_site import CallSite
from openptx.line_table import LineTable, Place
from openptx.program import Function, FunctionName, Op, Program
from openptx.sanitize.executing import Executing

LIBRARY = re.compile(r"(?:^|/)include/|^__nv_nvrtc")
"""Paths of headers that come with a compiler, which are not the cause of an error."""


class CallSites:
    """The source positions of a kernel's statements; of statements in headers, those of the calls too."""

    def __init__(self, program: Program, kernel: str, places: LineTable, executing: Executing) -> None:
        self.places, self.executing = places, executing
        self._program, self._kernel = program, kernel
        self._functions: dict[Op, Function] | None = None
        self._calls: dict[str, list[Op]] = {}

    def place(self, op: Op) -> tuple[Place, ...]:
        """The positions of a statement and of inlined calls, innermost first, as `LineTable.of`. For a statement in a
        header, the calls that led there follow, up to the first one outside of headers."""
        chain = self.places.of(op)
        if not self.places.starts or not in_library(chain):
            return chain
        for call in self.leading_to(op):
            outer = self.places.of(call)
            chain = (*chain, *outer)
            if not in_library(outer):
                return chain
        return self.places.of(op)

    def leading_to(self, op: Op) -> list[Op]:
        """The calls that led to a statement, innermost first: those of the executing activation, else a function's only
        call."""
        functions = self.functions()
        found, function = list[Op](), functions.get(op)
        frame = getattr(self.executing, "frame", None)
        while function is not None:
            if frame is not None and frame.plan.function is function:
                call, frame = frame.call, frame.parent
            else:
                calls, frame = self._calls.get(function.name, []), None
                call = calls[0] if len(calls) == 1 else None
            if call is None or call in found:
                break
            found.append(call)
            function = functions.get(call)
        return found

    def functions(self) -> dict[Op, Function]:
        """The function of each instruction that the kernel may execute. The first call also finds all calls."""
        if self._functions is None:
            reachable = reachable_functions(self._program, self._kernel)
            self._functions = {op: function for function in reachable for op in function.code}
            for op in self._functions:
                if op.form.instruction.control == "call" and isinstance(name := CallSite(op).target, FunctionName):
                    self._calls.setdefault(name.name, []).append(op)
        return self._functions


def in_library(chain: tuple[Place, ...]) -> bool:
    return not chain or bool(LIBRARY.search(chain[-1][0]))
