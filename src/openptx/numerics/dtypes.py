"""The NumPy dtype of each format; a format without one is held as raw codes in unsigned integers."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.errors import ArgumentError
from openptx.numerics.formats import FORMATS
from openptx.numerics.type_names import INTEGERS, Element, Packed

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from openptx.array_types import Array

    DType = np.dtype[Any]

_CARRIERS = {
    **{f.name: f.dtype for f in FORMATS.values() if f.dtype is not None},
    **{name: f"{'' if t.signed else 'u'}int{t.width}" for name, t in INTEGERS.items()},
}


@cache
def _dtypes() -> dict[str, DType]:
    import ml_dtypes

    found: dict[str, DType] = {}
    for name, text in _CARRIERS.items():
        scalar: DTypeLike | None = getattr(np, text, None) or getattr(ml_dtypes, text, None)
        if scalar is not None:  # an older ml_dtypes lacks the smaller formats
            found[name] = np.dtype(scalar)
    return found


def carrier(t: Element | Packed) -> DType:
    """The dtype of results in `t`."""
    return _dtypes().get(t.name) or unsigned(t)


def unsigned(t: Element | Packed) -> DType:
    """The unsigned integer that holds the codes of `t`."""
    return np.dtype(f"u{t.storage // 8}")


@cache
def _names() -> dict[DType, str]:
    return {dtype: name for name, dtype in _dtypes().items()}


def format_of(dtype: DType) -> str:
    """The format of `dtype`. Raises ArgumentError if it is none of PTX's."""
    name = _names().get(dtype.newbyteorder("="))
    if name is None:
        raise ArgumentError(f"an array of {dtype} is not a number format of PTX: convert it, or name one with `source`")
    return name


def raw_of(values: Array, t: Element | Packed) -> Array:
    """The codes of an array of `t`, as unsigned integers; a view if the byte order is native. Raises ArgumentError for
    a dtype that does not hold `t`."""
    raw = unsigned(t)
    native = values.dtype.newbyteorder("=")
    codes = native.kind in "iu" and native.itemsize == raw.itemsize
    if not codes and native != carrier(t) and not (t.name == "tf32" and native == np.float32):
        expected = carrier(t) if carrier(t) == raw else f"{carrier(t)}, or {raw} with its codes"
        raise ArgumentError(f"an array of {t.name} is one of {expected}, not of {values.dtype}")
    return np.asarray(values, native).view(raw)
