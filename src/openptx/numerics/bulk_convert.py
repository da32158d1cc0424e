"""Converts whole arrays: by table, by NumPy block by block, or by compiled code where there are many elements."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from openptx.float_environment import in_standard_floats
from openptx.numerics.cvt import cvt
from openptx.numerics.formats import F32, Format
from openptx.numerics.numpy_machine import NumpyMachine, sticky, sticky_table, tabulate
from openptx.numerics.type_names import Packed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from openptx.array_types import Array
    from openptx.numerics.bits import Bits
    from openptx.numerics.compiled import Loop
    from openptx.numerics.cvt_spec import CvtSpec
    from openptx.numerics.dot import Arithmetic

    Step = Callable[[Sequence[Array], Array], None]

BLOCK = 1 << 14
"""Elements per NumPy step: with their temporaries they fit in the second-level cache."""

PIECE = 1 << 20
"""Results that a compiled loop computes between two checks for Ctrl-C."""

PIECES = 2
"""The number of pieces per thread from which starting threads pays."""

MANY = 1 << 21
"""The number of results from which compiling a loop pays, which takes about 0.1 s; eight times as many where the
alternative is a table."""


@in_standard_floats
def fill(form: CvtSpec, scaled: bool, raw: Array, extra: list[Array], result: Array) -> None:
    """Writes the conversion of raw codes into `result`.

    Operands of a packed result lie along the last axis of `raw`; `extra` holds random bits, then scale factors.
    """
    rows = _rows(form, raw, extra, result)
    if rows is not None and (loop := _loop(form, scaled, result.size, form.values)) is not None:
        sources, target = rows
        return _in_pieces(loop, form.values, sources, target)
    operands = [raw] if form.values == 1 else [raw[..., i] for i in range(form.values)]
    loop = _loop(form, scaled, result.size, 1)
    if loop is not None:
        return _in_blocks(loop, [*operands, *extra], result, 4 * BLOCK)
    return _in_blocks(_by_numpy(form, scaled), [*operands, *extra], result, BLOCK)


def definition(form: CvtSpec, scaled: bool, x: Arithmetic, *operands: Bits) -> Bits:
    """The form on any machine: its operands, followed by random bits and scale factors if it has them."""
    rest = list(operands[form.values :])
    return cvt(
        x,
        form.into.name,
        form.source.name,
        *operands[: form.values],
        rnd=form.rnd,
        sat=form.sat,
        satfinite=form.satfinite,
        relu=form.relu,
        ftz=form.ftz,
        rbits=rest.pop(0) if form.stochastic else None,
        scale=rest.pop(0) if scaled else None,
    )


# NumPy


def _by_numpy(form: CvtSpec, scaled: bool) -> Step:
    x = NumpyMachine()
    function = partial(definition, form, scaled, x)
    if _by_code(form):
        table = tabulate(("cvt", *form.key), x, form.source.storage, function)
        return lambda operands, result: _look_up(table, operands[0], result)
    if _by_upper_half(form):
        upper = sticky_table(("cvt", *form.key), x, function)
        return lambda operands, result: _look_up(upper, sticky(operands[0]), result)

    def step(operands: Sequence[Array], result: Array) -> None:
        with x.quietly():
            result[...] = function(*map(x.lanes, operands)).v

    return step


def _plain(form: CvtSpec) -> bool:
    return not (form.stochastic or isinstance(form.into, Packed) or isinstance(form.source, Packed))


def _by_code(form: CvtSpec) -> bool:
    return _plain(form) and form.source.storage <= 16


def _by_upper_half(form: CvtSpec) -> bool:
    """f32 to floats of at most five bits of precision: the lower half of the code lies far below the rounding
    position."""
    return _plain(form) and form.s is F32 and isinstance(form.d, Format) and form.d.storage == 8


def _look_up(table: Array, index: Array, result: Array) -> None:
    table.take(index, out=result, mode="clip")


def _in_blocks(step: Step, operands: list[Array], result: Array, block: int) -> None:
    """NumPy's iterator copies strided and overlapping arrays."""
    access: Any = [*[["readonly", "contig", "aligned"]] * len(operands), ["writeonly", "contig", "aligned"]]
    flags = ("external_loop", "buffered", "zerosize_ok", "copy_if_overlap")
    with np.nditer([*operands, result], flags, access, order="K", buffersize=block) as blocks:
        for *parts, target in blocks:
            step(parts, target)


# LLVM


_LOOPS: dict[tuple[object, ...], Loop | None] = {}


def _loop(form: CvtSpec, scaled: bool, count: int, together: int) -> Loop | None:
    """The compiled form if it exists already, or if `count` results are worth compiling it."""
    key = (*form.key, scaled, together)
    if key not in _LOOPS:
        if count < (MANY << 3 if _by_code(form) or _by_upper_half(form) else MANY):
            return None
        try:
            from openptx.numerics.compiled import Loop
        except ImportError:  # without llvmlite NumPy does everything
            _LOOPS[key] = None
        else:
            widths = [form.source.storage] * form.values + [32] * form.stochastic + [16] * scaled
            _LOOPS[key] = Loop(partial(definition, form, scaled), widths, form.into.storage, together)
    return _LOOPS[key] if count >= BLOCK else None


def _rows(form: CvtSpec, raw: Array, extra: list[Array], result: Array) -> tuple[list[Array], Array] | None:
    """The arrays as rows of elements in one order, without a copy; None if they are not contiguous, or overlap."""
    arrays = [raw, *extra, result]
    if np.may_share_memory(raw, result) or not all(a.flags.aligned for a in arrays):
        return None
    if any(a.shape != result.shape for a in extra):
        return None
    if form.values == 1 and raw.shape != result.shape:
        return None
    if all(a.flags.c_contiguous for a in arrays):
        return [a.reshape(-1) for a in arrays[:-1]], result.reshape(-1)
    if form.values == 1 and all(a.flags.f_contiguous for a in arrays):
        return [a.T.reshape(-1) for a in arrays[:-1]], result.T.reshape(-1)
    return None


def _in_pieces(loop: Loop, together: int, sources: list[Array], result: Array) -> None:
    """Converts piece by piece or, if there are many, on all processors."""

    def step(i: int) -> None:
        first, *rest = sources
        part = [first[i * together : (i + PIECE) * together], *(a[i : i + PIECE] for a in rest)]
        loop(part, result[i : i + PIECE])

    starts = range(0, result.size, PIECE)
    threads = min(_processors(), len(starts) // PIECES)
    if threads < 2:
        for i in starts:
            step(i)
        return
    with ThreadPoolExecutor(threads) as pool:  # a new one each time: a kept one would have no threads after a fork
        for _ in pool.map(step, starts):
            pass


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
