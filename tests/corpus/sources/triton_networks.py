"""Triton kernels as large as those of libraries: attention, quantised products, normalisation with its gradient."""

import triton
import triton.language as tl


@triton.jit
def flash_attention(
    q, k, v, out, stride, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr
):
    first, head = tl.program_id(0) * BM, tl.program_id(1)
    base = head * stride
    rows, depth = first + tl.arange(0, BM), tl.arange(0, D)
    query = tl.load(q + base + rows[:, None] * D + depth[None, :], mask=rows[:, None] < n, other=0.0)
    top = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    for start in range(0, first + BM if CAUSAL else n, BN):
        columns = start + tl.arange(0, BN)
        key = tl.load(k + base + columns[None, :] * D + depth[:, None], mask=columns[None, :] < n, other=0.0)
        score = tl.dot(query, key) * scale
        there = columns[None, :] < n
        if CAUSAL:
            there = there & (rows[:, None] >= columns[None, :])
        score = tl.where(there, score, -float("inf"))
        higher = tl.maximum(top, tl.max(score, 1))
        p = tl.exp2(score - higher[:, None])
        shrink = tl.exp2(top - higher)
        weight = weight * shrink + tl.sum(p, 1)
        value = tl.load(v + base + columns[:, None] * D + depth[None, :], mask=columns[:, None] < n, other=0.0)
        total = tl.dot(p.to(value.dtype), value, total * shrink[:, None])
        top = higher
    total = total / weight[:, None]
    tl.store(out + base + rows[:, None] * D + depth[None, :], total.to(out.dtype.element_ty), mask=rows[:, None] < n)


@triton.jit
def fp8_matmul(a, b, c, m, n, k, scale, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    pa, pb = a + rows[:, None] * k + inner[None, :], b + inner[:, None] * n + columns[None, :]
    sums = tl.zeros((BM, BN), tl.float32)
    for _ in range(tl.cdiv(k, BK)):
        sums = tl.dot(tl.load(pa), tl.load(pb), sums)
        pa += BK
        pb += BK * n
    tl.store(c + rows[:, None] * n + columns[None, :], (sums * scale).to(tl.bfloat16))


@triton.jit
def scaled_matmul(a, sa, b, sb, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    inner, blocks = tl.arange(0, BK), tl.arange(0, BK // 32)
    sums = tl.zeros((BM, BN), tl.float32)
    for i in range(0, k, BK):
        x = tl.load(a + rows[:, None] * k + i + inner[None, :])
        y = tl.load(b + (i + inner[:, None]) * n + columns[None, :])
        xs = tl.load(sa + rows[:, None] * (k // 32) + i // 32 + blocks[None, :])
        ys = tl.load(sb + columns[:, None] * (k // 32) + i // 32 + blocks[None, :])
        sums = tl.dot_scaled(x, xs, "e5m2", y, ys, "e5m2", sums)
    tl.store(c + rows[:, None] * n + columns[None, :], sums)


@triton.jit
def descriptor_matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    da = tl.make_tensor_descriptor(a, shape=[m, k], strides=[k, 1], block_shape=[BM, BK])
    db = tl.make_tensor_descriptor(b, shape=[k, n], strides=[n, 1], block_shape=[BK, BN])
    dc = tl.make_tensor_descriptor(c, shape=[m, n], strides=[n, 1], block_shape=[BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    sums = tl.zeros((BM, BN), tl.float32)
    for i in range(0, k, BK):
        sums = tl.dot(da.load([row, i]), db.load([i, column]), sums)
    dc.store([row, column], sums.to(tl.float16))


@triton.jit
def layer_norm_gradient(dy, x, gain, mean, scale, dx, dgain, locks, columns, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    there = at < columns
    g = tl.load(dy + row * columns + at, mask=there, other=0).to(tl.float32)
    v = tl.load(x + row * columns + at, mask=there, other=0).to(tl.float32)
    w = tl.load(gain + at, mask=there, other=0).to(tl.float32)
    s = tl.load(scale + row)
    unit = tl.where(there, (v - tl.load(mean + row)) * s, 0.0)
    wg = tl.where(there, w * g, 0.0)
    c1, c2 = tl.sum(unit * wg, axis=0) / columns, tl.sum(wg, axis=0) / columns
    tl.store(dx + row * columns + at, (wg - (unit * c1 + c2)) * s, mask=there)
    part = g * unit
    lock = locks + row % GROUP
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    target = dgain + (row % GROUP) * columns + at
    part += tl.load(target, mask=there)
    tl.store(target, part, mask=there)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def dropout(x, out, n, p, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    keep = tl.rand(seed, at) > p
    tl.store(out + at, tl.where(keep, v / (1 - p), 0.0), mask=at < n)


@triton.jit
def _linear(a1, b1, a2, b2):
    return a1 * a2, b1 * a2 + b2


@triton.jit
def recurrence(a, b, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    _, y = tl.associative_scan((tl.load(a + at), tl.load(b + at)), 0, _linear)
    tl.store(out + at, y)


@triton.jit
def conversions(x, h, b, e, f, i, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    v = tl.load(x + at, mask=at < n)
    tl.store(h + at, v.to(tl.float16), mask=at < n)
    tl.store(b + at, v.to(tl.bfloat16), mask=at < n)
    tl.store(e + at, v.to(tl.float8e4nv), mask=at < n)
    tl.store(f + at, v.to(tl.float8e5), mask=at < n)
    tl.store(i + at, v.to(tl.int8), mask=at < n)
    tl.device_print("converted", v)
    tl.device_assert(v < 1000.0, "small")
