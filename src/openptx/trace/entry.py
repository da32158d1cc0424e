"""`openptx.trace`: one launch on the reference engine, recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from typing import Any

from openptx.errors import ArgumentError, Fault, Triple, is_choice, require_kernel
from openptx.keywords import hints
from openptx.launch_options import OTHER_NAMES, is_count, require_count, require_options
from openptx.runtime import Kernel
from openptx.runtime.options import Extent, is_ordered
from openptx.trace.observer import run_observed
from openptx.trace.record import Trace
from openptx.trace.recorder import Recorder, TraceFilter
from openptx.trace.regions import regions

LIMIT = 100_000
"""The default limit of records: some 100 MB."""


@hints(**OTHER_NAMES)
def trace(
    kernel: Kernel, grid: Extent, block: Extent, args: Iterable[object] = (), *,
    threads: Sequence[Extent] | None = None, blocks: Sequence[Extent] | None = None,
    lines: Sequence[int | tuple[str, int]] | None = None, registers: Sequence[str] | None = None, limit: int = LIMIT,
    shared_mem: int = 0, cluster: Extent | None = None, timeout: float | None = None,
    max_instructions: int | None = None,
) -> Trace:  # fmt: skip
    """Runs a kernel on the reference engine and records every instruction that a warp executes: a `Trace`.

    `grid`, `block`, `args`, `shared_mem` (bytes), `cluster`, `timeout` (seconds) and `max_instructions` are as for a
    launch; arrays are written as by a launch. `threads` and `blocks` are positions, x first: only instructions that
    they execute are recorded, with only their lanes. `lines` are rows of the PTX, or ("kernel.cu", 12) for lines of its
    source; `registers` are names: only instructions on these lines that read or write one of these
    registers are recorded. After `limit` records the launch continues without being recorded, which `Trace.notes`
    reports.

    A fault of the kernel, a time limit too, ends the trace and is its `fault`. Raises ArgumentError and Unsupported
    like a launch, and ArgumentError for a register or a position that does not exist.
    """
    require_kernel(kernel)
    require_options(shared_mem, None, timeout, max_instructions, None)
    require_count("limit", limit)
    wanted = TraceFilter(
        positions("thread", threads), positions("block", blocks), lines_of(lines), known_registers(kernel, registers)
    )
    prepared = kernel.prepare(grid, block, args, shared_mem, cluster)
    within("thread", wanted.threads, prepared.block)
    within("block", wanted.blocks, prepared.grid)
    recorder = Recorder(kernel.module.program, wanted, limit)
    stopped = None
    try:
        run_observed(prepared, recorder, timeout, max_instructions)
    except Fault as fault:
        stopped = fault
    recorder.finish()
    left_out = recorder.left_out
    note = f"only the first {limit} records are kept, {left_out} are left out: choose threads, lines or a limit"
    touched = regions(prepared)
    return Trace(kernel.name, tuple(recorder.records), stopped, (note,) if left_out else (), touched)


def positions(what: str, values: Sequence[Extent] | None) -> frozenset[Triple] | None:
    """Positions as x, y, z, from 0. Raises ArgumentError for anything else."""
    if values is None:
        return None
    found = set[tuple[int, int, int]]()
    for position in as_list(f"{what}s", "positions", values):
        parts: tuple[Any, ...] = tuple(position) if is_ordered(position) else (position,)
        if not 1 <= len(parts) <= 3 or not all(is_count(part) and part >= 0 for part in parts):
            raise ArgumentError(f"a {what} is one to three numbers from 0, not {position!r}")
        x, y, z = (*parts, 0, 0)[:3]
        found.add((x, y, z))
    return frozenset(found)


def lines_of(values: Any) -> frozenset[int | tuple[str, int]] | None:
    """Rows of the PTX, and lines of source files. Raises ArgumentError for what is neither."""
    if values is None:
        return None
    found = set[int | tuple[str, int]]()
    for line in as_list("lines", "rows of the PTX", values):
        parts: tuple[Any, ...] = (line,) if is_count(line) else tuple(line) if is_ordered(line) else ()
        row, *file = parts[::-1] or (0,)
        if not is_count(row) or row < 1 or len(file) > 1 or not all(isinstance(name, str) for name in file):
            raise ArgumentError(f'a line is a row of the PTX from 1, or ("kernel.cu", 12) of its source, not {line!r}')
        found.add((file[0], int(row)) if file else int(row))
    return frozenset(found)


def as_list(option: str, what: str, values: Any) -> list[Any]:
    """The elements of an option that is a list, a set or an array of them. Raises ArgumentError if it is none."""
    if isinstance(values, Set) or is_ordered(values):
        return [*values]
    raise ArgumentError(f"`{option}` is a list of {what}: write `{option}=[{values!r}]`")


def within(what: str, wanted: frozenset[Triple] | None, size: Triple) -> None:
    """Raises ArgumentError for a position that does not exist."""
    for position in sorted(wanted or ()):
        if any(i >= n for i, n in zip(position, size, strict=True)):
            raise ArgumentError(f"no {what} {position}: there are {size[0]} x {size[1]} x {size[2]}")


def known_registers(kernel: Kernel, names: Sequence[str] | None) -> frozenset[str] | None:
    """The names. Raises ArgumentError unless functions that the kernel may call declare them."""
    if names is None:
        return None
    names = as_list("registers", "names", names)
    program = kernel.module.program
    functions = [kernel.function, *(program.function(name) for name in program.functions)]
    declared = {register.name for function in functions for register in function.registers}
    for name in names:
        if not is_choice(name, declared):
            raise ArgumentError(f"no register `{name}` in kernel `{kernel.name}` or a function of its module")
    return frozenset(names)
