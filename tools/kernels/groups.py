"""Cases of groups.cu."""

from itertools import pairwise

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("groups.cu", "sparse_rows", grid=10, block=64, host=False)
def sparse_rows(r: Generator):
    start = np.concatenate([[0], np.cumsum(r.integers(0, 30, 77))]).astype(np.int32)
    column = r.integers(0, 50, start[-1], dtype=np.int32)
    value, x = r.integers(-9, 10, start[-1]).astype(float), r.integers(-9, 10, 50).astype(float)
    sums = [value[a:b] @ x[column[a:b]] for a, b in pairwise(start)]
    return start, column, value, x, Out(np.array(sums)), np.int32(77)


@case("groups.cu", "grid_scan", grid=8, block=33, builds=("sm_80", "sm_75"), host=False)
def grid_scan(r: Generator):
    a = r.integers(-99, 99, 250, dtype=np.int32)
    return Out(np.cumsum(a, dtype=np.int32), init=a), np.int32(250)


@case("groups.cu", "labelled", block=64, host=False)
def labelled(r: Generator):
    a = r.integers(0, 99, 64, dtype=np.int32)
    out = np.zeros((64, 4), np.int32)
    for i in np.flatnonzero(a % 7):
        w = a[i // 32 * 32 : i // 32 * 32 + 32]
        same = (w % 7 != 0) & (w % 5 == a[i] % 5)
        half = w[(w % 7 != 0) & ((w % 3 == 0) == (a[i] % 3 == 0))]
        out[i] = same.sum(), same[: i % 32].sum(), w[same].sum(), half[-1]
    return a, Out(out)


@case("groups.cu", "tile_scans", block=80, host=False)
def tile_scans(r: Generator):
    a = r.integers(-999, 999, 80, dtype=np.int32)
    tiles = a.reshape(5, 16)
    most = np.maximum.accumulate(tiles, axis=1)
    most = np.concatenate([tiles[:, :1], most[:, :-1]], axis=1)
    folded = np.repeat(np.bitwise_xor.reduce(tiles, axis=1), 16)
    return a, Out(np.stack([np.cumsum(tiles, axis=1).ravel(), most.ravel(), folded], axis=1).astype(np.int32))


@case("groups.cu", "wide_tiles", block=128, host=False)
def wide_tiles(r: Generator):
    a = r.integers(-999, 999, 128, dtype=np.int32)
    tiles = a.reshape(2, 64)
    sums, fetched = np.repeat(tiles.sum(axis=1), 64), np.repeat(tiles[:, 40], 64)
    out = [sums, fetched, np.cumsum(tiles, axis=1).ravel(), -(np.arange(128) % 4)]
    return a, Out(np.stack(out, axis=1).astype(np.int32))
