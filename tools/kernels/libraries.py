"""Cases of libraries.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("libraries.cu", "radix_pairs", block=64, host=False)
def radix_pairs(r: Generator):
    key, value = r.integers(0, 2**32, 192, dtype=np.uint32), np.arange(192, dtype=np.int32)
    order = np.argsort(key, kind="stable")
    return Out(key[order], init=key), Out(value[order], init=value)


@case("libraries.cu", "merge_wide", block=64, host=False)
def merge_wide(r: Generator):
    key = r.integers(-(2**63), 2**63, 128)
    return (Out(np.sort(key), init=key),)


@case("libraries.cu", "run_lengths", block=32, host=False)
def run_lengths(r: Generator):
    value, length = r.integers(0, 99, 64, dtype=np.int32), r.integers(1, 9, 64).astype(np.uint32)
    out = np.repeat(value, length)
    return value, length, Out(out), Out(np.array([out.size], np.uint32))


@case("libraries.cu", "barrier_rounds", block=60, builds=("sm_80", "sm_90"), host=False)
def barrier_rounds(r: Generator):
    a = r.integers(-99, 99, 60, dtype=np.int32)
    out = a
    for step in range(5):
        out = out + out[(np.arange(60) * 7 + step) % 60]
    return a, Out(out)


@case("libraries.cu", "references", grid=5, block=45, host=False)
def references(r: Generator):
    a = r.integers(0, 99, 5, dtype=np.int32)
    bits, steps = 0, 1
    for block in range(5):
        for thread in range(45):
            bits ^= 1 << thread + block
            steps = (steps * 3 + 1) % 2**32
    out = np.array([*(a.astype(np.int64) * 45), steps], np.int64).astype(np.int32)
    init = np.array([0] * 5 + [1], np.int32)
    return a, Out(out, init=init), Out(np.array([bits], np.uint64)), Out(np.array([225 * 0.25]))
