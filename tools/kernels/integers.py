"""Cases of integers.cu."""

import math

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case
from kernels.twos_complement import signed

M32, M64, P = 2**32 - 1, 2**64 - 1, 998244353


def _divide(a: int, b: int) -> int:
    """As C: towards zero."""
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _rest(a: int, b: int) -> int:
    return a - b * _divide(a, b)


@case("integers.cu", "divisions", block=60, builds=("sm_80", "sm_75", "sm_80 -G", "sm_90a"))
def divisions(r: Generator):
    a, b = (r.integers(-(2**63), 2**63, 60) >> r.integers(0, 63, 60) for _ in "ab")
    b[b == 0] = 3
    a[:4], b[:4] = [2**63 - 1, -(2**63), -7, 7], [-1, 3, 2, -2]
    rows = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        p, q, ux, uy = signed(x, 32), signed(y | 1, 32), x & M64, y & M64
        if (p, q) == (-(2**31), -1):
            raise ValueError("undefined in C: choose another seed")
        up, uq = p & M32, q & M32
        by_constants = _divide(x, 10) + _divide(p, 7) + up // 1000000007 + _rest(x, 60) + _rest(p, -13)
        rows.append(
            [
                _divide(x, y),
                _rest(x, y),
                ux // uy,
                ux % uy,
                _divide(p, q),
                _rest(p, q),
                up // uq,
                up % uq,
                _divide(signed(p, 16), signed(q, 16)),
                (p & 255) % (q & 255),
                by_constants,
                _divide(x, 4096) + _rest(p, 64),
            ]
        )
    out = np.array([[v & M64 for v in row] for row in rows], np.uint64).T.copy().view(np.int64)
    return a, b, Out(out)


@case("integers.cu", "primes", block=50)
def primes(_: Generator):
    n = 700
    composite = np.array([i > 3 and any(i % d == 0 for d in range(2, math.isqrt(i) + 1)) for i in range(n)])
    return Out(composite.astype(np.uint8)), Out(np.array([n - 2 - composite.sum()], np.int32)), np.int32(n)


@case("integers.cu", "collatz", block=40, builds=("sm_80", "sm_90a"))
def collatz(r: Generator):
    a = np.concatenate([np.arange(1, 31), [27, 97, 871, 6171, 837799, 113383], r.integers(1, 10**6, 4)]).astype(
        np.uint32
    )
    steps, highest = [], []
    for v in a.tolist():
        path = [v]
        while path[-1] != 1:
            path.append(3 * path[-1] + 1 if path[-1] % 2 else path[-1] // 2)
        steps.append(len(path) - 1)
        highest.append(max(path))
    return a, Out(np.array(steps, np.int32)), Out(np.array(highest, np.uint64))


@case("integers.cu", "number_theory", block=36)
def number_theory(r: Generator):
    a, b = (r.integers(1, 2**62, 36, dtype=np.uint64) >> r.integers(0, 60, 36, dtype=np.uint64) for _ in "ab")
    rows = [
        [math.gcd(x, y), math.isqrt(x), pow(x, y, P), sum(map(int, str(x)))]
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    return a, b, Out(np.array(rows, np.uint64).T.copy())


@case("integers.cu", "number_transform", block=50, builds=("sm_80", "sm_120"))
def number_transform(r: Generator):
    n = 128
    a, root = r.integers(0, P, n, dtype=np.uint32), pow(3, (P - 1) // n, P)
    out = [sum(v * pow(root, i * k, P) for i, v in enumerate(a.tolist())) % P for k in range(n)]
    return Out(np.array(out, np.uint32), init=a), np.int32(7), np.uint32(root)


@case("integers.cu", "factorials", block=40)
def factorials(_: Generator):
    raw = b"".join(math.factorial(t).to_bytes(24, "little") for t in range(40))
    return Out(np.frombuffer(raw, np.uint32)), np.int32(6)


@case("integers.cu", "small_types", block=64, builds=("sm_80", "sm_80 -G"))
def small_types(r: Generator):
    a = r.integers(-(2**31), 2**31, 64, dtype=np.int32)
    columns: list[list[int]] = []
    for v in a.tolist():
        c = signed(v + 100, 8)
        d = ((v & 255) ** 2 - 7) & 255
        e = signed(-signed(v, 16) << 3, 16)
        f = ~v & 0xFFFF
        columns.append([_divide(c, 3), d >> 1, _rest(e, 1000), f if f > 1000 else (f + c) & 0xFFFF, (c < d) != (e > f)])
    types = (np.int8, np.uint8, np.int16, np.uint16, np.uint8)
    return a, *(Out(np.array(c, t)) for c, t in zip(zip(*columns, strict=True), types, strict=True))


@case("integers.cu", "wide_quotients", block=45, builds=("sm_80", "sm_75 -G"))
def wide_quotients(r: Generator):
    a = r.integers(0, 2**64, (45, 4), dtype=np.uint64)
    a[:, ::2] >>= r.integers(0, 64, (45, 2)).astype(np.uint64)
    a[:9, 2] = 0
    out: list[int] = []
    for x1, x0, y1, y0 in a.tolist():
        x, y = x1 << 64 | x0, y1 << 64 | y0
        q, p, d = x // y, signed(x, 128), signed(y, 128)
        remainder = (abs(p) % abs(d) * (-1 if p < 0 else 1)) % 2**128
        out += [q % 2**64, q >> 64, remainder % 2**64, remainder >> 64]
    return a, Out(np.array(out, np.uint64))
