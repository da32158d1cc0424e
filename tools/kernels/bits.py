"""Cases of bits.cu, computed with Python integers."""

import numpy as np
from numpy.random import Generator

from kernels.case import Out, case
from kernels.twos_complement import signed

M32, M64, M128 = 2**32 - 1, 2**64 - 1, 2**128 - 1
EDGES = [0, 1, 2, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x80000001, 0x0000FFFF, 0xAAAAAAAA]


def _words(r: Generator, n: int) -> np.ndarray:
    """Edges first, then random words of random lengths."""
    a = r.integers(0, 2**32, n, dtype=np.uint32) >> r.integers(0, 32, n, dtype=np.uint32)
    a[: len(EDGES)] = EDGES
    return a


def _table(rows: list[list[int]], dtype: str) -> Out:
    """Rows of thread results, turned so that each result lies contiguous; modulo the type's width."""
    bits = np.dtype(dtype).itemsize * 8
    columns = np.array([[v & ((1 << bits) - 1) for v in row] for row in rows], f"u{bits // 8}").T.copy()
    return Out(columns.view(dtype))


@case("bits.cu", "counting", block=50, builds=("sm_80", "sm_75 -G"))
def counting(r: Generator):
    a = r.integers(0, 2**64, 50, dtype=np.uint64) >> r.integers(0, 64, 50, dtype=np.uint64)
    a[:6] = [0, 1, 2**63, 2**64 - 1, 2**32, 2**31]
    rows = []
    for w in a.tolist():
        v = w & M32
        low = [(x & -x).bit_length() for x in (v, w)]
        turned = [int(f"{v:032b}"[::-1], 2), int(f"{w:064b}"[::-1], 2) >> 32]
        sign = (v ^ (M32 if v >> 31 else 0)).bit_length() - 1
        rows.append([v.bit_count(), w.bit_count(), 32 - v.bit_length(), 64 - w.bit_length(), *low, *turned, sign])
    return a, _table(rows, "int32")


@case("bits.cu", "shifting", block=64, builds=("sm_80", "sm_80 -G", "sm_120"))
def shifting(r: Generator):
    a, b, s = _words(r, 64), r.permutation(_words(r, 64)), r.integers(0, 80, 64, dtype=np.uint32)
    s[:5] = [0, 31, 32, 33, M32]
    rows = []
    for lo, hi, by in zip(a.tolist(), b.tolist(), s.tolist(), strict=True):
        w, mod, clamp = hi << 32 | lo, by & 31, min(by, 32)
        selector = by * 0x1357 & M32 & 0x7777
        permuted = sum((w >> 8 * (selector >> 4 * i & 7) & 255) << 8 * i for i in range(4))
        rows.append(
            [
                w << mod >> 32,
                w >> mod,
                w << clamp >> 32,
                w >> clamp,
                permuted,
                lo << mod,
                signed(lo) >> mod,
                lo >> mod,
                (w << (by & 63) & M64) >> 32,
                signed(w, 64) >> (by & 63),
                lo >> (hi & 15) & ((1 << (by & 15)) - 1),
                lo << 7 | lo >> 25,
            ]
        )
    return a, b, s, _table(rows, "uint32")


@case("bits.cu", "multiplying", block=40, builds=("sm_80", "sm_90a"))
def multiplying(r: Generator):
    a, b = (r.integers(-(2**63), 2**63, 40) >> r.integers(0, 64, 40) for _ in "ab")
    a[:4], b[:4] = [-(2**63), 2**31, -1, 0x7FFFFFFF], [-(2**63), 2**31, -1, -(2**31)]
    rows = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        p, q, up, uq = signed(x), signed(y), x & M32, y & M32
        rows.append(
            [
                p * q >> 32,
                up * uq >> 32,
                x * y >> 64,
                (x & M64) * (y & M64) >> 64,
                signed(signed(p, 24) * signed(q, 24)),
                (up & 0xFFFFFF) * (uq & 0xFFFFFF) & M32,
                p * q,
                up * uq,
                abs(p - q) + 17 & M32,
                abs(up - uq) + 17 & M32,
                (p + q) >> 1,
                (p + q + 1) >> 1,
                x * y + signed(p, 16) * signed(q, 16),
            ]
        )
    return a, b, _table(rows, "int64")


@case("bits.cu", "wide_integers", block=40, builds=("sm_80", "sm_75 -G"))
def wide_integers(r: Generator):
    a, b = (r.integers(0, 2**64, (40, 2), dtype=np.uint64) for _ in "ab")
    a[:3], b[:3] = [[M64, M64], [M64, 0], [0, 0]], [[1, 0], [1, 0], [1, 0]]
    rows = []
    for (xl, xh), (yl, yh) in zip(a.tolist(), b.tolist(), strict=True):
        x, y = xh << 64 | xl, yh << 64 | yl
        pairs = [v & M128 for v in (x + y, x - y, x * y, x >> (yl & 127))]
        halves = [half for v in pairs for half in (v & M64, v >> 64)]
        rows.append([*halves, signed(x, 128) >> 67, x < y, signed(x, 128) < signed(y, 128)])
    return a, b, _table(rows, "uint64")


def _lanes(v: int, bits: int, as_signed: bool) -> list[int]:
    parts = [v >> at & ((1 << bits) - 1) for at in range(0, 32, bits)]
    return [signed(p, bits) for p in parts] if as_signed else parts


def _join(parts: list[int], bits: int) -> int:
    return sum((p & ((1 << bits) - 1)) << bits * i for i, p in enumerate(parts))


@case("bits.cu", "packed", block=64, builds=("sm_80", "sm_75", "sm_90a"), host=False)
def packed(r: Generator):
    a, b = _words(r, 64), r.permutation(_words(r, 64))

    def each(x: int, y: int, bits: int, as_signed: bool, f) -> int:
        pairs = zip(_lanes(x, bits, as_signed), _lanes(y, bits, as_signed), strict=True)
        return _join([f(p, q) for p, q in pairs], bits)

    def clamp(v: int, low: int, high: int) -> int:
        return max(low, min(high, v))

    rows = []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        rows.append(
            [
                each(x, y, 8, False, lambda p, q: p + q),
                each(x, y, 8, False, lambda p, q: p - q),
                each(x, y, 8, True, lambda p, q: clamp(p + q, -128, 127)),
                each(x, y, 8, False, lambda p, q: clamp(p + q, 0, 255)),
                each(x, y, 8, False, lambda p, q: (p + q + 1) // 2),
                each(x, y, 8, False, lambda p, q: abs(p - q)),
                each(x, y, 8, True, max),
                each(x, y, 8, False, min),
                each(x, y, 8, False, lambda p, q: 255 * (p > q)),
                each(x, y, 8, False, lambda p, q: 255 * (p == q)),
                each(x, y, 16, False, lambda p, q: p + q),
                each(x, y, 16, True, lambda p, q: clamp(p - q, -(2**15), 2**15 - 1)),
                each(x, y, 16, True, max),
                sum(abs(p - q) for p, q in zip(_lanes(x, 8, True), _lanes(y, 8, True), strict=True)),
                sum(abs(p - q) for p, q in zip(_lanes(x, 16, False), _lanes(y, 16, False), strict=True)),
                _join([-p for p in _lanes(x, 8, False)], 8),
            ]
        )
    return a, b, _table(rows, "uint32")


@case("bits.cu", "dots", block=50, builds=("sm_80", "sm_75"))
def dots(r: Generator):
    a, b = _words(r, 50), r.permutation(_words(r, 50))
    rows = []
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        s, u, h = [(_lanes(x, n, sign), _lanes(y, 8, sign)) for n, sign in ((8, True), (8, False), (16, True))]
        rows.append(
            [
                i + sum(p * q for p, q in zip(*s, strict=True)),
                i + sum(p * q for p, q in zip(*u, strict=True)),
                i + h[0][0] * h[1][0] + h[0][1] * h[1][1],
                -i + h[0][0] * h[1][2] + h[0][1] * h[1][3],
            ]
        )
    return a.view(np.int32), b.view(np.int32), _table(rows, "int32")


def _inline(x: int, y: int) -> list[int]:
    """The manual's definitions of 9.7.1, 9.7.2 and 9.7.8, step by step."""
    position, length = y & 63, y >> 8 & 63
    field = x >> position & ((1 << length) - 1)
    last = min(position + length - 1, 31)
    sign = x >> last & 1 if length else 0
    have = max(0, min(length, 32 - position))
    extended = field | (M32 & ~((1 << have) - 1) if sign else 0) if length else 0
    at, size = y >> 4 & 31, y >> 10 & 31
    mask = ((1 << size) - 1) << at & M32
    inserted = y & ~mask | x << at & mask
    high = x.bit_length() - 1
    high_signed = (x ^ (M32 if x >> 31 else 0)).bit_length() - 1
    bytes_ = [(y << 32 | x) >> 8 * i & 255 for i in range(8)]
    permuted = 0
    for i in range(4):
        choice = 0xB4C9 >> 4 * i & 15
        byte = bytes_[choice & 7]
        permuted |= (255 * (byte >> 7) if choice & 8 else byte) << 8 * i
    forward = sum(bytes_[(y & 3) + i] << 8 * i for i in range(4))
    half = bytes_[(y & 1) * 2] | bytes_[(y & 1) * 2 + 1] << 8
    z = x + y & M32
    majority = x & y | x & z | y & z
    total, product = x + y, x * y + x
    borrow = x < y
    wide = x * y
    carry = (wide & M32) + x >> 32
    base, offset = y & 31, (y >> 8 & 7) - 3
    found = M32
    if offset == 0:
        found = base if x >> base & 1 else M32
    else:
        step, left, position = (1 if offset > 0 else -1), abs(offset), base
        while 0 <= position < 32:
            if x >> position & 1:
                left -= 1
                if left == 0:
                    found = position
                    break
            position += step
    width = min(y & 63, 32)
    szext = 0 if width == 0 else signed(x & ((1 << width) - 1), width)
    bmsk = (1 << (y & 31)) - 1 << (x & 31)
    return [
        field,
        extended,
        inserted,
        high,
        high_signed,
        31 - high if x else -1,
        permuted,
        forward,
        half | half << 16,
        majority,
        (total & M32) ^ (x + (total >> 32) & M32),
        2 * (x - y) - borrow,
        (product & M32) ^ ((wide >> 32) + carry & M32),
        max(-(2**31), min(2**31 - 1, signed(x) + signed(y))),
        found,
        szext,
        bmsk,
    ]


@case("bits.cu", "inline_bits", block=96, builds=("sm_80", "sm_75", "sm_90a"), host=False)
def inline_bits(r: Generator):
    a, b = _words(r, 96), r.integers(0, 2**32, 96, dtype=np.uint32)
    return a, b, _table([_inline(x, y) for x, y in zip(a.tolist(), b.tolist(), strict=True)], "uint32")
