"""Every number format is known to every part, also where a row of `numerics/formats.py` is not all it takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest
from package_copy import PackageCopy, blocks

import openptx
from openptx.explanations.types import explain_type
from openptx.isa.notation import load
from openptx.isa.types import TYPES
from openptx.numerics.formats import FORMATS, S2F6, Fixed, Format
from openptx.numerics.type_names import ELEMENTS, PACKED

ALL = [*FORMATS.values(), S2F6]


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.name)
def test_a_format_is_an_instruction_type(f: Format | Fixed) -> None:
    assert TYPES[f.name].format == f.name
    assert ELEMENTS[f.name] is f
    for count in f.packed:
        assert TYPES[f"{f.name}x{count}"].element.format == f.name
        assert PACKED[f"{f.name}x{count}"].element is f


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.name)
def test_an_instruction_has_it(f: Format | Fixed) -> None:
    names = {f.name, *(f"{f.name}x{count}" for count in f.packed)}
    said = {
        choice
        for found in load().values()
        for i in found
        for form in i.forms
        for slot in form.slots
        for choice in slot.choices
    }
    assert names & said, f"no instruction names .{f.name}: add its forms under isa/instructions/"


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.name)
def test_it_is_explained(f: Format | Fixed) -> None:
    assert "encoding" in (explain_type(f.name) or "")


@pytest.mark.parametrize("f", [f for f in ALL if f.dtype], ids=lambda f: f.name)
def test_its_dtype_has_the_same_values(f: Format) -> None:
    dtype = getattr(np, f.dtype or "", None) or getattr(ml_dtypes, f.dtype or "")
    info = cast(Any, ml_dtypes.finfo(dtype))
    exact = openptx.convert(np.array([f.largest], f"u{f.storage // 8}"), "f64", source=f.name)
    assert exact[0] == float(info.max)
    assert info.nmant == f.man


def test_a_type_with_a_float_has_a_format() -> None:
    without = {name for name, t in TYPES.items() if t.kind == "f" and t.element.format not in ELEMENTS}
    assert not without


def test_the_page_works(tmp_path: Path) -> None:
    """docs/add-a-format.md: its row and its form, added to a copy, make a format that all commands know."""
    package = PackageCopy.below(tmp_path)
    row, form = blocks("add-a-format.md", "python")
    package.insert("numerics/formats.py", row, before=")\nS2F6 =")
    package.insert(
        "isa/instructions/convert.py", form, before="        cvt.rn.satfinite{.relu}.dtype.f32            d, a, b;"
    )
    assert "e3m4" in package.openptx("explain", "e3m4")
    assert "0x66" in package.openptx("convert", "--to", "e3m4", "11")
    source = "import numpy, openptx; print(openptx.convert(numpy.float32([11, 99]), 'e3m4').view('u1'))"
    assert "[102 111]" in package.run("-c", source)
    (tmp_path / "k.ptx").write_text(PTX)
    assert "All checks passed" in package.openptx("check", "k.ptx")
    launch = "run k.ptx --grid 1 --block 1 --arg zeros:u16:1 --save 0=d.npy"
    printed = package.openptx(*launch.split())
    assert np.load(tmp_path / "d.npy")[0] == 0x6638, printed


PTX = """
.version 9.1
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b64 %rd1;
    .reg .b16 %rs1;
    .reg .f32 %f<3>;
    ld.param.u64 %rd1, [out];
    mov.f32 %f1, 0f41300000;   // 11
    mov.f32 %f2, 0f3FC00000;   // 1.5
    cvt.rn.satfinite.e3m4x2.f32 %rs1, %f1, %f2;
    st.global.b16 [%rd1], %rs1;
    ret;
}
"""
