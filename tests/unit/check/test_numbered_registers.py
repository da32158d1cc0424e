"""Zeros in front of the number of a register: `%r01` is `%r1`, as for ptxas 13.5."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

KERNEL = """
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<12>; .reg .b64 %rd<3>; .reg .pred %p<2>;
    ld.param.u64 %rd01, [out];
    mov.b32 %r01, 5;
    add.s32 %r2, %r1, %r001;
    setp.eq.s32 %p1, %r02, 10;
    @%p01 add.s32 %r2, %r2, 1;
    st.global.b32 [%rd1], %r02;
    ret;
}
"""


def test_both_names_are_one_register() -> None:
    assert openptx.check(KERNEL) == []


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_it_has_one_value(engine: str) -> None:
    out = np.zeros(1, np.uint32)
    openptx.load(KERNEL)["k"]((1,), (1,), (out,), engine=engine)
    assert out[0] == 11


@pytest.mark.parametrize(
    ("statement", "names"),
    [
        ("mov.b32 %r011, 1;", []),
        ("mov.b32 %r012, 1;", ["unknown-name"]),
        (".reg .b32 %r01; mov.u32 %r01, 1;", ["duplicate-name"]),
        ("mov.b32 %r3, %r04;", ["uninitialized-register"]),
    ],
)
def test_findings(statement: str, names: list[str]) -> None:
    text = KERNEL.replace("mov.b32 %r01, 5;", f"mov.b32 %r01, 5; {statement}")
    assert [found.name for found in openptx.check(text)] == names


# fmt: off
LONE = (  # declarations in one block, a statement, what is wrong
    (".reg .b64 r<3>; .reg .b32 r01;",  "",               "duplicate-name"),
    (".reg .b64 r<3>; .reg .b32 r07;",  "mov.b32 r07, 1;", None),
    (".reg .b32 r1; .reg .b64 r<3>;",   "",               "duplicate-name"),
    # The range that comes later hides the name with zeros.
    (".reg .b32 r01; .reg .b64 r<3>;",  "mov.b64 r01, 1;", None),
    (".reg .b32 r01; .reg .b64 r<3>;",  "mov.b64 r1, 1;", None),
    (".reg .b32 r01; .reg .b64 r<3>;",  "mov.b32 r01, 1;", "operand-size"),
    (".reg .b32 r01; .reg .b64 r<1>;",  "mov.b32 r01, 1;", None),
    # The assembler has no names of one `%` or `$`, not even before a number.
    (".reg .b32 %<3>;",                 "",               "invalid-name"),
    (".reg .b32 r, $<3>;",              "",               "invalid-name"),
)
# fmt: on


@pytest.mark.parametrize(("declared", "statement", "wrong"), LONE)
def test_one_register_beside_a_range(declared: str, statement: str, wrong: str | None) -> None:
    head = KERNEL.partition(".visible")[0]
    found = [each.name for each in openptx.check(f"{head}.entry k() {{ {declared} {statement} ret; }}\n")]
    assert found == ([wrong] if wrong else [])
