"""Cases of halves.cu: results exact in a double, rounded once to the small format."""

import ml_dtypes
import numpy as np
from numpy.random import Generator

from kernels.case import Out, case

F16, BF16 = np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)


def _once(exact: np.ndarray, to: np.dtype) -> np.ndarray:
    """An exact double in the format; by way of single only where single holds it, so that nothing is rounded twice."""
    single = exact.astype(np.float32)
    return np.where(single == exact, single.astype(to), exact.astype(to)) if to == F16 else _bfloat(exact)


def _bfloat(exact: np.ndarray) -> np.ndarray:
    """Nearest even at 16 bits of a single, decided on the double's own bits."""
    bits = exact.view(np.uint64)
    drop = 52 - 7
    half, odd = np.uint64((1 << drop - 1) - 1), bits >> np.uint64(drop) & np.uint64(1)
    cut = (bits + half + odd) >> np.uint64(drop) << np.uint64(drop)
    return cut.view(np.float64).astype(BF16)


def _values(r: Generator, to: np.dtype, n: int, spread: int) -> np.ndarray:
    """Numbers whose sums and products are exact in a double and normal in the format."""
    return _once(np.ldexp(r.uniform(1, 2, n) * r.choice([-1, 1], n), r.integers(-spread, spread, n)), to)


def _raw(*arrays: np.ndarray) -> list[np.ndarray]:
    return [a.view(np.uint16) for a in arrays]


@case("halves.cu", "half_arithmetic", block=64, builds=("sm_80", "sm_75 -G", "sm_90a"))
def half_arithmetic(r: Generator):
    a, b, c = (_values(r, F16, 64, 5) for _ in "abc")
    x, y, z = (v.astype(float) for v in (a, b, c))
    rows = [x + y, x - y, x * y, x * y + z, -x, abs(y), np.clip(x + y, 0, 1), np.maximum(x, y), np.minimum(x, y)]
    rows += [x * 1.5, np.where(x > y, x, z), x / y]
    return *_raw(a, b, c), Out(np.array([_once(v, F16) for v in rows]).view(np.uint16))


@case("halves.cu", "half2_arithmetic", block=32, builds=("sm_80", "sm_90a", "sm_100a"))
def half2_arithmetic(r: Generator):
    a, b, c = (_values(r, F16, 64, 5) for _ in "abc")
    x, y, z = (v.astype(float).reshape(32, 2) for v in (a, b, c))
    rows = [x + y, x - y, x * y, x * y + z, np.maximum(x, y), np.minimum(x, y), -x, (x < y).astype(float)]
    rows += [np.stack([x[:, 0], y[:, 0]], 1), np.stack([x[:, 1], y[:, 1]], 1), x[:, ::-1], np.maximum(x * y + z, 0)]
    return *_raw(a, b, c), Out(np.array([_once(np.ascontiguousarray(v), F16) for v in rows]).view(np.uint16))


@case("halves.cu", "bfloat_arithmetic", block=32, builds=("sm_80", "sm_90a", "sm_120"))
def bfloat_arithmetic(r: Generator):
    a, b, c = (_values(r, BF16, 64, 5) for _ in "abc")
    x, y, z = (v.astype(float).reshape(32, 2) for v in (a, b, c))
    third = (y[:, 1].astype(np.float32) / np.float32(3)).astype(float)
    rows = [
        x + y,
        x - y,
        x * y,
        x * y + z,
        np.maximum(x, y),
        np.minimum(x, y),
        abs(x),
        np.stack([x[:, 0] * 3, third], 1),
    ]
    out = np.array([_bfloat(np.ascontiguousarray(v)) for v in rows])
    return *_raw(a, b, c), Out(out.view(np.uint16)), Out(c.astype(np.float32))


@case("halves.cu", "fp8_round_trip", block=64, builds=("sm_80", "sm_90a"))
def fp8_round_trip(r: Generator):
    a = np.ldexp(r.normal(size=64), r.integers(-9, 9, 64)).astype(np.float32)
    a[:8] = [0, -0.0, 448, 464, 465, 1e9, -1e9, 0.0009765625]
    limited = [
        np.clip(a, -top, top).astype(t) for t, top in ((ml_dtypes.float8_e4m3fn, 448), (ml_dtypes.float8_e5m2, 57344))
    ]
    back = np.array([v.astype(np.float32) for v in limited])
    return a, *(Out(v.view(np.uint8)) for v in limited), Out(back)


@case("halves.cu", "mixed_precision", block=32, builds=("sm_80", "sm_75"))
def mixed_precision(r: Generator):
    a, b = (r.integers(-4, 5, (25, 2)).astype(np.float16) for _ in "ab")
    dot = (a.astype(np.float32) * b.astype(np.float32)).sum(keepdims=True)[0]
    poly = ((2 * a.astype(float) - 3) * a + 5).astype(np.float16)
    return a.view(np.uint16), b.view(np.uint16), Out(dot), Out(poly.view(np.uint16)), np.int32(25)
