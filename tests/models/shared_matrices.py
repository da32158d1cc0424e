"""Matrices of wgmma and tcgen05.mma in shared memory: the manual's canonical layouts, at random places.

9.7.15.5.1.2 and 9.7.16.3 give them as CuTe layouts: sizes and strides of lines (rows of a, columns of b) and of depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

DTYPES: dict[str, Any] = {
    "f16": np.float16, "bf16": ml_dtypes.bfloat16, "tf32": np.float32, "f32": np.float32,
    "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "e2m3": ml_dtypes.float6_e2m3fn,
    "e3m2": ml_dtypes.float6_e3m2fn, "e2m1": ml_dtypes.float4_e2m1fn,
}  # fmt: skip
WIDTHS = {
    "b1": 1, "e2m1": 4, "e2m3": 6, "e3m2": 6, "e4m3": 8, "e5m2": 8, "s8": 8, "u8": 8, "f16": 16, "bf16": 16, "tf32": 32,
}  # fmt: skip
PERIODS = {32: 256, 64: 512, 128: 1024}
"""Bytes after which the pattern of a swizzling mode repeats."""
ROOM = 24576
"""Bytes of shared memory for a matrix."""

Dimension = list[tuple[int, int]]
"""Sizes and strides, the fastest first; the last size is unlimited."""


def random_codes(rng: np.random.Generator, type: str, shape: tuple[int, int]) -> tuple[Any, Any]:
    """Codes and values of small numbers, whose sums are exact in any order. tf32 has bits that do not count."""
    if type == "b1":
        codes = rng.integers(0, 2, shape)
        return codes, codes.astype(float)
    if type in ("s8", "u8"):
        codes = rng.integers(0, 256, shape).astype(np.uint8)
        return codes, codes.view(np.int8 if type == "s8" else np.uint8).astype(float)
    numbers = rng.integers(-3, 4, shape).astype(DTYPES[type])
    codes = numbers.view(f"u{numbers.itemsize}")
    if type == "tf32":
        codes = codes | rng.integers(0, 1 << 13, shape, dtype=np.uint32)
    return codes, numbers.astype(float)


def canonical(major: str, mode: int, t: int, lbo: int, sbo: int) -> tuple[Dimension, Dimension]:
    """Lines and depth by the tables of canonical layouts; `t` elements are 16 bytes, offsets are in elements."""
    s = mode // 16  # 16-byte units in a row of the pattern
    if major == "MN" and not mode:
        return [(t, 1), (1, t), (0, sbo)], [(8, t), (0, lbo)]
    if major == "MN":
        return [(t, 1), (s, t), (0, lbo)], [(8, s * t), (0, sbo)]
    if not mode:
        return [(8, t), (0, sbo)], [(t, 1), (0, lbo)]
    return [(8, s * t), (0, sbo)], [(t, 1), (0, t)]


def offsets(count: int, dimension: Dimension) -> Any:
    index, total = np.arange(count), np.zeros(count, np.int64)
    for size, stride in dimension[:-1]:
        total, index = total + index % size * stride, index // size
    return total + index * dimension[-1][1]


@dataclass
class Matrix:
    """`places` is where the lowest bit of each element stands, [line, depth]."""

    places: Any
    start: int
    lbo: int
    sbo: int
    base_offset: int
    mode: int

    def descriptor(self, modes: dict[int, int], first_mode_bit: int) -> int:
        """Tables of matrix descriptors, which differ in the encoding of swizzling modes."""
        low = self.start >> 4 | self.lbo >> 4 << 16 | self.sbo >> 4 << 32
        return low | self.base_offset << 49 | modes[self.mode] << first_mode_bit

    def store(self, memory: Any, codes: Any, width: int) -> None:
        """Writes the codes into bytes."""
        bits = np.unpackbits(memory, bitorder="little")
        for i in range(width):
            bits[self.places + i] = codes >> i & 1
        memory[:] = np.packbits(bits, bitorder="little")


def swizzled(address: Any, mode: int) -> Any:
    """Swizzle<b, 4, 3> with 2^b = mode / 16."""
    return address ^ (address >> 7 & max(mode // 16 - 1, 0)) << 4


def placed(rng: np.random.Generator, lines: int, depth: int, width: int, major: str, *, packed: bool = False) -> Matrix:
    """A matrix whose elements have bytes of their own.

    Its start may lie within a row of the pattern, as where a kernel goes on along the depth, and the pattern anywhere.
    Elements of 4 and 6 bits stand sixteen by sixteen at multiples of 16 bytes, or if `packed` one after the other.
    """
    container = width if packed or width >= 8 or width == 1 else 8
    t = 128 // container
    while True:
        mode, row = int(rng.choice([0, 32, 64, 128])), depth * container // 8
        if mode and major == "K" and row > mode:
            continue
        unit = PERIODS.get(mode, 16)
        lbo, sbo = (int(rng.integers(1, ROOM // unit // 2 + 1) if mode else rng.integers(1, 200)) * unit for _ in "ls")
        pattern, ahead = int(rng.integers(0, 8)) * unit, 0
        if mode and rng.random() < 0.3:
            pattern = int(rng.integers(0, 64)) * 128
        if mode and major == "K":
            ahead = int(rng.integers(0, (mode - row) // 16 + 1)) * 16
        across, along = canonical(major, mode, t, *(n * 8 // container for n in (lbo, sbo)))
        elements = offsets(lines, across)[:, np.newaxis] + offsets(depth, along)
        chunk, within = ahead + elements // t * 16, elements % t * width
        places = 8 * (pattern + swizzled(chunk, mode)) + within
        if places.max() < 8 * ROOM - 64 and len(np.unique(places)) == places.size:
            base = pattern >> 7 & 7 if mode and pattern % unit else 0
            return Matrix(places, pattern + ahead, lbo, sbo, base, mode)


def encoded(values: Any, type: str) -> Any:
    """Codes of exact results."""
    if type == "s32":
        return (values.astype(np.int64) & 0xFFFFFFFF).astype(np.uint32)
    numbers = values.astype(DTYPES[type]) + DTYPES[type](0)
    return numbers.view(f"u{numbers.itemsize}").astype(np.uint32)
