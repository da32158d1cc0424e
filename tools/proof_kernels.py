"""Elementwise kernels in Triton. `python tools/make_proof_kernels.py` compiles them, for sm_80 and for sm_90."""

# Triton has no types.
# pyright: basic
from __future__ import annotations

import triton
import triton.language as tl


@triton.jit
def add(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    tl.store(z + i, tl.load(x + i, mask=keep) + tl.load(y + i, mask=keep), mask=keep)


@triton.jit
def saxpy(x, y, z, n, a, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    tl.store(z + i, a * tl.load(x + i, mask=keep) + tl.load(y + i, mask=keep), mask=keep)


@triton.jit
def relu(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(z + i, tl.where(v > 0, v, 0.0), mask=i < n)


@triton.jit
def clamp(x, z, n, low, high, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(z + i, tl.minimum(tl.maximum(v, low), high), mask=i < n)


@triton.jit
def sigmoid(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(z + i, 1.0 / (1.0 + tl.exp(-v)), mask=i < n)


@triton.jit
def gelu(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(z + i, v / (1.0 + tl.exp(-1.702 * v)), mask=i < n)


@triton.jit
def polynomial(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(z + i, ((0.25 * v + 0.5) * v - 1.5) * v + 3.0, mask=i < n)


@triton.jit
def root(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(z + i, tl.sqrt_rn(tl.abs(v)), mask=i < n)


@triton.jit
def quotient(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    tl.store(z + i, tl.div_rn(tl.load(x + i, mask=keep), tl.load(y + i, mask=keep)), mask=keep)


@triton.jit
def halves(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    tl.store(z + i, tl.load(x + i, mask=keep) * tl.load(y + i, mask=keep) + 1.0, mask=keep)


@triton.jit
def bf16s(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    tl.store(z + i, tl.load(x + i, mask=keep) * tl.load(y + i, mask=keep) + 1.0, mask=keep)


@triton.jit
def widen(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n).to(tl.float32) * 0.5, mask=i < n)


@triton.jit
def narrow(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, (tl.load(x + i, mask=i < n) + 1.0).to(tl.float16), mask=i < n)


@triton.jit
def doubles(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    v = tl.load(x + i, mask=keep)
    tl.store(z + i, v * v - tl.load(y + i, mask=keep), mask=keep)


@triton.jit
def integers(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    a, b = tl.load(x + i, mask=keep), tl.load(y + i, mask=keep)
    tl.store(z + i, (a * 3 + (b >> 2)) ^ (a & b), mask=keep)


@triton.jit
def masked(x, y, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = i < n
    tl.store(z + i, (tl.load(x + i, mask=keep) + 7) & tl.load(y + i, mask=keep), mask=keep)


@triton.jit
def hashed(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    v ^= v >> 16
    v *= 73244475
    tl.store(z + i, v ^ (v << 5), mask=i < n)


@triton.jit
def counted(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n) * i.to(tl.float32), mask=i < n)


@triton.jit
def fallback(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, tl.load(x + i, mask=i < n // 2, other=-1.0) + 2.0, mask=i < n)


@triton.jit
def strided(x, z, n, stride, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z + i, 2.0 * tl.load(x + i * stride, mask=i < n), mask=i < n)


@triton.jit
def iterated(x, z, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    r = v
    for _ in range(3):
        r = r * v + 0.5
    tl.store(z + i, r, mask=i < n)


@triton.jit
def shapes(x, z, n, m, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row, column = i // m, i % m
    tl.store(z + i, tl.load(x + row, mask=i < n) - tl.load(x + column, mask=i < n), mask=i < n)
