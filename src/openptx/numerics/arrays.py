"""`openptx.convert`: every conversion on NumPy arrays of any shape and layout."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import numpy as np

from openptx.errors import ArgumentError
from openptx.keywords import hints
from openptx.numerics.bulk_convert import fill
from openptx.numerics.cvt_spec import CvtSpec, format_name
from openptx.numerics.dtypes import carrier, format_of, raw_of, unsigned
from openptx.numerics.type_names import INTEGERS, Packed, find_format

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, DTypeLike

    from openptx.array_types import Array


@hints(
    dtype="the second argument is the format", round="write `rounding=`", from_="write `source=`",
    saturate="write `sat=` for [0, 1], `satfinite=` for the largest number",
)  # fmt: skip
def convert(
    array: ArrayLike, to: str, *, source: str | None = None, rounding: str | None = None, sat: bool = False,
    satfinite: bool = False, relu: bool = False, ftz: bool = False, rbits: ArrayLike | None = None,
    scale: ArrayLike | None = None, out: Array | None = None,
) -> Array:  # fmt: skip
    """The values of `array` in the format `to`, bit for bit as PTX `cvt` gives them.

    `source` names the format of `array` if its dtype does not: raw codes in unsigned integers of the format's size.
    Formats are PTX's: f16 bf16 tf32 f32 f64 e4m3 e5m2 e2m3 e3m2 e2m1 ue8m0 ue4m3 ue5m3 s2f6, s8 to u64, and packed ones
    like f16x2, e4m3x2, e2m1x4. Scalars are packed along the last axis, the first into the highest bits: (..., 2) to
    (...).

    `rounding` is rn rna rz rm rp, rs (with `rbits`: a 32-bit integer for each result), or rni rzi rmi rpi for integral
    results; the default is rn, and rzi for floats to integers. Formats of 8 and fewer bits saturate to their largest
    number, as in PTX, with or without `satfinite`, except ue8m0 and ue5m3. `sat` clamps to [0, 1], or to the range of
    an integer; `relu` makes negative results 0; `ftz` treats f32 subnormals as 0. `scale` holds the packed scale
    factors of s2f6x2.

    The result has the format's dtype in NumPy or ml_dtypes, or else holds raw codes in unsigned integers. It is written
    to `out`, if given: an array of that dtype or of unsigned integers of the same width.

    Raises ArgumentError for a format, a rounding or a combination of them that `cvt` does not have, and for shapes that
    do not fit.
    """
    values, name = _values(array, None if source is None else format_name(source))
    form = CvtSpec(to, name, rounding, sat=sat, satfinite=satfinite, relu=relu, ftz=ftz)
    raw = raw_of(values, form.source)
    shape = _shape(form, raw)
    extra: list[Array] = []
    if form.stochastic != (rbits is not None):
        raise ArgumentError("`rs` needs `rbits`" if form.stochastic else "`rbits` are for the rounding `rs`")
    if rbits is not None:
        extra.append(_integers(rbits, np.uint32, "rbits"))
    if scale is not None:
        if "s2f6x2" not in (form.into.name, form.source.name):
            raise ArgumentError("`scale` is for s2f6x2")
        extra.append(_integers(scale, np.uint16, "scale"))
    try:
        shape = np.broadcast_shapes(shape, *(a.shape for a in extra))
    except ValueError as error:
        raise ArgumentError(f"`rbits` and `scale` must have the shape of the result: {error}") from None
    if out is None:
        order = "F" if raw.flags.fnc and len(shape) == raw.ndim else "C"
        result = np.empty(shape, unsigned(form.into), order)
        fill(form, scale is not None, raw, extra, result)
        return result.view(carrier(form.into))
    fill(form, scale is not None, raw, extra, _output(out, form, shape))
    return out


def _values(array: ArrayLike, source: str | None) -> tuple[Array, str]:
    """An array and the name of its format; Python numbers are converted to `source`."""
    if hasattr(array, "__array__") or hasattr(array, "__array_interface__"):
        values = np.asarray(array)
    elif hasattr(array, "__dlpack__"):
        other: Any = array
        values = np.from_dlpack(other)
    else:
        try:
            values = np.asarray(array, source and _dtype_of_numbers(source))
        except (OverflowError, ValueError, TypeError) as error:
            raise ArgumentError(f"the values are not numbers of {source or 'any format'}: {error}") from None
        if source and values.dtype == np.float64:
            return convert(values, source), source
    return values, source or format_of(values.dtype)


def _dtype_of_numbers(source: str) -> DTypeLike:
    """The intermediate type of Python numbers before conversion to `source`: exact, so that they are rounded once."""
    try:
        t = find_format(source)
    except ValueError as error:
        raise ArgumentError(str(error)) from None
    return carrier(t) if source in INTEGERS else unsigned(t) if isinstance(t, Packed) else np.float64


def _shape(form: CvtSpec, raw: Array) -> tuple[int, ...]:
    if form.values == 1:
        return raw.shape
    if raw.ndim == 0 or raw.shape[-1] != form.values:
        raise ArgumentError(
            f"{form.into.name} takes {form.values} values along the last axis; the shape is {raw.shape}"
        )
    return raw.shape[:-1]


def _integers(given: ArrayLike, dtype: DTypeLike, what: str) -> Array:
    try:
        values = np.asarray(given)
        limit = (1 << 8 * np.dtype(dtype).itemsize) - 1
        if values.dtype.kind not in "iu" or (values.size and (int(values.min()) < 0 or int(values.max()) > limit)):
            raise ValueError(f"they must be integers from 0 to {limit}")
    except (TypeError, ValueError, OverflowError) as error:
        raise ArgumentError(f"`{what}`: {error}") from None
    return values.astype(dtype)


def _output(given: object, form: CvtSpec, shape: tuple[int, ...]) -> Array:
    expected, raw = carrier(form.into), unsigned(form.into)
    if not isinstance(given, np.ndarray):
        raise ArgumentError(f"`out` must be an array of {expected} of shape {shape}, not {type(given).__name__}")
    out = cast("Array", given)
    if out.dtype not in (expected, raw) or out.shape != shape:
        raise ArgumentError(f"`out` must be an array of {expected} of shape {shape}, not of {out.dtype} {out.shape}")
    if not out.flags.writeable:
        raise ArgumentError("`out` is read-only")
    return out.view(raw)
