"""Every number format is known to every part, also where a row of `numerics/formats.py` is not all it takes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from shutil import copytree

import ml_dtypes
import numpy as np
import pytest

import openptx.isa.instructions
from openptx.cli.explanations.types import explain_type
from openptx.isa.notation import INSTRUCTIONS
from openptx.isa.types import TYPES
from openptx.numerics.formats import FORMATS, S2F6, Fixed, Format
from openptx.numerics.type_names import ELEMENTS, PACKED

ROOT = Path(__file__).parents[3]
ALL = [*FORMATS.values(), S2F6]
NO_ENCODING_PUBLISHED = {"ue5m3", "ue5m3x2"}


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
    said = {choice for i in INSTRUCTIONS for form in i.forms for slot in form.slots for choice in slot.choices}
    assert names & said, f"no instruction names .{f.name}: add its forms under isa/instructions/"


@pytest.mark.parametrize("f", ALL, ids=lambda f: f.name)
def test_it_is_explained(f: Format | Fixed) -> None:
    assert "encoding" in (explain_type(f.name) or "")


@pytest.mark.parametrize("f", [f for f in ALL if f.dtype], ids=lambda f: f.name)
def test_its_dtype_has_the_same_values(f: Format) -> None:
    dtype = getattr(np, f.dtype or "", None) or getattr(ml_dtypes, f.dtype or "")
    info = ml_dtypes.finfo(dtype)
    exact = openptx.convert(np.array([f.largest], f"u{f.storage // 8}"), "f64", source=f.name)
    assert exact[0] == float(info.max)
    assert info.nmant == f.man


def test_a_type_with_a_float_has_a_format() -> None:
    without = {name for name, t in TYPES.items() if t.kind == "f" and t.element.format not in ELEMENTS}
    assert without == NO_ENCODING_PUBLISHED


def test_the_page_works(tmp_path: Path) -> None:
    """docs/add-a-format.md: its row and its form, added to a copy, make a format that all commands know."""
    page = (ROOT / "docs" / "add-a-format.md").read_text()
    row, form = (block.split("```")[0].strip("\n") for block in page.split("```python\n")[1:3])
    copytree(
        ROOT / "src" / "openptx", tmp_path / "openptx", ignore=lambda _, names: [n for n in names if n == "__pycache__"]
    )
    add(tmp_path / "openptx/numerics/formats.py", ")\nS2F6 =", row)
    add(
        tmp_path / "openptx/isa/instructions/convert.py",
        "        cvt.rn.satfinite{.relu}.dtype.f32            d, a, b;",
        form,
    )
    assert "e3m4" in run(tmp_path, "-m", "openptx", "explain", "e3m4")
    assert "0x66" in run(tmp_path, "-m", "openptx", "convert", "--to", "e3m4", "11")
    source = "import numpy, openptx; print(openptx.convert(numpy.float32([11, 99]), 'e3m4').view('u1'))"
    assert "[102 111]" in run(tmp_path, "-c", source)
    (tmp_path / "k.ptx").write_text(PTX)
    assert "All checks passed" in run(tmp_path, "-m", "openptx", "check", "k.ptx")
    printed = run(
        tmp_path,
        "-m",
        "openptx",
        "run",
        "k.ptx",
        "--grid",
        "1",
        "--block",
        "1",
        "--arg",
        "zeros:u16:1",
        "--save",
        "0=d.npy",
    )
    assert np.load(tmp_path / "d.npy")[0] == 0x6638, printed


def add(path: Path, before: str, text: str) -> None:
    source = path.read_text()
    assert source.count(before) >= 1
    path.write_text(
        source.replace(
            before, f"\n{text}\n{before}".removeprefix("\n") if "S2F6" not in before else f"{text}\n{before}", 1
        )
    )


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env={"PYTHONPATH": str(folder), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


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
