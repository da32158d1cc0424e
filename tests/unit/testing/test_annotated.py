"""The runner of annotated PTX files: passing and failing checks, and their messages."""

from __future__ import annotations

import pytest

from openptx.errors import InputError
from openptx.source import File
from openptx.testing.annotated import run_annotated
from openptx.testing.annotations import Run, read_annotations
from openptx.testing.result import Mismatch
from openptx.testing.values import Tolerance

FUNCTIONS = """\
.func (.reg .f32 d) negate (.reg .f32 a) { neg.f32 d, a; ret; }
.func (.reg .b32 d, .reg .pred p) both (.reg .b32 a, .reg .pred q) { add.u32 d, a, 1; not.pred p, q; ret; }
.func (.param .b64 d) wide (.param .b32 a, .param .b32 b) {
    .reg .b32 x, y; .reg .b64 z;
    ld.param.b32 x, [a]; ld.param.b32 y, [b]; mul.wide.s32 z, x, y; st.param.b64 [d], z; ret;
}
.func (.reg .b32 d) lane_of (.reg .b32 a) { shfl.sync.idx.b32 d, a, 1, 31, -1; ret; }
.func (.reg .b32 d) read (.reg .b64 a) { ld.global.b32 d, [a]; ret; }
.func nothing () { ret; }
"""


def run(*lines: str) -> None:
    run_annotated(File("test.ptx", FUNCTIONS + "\n".join(lines)), "interp")


@pytest.mark.parametrize(
    "line",
    [
        "// run: negate(-0.0) == 0.0",
        "// run: negate(0f7F800000) == 0fFF800000",
        "// run: negate(nan) == nan",
        "// run: negate(1.0) == -1.001 within 0.01",
        "// run: negate(1.0) == 0fBF800001 within 1 ulp",
        "// run: both(41, true) == (42, false)",
        "// run: both(0xFFFFFFFF, 0) == (0, 1)",
        "// run: wide(-2, 3) == -6",
        "// run: lane_of([7, 8, 0 x 30]) == [8 x 32]",
        "// run: lane_of([0..31]) == [1 x 32]",
        "// run: read(0) faults out-of-bounds",
        "// run: read(0) faults PTX9001",
        "// run: nothing() == ()",
        ".func wrong () { .reg .b32 x; neg.u32 x, x; ret; }  //~ PTX0301 `neg`",
        ".func wrong () { .reg .b32 x; neg.u32 x, x; ret; }\n//~^ no-such-form",
    ],
)
def test_what_passes(line: str) -> None:
    run(line)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("// run: negate(1.0) == 1.0", "line 10: 0xbf800000 (-1.0), not 1.0"),
        ("// run: both(1, 1) == (2, true)", "line 10: result 1: 0x0 (0), not true"),
        ("// run: lane_of([0..31]) == [1 x 31, 2]", "line 10: thread 31: 0x00000001 (1), not 2"),
        ("// run: read(0) == 0", "line 10: fault[PTX9001]"),
        ("// run: read(0) faults deadlock", "line 10: fault[PTX9001]"),
        ("// run: nothing() faults trap", "line 10: expected fault trap, and nothing happened"),
        ("// nothing  //~ PTX0301", "line 10: expected PTX0301"),
        (
            ".func w () { .reg .b32 x; neg.u32 x, x; ret; }  //~ PTX0301 another text",
            "line 10: not expected: error[PTX0301]",
        ),
        (
            ".func w () { .reg .b32 x; neg.u32 x, x; ret; }\n// run: nothing() == ()",
            "line 10: not expected: error[PTX0301]",
        ),
    ],
)
def test_what_fails(line: str, message: str) -> None:
    with pytest.raises(Mismatch) as caught:
        run(line)
    assert message in str(caught.value)


def test_every_mismatch_of_a_launch_is_named() -> None:
    with pytest.raises(Mismatch) as caught:
        run("// run: negate(1.0) == 1.0", "// run: negate(2.0) == -2.0", "// run: negate(3.0) == 3.0")
    assert [line.split(":")[0] for line in str(caught.value).splitlines()] == ["line 10", "line 12"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "nothing to test"),
        ("// run: negate 1.0", "`negate 1.0` is not a run"),
        ("// run: absent(1.0) == 1.0", "no function `absent` to run"),
        ("// run: negate(1.0, 2.0) == 1.0", "`negate` takes 1 and gives 1 values"),
        ("// run: negate(1.0) == (1.0, 2.0)", "`negate` takes 1 and gives 1 values"),
        ("// run: negate(one) == 1.0", "`one` is not a value of type .f32"),
        ("// run: lane_of([0..3]) == [0, 0]", "lists of different lengths"),
        ("// run: both(1,, 2) == (1, 2)", "a value is missing"),
    ],
)
def test_annotations_that_cannot_be_read(line: str, message: str) -> None:
    with pytest.raises(InputError, match=r"^(line 10: |test\.ptx: nothing)") as caught:
        run(line)
    assert message in str(caught.value)


def test_reading() -> None:
    notes = read_annotations(
        "// run: f([0..2, 7 x 2], -1) == (1, nan) within 2 ulps\n// profile: isa\nx; //~ PTX0101 no"
    )
    assert notes.runs == (Run(1, "f", (("0", "1", "2", "7", "7"), "-1"), ("1", "nan"), Tolerance(ulps=2), ""),)
    assert notes.runs[0].threads == 5
    assert [(e.row, e.code, e.text) for e in notes.diagnostics] == [(3, "PTX0101", "no")]
    assert notes.profile == "isa"
