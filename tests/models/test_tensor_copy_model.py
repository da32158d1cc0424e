"""Copies of random boxes of random tensors, compared with the manual's description: bounding boxes, traversal strides,
what is out of bounds (5.5.3), and the tables of swizzling modes (5.5.7)."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import openptx

SHARED = 16384
# fmt: off
TABLES = {  # 5.5.7: of a line of 128 bytes, which 16 bytes stand where; the lines repeat
    "none": ["0 1 2 3 4 5 6 7"],
    "32B": ["0 1 2 3 4 5 6 7",
            "1 0 3 2 5 4 7 6"],
    "64B": ["0 1 2 3 4 5 6 7",
            "1 0 3 2 5 4 7 6",
            "2 3 0 1 6 7 4 5",
            "3 2 1 0 7 6 5 4"],
    "128B": ["0 1 2 3 4 5 6 7",
             "1 0 3 2 5 4 7 6",
             "2 3 0 1 6 7 4 5",
             "3 2 1 0 7 6 5 4",
             "4 5 6 7 0 1 2 3",
             "5 4 7 6 1 0 3 2",
             "6 7 4 5 2 3 0 1",
             "7 6 5 4 3 2 1 0"],
    "128B_ATOM_32B": ["0 1 2 3 4 5 6 7",
                      "2 3 0 1 6 7 4 5",
                      "4 5 6 7 0 1 2 3",
                      "6 7 4 5 2 3 0 1"],
    "128B_ATOM_64B": ["0 1 2 3 4 5 6 7",
                      "4 5 6 7 0 1 2 3"],
}
# fmt: on
DTYPES = [np.dtype(t) for t in ("u1", "u2", "u4", "i4", "u8", "i8", "f2", "f4", "f8", ml_dtypes.bfloat16)]


@cache
def program() -> Any:
    """For each rank an entry `k<rank>` that loads, stores (of the tensor or of four of its rows) or adds a box."""
    names = "c0", "c1", "c2", "c3", "c4"
    entries = list[str]()
    for rank in range(1, 6):
        at = f"[m, {{{', '.join(names[:rank])}}}]"
        rows = "[m, {c0, c1, c2, c3, c4}]"
        four = f"""
GATHER: cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [place], {rows}, [bar];
bra WAIT;
SCATTER: cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group {rows}, [place]; bra SENT;"""
        tensor = f"cp.async.bulk.tensor.{rank}d"
        entries.append(f"""
.visible .entry k{rank}(.param .align 64 .b8 map[128], .param .u64 pgiven, .param .u64 pback, .param .u32 what,
    .param .u32 offset, .param .u32 bytes, {", ".join(f".param .s32 p{c}" for c in names)}) {{
.shared .align 1024 .b8 box[{SHARED}]; .shared .align 8 .b64 bar;
.reg .b64 m, given, back, state; .reg .pred p; .reg .b32 n, place, size; .reg .s32 {", ".join(names)};
mov.b64 m, map; cvta.param.u64 m, m; ld.param.u64 given, [pgiven]; ld.param.u64 back, [pback];
{" ".join(f"ld.param.s32 {c}, [p{c}];" for c in names)}
ld.param.u32 size, [bytes]; ld.param.u32 n, [offset]; mov.u32 place, box; add.u32 place, place, n;
mbarrier.init.shared.b64 [bar], 1; mbarrier.arrive.expect_tx.shared.b64 state, [bar], {SHARED};
cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [box], [given], {SHARED}, [bar];
FIRST: mbarrier.try_wait.shared.b64 p, [bar], state; @!p bra FIRST;
mbarrier.arrive.expect_tx.shared.b64 state, [bar], size;
ld.param.u32 n, [what];
setp.eq.u32 p, n, 1; @p bra STORE; setp.eq.u32 p, n, 2; @p bra ADD;
{"setp.eq.u32 p, n, 3; @p bra GATHER; setp.eq.u32 p, n, 4; @p bra SCATTER;" if rank == 2 else ""}
{tensor}.shared::cta.global.tile.mbarrier::complete_tx::bytes [place], {at}, [bar];
WAIT: mbarrier.try_wait.shared.b64 p, [bar], state; @!p bra WAIT;
bra DONE;
STORE: {tensor}.global.shared::cta.tile.bulk_group {at}, [place]; bra SENT;
ADD: cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.add.tile.bulk_group {at}, [place]; bra SENT;
{four if rank == 2 else ""}
SENT: cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
DONE: cp.async.bulk.global.shared::cta.bulk_group [back], [box], {SHARED};
cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret; }}""")
    return openptx.load(".version 8.8\n.target sm_100a\n.address_size 64\n" + "".join(entries))


class Copy:
    """A random copy. Axes are in the order of the array's shape; the instruction's coordinates are in the other one."""

    def __init__(self, seed: int, what: str) -> None:
        self.rng = rng = np.random.default_rng(seed)
        self.what = what
        four = what in ("gather", "scatter")
        sums = [t for t in DTYPES if t.str[1:] in ("u4", "i4", "u8", "f2")]
        self.dtype = dtype = sums[rng.integers(len(sums))] if what == "add" else DTYPES[rng.integers(len(DTYPES))]
        unit = 16 // dtype.itemsize  # elements
        self.rank = rank = 2 if four else int(rng.integers(1, 6))
        self.swizzle = str(rng.choice([*TABLES]))
        row = int(rng.integers(1, {"32B": 2, "64B": 4}.get(self.swizzle, 8) + 1)) * unit
        self.box = (*([1] if four else rng.integers(1, 5, rank - 1).tolist()), min(row, 256 // unit * unit))
        steps = rng.integers(1, 4, rank - 1).tolist() if rng.random() < 0.4 and not four else [1] * (rank - 1)
        self.steps = (*steps, 1)
        self.shape = (*rng.integers(1, 7, rank - 1).tolist(), int(rng.integers(1, 12)) * unit)
        self.nan = bool(dtype.kind == "f" or dtype == ml_dtypes.bfloat16) and rng.random() < 0.5
        least = -3 if what in ("load", "gather") else 0
        self.at = (*(int(rng.integers(least, n + 1)) for n in self.shape[:-1]), self.column(least))
        self.rows = rng.integers(least, self.shape[0] + 1, 4).tolist() if four else []
        self.offset = int(rng.integers(0, 9)) * 128

    def column(self, least: int) -> int:
        """A multiple of 16 bytes: others end a kernel on a GPU."""
        unit = 16 // self.dtype.itemsize
        return int(self.rng.integers(least, self.shape[-1] // unit + 1)) * unit

    def positions(self) -> list[tuple[int, ...]]:
        """The elements of the box in the order of shared memory (5.5.3.1, 5.5.3.2, 5.5.3.4)."""
        if self.rows:
            return [(row, self.at[-1] + i) for row in self.rows for i in range(self.box[-1])]
        counts = [-(-n // step) for n, step in zip(self.box, self.steps, strict=True)]
        return [
            tuple(c + i * step for c, i, step in zip(self.at, index, self.steps, strict=True))
            for index in product(*map(range, counts))
        ]

    def inside(self, position: tuple[int, ...]) -> bool:
        return all(0 <= i < n for i, n in zip(position, self.shape, strict=True))

    def place(self, byte: int) -> int:
        """Where a byte of the box stands in shared memory (5.5.7); the first line is at a multiple of 1024."""
        line, within = divmod(self.offset + byte, 128)
        table = TABLES[self.swizzle]
        chunk = table[line % len(table)].split().index(str(within // 16))
        return 128 * line + 16 * chunk + within % 16

    def run(self, engine: str) -> None:
        size = self.dtype.itemsize
        array = self.rng.integers(1, 50, self.shape).astype(self.dtype)
        given, positions = self.rng.integers(0, 256, SHARED, dtype=np.uint8), self.positions()
        sent = self.rng.integers(1, 50, len(positions)).astype(self.dtype)
        loads = self.what in ("load", "gather")
        if not loads:
            for byte, value in enumerate(sent.view(np.uint8).tolist()):
                given[self.place(byte)] = value
        wanted, memory = given.copy(), array.copy()
        outside = np.frombuffer(b"\xf7\x7f" * (size // 2), np.uint8) if self.nan else np.zeros(size, np.uint8)
        for i, position in enumerate(positions):
            if loads:
                element = array[position].tobytes() if self.inside(position) else outside.tobytes()
                for byte in range(size):
                    wanted[self.place(size * i + byte)] = element[byte]
            elif self.inside(position):
                memory[position] = sent[i] + memory[position] if self.what == "add" else sent[i]
        options = {"swizzle": self.swizzle, "steps": self.steps, "fill": "nan" if self.nan else "zero"}
        tensor = openptx.TensorMap(array, self.box, **options)
        back, bytes = np.zeros(SHARED, np.uint8), len(positions) * size if loads else 0
        coordinates = [self.at[-1], *self.rows] if self.rows else [*self.at[::-1], *[0] * (5 - self.rank)]
        what = ["load", "store", "add", "gather", "scatter"].index(self.what)
        arguments = tensor, given, back, what, self.offset, bytes, *coordinates
        program()[f"k{self.rank}"](1, 1, arguments, engine=engine)
        about = f"{self.__dict__} {engine}"
        np.testing.assert_array_equal(back, wanted, about)
        np.testing.assert_array_equal(array.view(np.uint8), memory.view(np.uint8), about)


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("what", ["load", "store", "add", "gather", "scatter"])
def test_boxes(what: str, engine: str) -> None:
    for seed in range(8):
        Copy(seed, what).run(engine)
