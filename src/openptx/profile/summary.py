"""Makes a profile of what was recorded."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from openptx.line_table import LineTable
from openptx.profile.counters import Counters, total
from openptx.profile.findings import findings
from openptx.profile.flow import flow
from openptx.profile.occupancy import occupancy
from openptx.profile.report import Instruction, Line, Profile

if TYPE_CHECKING:
    from openptx.errors import Fault
    from openptx.profile.recorder import Recorder
    from openptx.profile.report import LaunchShape, Place
    from openptx.program import Function, Program


def summarize(
    program: Program,
    kernel: Function,
    recorder: Recorder,
    launch: LaunchShape,
    ended: str,
    fault: Fault | None,
    notes: tuple[str, ...],
) -> Profile:
    """The profile of a launch."""
    recorder.settle()
    table = LineTable(program.file)
    others = sorted(recorder.functions.keys() - {kernel}, key=lambda function: program.definitions[function.name])
    functions = [kernel, *others] if kernel in recorder.functions else others
    instructions = tuple(each for function in functions for each in of_function(program, function, recorder))
    lines = by_line(instructions, table)
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


def of_function(program: Program, function: Function, recorder: Recorder) -> list[Instruction]:
    """The instructions of a function, executed or not, in the order of the text."""
    live, counted = recorder.functions[function].live, recorder.ops
    return [
        Instruction(op, function.name, text, at, source, live.pressure.get(op, 0), counted.get(op) or Counters())
        for op, (text, at, source) in zip(function.code, written(program, function), strict=True)
    ]


@lru_cache(maxsize=64)
def written(program: Program, function: Function) -> list[tuple[str, Place, tuple[Place, ...]]]:
    """For each instruction, its text, its place, and its places in the source, innermost first."""
    table = LineTable(program.file)
    found: list[tuple[str, Place, tuple[Place, ...]]] = []
    for op in function.code:
        guard = (
            "" if op.guard is None else f"@{'!' if op.guard.negated else ''}{function.registers[op.guard.index].name} "
        )
        at = table.file.name, *table.file.location(op.span[0])
        found.append((guard + " ".join(op.text.split()), at, table.of(op)))
    return found


def by_line(instructions: tuple[Instruction, ...], table: LineTable) -> tuple[Line, ...]:
    """The lines that have instructions which were executed, by file and number."""
    groups: dict[tuple[str, int], list[Instruction]] = {}
    for each in instructions:
        if each.counters.warps:
            groups.setdefault(each.line, []).append(each)
    found: list[Line] = []
    for (file, number), some in sorted(groups.items()):
        text = table.text((file, number, 1)) if some[0].source else " ".join(one.text for one in some)
        counters = some[0].counters if len(some) == 1 else total(one.counters for one in some)
        found.append(Line(file, number, text, counters, tuple(some)))
    return tuple(found)
