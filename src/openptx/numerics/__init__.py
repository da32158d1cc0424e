"""Number formats, rounding, exact conversion, and arithmetic on lanes of raw bits. Knows no PTX; does not import
NumPy."""

from __future__ import annotations

from importlib import import_module

from openptx.numerics.bits import Bits, S, Signedness, U
from openptx.numerics.formats import FORMATS, Format

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.numerics.arrays import convert as convert
    from openptx.numerics.dot import Arithmetic as Arithmetic

__all__ = ["FORMATS", "Arithmetic", "Bits", "Format", "S", "Signedness", "U"]

_LATE = {"Arithmetic": "openptx.numerics.dot", "convert": "openptx.numerics.arrays"}
"""Parts that are imported on first use: a checker needs no arithmetic, and NumPy takes long to import."""


def _get(name: str) -> object:
    if name not in _LATE:
        raise AttributeError(f"module `openptx.numerics` has no attribute `{name}`")
    return getattr(import_module(_LATE[name]), name)


if not TYPE_CHECKING:
    __getattr__ = _get
