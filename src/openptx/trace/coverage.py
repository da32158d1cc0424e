"""Coverage of a test run: the lines and branches that launches executed, as in lcov's tracefiles."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from openptx.control_flow import targets
from openptx.engines.interp import lane_sets
from openptx.errors import Unsupported
from openptx.line_table import LineTable
from openptx.program import Function, Op, Program, Target
from openptx.runtime import Kernel
from openptx.trace.observer import Observer, run_observed


class Counts(Observer):
    """Counts the threads that execute each instruction, and the outcomes of its branches."""

    def __init__(self) -> None:
        super().__init__()
        self.threads: dict[Op, int] = {}
        self.taken: dict[Op, dict[int, int]] = {}

    def executes(self, pc: int, op: Op, lanes: lane_sets.Lanes) -> None:
        n = self.batch.x.n
        count = lane_sets.size(lanes, n)
        self.threads[op] = self.threads.get(op, 0) + count
        control = op.form.instruction.control
        if control == "branch" and op.guard is not None:
            p = np.broadcast_to(lane_sets.take(self.batch.frame_running.regs[op.guard.index], lanes), count)
            holds = int(np.count_nonzero(p))
            yes = count - holds if op.guard.negated else holds
            self.note(op, {0: yes, 1: count - yes})
        elif control == "branch-table":
            frame = self.batch.frame_running
            index = frame.plan.source(op.operands[0], op.types[0])(self.batch.x, frame.regs, lanes)
            found, counts = np.unique(np.broadcast_to(index.v, count), return_counts=True)
            self.note(op, dict(zip(found.tolist(), counts.tolist(), strict=True)))

    def note(self, op: Op, outcomes: dict[int, int]) -> None:
        """Adds threads by outcome of a branch: for a condition 0 if it is taken, for a table the index."""
        counts = self.taken.setdefault(op, {})
        for outcome, threads in outcomes.items():
            counts[outcome] = counts.get(outcome, 0) + threads


@dataclass(slots=True)
class FileCoverage:
    """The coverage of one file: threads by line; for each branch, by line, its index in the line and its outcome; and
    functions by name, with their line and the threads that entered them."""

    lines: dict[int, int] = field(default_factory=dict[int, int])
    branches: dict[tuple[int, int, int], int] = field(default_factory=dict[tuple[int, int, int], int])
    functions: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def add_line(self, line: int, threads: int) -> None:
        self.lines[line] = self.lines.get(line, 0) + threads


class Coverage:
    """What the launches of a test run covered, by file: the PTX, and the sources that `.loc` names.

    Functions whose name begins with `ignored` are excluded.
    """

    def __init__(self, ignored: str | None = None) -> None:
        self.ignored = ignored
        self.files: dict[str, FileCoverage] = {}

    def launch(self, kernel: Kernel, grid: Any, block: Any, args: Iterable[object], **options: Any) -> None:
        """Launches a kernel on the reference engine, as `kernel(grid, block, args, ...)`, and counts.

        The launch options `engine` and `sanitize` are accepted and ignored.
        """
        counts = Counts()
        prepared = kernel.prepare(grid, block, args, options.get("shared_mem", 0), options.get("cluster"))
        try:
            run_observed(prepared, counts, options.get("timeout"), options.get("max_instructions"))
        finally:
            self.add(kernel.module.program, counts)

    def add(self, program: Program, counts: Counts) -> None:
        """Adds the execution counts of one launch; functions of the module that it did not execute with 0."""
        places = LineTable(program.file)
        for function in functions_of(program):
            if self.ignored is not None and function.name.startswith(self.ignored):
                continue
            ptx = self.file(program.file.name)
            row = program.file.location(function.span[0])[0]
            entered = counts.threads.get(function.code[0], 0) if function.code else 0
            before = ptx.functions.get(function.name, (row, 0))[1]
            ptx.functions[function.name] = row, before + entered
            self.add_code(program, places, function, counts)

    def add_code(self, program: Program, places: LineTable, function: Function, counts: Counts) -> None:
        """The instructions of one function. A line counts as often as its most frequent instruction."""
        lines: dict[tuple[str, int], int] = {}
        seen: dict[tuple[str, int], int] = {}
        for op in function.code:
            threads = counts.threads.get(op, 0)
            position = (program.file.name, program.file.location(op.span[0])[0])
            for file, line in (position, *((file, line) for file, line, _ in places.of(op))):
                lines[file, line] = max(lines.get((file, line), 0), threads)
            outcomes = outcomes_of(op)
            if outcomes:
                number = seen[position] = seen.get(position, -1) + 1
                taken = counts.taken.get(op, {})
                branches = self.file(position[0]).branches
                for outcome in range(outcomes):
                    key = position[1], number, outcome
                    branches[key] = branches.get(key, 0) + taken.get(outcome, 0)
        for (file, line), threads in lines.items():
            self.file(file).add_line(line, threads)

    def file(self, name: str) -> FileCoverage:
        return self.files.setdefault(name, FileCoverage())

    def lcov(self) -> str:
        """The text of a tracefile for lcov, genhtml and compatible tools (geninfo(1))."""
        return "".join(f"{line}\n" for name in sorted(self.files) for line in of_file(name, self.files[name]))

    def summary(self) -> str:
        """`lines 12 of 14, branches 3 of 4`, of the PTX and of sources."""
        lines = [count for file in self.files.values() for count in file.lines.values()]
        branches = [count for file in self.files.values() for count in file.branches.values()]
        return f"lines {hit(lines)} of {len(lines)}, branches {hit(branches)} of {len(branches)}"


def functions_of(program: Program) -> Iterator[Function]:
    """The kernels and functions that a module defines, except those that cannot be lowered, which no launch runs."""
    for name in (*program.kernels, *program.functions):
        try:
            function = program.function(name)
        except Unsupported:
            continue
        yield function


def outcomes_of(op: Op) -> int:
    """The number of outcomes of an instruction with several successors."""
    control = op.form.instruction.control
    if control == "branch":
        return 2 if op.guard is not None else 0
    if control == "branch-table" and not any(isinstance(operand, Target) for operand in op.operands):
        return len(list(targets(op)))
    return 0


def hit(counts: list[int]) -> int:
    return sum(count > 0 for count in counts)


def of_file(name: str, file: FileCoverage) -> Iterator[str]:
    """The lines of one file's record: functions, branches, lines, and the totals of each."""
    yield "TN:"
    yield f"SF:{os.path.abspath(name) if os.path.exists(name) else name}"
    for function, (line, _) in file.functions.items():
        yield f"FN:{line},{function}"
    for function, (_, threads) in file.functions.items():
        yield f"FNDA:{threads},{function}"
    yield f"FNF:{len(file.functions)}"
    yield f"FNH:{hit([threads for _, threads in file.functions.values()])}"
    executed = {line for line, threads in file.lines.items() if threads}
    for (line, branch, outcome), count in sorted(file.branches.items()):
        yield f"BRDA:{line},{branch},{outcome},{count if line in executed else '-'}"
    yield f"BRF:{len(file.branches)}"
    yield f"BRH:{hit([*file.branches.values()])}"
    for line, threads in sorted(file.lines.items()):
        yield f"DA:{line},{threads}"
    yield f"LF:{len(file.lines)}"
    yield f"LH:{len(executed)}"
    yield "end_of_record"
