"""Creates findings from statements and threads, one for each cause."""

from __future__ import annotations

import re

from openptx.call_graph import reachable_functions
from openptx.engines.common.call_site import CallSite
from openptx.line_table import LineTable, Place, described
from openptx.program import Function, FunctionName, Op, Program
from openptx.sanitize.collector import Collector
from openptx.sanitize.executing import Executing
from openptx.sanitize.findings import Finding, Site
from openptx.sanitize.races.shadow import STATEMENT
from openptx.sanitize.races.teams import Teams

LIBRARY = re.compile(r"(?:^|/)include/|^__nv_nvrtc")
"""Paths of headers that come with a compiler, which are not the cause of an error."""


class CallSites:
    """The source positions of a kernel's statements; of statements in headers, whose functions code without inlining
    (-G) calls, those of the calls too."""

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

    def in_one_function(self, op: Op, other: Op) -> tuple[Op, Op]:
        """Two statements, or the calls that led to them, in the innermost function that has both; the statements if
        none has."""
        functions = self.functions()
        outward = {functions.get(each): each for each in reversed([other, *self.leading_to(other)])}
        for each in (op, *self.leading_to(op)):
            if functions.get(each) in outward:
                return each, outward[functions.get(each)]
        return op, other

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


class Reporter:
    """Findings of one launch of `kernel`. `ops` are its statements by their numbers, as shadow cells have them."""

    def __init__(self, program: Program, kernel: str, teams: Teams, collector: Collector, executing: Executing) -> None:
        self.kernel, self.teams, self.collector = kernel, teams, collector
        self.program, self.file = program, program.file
        self.places = LineTable(program.file)
        self.calls = CallSites(program, kernel, self.places, executing)
        self.ops: list[Op] = []
        self._numbers: dict[Op, int] = {}
        self._causes: dict[Op, object] = {}

    def statement(self, op: Op) -> int:
        """The index of a statement."""
        found = self._numbers.get(op)
        if found is None:
            found = self._numbers[op] = min(len(self.ops), STATEMENT)
            self.ops.append(op)
        return found

    def cause(self, op: Op) -> object:
        """The key by which findings are merged: an unrolled loop has several statements at one source position."""
        found = self._causes.get(op)
        if found is None:
            chain = self.places.of(op)
            found = self._causes[op] = (chain, op.form.instruction.name, str(op.m.values.get("space"))) if chain else op
        return found

    def site(self, op: Op, thread: int | None) -> Site:
        """A statement as a thread executed it; None for an asynchronous operation."""
        chain = self.calls.place(op)
        inlined = tuple(map(described, chain[:-1]))
        block, own = self.teams.place(thread) if thread is not None else (None, None)
        program = self.places.text(chain[-1]) if chain else None
        text = op.one_line
        place = chain[-1] if chain else (self.file.name, *self.file.location(op.span[0]))
        return Site(op.span, text, place[0], place[1], described(place), inlined, block, own, program or "")

    def report(
        self, key: object, code: str, message: str, op: Op, thread: int | None, *, other: Op | None = None,
        other_thread: int | None = None, other_label: str = "", notes: tuple[str, ...] = (), help: str | None = None,
    ) -> None:  # fmt: skip
        """Adds a finding, or counts another occurrence of a cause that is known by its `key`."""
        if not self.collector.count_if_known(key):
            self.add(
                key, code, message, op, thread,
                other=self.site(other, other_thread) if other is not None else None,
                other_label=other_label, notes=notes, help=help,
            )  # fmt: skip

    def add(
        self, key: object, code: str, message: str, op: Op, thread: int | None, *, kind: str = "", label: str = "",
        other: Site | None = None, other_label: str = "", notes: tuple[str, ...] = (), help: str | None = None,
    ) -> Finding:  # fmt: skip
        """Adds a finding of a cause that is not known. `kind` is given for faults alone: their codes have none."""
        finding = Finding(
            code, message, self.file, self.site(op, thread), kernel=self.kernel, kind=kind, label=label, other=other,
            other_label=other_label, notes=notes, help=help,
        )  # fmt: skip
        self.collector.add(key, finding)
        return finding
