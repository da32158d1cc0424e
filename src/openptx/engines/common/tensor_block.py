"""The tensor memory of a CTA as bytes, which the reference engine and machine code share."""

from __future__ import annotations

import numpy as np

from openptx.isa.semantics.tensor_memory import COLUMNS, LANES, UNIT

UNITS = COLUMNS // UNIT
"""In which columns are allocated."""

OWNED, USED, GIVEN, CELLS = 0, 4, 8, 64
"""Offsets in bytes: u32, a bit for each allocated unit; u32, whether the cells have been cleared; u8 for each unit, how
many were allocated together from it on; u32 for each lane and column."""

SIZE = CELLS + 4 * LANES * COLUMNS

BLOCK = np.dtype(
    {
        "names": ["owned", "used", "given", "cells"],
        "formats": [np.uint32, np.uint32, (np.uint8, UNITS), (np.uint32, (LANES, COLUMNS))],
        "offsets": [OWNED, USED, GIVEN, CELLS],
        "itemsize": SIZE,
    }
)
