"""Cases of triton_kernels.py, numba_kernels.py and llvm_kernels.ll: output of compilers other than NVIDIA's."""

import math
from typing import Any

import numpy as np
from numpy.random import Generator

from kernels.case import Out, Parameter, case
from kernels.twos_complement import signed

TRITON, NUMBA, LLVM = "triton_kernels.py", "numba_kernels.py", "llvm_kernels.ll"


def triton(
    kernel: str,
    grid: int | tuple[int, ...] = 1,
    builds: Any = "sm_80",
    warps: int = 4,
    note: str = "",
    **constants: int,
):
    """A Triton case; the build learns the shared memory from the compiler and adds Triton's two scratch pointers."""
    name = f"triton_{kernel}"
    return case(
        TRITON,
        kernel,
        name=name,
        grid=grid,
        block=32 * warps,
        builds=builds,
        host=False,
        constants=constants,
        **({"note": note} if note else {}),
    )


@triton("vector_add", grid=3, builds=("sm_80", "sm_90", "sm_120"), BLOCK=256)
def vector_add(r: Generator):
    a, b = (r.normal(size=700).astype(np.float32) for _ in "ab")
    return a, b, Out(a + b), np.int32(700)


@triton("softmax_rows", grid=4, builds=("sm_80", "sm_90"), BLOCK=128)
def softmax_rows(r: Generator):
    a = r.normal(size=(4, 100)).astype(np.float32)
    e = np.exp(a.astype(float))
    return a, Out((e / e.sum(axis=1, keepdims=True)).astype(np.float32), rtol=2e-5), np.int32(100)


@triton("layer_norm_rows", grid=3, BLOCK=64, warps=1)
def layer_norm_rows(r: Generator):
    a, gain, bias = (r.normal(size=s).astype(np.float32) for s in ((3, 50), 50, 50))
    b = a.astype(float)
    scaled = (b - b.mean(axis=1, keepdims=True)) / np.sqrt(b.var(axis=1, keepdims=True) + 1e-5)
    return (
        a,
        gain,
        bias,
        Out((scaled * gain + bias).astype(np.float32), rtol=5e-5, atol=5e-6),
        np.int32(50),
        np.float32(1e-5),
    )


@triton("prefix_sum", grid=2, builds=("sm_80", "sm_100"), BLOCK=256)
def prefix_sum(r: Generator):
    a = r.integers(-999, 999, (2, 256), dtype=np.int32)
    return a, Out(np.cumsum(a, axis=1, dtype=np.int32))


@triton("sort_block", BLOCK=128)
def sort_block(r: Generator):
    a = r.integers(-999, 999, 128, dtype=np.int32)
    return a, Out(np.sort(a))


@triton("histogram", grid=2, BLOCK=256, BINS=32)
def histogram(r: Generator):
    a = r.integers(0, 32, 500, dtype=np.int32)
    return a, Out(np.bincount(a, minlength=32).astype(np.int32)), np.int32(500)


@triton("row_arg_max", grid=5, BLOCK=128)
def row_arg_max(r: Generator):
    a = r.integers(-9, 9, (5, 90), dtype=np.int32)
    return a, Out(a.argmax(axis=1).astype(np.int32)), np.int32(90)


@triton("random_bits", BLOCK=256)
def random_bits(_: Generator):
    """Triton's Philox: the counter is (offset, 0, 0, 0), the key the seed; the first word is the number."""
    out = []
    for i in range(256):
        c, k = [i, 0, 0, 0], [12345, 0]
        for _round in range(10):
            p, q = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
            c = [q >> 32 ^ c[1] ^ k[0], q & 2**32 - 1, p >> 32 ^ c[3] ^ k[1], p & 2**32 - 1]
            k = [(k[0] + 0x9E3779B9) & 2**32 - 1, (k[1] + 0xBB67AE85) & 2**32 - 1]
        out.append(c[0])
    return Out(np.array(out, np.uint32).view(np.int32)), np.int32(12345)


@triton(
    "matmul",
    grid=(2, 2),
    builds=("sm_80",),
    note="small integers in f16: every order of sums is exact",
    BM=32,
    BN=32,
    BK=32,
)
def matmul(r: Generator):
    a, b = (r.integers(-8, 9, s).astype(np.float16) for s in ((40, 48), (48, 56)))
    return a, b, Out(a.astype(np.float32) @ b.astype(np.float32)), np.int32(40), np.int32(56), np.int32(48)


@triton("transpose", grid=(2, 2), builds=("sm_80", "sm_90"), BM=32, BN=32)
def transpose(r: Generator):
    a = r.normal(size=(40, 50)).astype(np.float32)
    return a, Out(a.T.copy()), np.int32(40), np.int32(50)


@triton("shifted_boxes", grid=(3, 2), builds=("sm_90",), BM=16, BN=32)
def shifted_boxes(r: Generator):
    a, before = (r.integers(-99, 99, (40, 52)).astype(np.float32) for _ in "ab")
    moved = np.zeros_like(a)
    moved[3:, :-5] = a[:-3, 5:]  # what lies outside is 0
    return a, Out(moved), Out(before + moved, before), np.int32(40), np.int32(52)


@triton("described_matmul", grid=(2, 1), builds=("sm_90", "sm_100"), note="small integers in f16", BM=64, BN=64, BK=64)
def described_matmul(r: Generator):
    a, b = (r.integers(-8, 9, s).astype(np.float16) for s in ((72, 80), (80, 48)))
    return a, b, Out(a.astype(np.float32) @ b.astype(np.float32)), np.int32(72), np.int32(48), np.int32(80)


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.0, -0.5, -1, -1.5, -2, -3, -4, -6])


@triton("scaled_products", builds=("sm_100",), note="MXFP4: every order of sums is exact", BM=128, BN=32, BK=128)
def scaled_products(r: Generator):
    m, n, k = 128, 32, 256
    (a, b), (sa, sb) = (r.integers(0, 16, (x, k)) for x in (m, n)), (r.integers(125, 130, (x, k // 32)) for x in (m, n))
    rows, columns = (E2M1[x] * np.repeat(2.0 ** (s - 127), 32, axis=1) for x, s in ((a, sa), (b, sb)))
    halves = [(x[:, ::2] | x[:, 1::2] << 4).astype(np.uint8) for x in (a, b)]
    scales = [s.astype(np.uint8) for s in (sa, sb)]
    out = Out((rows @ columns.T).astype(np.float32))
    return halves[0], scales[0], halves[1], scales[1], out, np.int32(n), np.int32(k)


@triton("two_products", builds=("sm_100",), note="small integers in f16: every order of sums is exact", BM=128, BN=32)
def two_products(r: Generator):
    a, b, c = (r.integers(-3, 4, s).astype(np.float16) for s in ((128, 32), (32, 32), (32, 32)))
    return a, b, c, Out((a.astype(np.float32) @ b.astype(np.float32)) @ c.astype(np.float32))


def numba(kernel: str, builds: Any = "sm_80", **shape: Any):
    return case(NUMBA, kernel, name=f"numba_{kernel}", builds=builds, host=False, **shape)


def view(array: np.ndarray | Out) -> list[Parameter]:
    """One array as numba passes it."""
    held = array.expect if isinstance(array, Out) else array
    sizes = [np.int64(held.size), np.int64(held.itemsize)]
    return [None, None, *sizes, array, np.int64(held.size), np.int64(held.itemsize)]


@numba("axpy", grid=3, block=100, builds=("sm_80", "sm_75", "sm_90"))
def axpy(r: Generator):
    x, y = (r.integers(-99, 99, 270).astype(np.float64) for _ in "xy")
    return np.float64(2.5), *view(x), *view(Out(2.5 * x + y, init=y))


@numba("waves", grid=2, block=32)
def waves(r: Generator):
    x = r.normal(size=150)
    out = [math.sin(v) * math.exp(-v * v) + math.sqrt(abs(v)) for v in x.tolist()]
    return *view(x), *view(Out(np.array(out), rtol=1e-13, atol=1e-15))


@numba("shared_reverse", grid=2, block=64)
def shared_reverse(r: Generator):
    a = r.integers(-99, 99, 128, dtype=np.int32)
    return *view(a), *view(Out(a.reshape(2, 64)[:, ::-1].ravel()))


@numba("bin_counts", grid=2, block=64)
def bin_counts(r: Generator):
    a = r.integers(0, 99, 110, dtype=np.int32)
    return *view(a), *view(Out(np.bincount(a % 9, minlength=9).astype(np.int32)))


@numba("warp_total", grid=1, block=64)
def warp_total(r: Generator):
    a = r.integers(-99, 99, 64, dtype=np.int32)
    return *view(a), *view(Out(a.reshape(2, 32).sum(axis=1, dtype=np.int32)))


@numba("collatz_steps", block=40)
def collatz_steps(_: Generator):
    a = np.arange(1, 40, dtype=np.int64)
    steps = []
    for v in a.tolist():
        n = 0
        while v != 1:
            v, n = (v // 2 if v % 2 == 0 else 3 * v + 1), n + 1
        steps.append(n)
    return *view(a), *view(Out(np.array(steps)))


def ir(kernel: str, builds: Any = "sm_80 +ptx78", **shape: Any):
    return case(LLVM, kernel, name=f"llvm_{kernel}", builds=builds, host=False, **shape)


@ir("branch_table", block=64, builds=("sm_80 +ptx78", "sm_75 +ptx63", "sm_90a +ptx86"), note="brx.idx")
def branch_table(r: Generator):
    op, a = r.integers(-1, 12, 64, dtype=np.int32), r.integers(-(2**31), 2**31, 64, dtype=np.int32)

    def result(o: int, v: int) -> int:
        u = v & 2**32 - 1
        sign = 1 if v >= 0 else -1
        paths = [
            v + 1,
            2 * v * v,
            v ^ 85,
            v << 3,
            abs(v) // 7 * sign,
            abs(v) % 11 * sign,
            int(f"{u:032b}"[::-1], 2),
            int.from_bytes(u.to_bytes(4, "little"), "big"),
            2 * (1000 - v),
            v >> 2,
        ]
        return signed(paths[o]) if 0 <= o < 10 else -1

    return op, a, Out(np.array([result(o, v) for o, v in zip(op.tolist(), a.tolist(), strict=True)], np.int32))


@ir("overflows", block=50, builds=("sm_80 +ptx78", "sm_120 +ptx87"))
def overflows(r: Generator):
    a, b = (r.integers(-(2**63), 2**63, 50) >> r.integers(0, 63, 50) for _ in "ab")
    rows = []
    for t, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        xl, yl, ux, uy = signed(x), signed(y), x & 2**64 - 1, y & 2**64 - 1
        both = (xl & 2**32 - 1) << 32 | yl & 2**32 - 1
        rows.append(
            [
                (signed(xl + yl) != xl + yl) + 2 * (ux * uy >= 2**64),
                max(-(2**31), min(2**31 - 1, xl + yl)),
                both << t % 32 >> 32 & 2**32 - 1,
                signed((ux << 64 | uy) >> t, 64),
                (x & 0xFFFF).bit_count(),
                signed(x * y, 20),
            ]
        )
    return a, b, Out(np.array(rows))


@ir("float_vectors", block=40)
def float_vectors(r: Generator):
    a = r.normal(size=(40, 4)).astype(np.float32)
    turned = a[:, [3, 1, 0, 2]] * np.array([2, 0.5, -1, 4], np.float32)
    return a, Out(np.where(a < 0, turned, a))
