# ruff: noqa: E501 - LLVM text in one line reads better here
"""Compiled code reads no memory that no path has written: registers, masks, frames and arguments."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from test_warp_chaining import BODIES, loaded, text
from test_warp_pairs import PAIRED, kernel
from unwritten_slots import undefined_values, unwritten, unwritten_of_kernel

from openptx.engines.native.analysis.unsupported import UnsupportedByJit
from openptx.engines.native.settings import Options
from openptx.runtime.module import LoadedModule, load

KERNELS = Path(__file__).parents[2] / "kernels"
SAMPLE = ("block_sum_33_sm80", "early_leavers_sm80", "factorials_sm80", "lock_lanes_sm80")
BLOCKS = ((33, 1, 1), (128, 1, 1))
OTHERS = ((1, 1, 1), (64, 1, 1), (7, 3, 3))


def problems(module: LoadedModule, block: tuple[int, int, int]) -> list[str]:
    """Of each kernel: optimised code, code that deoptimises after some iterations, and baseline code."""
    found: list[str] = []
    for name in module.kernels:
        for baseline, turns in ((False, 0), (False, 3), (True, 0)):
            options = Options(block, True, baseline=baseline, deoptimize_after=turns)
            try:
                found += unwritten_of_kernel(module.program, module[name].function, module.image, options)[1]
            except (UnsupportedByJit, NotImplementedError):
                continue
    return found


@pytest.mark.parametrize("name", BODIES)
def test_loops_of_barriers_read_what_is_written(name: str) -> None:
    assert problems(loaded(name), (96, 1, 1)) == []


@pytest.mark.parametrize("name", ["two loops", "a guard", "lanes that end before", "a loop around"])
def test_loops_for_two_warps_read_what_is_written(name: str) -> None:
    assert problems(kernel(PAIRED[name]).module, (96, 1, 1)) == []


@pytest.mark.parametrize("name", SAMPLE)
def test_kernels_read_what_is_written(name: str) -> None:
    assert problems(load((KERNELS / name / "kernel.ptx").read_text("utf-8")), BLOCKS[0]) == []


@pytest.mark.sweep
@pytest.mark.parametrize("path", sorted(KERNELS.glob("*/kernel.ptx")), ids=lambda path: path.parent.name)
def test_all_kernels_read_what_is_written(path: Path) -> None:
    module = load(path.read_text("utf-8"))
    for block in (*BLOCKS, *OTHERS):
        assert problems(module, block) == []


LEAVING = "a loop that lanes might leave one by one"
# What must not be left out where the code of a loop of barriers is made: lines, and what is then read unwritten.
# fmt: off
NEEDED = (
    ("a mask is cleared",         r"(?<=^resume23:\nstore <32 x i1> zeroinitializer, ptr %m5, align 4\n)store .*%m8, align 4", "'%m8'"),
    ("a register is restored",    r"^store <32 x i32> %v\d+, ptr %r11, align 4", "'%r11'"),
    ("a frame is filled",         r"(?<= i64 128\n)store <32 x i32> %v\d+, ptr %v\d+, align 8", "'frame', 128"),
    ("the warp's number is kept", r"^store i32 %v\d+, ptr %index\.slot, align 4", "'%index.slot'"),
    ("lanes live",                r"^store (<32 x i1> splat \(i1 true\)|i32 %v\d+), ptr %live, align 4", "'%live'"),
)
# fmt: on


@pytest.mark.parametrize(("pattern", "slot"), [row[1:] for row in NEEDED], ids=[row[0] for row in NEEDED])
def test_what_is_left_out_is_found(pattern: str, slot: str) -> None:
    """The line is needed: without it, a read of what it writes is found."""
    made = text(LEAVING, 96)
    assert unwritten(made)[0] == []
    place = re.search(pattern, made, re.MULTILINE)
    assert place is not None
    less = made[: place.start()] + made[place.end() :]
    assert any(slot in problem for problem in unwritten(less)[0]), place[0]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("%v1 = insertelement <2 x i32> poison, i32 1, i32 0\n%v2 = shufflevector <2 x i32> %v1, <2 x i32> poison, <2 x i32> zeroinitializer", 0),
        ("%v1 = insertelement <2 x i32> poison, i32 1, i32 0\n%v2 = insertelement <2 x i32> %v1, i32 1, i32 1\n%v3 = add <2 x i32> %v2, %v2", 0),
        ("%v1 = insertelement <2 x i32> poison, i32 1, i32 0\n%v2 = add <2 x i32> %v1, %v1", 1),
        ("store <2 x i32> poison, ptr %p", 1),
        ("%v1 = add i32 undef, 1", 1),
    ],
)  # fmt: skip
def test_undefined_values_are_found(code: str, found: int) -> None:
    assert len(undefined_values(code)) == found
