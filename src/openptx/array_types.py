"""The type of NumPy arrays, in annotations: NumPy returns arrays of unknown element types, so here all are alike."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]
