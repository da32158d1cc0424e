"""Edge-case operands, and a machine without faster implementations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from openptx.numerics import Arithmetic, Bits, Format
from openptx.numerics.numpy_machine_integer import NumpyIntegers
from openptx.numerics.type_names import Element, Integer

Array = NDArray[Any]
VECTORS = Path(__file__).parents[2] / "data" / "conversions"


class Definition(NumpyIntegers):
    """NumPy lanes whose every primitive is the generic definition."""

    negative, abs, min, max = Arithmetic.negative, Arithmetic.abs, Arithmetic.min, Arithmetic.max
    divide, clz, popc = Arithmetic.divide, Arithmetic.clz, Arithmetic.popc
    invert, unequal, at_most, amount = Arithmetic.invert, Arithmetic.unequal, Arithmetic.at_most, Arithmetic.amount


def unsigned(w: int) -> np.dtype[Any]:
    return np.dtype(f"u{w // 8}")


def codes(t: Element, count: int, seed: int = 0) -> Array:
    """Codes of a type: edges, ties of few bits, values near one, random ones."""
    rng = np.random.default_rng([seed, count, *map(ord, t.name)])
    w = t.storage
    random = (
        rng.integers(0, 1 << w, count, dtype=np.uint64) if w < 64 else rng.integers(0, 2**64, count, dtype=np.uint64)
    )
    if isinstance(t, Integer):
        short = random >> rng.integers(0, w, count).astype(np.uint64)
        edges = np.array([0, 1, (1 << w) - 1, 1 << w - 1, (1 << w - 1) - 1], np.uint64)
        return np.select(
            [rng.random(count) < 0.1, rng.random(count) < 0.5], [rng.choice(edges, count), short], random
        ).astype(unsigned(w))
    if not isinstance(t, Format):
        return random.astype(unsigned(w))
    f = t
    top = f.largest
    edges = [0, 1, f.hidden - 1, f.hidden, f.hidden + 1, top - 1, top, top + 1, top + 2, f.magnitude, f.bias << f.man]
    edges += [(f.bias << f.man) + 1, (f.bias << f.man) - 1]
    edge = rng.choice(np.array([e & f.magnitude for e in edges], np.uint64), count)
    magnitude = random & np.uint64(f.magnitude)
    mantissa = magnitude & np.uint64(f.hidden - 1)
    near = np.uint64(f.bias) + rng.integers(-12, 13, count).astype(np.uint64) & np.uint64((1 << f.exp) - 1)
    near = near << np.uint64(f.man) | mantissa
    tie = near & ~((np.uint64(1) << rng.integers(0, f.man + 1, count).astype(np.uint64)) - np.uint64(1))
    tiny = rng.integers(0, min(4, 1 << f.exp), count).astype(np.uint64) << np.uint64(f.man) | mantissa
    kind = rng.integers(0, 5, count)
    magnitude = np.select([kind == 0, kind == 1, kind == 2, kind == 3], [edge, near, tie, tiny], magnitude)
    sign = np.where(rng.random(count) < 0.5, np.uint64(f.sign), np.uint64(0))
    return ((magnitude | sign) << np.uint64(f.low)).astype(unsigned(w))


def spread(d: Bits, shape: tuple[int, ...]) -> Array:
    """The lanes of a result, constants broadcast."""
    return np.broadcast_to(d.v, shape)


def differing(got: Array, expected: Array, *operands: Array) -> str:
    """Nothing, or how many differ and the first of them."""
    assert got.dtype == expected.dtype
    wrong = np.flatnonzero(got != expected)
    if not wrong.size:
        return ""
    i = wrong[0]
    shown = ", ".join(f"{int(a[i]):#x}" for a in operands)
    return f"{wrong.size} of {got.size} differ, first ({shown}): {int(got[i]):#x}, expected {int(expected[i]):#x}"


def vectors(name: str) -> Any:
    """A file of expected results."""
    return np.load(VECTORS / f"{name}.npz")
