"""Cases of sorts.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("sorts.cu", "bitonic", grid=2, block=128, builds=("sm_80", "sm_75 -lineinfo", "sm_90a -G"))
def bitonic(r: Generator):
    a = r.integers(-(2**31), 2**31, (2, 256), dtype=np.int32)
    return (Out(np.sort(a, axis=1), init=a),)


@case("sorts.cu", "odd_even", block=33)
def odd_even(r: Generator):
    a = np.concatenate([r.normal(size=95), [np.inf, -np.inf, 1e-45]]).astype(np.float32)
    r.shuffle(a)
    return Out(np.sort(a), init=a), np.int32(98)


@case("sorts.cu", "radix", block=256)
def radix(r: Generator):
    keys = r.integers(0, 2**32, 251, dtype=np.uint32)
    keys[r.integers(0, 251, 60)] = 7
    payload = np.arange(251, dtype=np.uint8)
    order = np.argsort(keys, kind="stable")
    return Out(keys[order], init=keys), Out(payload[order], init=payload), np.int32(251)


@case("sorts.cu", "rank_sort", grid=3, block=50)
def rank_sort(r: Generator):
    a = r.integers(-30, 30, 140) * 0.1
    return a, Out(np.sort(a)), np.int32(140)


@case("sorts.cu", "insertion", grid=2, block=20)
def insertion(r: Generator):
    a = r.integers(-(2**31), 2**31, (40, 12), dtype=np.int32)
    return a, Out(np.sort(a, axis=1))


@case("sorts.cu", "quicksort", block=8, builds=("sm_80", "sm_75 -G"))
def quicksort(r: Generator):
    a = r.integers(-99, 99, (8, 25), dtype=np.int32)
    return Out(np.sort(a, axis=1), init=a), np.int32(25)
