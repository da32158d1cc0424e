"""The first byte that differs from the GPU's, as the element that contains it, and its writer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from openptx.device.allocation import Bytes
from openptx.errors import Triple
from openptx.isa.types import find_type
from openptx.line_table import LineTable
from openptx.numerics.formats import FORMATS
from openptx.program import Program
from openptx.recording.restore import RestoredRegion
from openptx.recording.stored_type import BYTE, stored_type
from openptx.recording.writers import Write
from openptx.trace.record import Record
from openptx.trace.values import show


@dataclass(frozen=True, slots=True)
class Writer:
    """The thread and the statement that wrote an element last.

    `line` is the statement's row in the PTX, `source` its position in the source program, "" without `.loc`. `step` is
    the number of instructions that the launch had executed, `writes` how often the element was written. `summed`: the
    write was an atomic whose result depends on the order of atomics. `origins` are the last instructions of the thread
    that led to the value, then the write, with the values that they read and wrote in this replay.
    """

    text: str
    file: str
    line: int
    source: str
    block: Triple
    thread: Triple
    step: int
    writes: int
    summed: bool
    origins: tuple[Record, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Objects that `json.dumps` takes."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "origins"}
        return {**plain, "origins": [record.as_json() for record in self.origins]}


@dataclass(frozen=True, slots=True)
class MemoryDifference:
    """The first element that differs from the GPU's: number `element` of `type` in allocation `region`, at byte
    `offset`.

    `gpu` and `here` are its bits on the GPU and in this replay. `writer` is None if the replay did not write it.
    """

    region: int
    name: str
    size: int
    offset: int
    type: str
    gpu: int
    here: int
    writer: Writer | None

    @property
    def element(self) -> int:
        return self.offset * 8 // find_type(self.type).width

    @property
    def ulps(self) -> int | None:
        """The signed distance of the two values in units in the last place; None unless both are numbers of a float
        type."""
        return distance(self.type, self.gpu, self.here)

    def as_json(self) -> dict[str, Any]:
        """Objects that `json.dumps` takes; values are bits."""
        return {
            "allocation": self.region, "name": self.name, "bytes": self.size, "offset": self.offset,
            "element": self.element, "type": self.type, "gpu": self.gpu, "here": self.here, "ulps": self.ulps,
            "writer": self.writer.as_json() if self.writer is not None else None,
        }  # fmt: skip

    def __str__(self) -> str:
        width = find_type(self.type).width
        where = f"{self.name}, {self.size:,} bytes, offset {self.offset}: element {self.element} as .{self.type}"
        return "\n".join(
            [
                f"first difference: {where}",
                f"  the GPU  0x{self.gpu:0{width // 4}x}  {format_value(self.type, self.gpu)}",
                f"  here     0x{self.here:0{width // 4}x}  {format_value(self.type, self.here)}{self.distance()}",
                *self.writer_lines(),
            ]
        )

    def distance(self) -> str:
        """The distance in units in the last place, as text; "" if there is none."""
        ulps = self.ulps
        return "" if ulps is None else f"  ({abs(ulps):,} ulp{'s' if abs(ulps) != 1 else ''} apart)"

    def writer_lines(self) -> list[str]:
        """The writer, as lines of text."""
        w = self.writer
        if w is None:
            return ["  the kernel does not write it here"]
        times = f", the last of {w.writes} writes" if w.writes > 1 else ""
        lines = [f"  written by block {w.block}, thread {w.thread}, step {w.step}{times}:", f"    {w.text}"]
        lines.append(f"  --> {w.file}:{w.line}" + (f" ({w.source})" if w.source else ""))
        if w.summed:
            lines.append("  on a GPU the order of atomics is not fixed, and with it how this sum is rounded")
        return lines + (["  which came from", *(f"    {record}" for record in w.origins)] if w.origins else [])


def format_value(type: str, bits: int) -> str:
    """A value as a number; "" for untyped bits, which are shown in hexadecimal in any case."""
    found = find_type(type)
    return "" if found.kind == "b" and found.format is None else show(bits, found)


def distance(type: str, a: int, b: int) -> int | None:
    """The number of values of a float type from `a` to `b`; None for integers and if one is NaN."""
    f = FORMATS.get(find_type(type).format or "")
    if f is None or "nan" in (format_value(type, a).lstrip("-"), format_value(type, b).lstrip("-")):
        return None
    sign = 1 << find_type(type).width - 1

    def ordered(bits: int) -> int:
        return -(bits & ~sign) if f.signed and bits & sign else bits

    return ordered(b) - ordered(a)


def difference(restored: RestoredRegion, number: int, byte: int, write: Write | None) -> MemoryDifference:
    """The description of a byte that differs from the GPU's, without its writer."""
    type = BYTE if write is None else stored_type(write.function, write.op, byte - write.offset)
    width = max(type.width // 8, 1)
    begin = byte // width * width if write is None else write.offset + (byte - write.offset) // width * width
    if begin + width > restored.data.size:
        type, width, begin = BYTE, 1, byte

    def bits(data: Bytes) -> int:
        return int.from_bytes(data[begin : begin + width].tobytes(), "little")

    gpu, here = bits(restored.region.after), bits(restored.data)
    return MemoryDifference(number, restored.name, restored.data.size, begin, type.name, gpu, here, None)


def writer(program: Program, write: Write, writes: int, origins: Sequence[Record]) -> Writer:
    """The writer, as text and lines."""
    op, table = write.op, LineTable(program.file)
    line = program.file.location(op.span[0])[0]
    chain = table.of(op)
    source = f"{chain[-1][0]}:{chain[-1][1]}" if chain else ""
    return Writer(
        op.one_line, program.file.name, line, source, write.block, write.thread, write.step, writes,
        write.summed, tuple(origins),
    )  # fmt: skip
