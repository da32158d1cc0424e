"""Where a stored value came from: the instructions of one thread that led to it, out of a trace of the launch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from openptx.program import Reg
from openptx.recording.stored_type import stored_part
from openptx.trace.entry import trace

if TYPE_CHECKING:
    from openptx.recording.restore import RestoredLaunch
    from openptx.recording.writers import Write
    from openptx.trace.record import Record

LONGEST = 6
"""Instructions that are given."""


def origins(launch: RestoredLaunch, write: Write, offset: int, timeout: float | None) -> list[Record]:
    """The last instructions whose results a write stored at byte `offset` of what it writes, and the write itself.

    Runs the launch, whose memory was just restored, on the reference engine. Of a long kernel the first 100,000
    instructions of the thread are looked at: [] where the write comes later.
    """
    recording, kernel = launch.recording, launch.kernel
    records = trace(
        kernel, recording.grid, recording.block, launch.arguments, threads=[write.thread], blocks=[write.block],
        shared_mem=recording.shared, cluster=recording.cluster or None, timeout=timeout,
    ).records  # fmt: skip
    at = next((i for i, record in enumerate(records) if record.step == write.step), None)
    part = stored_part(write.op, offset)
    if at is None or part is None or not isinstance(part[0], Reg):
        return []
    wanted, found = {write.function.registers[part[0].index].name}, [records[at]]
    for record in reversed(records[:at]):
        made = {value.name for value in record.results} & wanted
        if made and record.function == write.function.name:
            wanted = wanted - made | {value.name for value in record.operands}
            found.append(record)
        if len(found) > LONGEST:
            break
    return found[::-1]
