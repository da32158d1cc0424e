"""Cases of atomics.cu."""

import functools
import operator

import numpy as np
from ml_dtypes import bfloat16
from numpy.random import Generator

from kernels.case import Out, case


@case("atomics.cu", "atomic_integers", grid=3, block=70, builds=("sm_80", "sm_75", "sm_90a", "sm_80 -G"))
def atomic_integers(r: Generator):
    a = r.integers(-(2**31), 2**31, 210, dtype=np.int32)
    u, x = a.view(np.uint32), a.astype(np.int64) * 1000003
    w = x.view(np.uint64)
    all_of, any_of, odd_of = (
        functools.partial(functools.reduce, op) for op in (operator.and_, operator.or_, operator.xor)
    )
    total = a.sum(dtype=np.int32)
    s0 = np.array([1, 2, 3, 4, -1, 0, 7], np.int32)
    s = [1 + total, 2 - total, min(3, a.min()), max(4, a.max()), all_of(a | 15), any_of(a & 255), odd_of(a) ^ 7]
    u0 = np.array([0, 2**32 - 1, 0, 4, 4], np.uint32)
    counted = (4 + 210) % 10, (4 - 210) % 10
    wide0 = np.array([0, 2**64 - 1, 0, 0, 0, 2**64 - 1, 0, 0], np.uint64)
    wide = [
        x.sum().view(np.uint64),
        w.min(),
        w.max(),
        min(x.min(), 0).view(np.uint64),
        max(x.max(), 0).view(np.uint64),
        all_of(w | np.uint64(255)),
        any_of(w & np.uint64(0xFFFF)),
        odd_of(w),
    ]
    return (
        a,
        Out(np.array([int(v) for v in s], np.int64).astype(np.int32), init=s0),
        Out(np.array([u.sum(dtype=np.uint32), u.min(), u.max(), *counted], np.uint32), init=u0),
        Out(np.array(wide, np.uint64), init=wide0),
    )


@case("atomics.cu", "atomic_tickets", grid=4, block=50)
def atomic_tickets(_: Generator):
    """Every ticket is taken once; the baton held 0 first, and what it holds last is in no sum."""
    baton = np.zeros(1, np.uint64)
    return Out(np.array([600], np.int32)), Out(np.ones(200, np.int32)), baton, np.zeros(1, np.uint64)


@case("atomics.cu", "atomic_floats", grid=2, block=40, builds=("sm_90", "sm_80"), host=False)
def atomic_floats(r: Generator):
    a = r.integers(-3, 4, 80, dtype=np.int32)
    half = np.array([a.sum()], np.float16)
    pair = np.array([a.sum(), -a.sum()], np.float16)
    bf16 = np.array([(a & 1).sum()], bfloat16)
    return (
        a,
        Out(np.array([a.sum()], np.float32)),
        Out(np.array([a.sum() * 0.5])),
        Out(half.view(np.uint16)),
        Out(pair.view(np.uint16)),
        Out(bf16.view(np.uint16)),
    )


@case("atomics.cu", "cas_loops", grid=2, block=48, builds=("sm_80", "sm_75", "sm_80 -G"), host=False)
def cas_loops(r: Generator):
    a = r.random(96).astype(np.float32) * 100
    product = 1
    for i in range(96):
        product = product * (i + 2) % 1000000007
    counts = np.bincount(np.arange(96) % 16, minlength=16).astype(np.uint8)
    top = Out(a.max(keepdims=True).view(np.int32))
    product_out = Out(np.array([product], np.uint64), init=np.ones(1, np.uint64))
    half = Out(np.array([288 + 5, 9], np.uint16), init=np.array([5, 9], np.uint16))
    return a, top, product_out, Out(counts.view(np.uint32)), half


@case("atomics.cu", "atomic_scopes", grid=3, block=40, builds=("sm_80", "sm_90"))
def atomic_scopes(r: Generator):
    a = r.integers(-99, 99, (3, 40), dtype=np.int32)
    odd = np.bitwise_xor.reduce(a, axis=1).sum()
    return a, Out(np.array([a.sum(), odd, -3, a.max(axis=1).sum()], np.int32))


@case("atomics.cu", "components", block=64)
def components(r: Generator):
    n, edges = 60, r.integers(0, 60, (45, 2), dtype=np.int32)
    label = list(range(n))
    for _ in range(n):
        for a, b in edges:
            label[a] = label[b] = min(label[a], label[b])
    return edges, Out(np.array(label, np.int32)), np.int32(45), np.int32(n)
