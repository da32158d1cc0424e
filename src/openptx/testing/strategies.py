"""Hypothesis strategies for PTX values: bit patterns of number formats and registers, with edge cases more often.

    @given(strategies.bits("e4m3"), strategies.arrays("f32", 32))

They need Hypothesis: `pip install hypothesis`.
"""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from openptx.errors import InputError
from openptx.isa.types import TYPES
from openptx.numerics.formats import FORMATS, Format


def bits(type: str) -> st.SearchStrategy[int]:
    """Codes of a number format or a PTX type, as integers below 2 to the power of its width.

    `type` is a name without dot: `"e4m3"`, `"bf16"`, `"s32"`, `"b64"`. Zeros, subnormal numbers, the least and largest
    normal ones, infinities, NaNs and the neighbours of each come often; for integers the ends of the range. Raises
    InputError for unknown names, and for packed types.
    """
    width, edges = _facts(type)
    top = (1 << width) - 1
    near = sorted({edge + step & top for edge in edges for step in (-1, 0, 1)})
    return st.one_of(st.sampled_from(near), st.integers(0, top))


def values(type: str) -> st.SearchStrategy[Any]:
    """Values of a type as scalars of NumPy's or ml_dtypes' dtype for the format; unsigned integers if there is none."""
    dtype, raw = _dtypes(type)
    return bits(type).map(lambda code: np.asarray(code, raw).view(dtype)[()])


def arrays(type: str, size: int | st.SearchStrategy[int]) -> st.SearchStrategy[NDArray[Any]]:
    """One-dimensional arrays of such values: `size` elements, or as many as a strategy draws."""
    dtype, raw = _dtypes(type)
    sizes = st.just(size) if isinstance(size, int) else size
    lists = sizes.flatmap(lambda count: st.lists(bits(type), min_size=count, max_size=count))
    return lists.map(lambda codes: np.array(codes, raw).view(dtype))


def _facts(type: str) -> tuple[int, list[int]]:
    """The width of a type, and its codes at which something changes."""
    if (format := FORMATS.get(type)) is not None:
        return format.width, _edges(format)
    known = TYPES.get(type)
    if known is None or known.count != 1 or known.kind not in ("b", "u", "s"):
        raise InputError(f"no number format and no integer type `{type}`: write one like e4m3, f16, s32, b64")
    return known.width, [0, 1 << known.width - 1]


def _edges(format: Format) -> list[int]:
    magnitudes = {0, format.hidden, format.largest, format.magnitude}
    magnitudes |= {code for code in (format.infinity, format.nan) if code is not None}
    one = format.bias << format.man
    return [code | sign for code in {*magnitudes, one} for sign in {0, format.sign}]


def _dtypes(type: str) -> tuple[np.dtype[Any], np.dtype[Any]]:
    """The dtype of the values, and the unsigned one of their codes."""
    width, _ = _facts(type)
    raw = np.dtype(f"u{next(size for size in (1, 2, 4, 8, 16) if 8 * size >= width)}")
    format = FORMATS.get(type)
    if format is not None and format.dtype is not None:
        return np.dtype(getattr(ml_dtypes, format.dtype, None) or format.dtype), raw
    known = TYPES.get(type)
    return (np.dtype(f"i{raw.itemsize}") if known is not None and known.kind == "s" else raw), raw
