"""Kernels as compilers emit them: ptxas and OpenPTX make the same number of fused operations of each kind."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import pytest
from explicit_rounding import contracted, fused_operations
from machine_code import MISSING, available, machine_code

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
from compilers.nvidia import TOOLKIT, nvrtc

pytestmark = [pytest.mark.skipif(not available(), reason=MISSING), pytest.mark.sweep]

TESTS = Path(__file__).parents[1]
FILES = sorted(
    file
    for file in (*TESTS.glob("kernels/*/kernel.ptx"), *TESTS.glob("data/prove/triton_sm_90.ptx"))
    if "debug" not in str(file) and ".target sm_90" in file.read_text("utf-8")
)
NUMERIC = Path(__file__).with_name("cuda") / "numeric.cu"
VARIANTS = {
    "single": ("-DNUMBER=float",),
    "fast": ("-DNUMBER=float", "--use_fast_math"),
    "double": ("-DNUMBER=double",),
}
_FMA = re.compile(r"fma\.rn((?:\.ftz)?\.f(?:32|64))\s+(\S+), (\S+), (\S+), (\S+);")


def taken_apart(text: str) -> str:
    """Every fused operation of the compiler as a product and a sum, which the assembler may fuse again."""
    count = 0

    def apart(match: re.Match[str]) -> str:
        nonlocal count
        type, d, a, b, c = match.groups()
        count += 1
        width = type[-2:]
        return f"mul{type} %apart{width}_{count}, {a}, {b}; add{type} {d}, %apart{width}_{count}, {c};"

    text = _FMA.sub(apart, text)
    declarations = f".reg .f32 %apart32_<{count + 1}>; .reg .f64 %apart64_<{count + 1}>;"
    return re.sub(r"(\n\)[^{;]*\{)", rf"\1 {declarations}", text)


def differing(text: str, folder: Path) -> dict[str, tuple[Counter[str], Counter[str]]]:
    """The kernels of which ptxas fuses other operations than we do; theirs, then ours."""
    explicit, _ = contracted(text)
    theirs, ours = (machine_code(folder, each, "sm_90a") for each in (text, explicit))
    assert theirs.keys() == ours.keys()
    counts = {name: (fused_operations(theirs[name]), fused_operations(ours[name])) for name in theirs}
    return {name: (a, b) for name, (a, b) in counts.items() if a != b}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_same_fused_operations(file: Path, tmp_path: Path) -> None:
    assert differing(file.read_text("utf-8"), tmp_path) == {}


@pytest.mark.skipif(not any(TOOLKIT.glob("lib/libnvrtc.so*")), reason="NVRTC is not installed")
@pytest.mark.parametrize("apart", [False, True], ids=["as compiled", "taken apart"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_numeric_kernels(variant: str, apart: bool, tmp_path: Path) -> None:
    text = nvrtc(NUMERIC.read_text("utf-8"), "sm_90a", VARIANTS[variant], name=NUMERIC.name)
    assert differing(taken_apart(text) if apart else text, tmp_path) == {}
