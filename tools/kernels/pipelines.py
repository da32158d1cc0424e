"""Cases of pipelines.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("pipelines.cu", "double_buffer", block=32, builds=("sm_80", "sm_90a", "sm_80 -G"), host=False)
def double_buffer(r: Generator):
    a = r.integers(-99, 99, (5, 32, 4), dtype=np.int32)
    out = (a[:, ::-1] * [1, 2, 3, 4]).sum(axis=2) * np.arange(1, 6)[:, None]
    return a, Out(out.sum(axis=0).astype(np.int32)), np.int32(5)


@case("pipelines.cu", "zero_fill", block=64, host=False)
def zero_fill(r: Generator):
    a = r.integers(1, 99, 50, dtype=np.int32)
    return a, Out(np.pad(a, (0, 14))[::-1].copy()), np.int32(50)


@case("pipelines.cu", "mma_f16", block=32, builds=("sm_80", "sm_90a", "sm_120"), host=False)
def mma_f16(r: Generator):
    a, b = (r.integers(-8, 9, s).astype(np.float16) for s in ((16, 16), (16, 8)))
    c = r.integers(-99, 99, (16, 8)).astype(np.float32)
    d = a.astype(np.float32) @ b.astype(np.float32) + c
    return a.view(np.uint16), b.view(np.uint16), c, Out(d)


@case("pipelines.cu", "mma_s8", block=32, builds=("sm_80",), host=False)
def mma_s8(r: Generator):
    a, bt = (r.integers(-128, 128, s, dtype=np.int8) for s in ((16, 32), (8, 32)))
    return a.view(np.int32), bt.view(np.int32), Out((a.astype(int) @ bt.T.astype(int)).astype(np.int32))


@case("pipelines.cu", "wmma_loop", block=32, builds=("sm_80", "sm_75"), host=False)
def wmma_loop(r: Generator):
    a, bt = (r.integers(-6, 7, (16, 48)).astype(np.float16) for _ in "ab")
    d = 2 * (a.astype(np.float32) @ bt.T.astype(np.float32) + 1)
    return a.view(np.uint16), bt.view(np.uint16), Out(d), np.int32(48)
