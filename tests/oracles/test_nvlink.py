"""NVIDIA's linker, if it is installed, and `openptx link` accept and reject the same modules."""

from __future__ import annotations

import subprocess
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from assembler import PTXAS

import openptx

NVLINK = PTXAS.with_name("nvlink")
pytestmark = pytest.mark.skipif(not NVLINK.exists(), reason="nvlink of the package nvidia-cuda-nvcc is not installed")

HEAD = ".version 8.0\n.target sm_90\n.address_size 64\n"
READ = """
.visible .entry k%d(.param .u64 o) {
    .reg .b64 p; .reg .b32 r;
    ld.param.u64 p, [o];
    ld.global.u32 r, [x];
    st.global.u32 [p], r;
    ret;
}
"""
CALL = """
.visible .entry k%d(.param .u64 o) {
    .reg .b64 p; .reg .b32 r;
    ld.param.u64 p, [o];
    { .param .b32 a0; .param .b32 r0; st.param.b32 [a0], 3; call.uni (r0), x, (a0); ld.param.b32 r, [r0]; }
    st.global.u32 [p], r;
    ret;
}
"""


def variable(linkage: str) -> str:
    value = "" if linkage in (".extern", ".common") else " = 5"
    return f"{linkage} .global .align 4 .u32 x{value};"


def function(linkage: str) -> str:
    body = ";" if linkage == ".extern" else "{ .reg .b32 q; ld.param.b32 q, [a]; st.param.b32 [r], q; ret; }"
    return f"{linkage} .func (.param .b32 r) x(.param .b32 a){body}"


def linked(folder: Path, modules: list[str]) -> bool | None:
    """Whether NVIDIA's linker takes modules that its assembler takes; None where it dies of them."""
    objects: list[str] = []
    for number, module in enumerate(modules):
        file = folder / f"{number}.ptx"
        file.write_text(HEAD + module)
        objects.append(str(file.with_suffix(".cubin")))
        subprocess.run([PTXAS, "-c", "-arch=sm_90", file, "-o", objects[-1]], capture_output=True, check=True)
    command = [NVLINK, "-arch=sm_90", *objects, "-o", folder / "out.cubin"]
    status = subprocess.run(command, capture_output=True, check=False).returncode
    return None if status < 0 else status == 0  # 13.0 does of a weak definition before a common one


def assembled(folder: Path, text: str) -> bool:
    """Whether the assembler makes code of a linked module."""
    file = folder / "linked.ptx"
    file.write_text(text)
    command = [PTXAS, "-arch=sm_90", file, "-o", folder / "linked.cubin"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


VARIABLES = [
    [variable(one) + READ % 0, variable(other) + READ % 1]
    for one, other in combinations_with_replacement([".visible", ".weak", ".common", ".extern", ""], 2)
]
FUNCTIONS = [
    [function(one) + CALL % 0, function(other) + CALL % 1]
    for one, other in combinations_with_replacement([".visible", ".weak", ".extern", ""], 2)
]
KERNELS = [
    [f"{one} .entry k() {{ ret; }}", f"{other} .entry k() {{ ret; }}"]
    for one, other in combinations_with_replacement([".visible", ".weak", ""], 2)
]
DIFFERING = [
    [".extern .global .f32 x;" + READ % 0, variable(".visible")],
    [".extern .global .align 8 .b64 x;", variable(".visible")],
    [".extern .global .align 4 .b8 x[8];" + READ % 0, ".visible .global .align 4 .b8 x[4] = {1, 2, 3, 4};"],
    [".extern .global .align 4 .b8 x[4];" + READ % 0, variable(".visible")],
    [".weak .global .align 4 .b8 x[8];" + READ % 0, ".visible .global .align 4 .b8 x[4] = {1, 2, 3, 4};"],
    [".common .global .align 4 .b8 x[8];" + READ % 0, ".common .global .align 4 .b8 x[4];" + READ % 1],
    [".common .global .align 4 .b8 x[8];" + READ % 0, ".visible .global .align 4 .b8 x[4];" + READ % 1],
    [".common .global .align 4 .b8 x[4];" + READ % 0, ".visible .global .align 4 .b8 x[8];" + READ % 1],
    [".common .global .align 4 .b8 x[4];" + READ % 0, ".visible .global .align 4 .b8 x[8] = {0};" + READ % 1],
    [".extern .const .align 4 .u32 x;" + READ.replace("ld.global", "ld.const") % 0, variable(".visible")],
    [function(".extern") + CALL % 0, function(".visible").replace(".b32 a)", ".b64 a)").replace("q, [a]", "q, [a+4]")],
    [function(".extern") + CALL % 0, variable(".visible")],
    [".visible .shared .align 4 .u32 x;", ".visible .shared .align 4 .u32 x;"],
    [function(".extern"), ""],
    [variable(".extern"), ""],
    [".extern .const .align 4 .b8 x[];", ""],
    [".extern .global .texref x;", ""],
    [function(".extern") + CALL % 0, "", function(".weak"), function(".visible")],
    [variable(".weak") + READ % 0, variable(".extern") + READ % 1, variable(".weak")],
]


@pytest.mark.parametrize("modules", VARIABLES + FUNCTIONS + KERNELS + DIFFERING, ids=lambda modules: modules[0][:40])
def test_the_same_modules_are_refused(modules: list[str], tmp_path: Path) -> None:
    for order in (modules, modules[::-1]):
        expected = linked(tmp_path, order)
        if expected is False:
            with pytest.raises(openptx.CheckError):
                openptx.link([HEAD + module for module in order])
            continue
        text = openptx.link([HEAD + module for module in order])
        assert openptx.check(text) == []
        assert assembled(tmp_path, text)
