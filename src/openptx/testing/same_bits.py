"""Asserts that arrays have the same bits, and reports differences in units in the last place."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import ArrayLike

from openptx.array_types import Array
from openptx.errors import InputError
from openptx.numerics.formats import FORMATS

MOST = 5
"""The maximum number of differences shown."""


def assert_same_bits(got: ArrayLike, wanted: ArrayLike, format: str | None = None) -> None:
    """Raises AssertionError if two arrays of one shape and width differ in any bit. NaNs are compared by their bits.

    `format` names what the elements are where their dtype can't: `"e4m3"` of an array of `uint8`, `"bf16"` of `uint16`.
    Raises InputError for arrays of different shapes or widths, and for an unknown format or one whose width differs
    from that of the elements.
    """
    left, right = np.asarray(got), np.asarray(wanted)
    if left.shape != right.shape or left.dtype.itemsize != right.dtype.itemsize:
        raise InputError(f"{left.dtype}{list(left.shape)} can't have the bits of {right.dtype}{list(right.shape)}")
    dtype = _dtype(right, format)
    raw = f"u{dtype.itemsize}"
    ours, theirs = (np.ascontiguousarray(array).reshape(-1).view(raw) for array in (left, right))
    (places,) = np.nonzero(ours != theirs)
    if not places.size:
        return
    lines = [f"{places.size:,} of {ours.size:,} elements differ" + (f" as {format}" if format else f" ({dtype})")]
    for place in places[:MOST]:
        index = ", ".join(str(int(i)) for i in np.unravel_index(int(place), right.shape))
        one, other = int(ours[place]), int(theirs[place])
        lines.append(f"  [{index}] {_format(one, dtype)}, not {_format(other, dtype)}{_distance(one, other, dtype)}")
    if places.size > MOST:
        lines.append(f"  and {places.size - MOST:,} more")
    raise AssertionError("\n".join(lines))


def _dtype(array: Array, format: str | None) -> np.dtype[Any]:
    """The format of an array's elements."""
    if format is None:
        return array.dtype
    row = FORMATS.get(format)
    name = row.dtype if row is not None else None
    if name is None:
        known = ", ".join(each.name for each in FORMATS.values() if each.dtype is not None)
        raise InputError(f"no format `{format}` with values of its own; there are {known}")
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    if dtype.itemsize != array.dtype.itemsize:
        raise InputError(
            f"elements of {format} have {dtype.itemsize} bytes, and those of {array.dtype} {array.itemsize}"
        )
    return dtype


def _value(bits: int, dtype: np.dtype[Any]) -> Any:
    return np.array([bits], f"u{dtype.itemsize}").view(dtype)[0]


def _format(bits: int, dtype: np.dtype[Any]) -> str:
    return f"{_value(bits, dtype)} (0x{bits:0{2 * dtype.itemsize}x})"


def _distance(one: int, other: int, dtype: np.dtype[Any]) -> str:
    """The number of representable numbers between two floats; an empty text for integers and if one is NaN."""
    if dtype.kind in "biu" or dtype.name.startswith(("int", "uint")):
        return ""
    if any(value != value for value in (_value(one, dtype), _value(other, dtype))):
        return ""
    sign = 1 << 8 * dtype.itemsize - 1
    first, second = (-(bits & ~sign) if bits & sign else bits for bits in (one, other))
    ulps = abs(first - second)
    return f": {ulps:,} ulp" if ulps else ": the signs of zeros differ"
