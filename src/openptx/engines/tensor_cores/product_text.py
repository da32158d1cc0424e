"""The LLVM text of `tcgen05.mma`, a product in tensor memory that one thread starts: the definitions of
isa/semantics/matrix read the lines of its matrices, and a routine (tiles.py) multiplies them."""

from __future__ import annotations

from collections.abc import Sequence

from openptx.engines.common import tensor_block
from openptx.engines.tensor_cores.one_thread import OneThread, loop, operands
from openptx.engines.tensor_cores.scales import BROKEN, OF_COLUMNS, POINT, words_of
from openptx.engines.tensor_cores.tiles import GROUP, LANE, ROWS, SLOTS, TYPES, size_of_b
from openptx.isa.semantics.matrix.descriptors import CHUNKS
from openptx.isa.semantics.matrix.shared import CHUNK, DEPTH
from openptx.isa.semantics.matrix.tensor import Product, contiguous, load_row, negated_line, neighbours, scales_of_line
from openptx.isa.semantics.matrix.tensor_execution import product_of, shape_of
from openptx.isa.semantics.matrix.tensor_operations import ENABLED, TensorProduct
from openptx.isa.semantics.tensor_memory import LANE as UPPER
from openptx.isa.semantics.tensor_memory import LANES
from openptx.numerics import Bits
from openptx.numerics.matrix_product import MatrixProduct
from openptx.numerics.words import lowest

WHAT = (1 << ENABLED) - 1
"""The bits of `code` that the function depends on."""

MEMORY = (
    "ptr noalias %values, i64 %spacing, i64 %size, ptr noalias %shared0, ptr noalias %tensor0,"
    " ptr noalias %shared1, ptr noalias %tensor1"
)
"""Words of operands and the bytes between them, the size of a CTA's shared memory; shared and tensor memory of the
executing CTA, or of both CTAs of a pair, the even one first."""

NEIGHBOURS = 4 * CHUNK
"""The maximum number of lines that are read beyond the last, if lines lie side by side."""


def compiled_product(p: TensorProduct, code: int) -> MatrixProduct | None:
    """The product that the routine computes; None if there is no routine for it."""
    shape = shape_of(p, code)
    if any(mode not in CHUNKS for mode in p.modes(code).values()):
        return None
    special = p.sparse or p.masks or p.divisor or p.shifts or shape.wrong or shape.missing
    if special or (shape.kept and shape.parts > 1 and "a-desc" not in p.names):
        return None
    return shape.matrix_product(DEPTH // 4, p.scales)


class Lines:
    """Functions that read the lines of a product's matrices. `widths` are those of the operands in bits."""

    def __init__(self, p: TensorProduct, code: int, widths: Sequence[int]) -> None:
        self.p, self.code, self.shape, self.widths = p, code, shape_of(p, code), widths

    def product(self, x: OneThread, values: Sequence[Bits]) -> Product:
        return product_of(x, self.p, self.shape, 0, self.code, values[2:])

    def rows(self) -> str:
        """Reads a."""
        shape = self.shape
        if "a-desc" in self.p.names:
            return self.matrix("rows", "a-desc", shape.rows)

        def body(x: OneThread, row: Bits, values: Sequence[Bits]) -> None:
            product = self.product(x, values)
            a = product.given["a-tmem"]
            words = product.signed((load_row(x, shape, a, x.resize(row, a.width)),))[0]
            self.put(x, "rows", row, words)

        return loop("rows", self.widths, shape.rows, body)

    def columns(self) -> str:
        """Reads a CTA's share of b."""
        return self.matrix("columns", "b-desc", self.shape.columns // self.shape.ctas)

    def matrix(self, name: str, descriptor: str, count: int) -> str:
        left, shape = name == "rows", self.shape
        f = shape.factors((shape.a if left else shape.b) or "")
        negated = left and shape.negated and f.format is not None

        def along(x: OneThread, line: Bits, values: Sequence[Bits]) -> None:
            words = contiguous(x, self.product(x, values).shared(descriptor), line, f, DEPTH)
            self.put(x, name, line, negated_line(words, f) if negated else words)

        def across(x: OneThread, i: Bits, values: Sequence[Bits]) -> None:
            number, k = i >> depth.bit_length() - 1, i & depth - 1
            elements = neighbours(x, self.product(x, values).shared(descriptor), number, k, f)
            for j, element in enumerate(negated_line(elements, f) if negated else elements):
                self.put(x, name, number * per + j, [element], k * (f.width // 8))

        if not (shape.across_a if left else shape.across_b):
            return loop(name, self.widths, count, along)
        per, depth = 8 * CHUNK // f.width, 8 * DEPTH // f.width
        return loop(name, self.widths, -(-count // per) * depth, across)

    def put(self, x: OneThread, name: str, line: Bits, values: Sequence[Bits], at: Bits | int = 0) -> None:
        """Stores a part of a line, from byte `at` of it on, in the routine's layout: chunk by chunk."""
        of_line = self.place_of_row(x, line) if name == "rows" else self.place_of_column(x, line)
        beside = CHUNK * (ROWS if name == "rows" else GROUP)  # bytes to the line's next chunk
        if isinstance(at, int):
            for value in values:
                x.put("%to", of_line + (at // CHUNK * beside + at % CHUNK), [value])
                at += value.width // 8
        else:
            chunk = x.resize((at >> CHUNK.bit_length() - 1) * beside + (at & CHUNK - 1), 64)
            x.put("%to", of_line + chunk, values)

    def place_of_row(self, x: OneThread, line: Bits) -> Bits:
        return x.resize((line >> 4) * (DEPTH * ROWS) + (line & ROWS - 1) * CHUNK, 64)

    def place_of_column(self, x: OneThread, line: Bits) -> Bits:
        slot = ((line & 3) << 1) + (line >> 2 & 1)
        return x.resize((line >> 3) * (DEPTH * GROUP) + slot * CHUNK, 64)

    def all_scales(self, m: MatrixProduct) -> str:
        shape = self.shape
        if m.scale is None:
            return ""
        per = shape.columns // shape.parts
        found = self.scales("scales_of_rows", "scale-A-tmem", shape.rows, shape.scale_a, m)
        for i in range(shape.parts):
            lane = LANES // shape.parts * i
            found += self.scales(f"scales_of_columns.{i}", "scale-B-tmem", per, shape.scale_b, m, lane)
        return found

    def scales(self, name: str, operand: str, count: int, first: int, m: MatrixProduct, lane: int = 0) -> str:
        """Reads scales: of rows, which are in their own lanes, or of columns, from a lane on."""
        own, together = (True, ROWS) if name == "scales_of_rows" else (False, GROUP)

        def body(x: OneThread, line: Bits, values: Sequence[Bits]) -> None:
            base = self.product(x, values).given[operand] + (lane << UPPER)
            codes = scales_of_line(x, base, x.resize(line, base.width), m.scales, first, own=own)
            words = [sum((x.resize(code, 32) << 8 * i for i, code in enumerate(codes)), x.const(0, 32))]
            assert m.scale is not None
            numbers = [x.zero_exponent(m.scale, x.unpack(m.scale, code, 32, normal=False)) for code in codes]
            words += [x.pick(number.nan, BROKEN, number.exp) for number in numbers]
            words += [lowest(number.sig) >> 31 - POINT for number in numbers]
            at = x.resize((line & -together & 0xFFFFFFFF) * (4 * len(words)) + (line & together - 1) * 4, 64)
            for i, word in enumerate(words):
                x.put("%to", at + i * 4 * together, [word])

        return loop(name, self.widths, count, body)

    def places(self) -> str:
        """Whether d is added."""
        shape = self.shape
        per = shape.columns // shape.parts

        def body(x: OneThread, row: Bits, values: Sequence[Bits]) -> None:
            d = self.product(x, values).given["d-tmem"]
            lane = shape.lane(x.resize(row, d.width))
            for i in range(shape.parts):
                x.good.append(x.tensor_memory.are_allocated(d + (lane + shape.rows * i << UPPER), per))

        return loop("places", self.widths, shape.rows, body)


assert [((j & 3) << 1) + (j >> 2 & 1) for j in range(GROUP)] == SLOTS


def text(p: TensorProduct, code: int, widths: Sequence[int], name: str, routine: str, m: MatrixProduct) -> str:
    """`name(MEMORY)`, for `code` as it is in `WHAT`; 1 if the product was computed, 0 if not, with nothing changed."""
    lines = Lines(p, code, (64, 64, *widths))
    reads, makes = Body(lines, m, routine), Body(lines, m, routine)
    for cta in range(p.ctas):
        reads.read(cta)
    for cta in range(p.ctas):
        makes.multiply(cta)
    at_d = 2 + p.names.index("d-tmem")
    assert lines.widths[at_d] == 64
    return f"""
declare void @{routine}({TYPES})
{lines.rows()}{lines.columns()}{lines.places()}{lines.all_scales(m)}
define i32 @{name}({MEMORY}) nounwind {{
entry:
{operands(lines.widths)}
{reads.rooms()}
  %unmasked = icmp eq i64 %g0, 0
  %own = and i64 %g1, {WHAT}
  %known = icmp eq i64 %own, {code & WHAT}
  %mine = and i1 %unmasked, %known
  br i1 %mine, label %read, label %no
read:
{reads.text()}
  br i1 %{reads.good}, label %multiply, label %no
multiply:
  %enabled = lshr i64 %g1, {ENABLED}
  %adds = trunc i64 %enabled to i1
  %lane = lshr i64 %g{at_d}, {UPPER}
  %column = and i64 %g{at_d}, {(1 << UPPER) - 1}
  %above = mul i64 %lane, {LANE}
  %left = shl i64 %column, 2
  %cell = add i64 %above, %left
  %offset = add i64 %cell, {tensor_block.CELLS}
{makes.text()}
  ret i32 1
no:
  ret i32 0
}}
"""


class Body:
    """The calls that read the matrices of each CTA, and those that multiply."""

    def __init__(self, own: Lines, m: MatrixProduct, routine: str) -> None:
        self.own, self.shape, self.m, self.routine = own, own.shape, m, routine
        self.half = self.shape.columns // self.shape.ctas  # columns of b per CTA
        self.per = self.shape.columns // self.shape.parts  # columns of d that are side by side
        self.lines: list[str] = []
        self.good = ""
        """Whether all reads are allowed."""

    def text(self) -> str:
        return "\n".join(self.lines)

    def rooms(self) -> str:
        """Memory for the data read: a and the scales of each CTA, all columns of b."""
        rows, columns, words = self.shape.rows, self.shape.columns, 4 * words_of(self.m)
        sizes = {"b": DEPTH * (columns + NEIGHBOURS)}
        for i in range(self.shape.ctas):
            sizes |= {f"a{i}": DEPTH * (rows + NEIGHBOURS), f"s{i}": words * rows, f"t{i}": words * columns}
        return "\n".join(f"  %{name} = alloca [{size} x i8], align 64" for name, size in sizes.items())

    def read(self, cta: int) -> None:
        share = f"%b{cta}"
        self.lines.append(f"  {share} = getelementptr i8, ptr %b, i64 {self.half // GROUP * size_of_b(self.m) * cta}")
        self.call("rows", cta, f"%a{cta}")
        self.call("columns", cta, share)
        self.call("places", cta, share)
        if self.m.scale is not None:
            self.call("scales_of_rows", cta, f"%s{cta}")
            for i in range(self.shape.parts):
                of_part = f"%t{cta}.{i}"
                offset = self.per // GROUP * words_of(self.m) * OF_COLUMNS * i
                self.lines.append(f"  {of_part} = getelementptr i8, ptr %t{cta}, i64 {offset}")
                self.call(f"scales_of_columns.{i}", cta, of_part)

    def call(self, name: str, cta: int, to: str) -> None:
        given = f"ptr %values, i64 %spacing, ptr %shared{cta}, i64 %size, ptr %tensor{cta}"
        good = f"{name}.{cta}"
        self.lines.append(f"  %{good}.own = call i1 @{name}({given}, ptr {to})")
        self.lines.append(f"  %{good} = and i1 %{good}.own, {f'%{self.good}' if self.good else 1}")
        self.good = good

    def multiply(self, cta: int) -> None:
        shape, per = self.shape, self.per
        step = (2 * ROWS if shape.rows == 64 and shape.parts == 1 else ROWS) * LANE
        self.lines.append(f"  %d{cta} = getelementptr i8, ptr %tensor{cta}, i64 %offset")
        for i in range(shape.parts):
            b, d = f"%b{cta}.{i}", f"%d{cta}.{i}"
            t = f"%t{cta}.{i}" if self.m.scale is not None else f"%t{cta}"
            self.lines.append(f"  {b} = getelementptr i8, ptr %b, i64 {i * (per // GROUP) * size_of_b(self.m)}")
            self.lines.append(f"  {d} = getelementptr i8, ptr %d{cta}, i64 {i * shape.rows * LANE}")
            self.lines.append(
                f"  call void @{self.routine}(ptr %a{cta}, ptr {b}, ptr %s{cta}, ptr {t}, ptr {d},"
                f" i64 {shape.rows // ROWS}, i64 {step}, i64 {per // GROUP}, i1 %adds)"
            )
