"""`openptx.replay`: a recorded launch, run here and compared with the GPU's results."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openptx.api import require_options as require_target
from openptx.diagnostics.render.json import as_json
from openptx.errors import (
    ArgumentError,
    CheckError,
    Error,
    Fault,
    InputError,
    Unsupported,
    require_choice,
    require_flags,
)
from openptx.isa.targets import stated_target
from openptx.keywords import hints
from openptx.launch_options import require_options
from openptx.program import Program, Reg
from openptx.reading import read
from openptx.recording.difference import MemoryDifference, difference, writer
from openptx.recording.file import Recording, read_recording
from openptx.recording.restore import RestoredLaunch, RestoredRegion, restore
from openptx.recording.stored_type import stored_part
from openptx.recording.writers import SUMMED, Write, watch
from openptx.rewrite import CONTRACTIONS
from openptx.runtime import load
from openptx.sanitize import Finding
from openptx.sanitize.entry import watch as sanitize_launch
from openptx.sanitize.options import ENGINES, Options, tools_of
from openptx.source import File
from openptx.trace.entry import trace
from openptx.trace.record import Record

LONGEST = 6
"""The maximum number of instructions returned."""


def origins(launch: RestoredLaunch, write: Write, offset: int, timeout: float | None) -> list[Record]:
    """The last instructions that led to byte `offset` of the data of a write, and the write itself.

    Runs the launch, whose memory was just restored, on the reference engine. Only the first 100,000 instructions of the
    thread are examined: [] if the write comes later.
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


Differing = list[tuple[RestoredRegion, NDArray[np.intp]]]

EQUAL, DIFFERS, ORDER, FAULT, UNSUPPORTED, UNREADABLE = (
    "equal", "differs", "order of atomics", "fault", "unsupported", "unreadable",
)  # fmt: skip
ONLY_COMPILED = "the reference engine computes the GPU's byte: please report this launch to the OpenPTX project"
STATUSES = (EQUAL, ORDER, DIFFERS, FAULT, UNSUPPORTED, UNREADABLE)


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of replaying a launch.

    `status` is "equal" if every compared byte equals the GPU's; "differs"; "order of atomics" if all differing bytes
    were written by atomics whose result depends on their order, which a GPU does not fix; "fault" and "unsupported" if
    the launch did not complete here; "unreadable" if the recording or its PTX cannot be used. `error` is the exception
    in the last three cases. Of `compared` bytes `differing` differ from the GPU's; `first` is the first of them as an
    element. `findings` are those of `sanitize`, `note` is a further remark.
    """

    name: str
    kernel: str
    status: str
    compared: int = 0
    differing: int = 0
    first: MemoryDifference | None = None
    error: Error | OSError | None = None
    findings: tuple[Finding, ...] = ()
    device: str = ""
    seconds: float = 0.0
    note: str = ""

    @property
    def equal(self) -> bool:
        """Whether every compared byte equals the GPU's."""
        return self.status == EQUAL

    @property
    def reason(self) -> str:
        """The text of the error, "" for none, without the name of the recording that may begin it."""
        if self.error is None:
            return ""
        system = self.error.strerror if isinstance(self.error, OSError) else None
        return system or str(self.error).removeprefix(f"{self.name}: ")

    def as_json(self) -> dict[str, Any]:
        """Objects that `json.dumps` takes."""
        return {
            "name": self.name, "kernel": self.kernel, "status": self.status, "compared": self.compared,
            "differing": self.differing, "first": self.first.as_json() if self.first is not None else None,
            "error": self.reason or None,
            "findings": [as_json(finding) for finding in self.findings], "device": self.device,
            "seconds": round(self.seconds, 3), "note": self.note,
        }  # fmt: skip

    def __str__(self) -> str:
        lines = [f"{self.name}: `{self.kernel}`: {self.summary()}" if self.kernel else f"{self.name}: {self.summary()}"]
        lines += [str(self.first)] if self.first is not None else []
        lines += [self.note] if self.note else []
        return "\n".join(lines)

    def summary(self) -> str:
        """The result as a sentence."""
        on = f" ({self.device})" if self.device else ""
        if self.status == EQUAL:
            return f"all {self.compared:,} bytes are the GPU's{on}"
        if self.error is not None:
            return f"{self.status}: {self.reason}"
        why = ", all of them sums whose rounding depends on the order of atomics" if self.status == ORDER else ""
        return f"{self.differing:,} of {self.compared:,} bytes are not the GPU's{on}{why}"


@dataclass(frozen=True, slots=True)
class ReplayOptions:
    """The options of `replay`."""

    engine: str = "auto"
    contract: str | None = None
    target: str | None = None
    sanitize: frozenset[str] = field(default_factory=frozenset[str])
    timeout: float | None = None
    explain: bool = True


@hints(arch='write `target=`, such as "sm_90a"', compare="every replay compares; `explain=False` leaves out the writer")
def replay(
    source: str | os.PathLike[str] | Recording, *, engine: str = "auto", contract: str | None = None,
    target: str | None = None, ptx: str | os.PathLike[str] | None = None, sanitize: str | Sequence[str] | None = None,
    timeout: float | None = None, explain: bool = True,
) -> Replay:  # fmt: skip
    """Runs a recorded launch without a GPU, and compares memory with the GPU's.

    `source` is a file of the format in docs/recordings.md, or a Recording. `engine`, `timeout` (seconds) are those of a
    launch; `contract` and `target` (by default the recorded GPU's, or the file's) those of `openptx.load`; `ptx` is a
    module to use instead of the recorded one. `sanitize` is "all" or some of "race", "init", "sync", "mem": the launch
    runs once more under the sanitizer. With `explain` a launch that differs runs once more on the reference engine,
    which finds the thread and the statement that wrote the first difference.

    Errors of the recording, its PTX or the launch are the `error` of the result. Raises ArgumentError for unknown
    options and for another source.
    """
    if not isinstance(source, (str, Recording)) and not hasattr(source, "__fspath__"):
        raise ArgumentError(f"a recording is a path or a Recording, not {type(source).__name__}")
    require_target(target)
    require_choice("engine", engine, ENGINES)
    if contract is not None:
        require_choice("contraction", contract, CONTRACTIONS)
    require_flags(explain=explain)
    require_options(0, None, timeout, None, None)
    tools = tools_of(sanitize) if sanitize is not None else frozenset[str]()
    options = ReplayOptions(engine, contract, target, tools, timeout, explain)
    start = time.monotonic()
    name = source.name if isinstance(source, Recording) else os.fspath(source)
    try:
        module_file = read(ptx) if ptx is not None else None
        recording = source if isinstance(source, Recording) else read_recording(source, ptx=module_file)
        found = result_of(recording, module_file or recording.ptx, options)
    except (InputError, OSError) as error:
        found = Replay(name, "", UNREADABLE, error=error)
    return replace(found, seconds=time.monotonic() - start)


def result_of(recording: Recording, ptx: File | None, options: ReplayOptions) -> Replay:
    """Loads and runs a recording; a failure becomes the result."""
    name, kernel = recording.name, recording.kernel
    try:
        if ptx is None:
            raise InputError(f"{name}: the recording has no PTX; give it with `ptx=`")
        stated = stated_target(ptx.text)
        # `sm_90a`, one architecture or family: the GPU that ran it belongs to it, but is recorded as `sm_90`
        specific = stated is not None and stated.suffix != ""
        target = options.target or (None if specific else recording.target) or None
        module = load(ptx, target=target, contract=options.contract)
        return run_and_compare(recording, module.program, options)
    except (CheckError, InputError, ArgumentError) as error:
        return Replay(name, kernel, UNREADABLE, error=error, device=recording.device)
    except Unsupported as error:
        return Replay(name, kernel, UNSUPPORTED, error=error, device=recording.device)


def run_and_compare(recording: Recording, program: Program, options: ReplayOptions) -> Replay:
    """Runs the launch and compares; runs it again to find the writer, and under the sanitizer."""
    launch = restore(recording, program)
    compared = sum(region.size for region in recording.regions if region.compared)
    kernel, grid, block = launch.kernel, recording.grid, recording.block
    fault: Fault | None = None
    try:
        kernel(
            grid, block, launch.arguments, shared_mem=recording.shared, cluster=recording.cluster or None,
            engine=options.engine, timeout=options.timeout,
        )  # fmt: skip
    except Fault as raised:
        fault = raised
    found = Replay(recording.name, kernel.name, EQUAL, compared, device=recording.device)
    if fault is not None:
        found = replace(found, status=FAULT, error=fault, note=left_out(recording, fault))
    elif differing := list(launch.differing()):
        found = replace(found, status=DIFFERS, differing=sum(where.size for _, where in differing))
        if options.explain:
            found = with_explanation(found, launch, differing, program, options)
    if options.sanitize:
        second = restore(recording, program)
        watched = Options(options.sanitize, recording.shared, recording.cluster or None, timeout=options.timeout)
        report = sanitize_launch(second.kernel, grid, block, [*second.arguments], watched)
        if report.interrupted:
            raise KeyboardInterrupt
        found = replace(found, findings=tuple(report.findings))
    return found


def with_explanation(
    found: Replay, launch: RestoredLaunch, differing: Differing, program: Program, options: ReplayOptions
) -> Replay:
    """Adds the first difference with its writer, and whether the order of atomics explains all differences."""
    restored, where = differing[0]
    number, byte = launch.regions.index(restored), int(where[0])
    second = restore(launch.recording, program)
    try:
        writers = watch(second, (number, byte), options.timeout)
    except Fault as fault:
        note = f"its writer is unknown: the reference engine ends in a fault, {fault.message}"
        return replace(found, first=difference(restored, number, byte, None), note=note)
    write, first = writers.last, difference(restored, number, byte, writers.last)
    if write is not None:
        traced = restore(launch.recording, program)
        led = origins(traced, write, byte - write.offset, options.timeout)
        first = replace(first, writer=writer(program, write, writers.count, led))
    ordered = all((writers.marks[launch.regions.index(region)][at] & SUMMED).all() for region, at in differing)
    note = "" if second.differs(number, byte) else ONLY_COMPILED
    return replace(found, status=ORDER if ordered else DIFFERS, first=first, note=note)


def left_out(recording: Recording, fault: Fault) -> str:
    """The remark on a fault at an address where the GPU had memory that was not recorded; "" for other faults."""
    at = fault.address
    for address, size in recording.left_out if at is not None else ():
        if at is not None and address <= at < address + size:
            return f"the recording leaves out the {size:,} bytes at 0x{address:x}: record with a higher limit"
    return ""
