"""Arithmetic: everything a machine derives from its four core operations."""

from __future__ import annotations

from openptx.numerics.dot import Dots


class Arithmetic(Dots):
    """Base class of machines: they implement `const binary select resize`; every other primitive is defined here.

    Definitions are total on all bit patterns. A machine may override a method with a faster one and call `super()` for
    the cases that it does not handle; `Arithmetic.fma(x, ...)` is always the reference definition.
    """
