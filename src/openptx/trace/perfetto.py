"""A trace in the Trace Event Format, for ui.perfetto.dev and chrome://tracing.

A block is a process, a warp one of its threads, and the time is the step. A slice is an instruction, which lies in
slices of its source lines, outermost call first, or of its run of ascending lines of the PTX, and of its function.
Format: https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from openptx.errors import Triple
from openptx.runtime.cxx_names import qualified
from openptx.trace.record import Record, Trace

Event = dict[str, Any]


def as_perfetto(trace: Trace) -> str:
    """The trace as a JSON object, an event a line."""
    events = ",\n".join(json.dumps(event) for event in trace_events(trace))
    other = json.dumps({"kernel": trace.kernel, "time": "steps of the launch", "notes": [*trace.notes]})
    return f'{{"displayTimeUnit": "ns", "otherData": {other}, "traceEvents": [\n{events}\n]}}\n'


def trace_events(trace: Trace) -> Iterator[Event]:
    """The events: those of each warp in the order of time, a slice before those in it."""
    tracks: dict[tuple[Triple, int], list[Record]] = {}
    for record in trace:
        tracks.setdefault((record.block, record.warp), []).append(record)
    blocks = sorted({block for block, _ in tracks}, key=lambda block: block[::-1])
    processes = {block: i for i, block in enumerate(blocks, 1)}
    for block, pid in processes.items():
        yield metadata("process", f"block {','.join(map(str, block))}", {"pid": pid})
    last = max((record.step for record in trace), default=0)
    order = sorted(tracks, key=lambda track: (processes[track[0]], track[1]))
    for tid, (block, warp) in enumerate(order, len(blocks) + 1):  # no thread has the number of a process
        track = {"pid": processes[block], "tid": tid}
        yield metadata("thread", f"warp {warp}", track)
        for event in slices(tracks[block, warp], last + 1):
            yield event | track
    if trace.fault is not None and trace.records:
        block, warp = trace[-1].block, trace[-1].warp
        track = {"pid": processes[block], "tid": order.index((block, warp)) + len(blocks) + 1}
        yield {"name": f"fault: {trace.fault.name}", "ph": "i", "s": "t", "ts": last, **track,
               "args": {"fault": str(trace.fault)}}  # fmt: skip


def metadata(what: str, name: str, track: dict[str, int]) -> Event:
    """The name of a process or a thread."""
    return {"name": f"{what}_name", "ph": "M", "ts": 0, **track, "args": {"name": name}}


@dataclass(slots=True)
class Group:
    """Consecutive instructions of a function, or of a source line, or with ascending lines of the PTX."""

    name: str
    category: str
    begin: int
    place: int
    lines: list[int] = field(default_factory=list[int])

    def event(self, end: int) -> Event:
        """The slice, up to a step."""
        name = self.name
        if not name:
            name = f"line {self.lines[0]}" if len({*self.lines}) == 1 else f"lines {self.lines[0]}-{self.lines[-1]}"
        return slice_of(name, self.category, self.begin, end)


def slices(records: list[Record], end: int) -> list[Event]:
    """The slices of a warp. One that waits lasts to the warp's next instruction, or to the end of the launch."""
    found = list[Event | None]()
    groups, functions, before, ended = list[Group](), list[str](), 0, 0
    for record, following in pairwise([*records, None]):
        assert record is not None
        functions = within(functions, record.function)
        names = [(qualified(name), "function") for name in functions]
        names += [(f"{file}:{line}", "source") for file, line, _ in reversed(record.source)] or [("", "lines")]
        kept = 0
        for group, name in zip(groups, names, strict=False):
            if (group.name, group.category) != name:
                break
            kept += 1
        if kept == len(names) == len(groups) and record.line <= before:  # once more, as in a loop
            kept -= 1
        for group in groups[kept:]:
            found[group.place] = group.event(ended)
        del groups[kept:]
        for name, category in names[kept:]:
            groups.append(Group(name, category, record.step, len(found)))
            found.append(None)
        groups[-1].lines.append(record.line)
        before = record.line
        ended = record.step + 1
        if record.waits:
            ended = max(following.step if following is not None else end, ended)
        found.append(instruction(record, ended))
    for group in groups:
        found[group.place] = group.event(ended)
    return [event for event in found if event is not None]


def within(functions: list[str], name: str) -> list[str]:
    """The functions that a warp is in, when it executes one: a callee, or a caller after a return."""
    return functions[: functions.index(name) + 1] if name in functions else [*functions, name]


def instruction(record: Record, end: int) -> Event:
    """The slice of an instruction, with its lanes, operands and results."""
    args: Event = {"step": record.step, "lanes": f"{record.mask:08x}", "active": record.mask.bit_count(),
                   "line": record.line}  # fmt: skip
    if record.source:
        args["source"] = record.place
    if record.waits:
        args["waits"] = f"{end - record.step} steps"
    for name, values in (("operands", record.operands), ("results", record.results)):
        if values:
            args[name] = {value.name: value.text for value in values}
    accesses = any(value.name.startswith("[") for value in record.operands)
    category = "wait" if record.waits else "memory" if accesses else "instruction"
    return slice_of(record.text, category, record.step, end) | {"args": args}


def slice_of(name: str, category: str, begin: int, end: int) -> Event:
    """A complete event."""
    return {"name": name, "cat": category, "ph": "X", "ts": begin, "dur": end - begin}
