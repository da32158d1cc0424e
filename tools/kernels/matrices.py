"""Cases of matrices.cu."""

from fractions import Fraction

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case(
    "matrices.cu", "matmul_plain", grid=(2, 2), block=(8, 16), builds=("sm_80", "sm_75 -lineinfo", "sm_90a", "sm_80 -G")
)
def matmul_plain(r: Generator):
    a, b = (r.integers(-30, 30, shape).astype(np.float32) for shape in ((19, 13), (13, 11)))
    return a, b, Out(a @ b), np.int32(19), np.int32(11), np.int32(13)


@case("matrices.cu", "matmul_tiled", grid=(2, 3), block=(8, 8), builds=("sm_80", "sm_120"))
def matmul_tiled(r: Generator):
    a, b = (r.integers(-999, 999, shape).astype(np.float64) for shape in ((17, 21), (21, 15)))
    return a, b, Out(a @ b), np.int32(17), np.int32(15), np.int32(21)


@case("matrices.cu", "matmul_half2", block=100, builds=("sm_80", "sm_75", "sm_90a"))
def matmul_half2(r: Generator):
    """Small integers: every sum stays below 2**11, where f16 is exact."""
    a, b = (r.integers(-6, 7, shape).astype(np.float16) for shape in ((9, 14), (14, 20)))
    product = (a.astype(int) @ b.astype(int)).astype(np.float16)
    return a.view(np.uint16), b.view(np.uint16), Out(product.view(np.uint16)), np.int32(9), np.int32(10), np.int32(14)


@case("matrices.cu", "matmul_bytes", block=(12, 10))
def matmul_bytes(r: Generator):
    a, bt = (r.integers(-128, 128, shape, dtype=np.int8) for shape in ((10, 20), (12, 20)))
    product = (a.astype(int) @ bt.T.astype(int)).astype(np.int32)
    return a.view(np.int32), bt.view(np.int32), Out(product), np.int32(10), np.int32(12), np.int32(5)


@case("matrices.cu", "floyd_warshall", block=96)
def floyd_warshall(r: Generator):
    d = np.where(r.random((20, 20)) < 0.2, r.integers(1, 50, (20, 20)), 10**6).astype(np.int32)
    np.fill_diagonal(d, 0)
    best = d.copy()
    for k in range(20):
        best = np.minimum(best, best[:, k : k + 1] + best[k])
    return Out(best, init=d), np.int32(20)


@case("matrices.cu", "determinant", block=16)
def determinant(r: Generator):
    """The kernel's elimination modulo a prime against the exact rational determinant."""
    p, n = 2**31 - 1, 9
    a = r.integers(-9, 9, (n, n))
    a[0, 0] = 0  # forces a row exchange
    m, exact = [[Fraction(int(v)) for v in row] for row in a], Fraction(1)
    for k in range(n):
        pivot = next(i for i in range(k, n) if m[i][k])
        if pivot != k:
            m[k], m[pivot], exact = m[pivot], m[k], -exact
        exact *= m[k][k]
        for i in range(k + 1, n):
            f = m[i][k] / m[k][k]
            m[i] = [x - f * y for x, y in zip(m[i], m[k], strict=True)]
    start = (a % p).astype(np.uint64)
    return start, Out(np.array([int(exact) % p], np.uint64)), np.int32(n), np.uint64(p)
