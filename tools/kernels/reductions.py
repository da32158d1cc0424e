"""Cases of reductions.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


def _blocks(a: np.ndarray, size: int, count: int) -> np.ndarray:
    """The array padded with zeros to `count` blocks, one block a row."""
    return np.pad(a, (0, size * count - len(a))).reshape(count, size)


for threads in (1, 33, 100, 1024):
    builds = {1: "sm_75", 100: ("sm_80", "sm_75 -G", "sm_90a -lineinfo", "sm_120")}.get(threads, "sm_80")

    @case("reductions.cu", "block_sum", name=f"block_sum_{threads}", grid=3, block=threads, builds=builds)
    def block_sum(r: Generator, threads: int = threads):
        a = r.integers(-(2**31), 2**31, 3 * threads - threads // 3, dtype=np.int32)
        sums = _blocks(a, threads, 3).sum(axis=1, dtype=np.int64).astype(np.int32)
        return a, Out(sums), np.int32(len(a))


@case(
    "reductions.cu", "shuffle_sum", grid=2, block=128, builds=("sm_80", "sm_75"), note="integers: every order is exact"
)
def shuffle_sum(r: Generator):
    a = r.integers(-1000, 1000, 777).astype(np.float32)
    sums = _blocks(a, 128, 8).reshape(4, 2, 128).sum(axis=(0, 2))
    return a, Out(sums), np.int32(777)


@case("reductions.cu", "arg_max", grid=2, block=64)
def arg_max(r: Generator):
    a = r.integers(-9, 9, 500, dtype=np.int32)
    key = (int(a.max()) + 2**31) << 32 | (0xFFFFFFFF ^ int(a.argmax()))
    return a, Out(np.array([key], np.uint64)), np.int32(500)


@case("reductions.cu", "last_block_total", grid=5, block=64, builds=("sm_80", "sm_90a"))
def last_block_total(r: Generator):
    a = r.integers(-50, 50, 900).astype(np.float64)
    strided = np.pad(a, (0, 960 - 900)).reshape(3, 5, 64)
    partial = (strided**2).sum(axis=(0, 2))
    return a, Out(partial), Out(np.zeros(1, np.uint32)), Out(np.array([(a**2).sum()])), np.int32(900)


@case("reductions.cu", "dot_bytes", block=100)
def dot_bytes(r: Generator):
    a, b = (r.integers(-128, 128, 4 * 257, dtype=np.int8) for _ in "ab")
    dot = np.array([(a.astype(np.int64) * b).sum()], np.int32)
    return a.view(np.int32), b.view(np.int32), Out(dot), np.int32(257)


@case("reductions.cu", "row_sums", grid=2, block=(96,), builds=("sm_80", "sm_89"))
def row_sums(r: Generator):
    a = r.integers(-(2**15), 2**15, (5, 45), dtype=np.int16)
    return a, Out(a.sum(axis=1, dtype=np.int32)), np.int32(5), np.int32(45)
