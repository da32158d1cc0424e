"""Arithmetic: everything a machine can do once it has the four core operations."""

from __future__ import annotations

from openptx.numerics.dot import Dots


class Arithmetic(Dots):
    """Base class of machines: `const binary select resize` are theirs, every other primitive is defined here.

    Definitions are total on all bit patterns. A machine overrides a method with something faster and calls `super()`
    for the cases that are not its own; `Arithmetic.fma(x, ...)` is always the definition to compare with.
    """
