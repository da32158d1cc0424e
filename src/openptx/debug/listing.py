"""The texts that a session shows: the thread's position, code, threads, variables, memory. Each function returns
lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from openptx.debug.breakpoints import Breakpoint
from openptx.debug.formats import value_text
from openptx.debug.lanes import groups, lane_of
from openptx.debug.scope import Scope
from openptx.debug.session import Session
from openptx.debug.source_values import located, shown, visible
from openptx.engines.common.fault_text import ranges
from openptx.errors import InputError
from openptx.program import Variable
from openptx.runtime.cxx_names import qualified

AROUND = 5
"""Rows that `list` shows before and after a row."""
MOST = 200
"""Lines of a list of threads, warps or blocks."""
RANGES = 16
"""Ranges of threads that a line names."""


def row(session: Session) -> int:
    """The row of the PTX of the thread, in the selected call."""
    return session.places.row(session.frames()[session.level].op)


def thread_state(session: Session) -> str:
    """One or two lines: the thread, its place, its instruction."""
    name = session.name_of(session.thread)
    found = session.where(session.thread)
    if found is None:
        return f"{name} {session.state_of(session.thread)}"
    function, op = found.frame.plan.function.name, found.op
    state = f", {found.state}" if found.state.startswith("wait") else ""
    if op is None:
        return f"{name}, step {session.stop.step}{state}: the end of {qualified(function)}"
    at = session.places.describe((function, found.pc))
    line = f"{session.places.row(op):>6}  {instruction_text(session, found.pc, function)}"
    text = f"{name}, step {session.stop.step}{state}: {at}\n{line}"
    chain = session.places.table.of(op)
    source = session.places.table.text(chain[0]) if chain else None
    return f"{text}\n        {chain[0][0]}:{chain[0][1]}  {source}" if source else text


def instruction_text(session: Session, pc: int, function: str) -> str:
    """The row of an instruction as written."""
    op = session.places.functions[function].code[pc]
    return session.places.file.line(session.places.row(op)).strip()


def calls(session: Session) -> Iterator[str]:
    """The calls that the thread is in."""
    for level, (frame, pc, outward) in enumerate(session.frames()):
        name = frame.plan.function.name
        pc = min(pc, len(frame.plan.code) - 1)
        mark = ">" if level == session.level else " "
        text = f": {instruction_text(session, pc, name)}" if not outward else ""
        yield f"{mark} #{level} {session.places.describe((name, pc), outward)}{text}"


def listing(session: Session, middle: int | None) -> Iterator[str]:
    """Rows of the PTX around one, with the breakpoints and the thread's position marked. Raises InputError for a row
    beyond the file's."""
    file = session.places.file
    at = row(session) if session.stop.live and session.where(session.thread) else 0
    if middle is not None and not 1 <= middle <= len(file.starts):
        raise InputError(f"{file.name} has {len(file.starts)} lines, not {middle}")
    middle = middle or at or file.location(session.kernel.function.span[0])[0]
    stops = {
        session.places.row(session.places.functions[name].code[pc])
        for point in session.breakpoints.values()
        for name, pc in point.places
    }
    for number in range(max(middle - AROUND, 1), min(middle + AROUND, len(file.starts)) + 1):
        marks = f"{'>' if number == at else ' '}{'*' if number in stops else ' '}"
        yield f"{marks}{number:>5}  {file.line(number)}".rstrip()


def source_listing(session: Session, file: str, middle: int) -> Iterator[str]:
    """Lines of a source around one. Raises InputError if no `.file` names it, or it cannot be read."""
    table = session.places.table
    known = [name for name in table.names.values() if file in (name, name.rpartition("/")[2])]
    if not known:
        raise InputError(f"no source `{file}`; the sources are {', '.join(table.names.values()) or 'none'}")
    lines = table.lines(known[0])
    if not 0 < middle <= len(lines):
        raise InputError(f"{known[0]} has {len(lines)} lines" if lines else f"{known[0]} cannot be read")
    for number in range(max(middle - AROUND, 1), min(middle + AROUND, len(lines)) + 1):
        yield f"{number:>7}  {lines[number - 1]}".rstrip()


def names(session: Session) -> set[str]:
    """Candidates for completion."""
    found = {name for function in session.places.functions.values() for name in function.labels}
    found |= {*session.places.functions, *map(qualified, session.places.inlined_functions())}
    if session.stop.live and session.where(session.thread) is not None:
        scope = session.scope()
        found |= {register.name for register in scope.frame.plan.function.registers}
        found |= {variable.name for variable in scope.variables()}
    return found


def in_warp(session: Session, text: str, form: str) -> list[tuple[str, str]]:
    """The value of an expression in each thread of the warp, or the reason why it has none there. Raises InputError if
    it has none in any, for one reason."""
    before, threads = session.thread, session.numbering.block_threads
    first = before - before % threads % 32
    last = min(first + 32, first - first % threads + threads)
    found, reasons = list[tuple[str, str]](), set[str]()
    try:
        for session.thread in range(first, last):
            name, reason = f"thread {session.position(session.thread)[1]}", ""
            try:
                found.append((name, value_text(session.scope(), session.evaluate(text), form)))
            except InputError as error:
                reason = str(error)
                found.append((name, reason))
            reasons.add(reason)
    finally:
        session.thread = before
    if len(reasons) == 1 and (reason := reasons.pop()):
        raise InputError(reason)
    return found


# The output of `info`.


def breakpoints(session: Session) -> Iterator[str]:
    for point in (*session.breakpoints.values(), *session.watchpoints.values()):
        text = f"watch {point.text}"
        if isinstance(point, Breakpoint):
            thread = f" thread {point.thread}" if point.thread is not None else ""
            text = f"{'break' if point.log is None else 'dprintf'} {point.text}{thread}"
        condition = f" if {point.condition.text}" if point.condition else ""
        yield f"{point.number}: {text}{condition}, {point.hits} stops" + ("" if point.enabled else ", disabled")
        yield from (f"    {line}" for line in session.breakpoints.commands.get(point.number, ()))
    if not session.breakpoints and not session.watchpoints:
        yield "no breakpoints"


def registers(session: Session) -> Iterator[str]:
    scope = session.scope()
    for register in scope.frame.plan.function.registers:
        yield f"{register.name:<12} .{register.type.name:<6} {scope.register(register)}"


def variables(session: Session) -> Iterator[str]:
    yield from source_variables(session.scope())
    yield from describe_variables(session.scope(), [v for v in session.scope().variables() if v.space != "param"])


def source_variables(scope: Scope) -> Iterator[str]:
    """Variables of the program that the PTX was made from, if it was compiled for debugging."""
    for variable in visible(scope):
        try:
            yield f"{variable.name} = {shown(scope, located(scope, variable))}"
        except InputError as error:
            yield f"{variable.name}: {error}"


def params(session: Session) -> Iterator[str]:
    yield from describe_variables(
        session.scope(), [v for v in session.scope().variables() if v.space in ("param", "frame")]
    )


def describe_variables(scope: Scope, variables: list[Variable]) -> Iterator[str]:
    """Variables with their first elements."""
    for variable in variables:
        try:
            array = scope.array(variable)
            values = ", ".join(map(str, scope.elements(array, 8)))
        except InputError as error:
            yield f"{variable.name}: {error}"
            continue
        more = ", ..." if array.count > 8 else ""
        count = f"[{array.count}]" if array.count != 1 else ""
        yield f".{array.space} .{array.type.name} {variable.name}{count} at 0x{array.address:x} = {{{values}{more}}}"


def threads(session: Session) -> Iterator[str]:
    """Groups of threads of the block with the same position."""
    batch = session.batch_of(session.thread)
    if batch is None:
        yield f"block {session.position(session.thread)[0]} {session.state_of(session.thread)}"
        return
    geometry = batch.x.geometry
    cta = lane_of(session.thread, batch) // geometry.threads
    for group in groups(session.observer, batch):
        lanes = group.lanes[geometry.cta[group.lanes] == cta]
        if lanes.size:
            function = group.frame.plan.function.name
            at = (
                session.places.describe((function, group.pc))
                if group.op is not None
                else f"the end of {qualified(function)}"
            )
            yield f"{group.state:<10} {at}: threads {ranges(geometry.thread[lanes].tolist(), RANGES)}"
    mine = slice(cta * geometry.threads, (cta + 1) * geometry.threads)
    gone = np.flatnonzero(~batch.alive[mine]).tolist()
    if gone:
        yield f"has ended  threads {ranges(gone, RANGES)}"


def warps(session: Session) -> Iterator[str]:
    """The warps of the block: where their lanes are."""
    batch = session.batch_of(session.thread)
    if batch is None:
        yield f"block {session.position(session.thread)[0]} {session.state_of(session.thread)}"
        return
    geometry = batch.x.geometry
    cta = lane_of(session.thread, batch) // geometry.threads
    found = [*groups(session.observer, batch)]
    for warp in range(geometry.warps_per_cta):
        number = cta * geometry.warps_per_cta + warp
        places: list[str] = []
        for group in found:
            lanes = group.lanes[geometry.warp[group.lanes] == number]
            if lanes.size:
                mask = sum(1 << lane for lane in geometry.lane[lanes].tolist())
                function = group.frame.plan.function.name
                line = session.places.row(group.op) if group.op is not None else "end"
                places.append(f"{mask:08x} at {qualified(function)}:{line} {group.state}")
        yield f"warp {warp}: {'; '.join(places) or 'has ended'}"


def blocks(session: Session) -> Iterator[str]:
    """For each block, the number of its threads that have not exited."""
    if not session.stop.live:
        yield "all blocks have ended"
        return
    shown = 0
    for batch in session.observer.batches:
        geometry = batch.x.geometry
        for i in range(geometry.count):
            if shown >= MOST:
                yield f"and more: {session.numbering.blocks} in all"
                return
            shown += 1
            alive = int(np.count_nonzero(batch.alive[i * geometry.threads : (i + 1) * geometry.threads]))
            yield f"block {geometry.block_of(i * geometry.threads)}: {alive} of {geometry.threads} threads run"
    rest = session.numbering.blocks - shown
    if rest:
        yield f"{rest} blocks have not begun"


def step(session: Session) -> Iterator[str]:
    yield f"step {session.stop.step}"


def lanes(session: Session) -> Iterator[str]:
    """The lanes of the thread's warp with the same position."""
    own = session.thread % session.numbering.block_threads // 32
    yield from list(warps(session))[own : own + 1]


def functions(session: Session) -> Iterator[str]:
    """The functions that the kernel may execute."""
    inlined = session.places.inlined_functions()
    for name in session.places.functions:
        yield (
            f"{qualified(name)}, line {session.places.row(code[0])}"
            if (code := session.places.functions[name].code)
            else qualified(name)
        )
    yield from (f"{name}, inlined" for name in sorted(map(qualified, inlined)))


def frame(session: Session) -> Iterator[str]:
    """The selected activation."""
    yield from list(calls(session))[session.level : session.level + 1]


def line(session: Session) -> Iterator[str]:
    """The position of the thread."""
    yield thread_state(session)


# What `info cuda` of cuda-gdb lists of the launch.


def kernels(session: Session) -> Iterator[str]:
    """The kernel, its extents, and how many of its blocks run."""
    prepared = session.prepared
    batches = session.observer.batches if session.stop.live else []
    running = sum(int(batch.alive.reshape(batch.x.geometry.count, -1).any(axis=1).sum()) for batch in batches)
    cluster = f", cluster {prepared.cluster}" if prepared.cluster else ""
    yield (
        f"kernel 0: {qualified(session.kernel.name)}, grid {prepared.grid}, block {prepared.block}{cluster}, "
        f"{running} of {session.numbering.blocks} blocks are running"
    )


def devices(session: Session) -> Iterator[str]:
    """The interpreter, which takes the place of a GPU."""
    yield f"device 0: the interpreter of OpenPTX, for .target {session.kernel.module.program.target}"


def sms(session: Session) -> Iterator[str]:
    """Why there are none."""
    yield "the interpreter has no SMs: `info blocks` lists blocks, `info warps` the warps of the block"


def barriers(session: Session) -> Iterator[str]:
    """The threads of the block that wait, and where."""
    found = [line for line in threads(session) if line.startswith("waits")]
    yield from found or ["no thread of the block waits"]


INFO: dict[str, Callable[[Session], Iterator[str]]] = {
    "breakpoints": breakpoints, "registers": registers, "threads": threads, "warps": warps, "blocks": blocks,
    "variables": variables, "params": params, "step": step, "lanes": lanes, "functions": functions, "frame": frame,
    "line": line, "calls": calls, "kernels": kernels, "devices": devices, "sms": sms, "barriers": barriers,
}  # fmt: skip
