"""Matrix products of many warps, or of tiles, by compiled routines if the amount of work justifies compiling them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from openptx.engines.interp import lane_sets
from openptx.engines.interp.geometry import WARP
from openptx.isa.semantics.matrix.tensor_execution import shape_of
from openptx.isa.semantics.matrix.tensor_operations import MODE
from openptx.locks import check_cancelled
from openptx.numerics import Bits
from openptx.numerics.numpy_machine import UNSIGNED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.array_types import Array
    from openptx.engines.interp.memory.spaces import Spaces
    from openptx.engines.interp.memory.tensor_memory import TensorMemory
    from openptx.engines.tensor_cores.library import TensorCode
    from openptx.isa.semantics.matrix.tensor_operations import TensorCopy, TensorProduct, Tiles
    from openptx.numerics.dot import Tile
    from openptx.numerics.matrix_product import MatrixProduct


HALVES, ELEMENTS = 2, 4
"""Of sixteen rows: adjacent registers of a fragment of a, elements of c that a lane has per eight columns."""

WORTH_LINKING, WORTH_MAKING = 1 << 21, 1 << 24
"""Multiplications in a process from which compiling a routine pays: NumPy takes 30 ns for each, compiling 0.2 to 0.5
s."""

OF_SCALED = 8
"""The weight of a scaled multiplication, by the time that NumPy takes."""

PIECE = 1 << 12
"""Products between two checks whether to continue."""

WORTH_COPYING = 16
"""Copies to tensor memory in a process from which compiled code pays: compiling takes 0.05 s, NumPy some ms per
copy."""

_copied: dict[str, int] = {}
_multiplied: dict[str, int] = {}


def matrix_product(
    x: Spaces, p: MatrixProduct, a: Sequence[Bits], b: Sequence[Bits], addends: Tile, by_lanes: Callable[[], Tile]
) -> Tile:
    """The product of the fragments of each executing warp."""
    warps = warps_of(x)
    chunks = len(a) // len(addends)  # of a line, in a register each
    groups = len(b) // chunks
    if not warps or not pays(p, warps * 8 * len(addends) * 8 * groups * p.words * p.elements):
        return by_lanes()
    right = stacked(b, warps)
    d: list[tuple[Bits, ...]] = []
    order = [(h, 2 * k + j) for k in range(groups) for h in range(HALVES) for j in range(ELEMENTS // HALVES)]
    for i in range(0, len(addends), HALVES):
        left = stacked(a[i * chunks : (i + HALVES) * chunks], warps)
        c = stacked([addends[i + h][j] for h, j in order], warps)
        multiply(p, left, right, c, groups)
        found: list[list[Bits]] = [[*line] for line in addends[i : i + HALVES]]
        for register, (h, j) in enumerate(order):
            words = c[:, register].reshape(-1)
            found[h][j] = Bits(x, p.width, words.astype(UNSIGNED[p.width]))
        d += map(tuple, found)
    return tuple(d)


def tensor_product(
    x: Spaces, memory: TensorMemory, p: TensorProduct, define: Callable[..., None], zeros: Bits, code: Bits,
    values: Sequence[Bits],
) -> int:  # fmt: skip
    """A product in tensor memory: by compiled code if that pays, whose address is returned, else by the definition."""
    found = None if zeros.v.any() or not has_ctas(x, p.ctas) else compiled(x, p, code, values)
    return by_code(x, memory, found, p.ctas, define, (zeros, code, *values))


def tensor_copy(
    x: Spaces, memory: TensorMemory, p: TensorCopy, define: Callable[..., None], address: Bits, code: Bits
) -> int:
    """A copy to tensor memory: by compiled code if that pays, whose address is returned, else by the definition."""
    found = None
    if has_ctas(x, p.ctas):
        _copied[p.key] = count = _copied.get(p.key, 0) + 1
        found = routines().tensor_copy(p, int(code.v[0]) >> MODE) if count > WORTH_COPYING else None
    return by_code(x, memory, found, p.ctas, define, (address, code))


def by_code(
    x: Spaces, memory: TensorMemory, found: TensorCode | None, ctas: int, define: Callable[..., None],
    values: Sequence[Bits],
) -> int:  # fmt: skip
    """Works lane by lane; what the code does not handle is done by the definition. Returns the code's address, or 0."""
    if found is None:
        define(*values)
        return 0
    active, lanes = x.executing, lane_sets.positions(x.executing, x.n)
    addresses = x.shared_of, memory.address_of
    given = np.empty((lanes.size, len(values)), np.uint64)
    for i, value in enumerate(values):
        given[:, i] = value.v
    try:
        for i, lane in enumerate(lanes):
            check_cancelled()
            cta = int(x.geometry.cta[lane])
            if ctas > 1:
                cta -= int(x.geometry.rank[cta]) & 1
            places = [address(one) for one in range(cta, cta + ctas) for address in addresses] + [0] * (4 - 2 * ctas)
            if not found.call(given[i].ctypes.data, 8, x.shared_size, *places):
                x.executing = lanes[i : i + 1]
                define(*(Bits(x, b.width, b.v if b.v.size == 1 else b.v[i : i + 1]) for b in values))
    finally:
        x.executing = active
    return found.address


def has_ctas(x: Spaces, count: int) -> bool:
    """Whether clusters have this many CTAs, or pairs of them."""
    return x.geometry.shape.cluster_size % count == 0


def compiled(x: Spaces, p: TensorProduct, code: Bits, values: Sequence[Bits]) -> TensorCode | None:
    """The code for the first lane's product, if it pays."""
    what, widths = int(code.v[0]), tuple(v.width for v in values)
    library = routines()
    m = library.compiled_product(p, what)
    if m is None:
        return None
    shape = shape_of(p, what)
    count = lane_sets.size(x.executing, x.n) * shape.rows * shape.columns * m.words * m.elements
    count *= OF_SCALED if shape.scaled else 1
    ready = partial(library.tensor_product_ready, p, what, widths, m)
    return library.tensor_product(p, what, widths) if pays(m, count, ready) else None


def warps_of(x: Spaces) -> int:
    """The number of executing warps; 0 if one of them lacks lanes, because a fragment needs the registers of all
    lanes."""
    if not x.geometry.whole_warps:
        return 0
    if x.executing is None:
        return x.n // WARP
    lanes = lane_sets.positions(x.executing, x.n)
    if lanes.size % WARP:
        return 0
    return (
        lanes.size // WARP if (lanes.reshape(-1, WARP) == (lanes[::WARP, None] & -WARP) + np.arange(WARP)).all() else 0
    )


def tile_product(
    x: Spaces, memory: TensorMemory, p: MatrixProduct, tiles: Callable[..., Tiles], given: Sequence[Bits], adds: bool,
    by_lines: Callable[[], None],
) -> None:  # fmt: skip
    """CTA by CTA, with the lines of a matrix treated as one per lane."""
    active, lanes = x.executing, lane_sets.positions(x.executing, x.n)
    shape = tiles(*given)
    if not pays(p, lanes.size * shape.rows * shape.columns * p.words * p.elements):
        by_lines()
        return
    try:
        for i, lane in enumerate(lanes):
            x.executing = lanes[i : i + 1]
            own = shape
            if lanes.size > 1:
                own = tiles(*(Bits(x, b.width, b.v if b.v.size == 1 else b.v[i : i + 1]) for b in given))
            columns = words_of(x, lane, own.columns, own.column)
            rows = words_of(x, lane, own.rows, own.row)
            x.executing = np.full(own.rows, lane)
            place = own.place(Bits(x, 32, np.arange(own.rows, dtype=np.uint32)))
            where, d = memory.rows_at(place, own.columns), memory.cells
            c = d[where] if adds else np.zeros((own.rows, own.columns), np.uint32)
            d[where] = product_of_lines(p, rows, columns, c)
    finally:
        x.executing = active


def words_of(x: Spaces, lane: int, count: int, line: Callable[[Bits], Sequence[Bits]]) -> Array:
    """The words of lines 0 to `count` - 1, read by one lane."""
    x.executing = np.full(count, lane)
    words = line(Bits(x, 32, np.arange(count, dtype=np.uint32)))
    found = np.empty((count, len(words)), np.uint32)
    for i, word in enumerate(words):
        found[:, i] = word.v
    return found


def product_of_lines(p: MatrixProduct, rows: Array, columns: Array, c: Array) -> Array:
    """d by rows and columns; a and b by lines of words."""
    tiles, groups, chunks = len(rows) // 16, len(columns) // 8, p.words // 4
    a = np.ascontiguousarray(rows.reshape(tiles, 2, 8, chunks, 4).transpose(0, 3, 1, 2, 4))
    b = np.ascontiguousarray(columns.reshape(1, groups, 8, chunks, 4).transpose(0, 1, 3, 2, 4))
    d = np.ascontiguousarray(c.reshape(tiles, 2, 8, groups, 4, 2).transpose(0, 3, 1, 5, 2, 4))
    multiply(p, a, b, d, groups)
    return d.transpose(0, 2, 4, 1, 5, 3).reshape(c.shape)


def pays(p: MatrixProduct, count: int, ready: Callable[[], bool] | None = None) -> bool:
    """Whether this many more multiplications justify a routine, which may be `ready`."""
    total = _multiplied[p.key] = _multiplied.get(p.key, 0) + count
    if total < WORTH_LINKING:
        return False
    library = routines()
    return library.supported(p) and (total >= WORTH_MAKING or (ready() if ready is not None else library.ready(p)))


def routines():
    """The module of the routines, which loads LLVM."""
    from openptx.engines.tensor_cores import library

    return library


def stacked(registers: Sequence[Bits], warps: int) -> Array:
    """Fragments of all warps: warp, register, lane."""
    d = np.empty((warps, len(registers), WARP), np.uint32)
    for i, register in enumerate(registers):
        d[:, i] = register.v.reshape(warps, WARP) if register.v.size > 1 else register.v
    return d


def multiply(p: MatrixProduct, a: Array, b: Array, c: Array, groups: int) -> None:
    """Products of fragments along the first axis, c replaced by d. A b with one product applies to all of a and c."""
    call = routines().routine_of(p).all
    steps = a[0].nbytes, b[0].nbytes if len(b) > 1 else 0, c[0].nbytes, c[0].nbytes
    for first in range(0, len(a), PIECE):
        check_cancelled()
        count = min(PIECE, len(a) - first)
        places = (v[first if len(v) > 1 else 0 :].ctypes.data for v in (a, b, c, c))
        call(*places, groups, count, *steps)
