"""Triton kernels; compiled without a GPU by tools/make_kernels.py."""

import triton
import triton.language as tl


@triton.jit
def vector_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = at < n
    tl.store(out + at, tl.load(x + at, mask=there) + tl.load(y + at, mask=there), mask=there)


@triton.jit
def softmax_rows(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + at, e / tl.sum(e, axis=0), mask=at < columns)


@triton.jit
def layer_norm_rows(x, gain, bias, out, columns, eps, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    there = at < columns
    v = tl.load(x + row * columns + at, mask=there, other=0.0)
    mean = tl.sum(v, axis=0) / columns
    d = tl.where(there, v - mean, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(d * d, axis=0) / columns + eps)
    y = d * scale * tl.load(gain + at, mask=there) + tl.load(bias + at, mask=there)
    tl.store(out + row * columns + at, y, mask=there)


@triton.jit
def prefix_sum(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=0))


@triton.jit
def sort_block(x, out, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.sort(tl.load(x + at)))


@triton.jit
def histogram(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    counts = tl.histogram(tl.load(x + at, mask=at < n, other=0), BINS, mask=at < n)
    tl.atomic_add(out + tl.arange(0, BINS), counts)


@triton.jit
def row_arg_max(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + at, mask=at < columns, other=-2147483648)
    tl.store(out + row, tl.argmax(v, axis=0))


@triton.jit
def random_bits(out, seed, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.randint(seed, at))


@triton.jit
def matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for i in range(0, k, BK):
        x = tl.load(
            a + rows[:, None] * k + (i + inner)[None, :],
            mask=(rows[:, None] < m) & ((i + inner)[None, :] < k),
            other=0.0,
        )
        y = tl.load(
            b + (i + inner)[:, None] * n + columns[None, :],
            mask=((i + inner)[:, None] < k) & (columns[None, :] < n),
            other=0.0,
        )
        sums = tl.dot(x, y, sums)
    there = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * n + columns[None, :], sums, mask=there)


@triton.jit
def transpose(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    there = (rows[:, None] < m) & (columns[None, :] < n)
    v = tl.load(x + rows[:, None] * n + columns[None, :], mask=there)
    tl.store(out + columns[:, None] * m + rows[None, :], tl.trans(v), mask=tl.trans(there))


@triton.jit
def shifted_boxes(x, out, sums, m, n, BM: tl.constexpr, BN: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    v = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BM, BN]).load([i - 3, j + 5])
    tl.make_tensor_descriptor(out, [m, n], [n, 1], [BM, BN]).store([i, j], v)
    tl.make_tensor_descriptor(sums, [m, n], [n, 1], [BM, BN]).atomic_add([i, j], v)


@triton.jit
def described_matmul(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    rows = tl.make_tensor_descriptor(a, [m, k], [k, 1], [BM, BK])
    columns = tl.make_tensor_descriptor(b, [k, n], [n, 1], [BK, BN])
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for inner in range(0, k, BK):
        sums = tl.dot(rows.load([i, inner]), columns.load([inner, j]), sums)
    tl.make_tensor_descriptor(c, [m, n], [n, 1], [BM, BN]).store([i, j], sums)


@triton.jit
def scaled_products(a, sa, b, sb, c, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """MXFP4: two e2m1 in a byte along k, a ue8m0 for 32 of them; b and its scales by columns."""
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    bytes, blocks = tl.arange(0, BK // 2), tl.arange(0, BK // 32)
    sums = tl.zeros((BM, BN), tl.float32)
    for i in range(0, k, BK):
        x = tl.load(a + rows[:, None] * (k // 2) + i // 2 + bytes[None, :])
        y = tl.load(b + columns[:, None] * (k // 2) + i // 2 + bytes[None, :])
        xs = tl.load(sa + rows[:, None] * (k // 32) + i // 32 + blocks[None, :])
        ys = tl.load(sb + columns[:, None] * (k // 32) + i // 32 + blocks[None, :])
        sums = tl.dot_scaled(x, xs, "e2m1", y.T, ys, "e2m1", sums)
    tl.store(c + rows[:, None] * n + columns[None, :], sums)


@triton.jit
def two_products(a, b, c, out, BM: tl.constexpr, BN: tl.constexpr):
    """(a b) c, the first product rounded to f16: it stays in tensor memory where there is some."""
    rows, inner, columns = tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, BN)
    x = tl.load(a + rows[:, None] * BN + inner[None, :])
    y = tl.load(b + inner[:, None] * BN + columns[None, :])
    z = tl.load(c + inner[:, None] * BN + columns[None, :])
    tl.store(out + rows[:, None] * BN + columns[None, :], tl.dot(tl.dot(x, y).to(tl.float16), z))
