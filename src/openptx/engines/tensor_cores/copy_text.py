"""The LLVM text of `tcgen05.cp`, a copy from shared to tensor memory that one thread starts, from its definition."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.tensor_cores.one_thread import OneThread, loop, operands
from openptx.engines.tensor_cores.product_text import MEMORY
from openptx.isa.semantics.matrix.descriptors import SharedMatrix
from openptx.isa.semantics.matrix.shared import CHUNK
from openptx.isa.semantics.matrix.tensor_execution import row_words
from openptx.isa.semantics.matrix.tensor_operations import MODE, TensorCopy
from openptx.isa.semantics.tensor_memory import LANE
from openptx.numerics import Bits

WIDTHS = (64, 64)
"""The operands: an address, a descriptor."""


def text(p: TensorCopy, mode: int, name: str) -> str:
    """`name(MEMORY)`, for a descriptor with that mode; 1 if it was copied, 0 if not, with nothing changed."""
    size = CHUNK * p.chunks

    def read(x: OneThread, row: Bits, values: Sequence[Bits]) -> None:
        words = row_words(x, p, SharedMatrix(x, values[1], mode), row)
        x.put("%to", x.resize(row, 64) * size, words)

    def places(x: OneThread, row: Bits, address: Bits) -> list[Bits]:
        return [x.resize(address, 32) + (lane << LANE) for lane in p.lanes_of(row)]

    def ask(x: OneThread, row: Bits, values: Sequence[Bits]) -> None:
        x.good += [x.tensor_memory.are_allocated(place, size // 4) for place in places(x, row, values[0])]

    def write(x: OneThread, row: Bits, values: Sequence[Bits]) -> None:
        words = x.words(x.at("%to", (x.resize(row, 64) * size).v), 32, size // 4)
        for place in places(x, row, values[0]):
            x.tensor_memory.write(place, words)

    loops = "".join(loop(one.__name__, WIDTHS, p.rows, one) for one in (read, ask, write))
    rooms, checks, writes, good = "", "", "", "%known"
    for i in range(p.ctas):
        given = f"ptr %values, i64 %spacing, ptr %shared{i}, i64 %size, ptr %tensor{i}, ptr %rows{i}"
        rooms += f"  %rows{i} = alloca [{p.rows * size} x i8], align 64\n"
        for one in ("read", "ask"):
            checks += f"  %{one}{i}.own = call i1 @{one}({given})\n  %{one}{i} = and i1 %{one}{i}.own, {good}\n"
            good = f"%{one}{i}"
        writes += f"  %write{i} = call i1 @write({given})\n"
    return f"""
{loops}
define i32 @{name}({MEMORY}) nounwind {{
entry:
{operands(WIDTHS)}
{rooms}  %mode = lshr i64 %g1, {MODE}
  %known = icmp eq i64 %mode, {mode}
  br i1 %known, label %read, label %no
read:
{checks}  br i1 {good}, label %write, label %no
write:
{writes}  ret i32 1
no:
  ret i32 0
}}
"""
