"""The NumPy machine: lanes are elements of arrays of unsigned integers, predicates are arrays of bool."""

from __future__ import annotations

from openptx.numerics.lanes_float import FloatLanes
from openptx.numerics.lanes_integer import SIGNED, UNSIGNED


class Lanes(FloatLanes):
    """Arithmetic on arrays; see IntegerLanes for what a value is, FloatLanes for how its results stay exact."""


__all__ = ["SIGNED", "UNSIGNED", "Lanes"]
