"""The LLVM text of a routine: sixteen rows times any number of groups of eight columns.

Fragments have the layout of a warp's registers in memory, 32 words each: a by chunks of four words of a line and halves
of the rows, b by columns and chunks, c and d by columns and elements, in 32 bits each. The routine decodes a once. For
each group of eight columns it decodes b (staging.py); for each quarter of the rows and every second column it sums the
products (float_sums.py). A vector with a case that the sums do not handle (`rare`) is recomputed by the definition.
"""

from __future__ import annotations

from openptx.engines.tensor_cores.float_sums import FloatSums, IntegerSums
from openptx.engines.tensor_cores.staging import QUAD, QUARTERS, VECTOR, WORDS, StagedWords
from openptx.engines.tensor_cores.term_loops import ScalarLoops
from openptx.engines.tensor_cores.text import BIT, INT, LANES, QUADS, Text
from openptx.numerics.bits import Bits
from openptx.numerics.matrix_product import MatrixProduct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.engines.tensor_cores.scales import Scales
    from openptx.numerics.dot import Tile

COLUMNS = 8
"""Columns of a group."""

ELEMENTS = 4
"""Elements of c and d per lane, of sixteen rows and eight columns."""

ATTRIBUTES = 'nounwind "prefer-vector-width"="512" "min-legal-vector-width"="512"'


WEIGHTS = '!0 = !{!"branch_weights", i32 1, i32 2000}'

DECLARATIONS = "\n".join(
    f"declare i{w} @llvm.ctlz.i{w}(i{w}, i1)\ndeclare i{w} @llvm.ctpop.i{w}(i{w})" for w in (8, 16, 32, 64)
)


def routine(p: MatrixProduct, name: str, avx512: bool) -> str:
    """`name(a, b, c, d, groups)`, and `name.all`, which also takes a repetition count and the bytes between a, b, c and
    d."""
    x = Text()
    staged = StagedWords(x, p)
    sums = FloatSums(staged, avx512) if p.d is not None else IntegerSums(staged, avx512)
    fallback = Fallback(x, p) if p.d is not None else None
    staged.stage_rows("%a")
    with x.loop("%groups") as group:
        b = x.field("%b", x.emit(f"mul i64 {group}, {size_of_b(p)}"))
        staged.right(b)
        of_group = x.emit(f"mul i64 {group}, {ELEMENTS * 2 * VECTOR}")
        with x.loop(2 * QUARTERS) as part:
            quarter, parity = x.emit(f"and i64 {part}, {QUARTERS - 1}"), x.emit(f"lshr i64 {part}, 2")
            rows = x.field(staged.a, x.emit(f"mul i64 {quarter}, {VECTOR}"))
            columns = x.field(staged.b, x.emit(f"mul i64 {parity}, {QUAD}"))
            where = place(x, quarter, parity, of_group)
            c = x.load_at(INT, "%c", where)
            d = sums.result(rows, columns, c)
            if fallback is not None:
                d = fallback.result(sums.rare, d, "%a", b, quarter, parity, c)
            x.store_at(INT, d, "%d", where)
    own = function(name, "ptr noalias %a, ptr noalias %b, ptr %c, ptr %d, i64 %groups", x)
    return "\n".join([*([exact(p), DECLARATIONS] if fallback is not None else []), own, repeated(name), WEIGHTS])


def size_of_b(p: MatrixProduct) -> int:
    """Bytes of eight columns."""
    return p.words // WORDS * 2 * VECTOR


def function(name: str, head: str, x: Text) -> str:
    body = "\n".join(["entry:", *x.lines, "ret void", "}"])
    return f"define void @{name}({head}) {ATTRIBUTES} {{\n{body}\n"


def place(x: Text, quarter: str, parity: str, of_group: str) -> str:
    """The address of a vector of c and d: element 2h + parity of lanes 4g + t, for rows g + 8h."""
    element = x.emit(f"or i64 {x.emit(f'and i64 {quarter}, 2')}, {parity}")
    half = x.emit(f"and i64 {quarter}, 1")
    vector = x.emit(f"or i64 {x.emit(f'shl i64 {element}, 1')}, {half}")
    return x.emit(f"add i64 {of_group}, {x.emit(f'mul i64 {vector}, {VECTOR}')}")


class Fallback:
    """Recomputes a vector by the definition, on lines in memory: each word of all sixteen rows, then the next."""

    def __init__(self, x: Text, p: MatrixProduct) -> None:
        self.x, self.p = x, p
        self.rows, self.columns = x.array(p.words), x.array(p.words)
        self.c, self.d = x.array(1), x.array(1)
        self.codes = [x.array(1) for _ in "ab"] if p.scale is not None else []

    def result(
        self, rare: str, d: str, a: str, b: str, quarter: str, parity: str, c: str, scales: Scales | None = None
    ) -> str:
        x = self.x
        some = x.emit(f"icmp ne i{LANES} {x.cast('bitcast', rare, BIT, f'i{LANES}')}, 0")
        yes, on, before = x.fresh(), x.fresh(), x.label
        x.unlikely(some, yes, on)
        x.start(yes)
        rows = x.field(a, x.emit(f"mul i64 {quarter}, {VECTOR}"))
        columns = x.field(b, x.emit(f"mul i64 {parity}, {QUAD}"))
        with x.loop(self.p.words // WORDS) as chunk:
            of_rows = x.field(rows, x.emit(f"mul i64 {chunk}, {QUARTERS * VECTOR}"))
            of_columns = x.field(columns, x.emit(f"mul i64 {chunk}, {2 * VECTOR}"))
            to = x.emit(f"mul i64 {chunk}, {WORDS * VECTOR}")
            to_rows, to_columns = x.field(self.rows, to), x.field(self.columns, to)
            words = x.load_at(INT, of_rows, 0)
            for t in range(WORDS):
                x.store_at(INT, x.replicated(words, t), to_rows, t * VECTOR, VECTOR)
                four = "poison"
                for k in range(QUADS):
                    one = x.load_at("i32", of_columns, k * 2 * QUAD + t * 4)
                    four = x.emit(f"insertelement <{QUADS} x i32> {four}, i32 {one}, i32 {k}")
                order = [i % QUADS for i in range(LANES)]
                everywhere = x.shuffle(f"<{QUADS} x i32>", four, "poison", order)
                x.store_at(INT, everywhere, to_columns, t * VECTOR, VECTOR)
        x.store_at(INT, c, self.c, 0, VECTOR)
        if scales is not None:
            for array, words in zip(self.codes, scales.codes(), strict=True):
                x.store_at(INT, words, array, 0, VECTOR)
        arguments = (self.rows, self.columns, *self.codes, self.c, self.d)
        x.line(f"call void @exact({', '.join(f'ptr {array}' for array in arguments)})")
        found, done = x.load_at(INT, self.d, 0, VECTOR), x.label
        x.jump(on)
        x.start(on)
        return x.phi(INT, [before, done], d, found)


def exact(p: MatrixProduct) -> str:
    """The definition, for each of sixteen results."""
    assert p.h is not None
    x = ScalarLoops()
    with x.ir.loop(LANES) as i:

        def load(side: str, count: int = 1) -> tuple[Bits, ...]:
            place = x.ir.emit(f"getelementptr i32, ptr %{side}, i64 {i}")
            return tuple(x.emit(32, f"load i32, ptr {x.ir.field(place, k * VECTOR)}, align 4") for k in range(count))

        row, column, c = load("a", p.words), load("b", p.words), x.resize(load("c")[0], p.h.storage)
        scales: tuple[Tile, Tile] = ((), ())
        if p.scale is not None:
            of_row, of_column = (x.split(load(side)[0], 8)[: p.scales] for side in "st")
            scales = ((*of_row,),), ((*of_column,),)
        d = x.resize(p.element(x, row, column, c, scales), 32)
        x.ir.line(f"store i32 {d.v}, ptr {x.ir.emit(f'getelementptr i32, ptr %d, i64 {i}')}, align 4")
    sides = "abstcd" if p.scale is not None else "abcd"
    arguments = ", ".join(f"ptr noalias %{side}" for side in sides)
    body = "\n".join(["entry:", *x.slots, *x.ir.lines, "ret void", "}"])
    return f"define internal void @exact({arguments}) noinline {ATTRIBUTES} {{\n{body}\n"


def repeated(name: str) -> str:
    arguments = ", ".join(f"ptr %{v}" for v in "abcd")
    steps = "\n".join(f"%o{v} = mul i64 %i, %s{v}\n%p{v} = getelementptr i8, ptr %{v}, i64 %o{v}" for v in "abcd")
    return f"""
define void @{name}.all({arguments}, i64 %groups, i64 %count, i64 %sa, i64 %sb, i64 %sc, i64 %sd) {ATTRIBUTES} {{
entry:
br label %body
body:
%i = phi i64 [ 0, %entry ], [ %next, %body ]
{steps}
call void @{name}({", ".join(f"ptr %p{v}" for v in "abcd")}, i64 %groups)
%next = add nuw i64 %i, 1
%done = icmp eq i64 %next, %count
br i1 %done, label %exit, label %body
exit:
ret void
}}
"""
