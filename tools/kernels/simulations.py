"""Cases of simulations.cu."""

import math

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case


@case("simulations.cu", "mandelbrot", grid=(3, 3), block=(16, 8), builds=("sm_80 -fmad=false", "sm_75 -fmad=false -G"))
def mandelbrot(_: Generator):
    f, w, h = np.float32, 40, 20
    x, y = np.meshgrid(np.arange(w, dtype=f), np.arange(h, dtype=f))
    cx, cy = f(-2.25) + f(3) * x / f(w), f(-1.25) + f(2.5) * y / f(h)
    zx, zy, n = np.zeros_like(cx), np.zeros_like(cy), np.zeros((h, w), np.uint16)
    for _ in range(50):
        inside = zx * zx + zy * zy <= 4
        n += inside
        t, u = zx * zx - zy * zy + cx, f(2) * zx * zy + cy
        zx, zy = np.where(inside, t, zx), np.where(inside, u, zy)
    return Out(n), np.int32(w), np.int32(h), np.int32(50)


@case("simulations.cu", "julia", grid=4, block=160, builds="sm_80 -fmad=false")
def julia(_: Generator):
    counts = []
    for i in range(24 * 24):
        x, y, n = -1.5 + 3.0 * (i % 24) / 24, -1.5 + 3.0 * (i // 24) / 24, 0
        while n < 60 and x * x + y * y <= 4.0:
            x, y, n = x * x - y * y - 0.8, 2.0 * x * y + 0.156, n + 1
        counts.append(n)
    return Out(np.array(counts, np.int32)), np.int32(24), np.float64(-0.8), np.float64(0.156)


@case("simulations.cu", "nbody", grid=2, block=32, builds=("sm_80", "sm_75", "sm_90a --use_fast_math"))
def nbody(r: Generator):
    a = r.normal(size=(45, 4)).astype(np.float32)
    a[:, 3] = abs(a[:, 3])
    p = a[:, :3].astype(float)
    d = p[None] - p[:, None]
    weight = a[:, 3] / ((d**2).sum(axis=2) + 0.01) ** 1.5
    force = (weight[..., None] * d).sum(axis=1).astype(np.float32)
    return a, Out(force, rtol=2e-4, atol=2e-4), np.int32(45)


@case("simulations.cu", "black_scholes", grid=2, block=50)
def black_scholes(r: Generator):
    spot, strike, years = (r.uniform(low, high, 90).astype(np.float32) for low, high in ((5, 30), (1, 100), (0.25, 10)))
    call = []
    for s, x, t in zip(*(v.astype(float) for v in (spot, strike, years)), strict=True):
        root = 0.3 * math.sqrt(t)
        d1 = (math.log(s / x) + (0.02 + 0.045) * t) / root
        d2 = d1 - root
        call.append(s * 0.5 * math.erfc(-d1 * 0.5**0.5) - x * math.exp(-0.02 * t) * 0.5 * math.erfc(-d2 * 0.5**0.5))
    out = Out(np.array(call, np.float32), rtol=2e-4, atol=2e-4)
    return spot, strike, years, out, np.float32(0.02), np.float32(0.3), np.int32(90)


@case("simulations.cu", "fourier", block=20, shared=1024, builds=("sm_80", "sm_80 -G"))
def fourier(r: Generator):
    a = r.normal(size=64)
    return a, Out(np.fft.fft(a).view(np.float64), rtol=1e-12, atol=1e-12), np.int32(6)


@case("simulations.cu", "pendulum", block=10, builds=("sm_80", "sm_90a"))
def pendulum(_: Generator):
    start, h = np.linspace(0.1, 2.9, 10), 0.05
    a, v = start.copy(), np.zeros(10)
    for _ in range(40):
        a1, v1 = v, -np.sin(a)
        a2, v2 = v + h / 2 * v1, -np.sin(a + h / 2 * a1)
        a3, v3 = v + h / 2 * v2, -np.sin(a + h / 2 * a2)
        a4, v4 = v + h * v3, -np.sin(a + h * a3)
        a, v = a + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4), v + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
    return start, Out(a, rtol=1e-11), np.int32(40), np.float64(h)
