"""Cases of warps.cu, computed lane by lane in Python."""

import functools
import operator

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


def _mask(lanes: list[bool]) -> int:
    return sum(1 << i for i, active in enumerate(lanes) if active)


@case("warps.cu", "shuffle_modes", block=64, builds=("sm_80", "sm_75", "sm_80 -G"))
def shuffle_modes(r: Generator):
    a = r.integers(-(2**31), 2**31, 64, dtype=np.int32)

    def source(mode: int, lane: int) -> int:
        return (
            5,
            (lane * 7 + 3) % 32,
            lane - 3 if lane >= 3 else lane,
            lane + 9 if lane + 9 < 32 else lane,
            lane ^ 21,
            lane // 8 * 8 + 6,
            lane - 2 if lane % 4 >= 2 else lane,
            lane + 1 if lane % 16 < 15 else lane,
            lane ^ 4,
        )[mode]

    return a, Out(np.array([[a[t // 32 * 32 + source(m, t % 32)] for t in range(64)] for m in range(9)], np.int32))


@case("warps.cu", "shuffle_wide", block=96)
def shuffle_wide(r: Generator):
    a, key = r.normal(size=96), r.integers(-(2**63), 2**63, 96)
    out = [a[t ^ 1] + a[t + 4 if t % 8 < 4 else t] for t in range(96)]
    return a, key, Out(np.array(out)), Out(key.reshape(3, 32)[:, ::-1].copy())


@case("warps.cu", "votes", block=64, builds=("sm_80", "sm_75 -G", "sm_90a"))
def votes(r: Generator):
    a = np.concatenate([r.integers(-4, 5, 32), r.integers(1, 40, 32)]).astype(np.int32)
    a[3] = 3
    rows = np.zeros((5, 64), np.int64)
    for w in (slice(0, 32), slice(32, 64)):
        v = a[w].tolist()
        trunc = [int(x / 64) for x in v]
        all_equal = len(set(trunc)) == 1
        rows[0, w] = _mask([x > 0 for x in v])
        rows[1, w] = (3 in v) * 2 + all(x < 50 for x in v)
        rows[2, w] = rows[4, w] = [_mask([y == x for y in v]) for x in v]
        rows[3, w] = (2**32 - 1 if all_equal else 0) + all_equal & 2**32 - 1
    return a, Out(rows.astype(np.uint32))


@case("warps.cu", "divergent_votes", block=64, builds=("sm_80", "sm_80 -G"))
def divergent_votes(r: Generator):
    a = r.integers(0, 20, 64, dtype=np.int32)
    out: list[int] = []
    for v in a.reshape(2, 32).tolist():
        odd = _mask([x % 2 == 1 and x > 8 for x in v]) * 2 + (15 in v)
        even = _mask([x % 2 == 0 and x > 8 for x in v]) + next(x for x in v if x % 2 == 0)
        out += [odd if x % 2 else even for x in v]
    return a, Out((np.array(out) & 2**32 - 1).astype(np.uint32))


@case("warps.cu", "reduce_all", block=32, builds=("sm_80", "sm_90a"))
def reduce_all(r: Generator):
    a = r.integers(-(2**31), 2**31, 32, dtype=np.int32)
    u = a.view(np.uint32)
    fold = functools.partial(functools.reduce)
    rows = [
        a.sum(dtype=np.int32),
        a.min(),
        a.max(),
        u.min(),
        u.max(),
        fold(operator.and_, u | 0xF0),
        fold(operator.or_, u & 0xFF),
        fold(operator.xor, u),
    ]
    whole = np.array([[int(v) & 2**32 - 1] * 32 for v in rows], np.uint32)
    part = np.where(np.arange(32) < 11, a[:11].sum(dtype=np.int32), 0).astype(np.int32)
    return a, Out(np.vstack([whole.view(np.int32), part]))


for threads in (1, 33, 45):

    @case("warps.cu", "partial_warp", name=f"partial_warp_{threads}", block=threads)
    def partial_warp(r: Generator, threads: int = threads):
        a = r.integers(-99, 99, threads, dtype=np.int32)
        in_warp = [min(32, threads - t // 32 * 32) for t in range(threads)]
        out = [a[t : t + 32].sum() if t % 32 == 0 else n for t, n in enumerate(in_warp)]
        return a, Out(np.array(out, np.int32))


@case("warps.cu", "segmented", block=64)
def segmented(r: Generator):
    key, value = r.integers(0, 6, (2, 32), dtype=np.int32), r.integers(-99, 99, (2, 32), dtype=np.int32)
    out = [
        [v[k == k[i]].sum() * 64 + (k[:i] == k[i]).sum() for i in range(32)] for k, v in zip(key, value, strict=True)
    ]
    return key, value, Out(np.array(out, np.int32))


@case("warps.cu", "bit_transpose", block=64, builds=("sm_80", "sm_75"))
def bit_transpose(r: Generator):
    a = r.integers(0, 2**32, (2, 32), dtype=np.uint32)
    bits = np.unpackbits(a.view(np.uint8).reshape(2, 32, 4), axis=2, bitorder="little")
    flipped = np.packbits(bits.transpose(0, 2, 1), axis=2, bitorder="little")
    return a, Out(flipped.copy().view(np.uint32).reshape(2, 32))
