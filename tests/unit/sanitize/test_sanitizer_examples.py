"""The sanitizer examples of `openptx explain`: errors are reported, the corrected versions are clean."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx import Finding
from openptx.diagnostics.codes import Code, every_code

HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"
REGISTERS = (
    ".reg .pred %p<10>; .reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %rd<10>; .reg .f32 %f<10>; .reg .f64 %fd<10>;"
)
ROWS = [row for row in every_code() if row.code.startswith("PTX8")]


def found_in(example: str) -> list[Finding]:
    """Two blocks of 64 threads; a parameter is an uninitialized array whose bytes must all be written."""
    whole = ".version" in example
    text = example if whole else f"{HEAD}.visible .entry k() {{ {REGISTERS}\n{example}\nret; }}\n"
    kernel = openptx.load(text)["k"]
    arguments = (
        [openptx.empty(1, np.uint32) if "[o]" in example else np.zeros(64, np.uint8)] if ".param .u64" in text else []
    )
    outputs = [0] if "[o]" in example else []
    grid = 2 if "reqncta" in example else 1
    return openptx.sanitize(kernel, grid, 64, arguments, outputs=outputs, strict=True)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.code}-{row.name}")
def test_the_mistake_is_found(row: Code) -> None:
    assert row.name in [f.name for f in found_in(row.example)]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.code}-{row.name}")
def test_what_stands_instead_is_clean(row: Code) -> None:
    assert [str(f) for f in found_in(row.instead)] == []
