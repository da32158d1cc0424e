"""Creates a profile from the recorded counters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from openptx.errors import Fault
from openptx.line_table import LineTable
from openptx.profile.counters import Counters, total
from openptx.profile.counting.recorder import Recorder
from openptx.profile.findings import findings
from openptx.profile.flow import flow
from openptx.profile.lines import Instruction, LaunchShape, Line, Statement
from openptx.profile.occupancy import occupancy
from openptx.profile.registers import live_registers
from openptx.profile.report import Profile
from openptx.program import Function, Program


def summarize(
    program: Program, kernel: Function, recorder: Recorder, launch: LaunchShape, ended: str, fault: Fault | None,
    notes: tuple[str, ...],
) -> Profile:  # fmt: skip
    """The profile of a launch."""
    recorder.settle()
    others = sorted(recorder.functions.keys() - {kernel}, key=lambda function: program.definitions[function.name])
    functions = (kernel, *others) if kernel in recorder.functions else tuple(others)
    counted = recorder.ops
    instructions = tuple(
        Instruction(s.op, s.function, s.text, s.at, s.source, s.live, counted.get(s.op) or Counters())
        for function in functions
        for s in statements(program, function)
    )
    lines = tuple(counted_lines(instructions, program, functions))
    return Profile(
        kernel=kernel.name,
        file=program.file.name,
        target=program.target,
        launch=launch,
        ended=ended,
        fault=fault,
        notes=notes,
        counters=total(each.counters for each in instructions),
        instructions=instructions,
        lines=lines,
        live=max((known.live.most for known in recorder.functions.values()), default=0),
        occupancy=occupancy(program.target, launch.threads, launch.static + launch.dynamic, kernel.directives),
        findings=findings(lines, launch),
        functions=tuple(
            flow(function, program.definitions[function.name], recorder.ops, recorder.taken) for function in functions
        ),
        ptx=program.file,
    )


@lru_cache(maxsize=64)
def statements(program: Program, function: Function) -> tuple[Statement, ...]:
    """The instructions of a function as written, in text order."""
    table, live = LineTable(program.file), live_registers(function)
    found: list[Statement] = []
    for op in function.code:
        guard = (
            "" if op.guard is None else f"@{'!' if op.guard.negated else ''}{function.registers[op.guard.index].name} "
        )
        at = table.file.name, *table.file.location(op.span[0])
        text = guard + op.one_line
        found.append(Statement(op, function.name, text, at, table.of(op), live.pressure.get(op, 0)))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class WrittenLine:
    """A line, and its instructions. `text` is from the PTX, None for lines of a source."""

    file: str
    number: int
    text: str | None
    instructions: tuple[int, ...]


@lru_cache(maxsize=64)
def written_lines(program: Program, functions: tuple[Function, ...]) -> tuple[WrittenLine, ...]:
    """The lines of some functions, by file and number."""
    groups: dict[tuple[str, int], list[int]] = {}
    every = [statement for function in functions for statement in statements(program, function)]
    for i, statement in enumerate(every):
        groups.setdefault(statement.line, []).append(i)
    return tuple(
        WrittenLine(
            file, number, None if every[numbers[0]].source else " ".join(every[i].text for i in numbers), tuple(numbers)
        )
        for (file, number), numbers in sorted(groups.items())
    )


def counted_lines(
    instructions: Sequence[Instruction], program: Program, functions: tuple[Function, ...]
) -> Iterator[Line]:
    """The lines that have executed instructions."""
    source = None
    for line in written_lines(program, functions):
        executed = tuple([each for i in line.instructions if (each := instructions[i]).counters.warps])
        if not executed:
            continue
        text = line.text
        if text is None:  # the file may have changed since the last profile
            source = source or LineTable(program.file)
            text = source.text((line.file, line.number, 1))
        counters = executed[0].counters if len(executed) == 1 else total(each.counters for each in executed)
        yield Line(line.file, line.number, text, counters, executed)
