"""Python's floats as the bits of an `.f32` or `.f64`, and back."""

from __future__ import annotations

import struct


def f32_bits(value: float) -> int:
    """The bits of the nearest `.f32`; infinity beyond the largest."""
    try:
        return struct.unpack("<I", struct.pack("<f", value))[0]
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def f32_value(bits: int) -> float:
    """The value of an `.f32`."""
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def f64_bits(value: float) -> int:
    """The bits of an `.f64`."""
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def f64_value(bits: int) -> float:
    """The value of an `.f64`."""
    return struct.unpack("<d", struct.pack("<Q", bits))[0]
