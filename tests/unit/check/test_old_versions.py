"""PTX before version 1.4: kernels declare their parameters in their bodies; 1.2: texels have four coordinates.

The verdicts are those of ptxas 13.5, which is asked again where it is installed.
"""

from __future__ import annotations

import subprocess
import sysconfig
from pathlib import Path

import numpy as np
import pytest

import openptx

PTXAS = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin" / "ptxas"
TARGETS = {
    "1.0": "sm_10",
    "1.1": "sm_11",
    "1.2": "sm_13",
    "1.3": "sm_13",
    "1.4": "sm_13",
    "1.5": "sm_13",
    "2.0": "sm_20",
}

# In kernels of version 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 2.0: y where it is accepted.
KERNELS = {
    ".param .u32 p;": "yyyy..y",
    ".param .u32 p, q;": "yyyy..y",
    ".param .align 8 .b8 p[16];": "yyyy..y",
    "{ .param .u32 p; ld.param.u32 r, [p]; }": "yyyy..y",
    ".param .u32 p; mov.u32 r, p;": "yyyy...",
    ".param .u32 p; st.param.u32 [p], 1;": "......y",
    ".param .u32 p; ld.param.u32 r, [p+4];": "yyyy..y",
    ".param .u32 p<3>; ld.param.u32 r, [p2];": "yyyy..y",
    ".param .u32 p; .param .u32 p;": ".......",
    ".param .u32 p = 1;": ".......",
    ".param .b8 p[];": ".......",
    ".param .b8 p[200]; .param .b8 q[56];": "yyyy..y",
    ".param .b8 p[200]; .param .b8 q[57];": "......y",
    "tex.1d.v4.s32.s32 {r, r, r, r}, [t, {r}];": "..yyy..",
    "tex.1d.v4.s32.s32 {r, r, r, r}, [t, {r, r}];": "..yyy..",
    "tex.2d.v4.s32.s32 {r, r, r, r}, [t, {r, r}];": "..yyy..",
    "tex.2d.v4.s32.s32 {r, r, r, r}, [t, h];": "..yyy..",
    "tex.2d.v4.s32.s32 {r, r, r, r}, [t, r];": "yyyyy..",
    "tex.2d.v4.s32.s32 {r, r, r, r}, [t, {r, r, r, r}];": "yyyyy..",
}
FUNCTIONS = {".param .u32 p;": "......y", "{ .param .u32 p; st.param.u32 [p], 1; }": "......y"}


def file(version: str, body: str, function: str) -> str:
    head = f".version {version}\n.target {TARGETS[version]}\n"
    texture = ".tex .u32 t;\n" if "tex." in body else ""
    return f"{head}{texture}{function} {{ .reg .u32 r; .reg .v2 .u32 h; {body} }}\n"


CASES = [
    (file(version, body + end, function), mark == "y")
    for table, function, end in ((KERNELS, ".entry k", " exit;"), (FUNCTIONS, ".func f", " ret;"))
    for body, verdicts in table.items()
    for version, mark in zip(TARGETS, verdicts, strict=True)
]


def test_verdicts() -> None:
    wrong: list[str] = []
    for text, accepted in CASES:
        if all(found.severity != "error" for found in openptx.check(text)) != accepted:
            wrong.append(text)
    assert wrong == []


@pytest.mark.skipif(not PTXAS.exists(), reason="ptxas is not installed")
def test_verdicts_are_those_of_the_assembler(tmp_path: Path) -> None:
    wrong: list[str] = []
    for text, accepted in CASES:
        (tmp_path / "k.ptx").write_text(text, "utf-8")
        command = [PTXAS, "-arch=compute_75", "k.ptx", "-o", "k.out"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        if (done.returncode == 0) != accepted:
            wrong.append(text)
    assert wrong == []


OLD = """
.version 1.3
.target sm_13
.entry k
{
    .reg .u32 %r<9>; .reg .u64 %rd<3>;
    .param .u32 n;
    .param .u64 x;
    .param .f64 d;
    ld.param.u64 %rd1, [x];
    ld.param.u32 %r1, [n];
    st.global.u32 [%rd1+0], %r1;
    ld.param.u32 %r2, [d+4];
    st.global.u32 [%rd1+4], %r2;
    exit;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_parameters_of_the_body_are_those_of_the_launch(engine: str) -> None:
    kernel, x = openptx.load(OLD)["k"], np.zeros(2, np.uint32)
    kernel(1, 1, (7, x, 1.0), engine=engine)
    assert x.tolist() == [7, 0x3FF00000]
    with pytest.raises(openptx.Error, match="3"):
        kernel(1, 1, (7, x), engine=engine)
