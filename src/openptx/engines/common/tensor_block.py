"""The tensor memory of a CTA as bytes, which the reference engine and compiled code share."""

from __future__ import annotations

import numpy as np

from openptx.isa.semantics.tensor_memory import COLUMNS, LANES, UNIT

UNITS = COLUMNS // UNIT
"""The unit of allocation, in columns."""

OWNED, USED, GIVEN, CELLS = 0, 4, 8, 64
"""Offsets in bytes: u32, a bit for each allocated unit; u32, whether the cells have been cleared; u8 for each unit, the
size of the allocation that begins there; u32 for each lane and column."""

SIZE = CELLS + 4 * LANES * COLUMNS

BLOCK = np.dtype(
    {
        "names": ["owned", "used", "given", "cells"],
        "formats": [np.uint32, np.uint32, (np.uint8, UNITS), (np.uint32, (LANES, COLUMNS))],
        "offsets": [OWNED, USED, GIVEN, CELLS],
        "itemsize": SIZE,
    }
)
