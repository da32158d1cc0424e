"""Numbers: formats, rounding, exact conversion, arithmetic on lanes of raw bits. No PTX inside, no NumPy at import."""

from __future__ import annotations

from openptx.numerics.arithmetic import Arithmetic
from openptx.numerics.bits import Bits, S, Signedness, U
from openptx.numerics.formats import FORMATS, Format

__all__ = ["FORMATS", "Arithmetic", "Bits", "Format", "S", "Signedness", "U"]
