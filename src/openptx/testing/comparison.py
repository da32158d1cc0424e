"""Compares arrays as a case specifies: bit for bit, or within `atol + rtol * |expected|`."""

from __future__ import annotations

from typing import Any

import numpy as np

from openptx.array_types import Array
from openptx.errors import InputError

STORED = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
"""Dtypes of `ml_dtypes` whose arrays are stored as unsigned integers, because .npy does not support them."""


def values(array: Array, dtype: str) -> Array:
    """The numbers of an array that is stored as `dtype`."""
    if dtype not in STORED or array.dtype.kind not in "ui":
        return array
    import ml_dtypes

    return array.view(getattr(ml_dtypes, dtype))


def compare(got: Array, wanted: Array, dtype: str, *, exact: bool, rtol: float = 0.0, atol: float = 0.0) -> str:
    """The errors in `got`, empty if there are none. A NaN equals a NaN, in exact comparisons only if their bits are
    equal. Raises InputError for arrays of different shapes or widths."""
    if got.shape != wanted.shape or got.dtype.itemsize != wanted.dtype.itemsize:
        raise InputError(f"expected {wanted.dtype}{list(wanted.shape)}, and the buffer is {got.dtype}{list(got.shape)}")
    got, wanted = values(got, dtype).ravel(), values(wanted, dtype).ravel()
    if exact:
        raw = np.dtype(f"u{got.dtype.itemsize}")
        wrong = got.view(raw) != wanted.view(raw)
    else:
        wide = [array.astype(np.float64) if array.dtype.kind not in "iu" else array for array in (got, wanted)]
        wrong = ~np.isclose(wide[0], wide[1], rtol=rtol, atol=atol, equal_nan=True)
    if not wrong.any():
        return ""
    first = int(np.argmax(wrong))
    count = int(wrong.sum())
    difference = f"{format_element(got[first])}, not {format_element(wanted[first])}"
    return f"{count:,} of {wrong.size:,} elements differ, first [{first}]: {difference}"


def format_element(value: Any) -> str:
    """An element with its bits."""
    raw = np.asarray(value)
    bits = int(raw.view(f"u{raw.dtype.itemsize}"))
    return f"{value} (0x{bits:0{2 * raw.dtype.itemsize}x})"
