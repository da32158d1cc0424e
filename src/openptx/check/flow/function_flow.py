"""Findings about the control flow of a function: divergent barriers, reads of unwritten registers, a missing `ret`."""

from __future__ import annotations

from collections.abc import Iterable

from openptx.check.flow.barrier_divergence import divergent
from openptx.check.flow.cfg import ControlFlowGraph
from openptx.check.flow.reads_writes import ends
from openptx.check.function_findings import FunctionFindings
from openptx.diagnostics import Diagnostic, Label
from openptx.source import Span
from openptx.syntax.tree import Function, Instruction, Statement

_LIMITS = ("reqntid", "maxntid")


def barriers(graph: ControlFlowGraph, function: Function, findings: FunctionFindings) -> None:
    """Barriers that only a part of a warp reaches. A block of one thread has none."""
    limits = (directive.values for directive in function.directives if directive.name in _LIMITS)
    if any(values and values[0].value == 1 for values in limits):
        return
    for barrier, guarded in divergent(graph):
        guard = guarded.instruction.guard_span
        findings.add(
            "divergent-barrier", f"only some threads of a warp reach `{barrier.instruction.opcode}`",
            barrier.instruction.opcode_span, "all must arrive together",
            labels=() if guarded is barrier else (Label(guard, "this differs between the threads of a warp"),),
            rule="PTX ISA, bar and barrier (9.7.13.1): .aligned",
            help="move it to where all threads of the warp reach it",
        )  # fmt: skip


def unwritten(graph: ControlFlowGraph, function: Function, findings: FunctionFindings) -> None:
    """Reports the registers that are read although no path writes them, among those that the graph records."""
    for name in graph.first_reads():
        findings.collect(_unwritten(name.text, function, name.span))


def report_flow(
    unwritten: Iterable[tuple[str, int]], falls_through: bool, function: Function, findings: FunctionFindings
) -> None:  # fmt: skip
    """Reports findings on a body without building its graph: registers that nothing writes, each with the position of
    its first read, and whether its end is reached."""
    for name, place in unwritten:
        findings.collect(_unwritten(name, function, (place, place + len(name))))
    if falls_through:
        _fall_through(function, findings)


def _unwritten(name: str, function: Function, span: Span) -> Diagnostic:
    return Diagnostic(
        "uninitialized-register", f"`{name}` is read, but no path to this read writes it", function.file, span,
        "undefined",
        rule="PTX ISA, Register State Space (5.1.1)",
    )  # fmt: skip


def missing_return(function: Function, last: Statement | None, findings: FunctionFindings) -> None:
    """A body whose last statement does not end control flow.

    Only compilers write bodies of `.weak` functions: those that C++ declares unreachable end without a `ret`.
    """
    ended = isinstance(last, Instruction) and ends(last.mnemonic) and not last.guarded
    if not ended:
        _fall_through(function, findings)


def _fall_through(function: Function, findings: FunctionFindings) -> None:
    if function.body is None or function.linkage == "weak":
        return
    close = function.body[1]
    findings.add(
        "fall-through", f"the end of `{function.name.text}` is reached without `ret`",
        (close, min(close + 1, len(function.file.text))), "execution continues past this",
        help="end it with `ret;`",
    )  # fmt: skip
