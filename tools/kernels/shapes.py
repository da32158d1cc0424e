"""Cases of shapes.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


def _code(x: int, y: int, z: int) -> int:
    return x + 100 * y + 10000 * z


for name, grid, block in (
    ("flat", (3, 1, 1), (33, 1, 1)),
    ("plane", (2, 3, 1), (5, 7, 1)),
    ("space", (2, 2, 3), (3, 5, 2)),
):

    @case(
        "shapes.cu",
        "identities",
        name=f"identities_{name}",
        grid=grid,
        block=block,
        builds=("sm_80", "sm_75 -G") if name == "space" else "sm_80",
    )
    def identities(_: Generator, grid: tuple[int, int, int] = grid, block: tuple[int, int, int] = block):
        rows = []
        for bz, by, bx in np.ndindex(grid[::-1]):
            for t, (z, y, x) in enumerate(np.ndindex(block[::-1])):
                lane = t % 32
                below = (1 << lane) - 1
                rows.append([_code(x, y, z), _code(bx, by, bz), _code(*block), _code(*grid), lane, below])
        return (Out(np.array(rows, np.int64).astype(np.int32)),)


@case("shapes.cu", "vectors", block=20, builds=("sm_80", "sm_75", "sm_100a"))
def vectors(r: Generator):
    a, b = r.integers(0, 256, (20, 4), dtype=np.uint8), r.integers(-(2**15), 2**15, (20, 2), dtype=np.int16)
    c, d = r.normal(size=(20, 4)).astype(np.float32), r.normal(size=(20, 2))
    e = r.integers(0, 2**64, (20, 2), dtype=np.uint64)
    return (
        a,
        b,
        c,
        d,
        e,
        Out(np.stack([a[:, 3], a[:, 2], a[:, 1] + np.uint8(1), ~a[:, 0]], 1)),
        Out(np.stack([b[:, 1], -b[:, 0]], 1)),
        Out(np.stack([c[:, 1], c[:, 0], c[:, 3] + c[:, 2], c[:, 2]], 1)),
        Out(np.stack([d[:, 1] - d[:, 0], d[:, 0]], 1)),
        Out(np.stack([e[:, 0] + e[:, 1], e[:, 0] & e[:, 1]], 1)),
    )


@case("shapes.cu", "carved", block=37, shared=37 * 13)
def carved(r: Generator):
    a = r.integers(0, 100, 37) * 0.5
    t = np.arange(37)
    return a, Out((a.astype(int) + (a * 2).astype(int) * 1000 + t * 3)[::-1].astype(np.int32))


@case("shapes.cu", "globals", block=24, builds=("sm_80", "sm_75 -G", "sm_90a"))
def globals_(_: Generator):
    out, values = [], []
    for t in range(24):
        n = 0
        for c in (b"zero", b"one", b"eleven")[t % 3]:
            n = n * 31 + c
        name, size, value = ((b"first", 5, 1.25), (b"second", -6, -2.5e10))[t & 1]
        table = [100, 200, 300, 7]
        out.append(n + sum(name) + [2, 3, 5, 7, 11, 13, 17, 19][t % 8] * 1000 + table[t % 4] + 300 + 42 + size)
        values.append(value * 0.5)
    return Out(np.array(out, np.int64).astype(np.int32)), Out(np.array(values))


@case("shapes.cu", "generic_pointers", block=32, builds=("sm_80", "sm_80 -G"))
def generic_pointers(r: Generator):
    a = r.integers(-99, 99, 4, dtype=np.int32)
    out = []
    for t in range(32):
        turned = [0] * 4
        for i in range(4):
            turned[(i + t) % 4] = a[i] * 2
        out.append(np.polyval([a, a + 1, turned, [100, 200, 300, 0]][t % 4], 3))
    return a, Out(np.array(out, np.int32))


@case("shapes.cu", "layouts", block=40)
def layouts(r: Generator):
    a = r.integers(-(2**20), 2**20, 40, dtype=np.int32)
    rows = []
    for v in a.tolist():
        i = (v & 2**32 - 1) % 3
        c = (v - i + 256) % 512 - 256
        word = int(np.float32(v * (i + 1)).view(np.uint32))
        rows.append([(v + i & 31) | (v >> 3 & 2047) << 5, c & 2**32 - 1, word ^ word >> 24])
    return a, Out(np.array(rows, np.uint32).T.copy())
