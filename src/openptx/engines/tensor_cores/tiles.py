"""The LLVM text of a routine for tiles in tensor memory: any number of sixteen rows times up to 256 columns.

Lines of a and b have the layout of fragments (routine.py), except that column `j` of eight is at position `SLOTS[j]`:
so the four columns of a vector are adjacent in tensor memory. Columns are decoded once for all rows.
"""

from __future__ import annotations

from openptx.engines.tensor_cores.block_sums import BlockSums
from openptx.engines.tensor_cores.float_sums import FloatSums, IntegerSums
from openptx.engines.tensor_cores.routine import DECLARATIONS, WEIGHTS, Fallback, exact, function, size_of_b
from openptx.engines.tensor_cores.scales import FOUR, OF_COLUMNS, OF_ROWS, Scales, words_of
from openptx.engines.tensor_cores.staging import QUAD, QUARTERS, VECTOR, WORDS, StagedWords
from openptx.engines.tensor_cores.text import INT, LANES, QUADS, Text
from openptx.isa.semantics.tensor_memory import COLUMNS
from openptx.numerics.matrix_product import MatrixProduct

GROUP, GROUPS = 8, 32
"""Columns per group, and the maximum number of groups."""

ROWS = 16
"""Rows of a tile."""

SLOTS = [2 * (j % QUADS) + j // QUADS for j in range(GROUP)]

LANE = 4 * COLUMNS
"""Bytes from one lane of tensor memory to the next."""

TYPES = "ptr, ptr, ptr, ptr, ptr, i64, i64, i64, i1"
"""The types of a routine's arguments."""


def size_of_a(p: MatrixProduct) -> int:
    """Bytes of sixteen rows."""
    return p.words // WORDS * QUARTERS * VECTOR


def tile_routine(p: MatrixProduct, name: str, avx512: bool) -> str:
    """`name(a, b, s, t, d, tiles, step, groups, adds)`: d in tensor memory, from the first lane and column on, `step`
    bytes from one sixteen rows to the next; it is overwritten, unless the product `adds`. `s` and `t` are the scales of
    rows and columns, if any (scales.py)."""
    x = Text()
    staged = StagedWords(x, p, GROUPS)
    sums = sums_of(staged, avx512)
    fallback = Fallback(x, p) if p.d is not None else None
    with x.loop("%groups") as group:
        staged.b = staged.of_group(group)
        staged.right(x.field("%b", x.emit(f"mul i64 {group}, {size_of_b(p)}")))
    with x.loop("%tiles") as tile:
        a = x.field("%a", x.emit(f"mul i64 {tile}, {size_of_a(p)}"))
        staged.stage_rows(a)
        rows_of_d = x.field("%d", x.emit(f"mul i64 {tile}, %step"))
        with x.loop("%groups") as group:
            b = x.field("%b", x.emit(f"mul i64 {group}, {size_of_b(p)}"))
            of_group = staged.of_group(group)
            columns_of_d = x.field(rows_of_d, x.emit(f"mul i64 {group}, {4 * GROUP}"))
            s = x.field("%s", x.emit(f"mul i64 {tile}, {words_of(p) * OF_ROWS}"))
            t = x.field("%t", x.emit(f"mul i64 {group}, {words_of(p) * OF_COLUMNS}"))
            with x.loop(2 * QUARTERS) as part:
                quarter, parity = x.emit(f"and i64 {part}, {QUARTERS - 1}"), x.emit(f"lshr i64 {part}, 2")
                rows = x.field(staged.a, x.emit(f"mul i64 {quarter}, {VECTOR}"))
                columns = x.field(of_group, x.emit(f"mul i64 {parity}, {QUAD}"))
                where = x.field(columns_of_d, x.emit(f"mul i64 {quarter}, {QUADS * LANE}"))
                where = x.field(where, x.emit(f"mul i64 {parity}, {QUAD}"))
                c = x.emit(f"select i1 %adds, {INT} {load_tile(x, where)}, {INT} zeroinitializer")
                scales = None
                if p.scale is not None:
                    of_rows = x.field(s, x.emit(f"mul i64 {quarter}, {QUAD}"))
                    of_columns = x.field(t, x.emit(f"mul i64 {parity}, {QUAD}"))
                    scales = sums.scales = Scales(x, p, of_rows, of_columns)
                d = sums.result(rows, columns, c)
                if fallback is not None:
                    d = fallback.result(sums.rare, d, a, b, quarter, parity, c, scales)
                store_tile(x, d, where)
    inputs = ", ".join(f"ptr noalias %{v}" for v in "abst")
    own = function(name, f"{inputs}, ptr %d, i64 %tiles, i64 %step, i64 %groups, i1 %adds", x)
    return "\n".join([*([exact(p), DECLARATIONS] if fallback is not None else []), own, WEIGHTS])


def sums_of(staged: StagedWords, avx512: bool) -> FloatSums | BlockSums | IntegerSums:
    if staged.p.blocked:
        return BlockSums(staged, avx512)
    return FloatSums(staged, avx512) if staged.p.d is not None else IntegerSums(staged, avx512)


def load_tile(x: Text, where: str) -> str:
    """Four columns of four rows."""
    rows = [x.load_at(FOUR, where, k * LANE) for k in range(QUADS)]
    low, high = (x.shuffle(FOUR, rows[k], rows[k + 1], range(2 * QUADS)) for k in (0, 2))
    return x.shuffle(f"<{2 * QUADS} x i32>", low, high, range(LANES))


def store_tile(x: Text, d: str, where: str) -> None:
    for k in range(QUADS):
        x.store_at(FOUR, x.shuffle(INT, d, "poison", range(k * QUADS, (k + 1) * QUADS)), where, k * LANE)
