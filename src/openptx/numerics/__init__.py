"""Numbers: formats, rounding, exact conversion, arithmetic on lanes of raw bits. No PTX inside, no NumPy at import."""

from __future__ import annotations

from openptx.numerics.arithmetic import Arithmetic
from openptx.numerics.bits import Bits, S, Signedness, U
from openptx.numerics.formats import FORMATS, Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.numerics.arrays import convert as convert

__all__ = ["FORMATS", "Arithmetic", "Bits", "Format", "S", "Signedness", "U"]


def _get(name: str) -> object:
    """`convert`, the one part that needs NumPy."""
    if name == "convert":
        from openptx.numerics.arrays import convert

        return convert
    raise AttributeError(f"module `openptx.numerics` has no attribute `{name}`")


if not TYPE_CHECKING:
    __getattr__ = _get
