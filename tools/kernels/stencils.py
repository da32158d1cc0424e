"""Cases of stencils.cu."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("stencils.cu", "stencil_1d", grid=3, block=100, builds=("sm_80", "sm_80 -G"))
def stencil_1d(r: Generator):
    a = r.integers(-1000, 1000, 260, dtype=np.int32)
    weights = [1, 2, 3, 4, 3, 2, 1]
    return a, Out(np.convolve(np.pad(a, 3, mode="edge"), weights, "valid").astype(np.int32)), np.int32(260)


@case(
    "stencils.cu",
    "heat_2d",
    block=(11, 9),
    builds=("sm_80 -fmad=false",),
    note="no fma: the order in the source is exact",
)
def heat_2d(r: Generator):
    a = r.normal(size=(19, 23)).astype(np.float32)
    states = [a]
    for _ in range(3):
        p = np.pad(states[-1], 1)
        around = (p[1:-1, :-2] + p[1:-1, 2:]) + (p[:-2, 1:-1] + p[2:, 1:-1])
        states.append(states[-1] + np.float32(0.125) * (around - np.float32(4) * states[-1]))
    return Out(states[2], init=a), Out(states[3]), np.int32(23), np.int32(19), np.int32(3)


@case("stencils.cu", "laplace_3d", grid=(2, 2, 3), block=(4, 3, 2))
def laplace_3d(r: Generator):
    a = r.integers(-99, 99, (5, 6, 7)).astype(np.float64)
    p = np.pad(a, 1)
    i = slice(1, -1)
    around = p[i, i, :-2] + p[i, i, 2:] + p[i, :-2, i] + p[i, 2:, i] + p[:-2, i, i] + p[2:, i, i]
    return a, Out(around - 6 * a), np.int32(7), np.int32(6), np.int32(5)


@case("stencils.cu", "life", grid=(2, 3), block=(16, 8), builds=("sm_80", "sm_75"))
def life(r: Generator):
    a = r.integers(0, 2, (21, 30), dtype=np.uint8)
    near = sum(np.roll(a, (y, x), (0, 1)).astype(int) for y in (-1, 0, 1) for x in (-1, 0, 1)) - a
    alive = (near == 3) | ((near == 2) & (a == 1))
    return a, Out(alive.astype(np.uint8)), np.int32(30), np.int32(21)


@case("stencils.cu", "sobel", grid=(2, 2), block=(17, 13), builds=("sm_80", "sm_120"))
def sobel(r: Generator):
    a = r.integers(0, 80, (25, 31), dtype=np.uint8)
    p = a.astype(int)
    across = (p[:-2, 2:] + 2 * p[1:-1, 2:] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[1:-1, :-2] + p[2:, :-2])
    down = (p[2:, :-2] + 2 * p[2:, 1:-1] + p[2:, 2:]) - (p[:-2, :-2] + 2 * p[:-2, 1:-1] + p[:-2, 2:])
    edges = np.pad(np.minimum(abs(across) + abs(down), 255), 1).astype(np.uint8)
    return a, Out(edges), np.int32(31), np.int32(25)


@case("stencils.cu", "transpose", grid=(3, 2), block=(16, 4), builds=("sm_80", "sm_90a"))
def transpose(r: Generator):
    a = r.integers(0, 2**16, (29, 37), dtype=np.uint16)
    return a, Out(a.T.copy()), np.int32(37), np.int32(29)
