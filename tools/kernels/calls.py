"""Cases of calls.cu."""

import functools
import math

import numpy as np
from numpy.random import Generator

from kernels.case import Out, Struct, case
from kernels.twos_complement import signed

AFFINE = np.dtype(
    {
        "names": ["m", "shift", "tag", "weight"],
        "formats": [(np.float32, (2, 2)), (np.float64, 2), np.int8, np.int16],
        "offsets": [0, 16, 32, 34],
        "itemsize": 40,
    }
)


@case("calls.cu", "fibonacci", block=33, builds=("sm_80", "sm_75", "sm_80 -G"))
def fibonacci(_: Generator):
    fib = [0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89]
    return (Out(np.array([fib[t % 12] for t in range(33)], np.int32)),)


@case("calls.cu", "ackermanns", block=24)
def ackermanns(_: Generator):
    """Closed forms: n + 1, n + 2, 2 n + 3."""
    return (
        Out(np.array([[n + 1 for n in range(8)], [n + 2 for n in range(8)], [2 * n + 3 for n in range(8)]], np.int32)),
    )


@case("calls.cu", "parity", block=40)
def parity(_: Generator):
    return (Out(np.array([(t % 2 == 0) * 2 + (t * 3 % 2) for t in range(40)], np.int32)),)


@case("calls.cu", "towers", block=1, builds=("sm_80", "sm_90a"))
def towers(_: Generator):
    @functools.cache
    def moves(n: int, a: int, b: int) -> list[int]:
        return [*moves(n - 1, a, 3 - a - b), a * 3 + b, *moves(n - 1, 3 - a - b, b)] if n else []

    return Out(np.array(moves(6, 0, 2), np.uint8)), np.int32(6)


@case("calls.cu", "function_table", block=60, builds=("sm_80", "sm_75 -lineinfo", "sm_80 -G"))
def function_table(r: Generator):
    which, a, b = (r.integers(low, high, 60, dtype=np.int32) for low, high in ((0, 4), (-999, 999), (-9, 9)))
    results = []
    for w, x, y in zip(which.tolist(), a.tolist(), b.tolist(), strict=True):
        results.append((x + y, x - y, x * y, int(x / y) if y else -1)[w])
    return which, a, b, Out(np.array(results, np.int32))


@case("calls.cu", "virtual_shapes", block=50, builds=("sm_80", "sm_80 -G"))
def virtual_shapes(r: Generator):
    kind = r.integers(0, 3, 50, dtype=np.int32)
    area = [(3 * i * i, 2 * i, i * i)[k] for i, k in enumerate(kind)]
    return kind, Out(np.array(area, np.float32)), Out(np.array([0, 4, 40], np.int32)[kind])


for twice in (0, 1):

    @case(
        "calls.cu",
        "struct_parameters",
        name=("struct_parameters", "struct_results")[twice],
        block=40,
        builds=("sm_80", "sm_75 -G") if twice else "sm_80",
    )
    def struct_parameters(r: Generator, twice: int = twice):
        f = np.zeros((), AFFINE)
        f["m"], f["shift"], f["tag"], f["weight"] = [[1, 2], [-3, 4]], [0.5, -7.25], -5, 1234
        points = r.integers(-99, 99, (40, 2)).astype(np.float64)
        moved = points
        for _ in range(twice + 1):
            moved = moved @ f["m"].T.astype(float) + f["shift"]
        out = -5 * 1000 + 1234 + np.arange(40, dtype=np.int32)
        return Struct(f), Out(moved, init=points), np.int32(twice), Out(out)


@case("calls.cu", "many_arguments", block=50, builds=("sm_80", "sm_120"))
def many_arguments(r: Generator):
    a = r.integers(-(2**31), 2**31, 50, dtype=np.int32)
    results = []
    for v in a.tolist():
        rem = [math.fmod(v, m) for m in (1000, 7, 11, 13, 17, 19, 23, 29)]
        terms = [signed(v, 8), v % 256, signed(v, 16), v % 65536, v, v % 2**32, v << 20, rem[0], rem[0], v & 1]
        results.append(sum(int(t) * i for i, t in enumerate(terms, 1)) + int(sum(rem[1:5]) * 11 + sum(rem[5:]) * 12))
    return a, Out(np.array(results, np.int64))


@case("calls.cu", "lambdas", block=33)
def lambdas(r: Generator):
    a = r.integers(-9, 9, 6, dtype=np.int32)
    return a, Out(np.array([np.polyval(a.tolist(), t + 1) for t in range(33)], np.int64).astype(np.int32)), np.int32(6)
