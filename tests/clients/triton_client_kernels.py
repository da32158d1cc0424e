"""Kernels like those of Triton's first tutorials: sums, softmax of rows, matrix products, layer normalisation."""

# mypy: ignore-errors

import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    there = at < n
    tl.store(out + at, tl.load(x + at, mask=there) + tl.load(y + at, mask=there), mask=there)


@triton.jit
def unmasked_add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(x + at) + tl.load(y + at), mask=at < n)


@triton.jit
def softmax(x, out, x_step, out_step, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """A fixed number of programs, each of which goes through rows."""
    at = tl.arange(0, BLOCK)
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        v = tl.load(x + row * x_step + at, mask=at < columns, other=-float("inf"))
        e = tl.exp(v - tl.max(v, axis=0))
        tl.store(out + row * out_step + at, e / tl.sum(e, axis=0), mask=at < columns)


CONFIGS = [
    triton.Config({"BM": 32, "BN": 32, "BK": 32, "GROUP": 4}, num_stages=2, num_warps=2),
    triton.Config({"BM": 64, "BN": 32, "BK": 32, "GROUP": 2}, num_stages=3, num_warps=4),
]


@triton.autotune(configs=CONFIGS, key=["m", "n", "k"])
@triton.jit
def matmul(a, b, c, m, n, k, am, ak, bk, bn, cm, cn, scale, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr, RELU: tl.constexpr):  # fmt: skip
    """Blocks of c in groups of rows, by tensor cores."""
    pid, across = tl.program_id(0), tl.cdiv(n, BN)
    group = pid // (GROUP * across)
    tall = min(tl.cdiv(m, BM) - group * GROUP, GROUP)
    i = group * GROUP + pid % (GROUP * across) % tall
    j = pid % (GROUP * across) // tall
    rows, columns, inner = (i * BM + tl.arange(0, BM)) % m, (j * BN + tl.arange(0, BN)) % n, tl.arange(0, BK)
    pa = a + rows[:, None] * am + inner[None, :] * ak
    pb = b + inner[:, None] * bk + columns[None, :] * bn
    sums = tl.zeros((BM, BN), tl.float32)
    for step in range(tl.cdiv(k, BK)):
        x = tl.load(pa, mask=inner[None, :] < k - step * BK, other=0.0)
        y = tl.load(pb, mask=inner[:, None] < k - step * BK, other=0.0)
        sums = tl.dot(x, y, sums)
        pa += BK * ak
        pb += BK * bk
    sums *= scale
    if RELU:
        sums = tl.maximum(sums, 0.0)
    rows, columns = i * BM + tl.arange(0, BM), j * BN + tl.arange(0, BN)
    there = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * cm + columns[None, :] * cn, sums.to(tl.float16), mask=there)


@triton.jit
def layer_norm(x, out, weight, bias, mean, rstd, step, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    there = at < n
    v = tl.load(x + row * step + at, mask=there, other=0.0).to(tl.float32)
    average = tl.sum(v, axis=0) / n
    centred = tl.where(there, v - average, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / n + eps)
    tl.store(mean + row, average)
    tl.store(rstd + row, scale)
    y = centred * scale * tl.load(weight + at, mask=there) + tl.load(bias + at, mask=there)
    tl.store(out + row * step + at, y, mask=there)


@triton.jit
def layer_norm_backward(
    dx, dy, dw, db, x, weight, mean, rstd, locks, step, n, GROUPS: tl.constexpr, BLOCK: tl.constexpr
):
    """Sums of rows in groups, each of which a lock guards: a spinning compare-and-swap."""
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    there = at < n
    v = tl.load(x + row * step + at, mask=there, other=0.0).to(tl.float32)
    g = tl.load(dy + row * step + at, mask=there, other=0.0).to(tl.float32)
    w = tl.load(weight + at, mask=there).to(tl.float32)
    scale = tl.load(rstd + row)
    normal = tl.where(there, (v - tl.load(mean + row)) * scale, 0.0)
    wg = tl.where(there, w * g, 0.0)
    c1, c2 = tl.sum(normal * wg, axis=0) / n, tl.sum(wg, axis=0) / n
    tl.store(dx + row * step + at, (wg - (normal * c1 + c2)) * scale, mask=there)
    group = row % GROUPS
    lock, count = locks + group, locks + GROUPS + group
    pw, pb = dw + group * n + at, db + group * n + at
    part_w, part_b = g * normal, g
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        part_w += tl.load(pw, mask=there)
        part_b += tl.load(pb, mask=there)
    tl.store(pw, part_w, mask=there)
    tl.store(pb, part_b, mask=there)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def sum_of_pointers(pointers, out, count, BLOCK: tl.constexpr):
    """Addresses that the host stored in memory."""
    at = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for i in range(count):
        total += tl.load(tl.load(pointers + i).to(tl.pointer_type(tl.float32)) + at)
    tl.store(out + at, total)


@triton.jit
def scalars(out, a, b, c, d, e):
    tl.store(out + 0, a)
    tl.store(out + 1, b)
    tl.store(out + 2, c)
    tl.store(out + 3, d)
    tl.store(out + 4, tl.where(e, 1.0, 0.0))


@triton.jit
def copy_tile(source, target, i, j, BM: tl.constexpr, BN: tl.constexpr):
    """By tensor descriptors of the host: a tensor map from sm_90 on."""
    target.store([i, j], source.load([i, j]) * 2.0)


@triton.jit
def double_tile(x, out, m, n, BM: tl.constexpr, BN: tl.constexpr):
    """By tensor descriptors that the kernel makes, in memory that the launcher provides."""
    source = tl.make_tensor_descriptor(x, [m, n], [n, 1], [BM, BN])
    target = tl.make_tensor_descriptor(out, [m, n], [n, 1], [BM, BN])
    i, j = tl.program_id(0) * BM, tl.program_id(1) * BN
    target.store([i, j], source.load([i, j]) * 2.0)


@triton.jit
def sum_of_tuple(parts, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out + at, tl.load(parts[0] + at) * parts[1] + tl.load(parts[2] + at))


@triton.jit
def tell(x):
    tl.device_print("value", x)


RUN: list[int] = []
"""The widths of `doubled` that were run."""


def note(arguments: dict[str, object]) -> None:
    width = arguments["WIDTH"]
    assert isinstance(width, int)
    RUN.append(width)


@triton.autotune(configs=[triton.Config({"WIDTH": n}, pre_hook=note) for n in (8, 16, 32)], key=["n"])
@triton.jit
def doubled(x, n, WIDTH: tl.constexpr):
    """The first of its configurations cannot be compiled."""
    tl.static_assert(WIDTH > 8)
    at = tl.program_id(0) * WIDTH + tl.arange(0, WIDTH)
    tl.store(x + at, tl.load(x + at, mask=at < n) * 2, mask=at < n)
