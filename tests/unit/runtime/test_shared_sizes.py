"""The special registers for the size of shared memory, in units of the target (10.30 to 10.32)."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.device.shared_layout import shared_layout
from openptx.errors import Fault

DYNAMIC = ".extern .shared .b8 more[];"


def sizes(target: str, static: int, dynamic: int, engine: str, asked: str = "") -> list[int]:
    """%total_smem_size, %dynamic_smem_size, and %aggr_smem_size where the target has it."""
    aggregate = "mov.u32 %r3, %aggr_smem_size; st.global.u32 [%rd1+8], %r3;" if target >= "sm_90" else ""
    own = f".shared .b8 own[{static}];" if static else ""
    use = "mov.u32 %r4, own;" if static else ""
    m = openptx.load(
        f".version 8.8\n.target {target}\n.address_size 64\n{own}{DYNAMIC}\n.visible .entry k(.param .u64 out) {{"
        f".reg .b32 %r<9>; .reg .b64 %rd<3>; {use} mov.u32 %r4, more; {asked} ld.param.u64 %rd1, [out];"
        "mov.u32 %r1, %total_smem_size; mov.u32 %r2, %dynamic_smem_size;"
        f"st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; {aggregate} ret; }}"
    )
    out = np.zeros(3, np.uint32)
    m["k"](1, 1, (out,), shared_mem=dynamic, engine=engine)
    return [int(each) for each in out[: 3 if aggregate else 2]]


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(
    ("target", "static", "dynamic", "total"),
    [("sm_50", 4, 0, 256), ("sm_75", 256, 1, 512), ("sm_80", 4, 0, 128), ("sm_80", 100, 100, 256), ("sm_80", 0, 0, 0),
     ("sm_90", 0, 129, 256), ("sm_120", 128, 0, 128)],
)  # fmt: skip
def test_sizes_are_whole_units(target: str, static: int, dynamic: int, total: int, engine: str) -> None:
    found = sizes(target, static, dynamic, engine)
    assert found[:2] == [total, dynamic]
    assert found[2:] in ([], [total + 1024])


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_what_the_system_has_is_not_the_kernels(engine: str) -> None:
    asked = "mov.b32 %r4, %reserved_smem_offset_1;"
    assert sizes("sm_90", 4, 100, engine, asked) == sizes("sm_90", 4, 100, engine) == [128, 100, 1152]


def place(body: str) -> str:
    return f"{{ .reg .b64 %a<3>; .reg .b32 %r<4>; ld.param.u64 %a0, [out]; {body} st.global.u32 [%a0], %r0; ret; }}"


SIZED = ".shared .b8 x[1000]; mov.u32 %r1, x; mov.u32 %r0, %total_smem_size;"
SEVERAL = f"""
.version 8.5
.target sm_90a
.address_size 64
.shared .align 16 .b8 mine[40000];
.shared .align 16 .b8 yours[30000];
.shared .align 4 .b8 ours[100];
.shared .align 4 .b8 of_functions[60];
.shared .align 4 .b8 nobodys[4];
.extern .shared .align 16 .b8 more[];
.func (.reg .b32 %d) helper {{ mov.u32 %d, of_functions; ret; }}
.func (.reg .b32 %d) sized {{ mov.u32 %d, %total_smem_size; ret; }}
.visible .entry first(.param .u64 out) {place("mov.u32 %r0, mine; mov.u32 %r1, ours;")}
.visible .entry second(.param .u64 out) {place(".shared .b8 inner[8]; mov.u32 %r0, yours; mov.u32 %r1, ours;")}
.visible .entry inner_one(.param .u64 out) {place(".shared .align 8 .b8 inner[16]; mov.u32 %r0, inner;")}
.visible .entry inner_two(.param .u64 out) {place(".shared .align 8 .b8 inner[24]; mov.u32 %r0, inner;")}
.visible .entry all_alike(.param .u64 out) {place("mov.u32 %r0, ours;")}
.visible .entry of_function(.param .u64 out) {place("call (%r0), helper;")}
.visible .entry own_of_function(.param .u64 out) {place(".shared .b8 x[3000]; mov.u32 %r1, x; call (%r0), sized;")}
.visible .entry dynamic(.param .u64 out) {place("mov.u32 %r0, more;")}
.visible .entry size_of_first(.param .u64 out) {place(SIZED)}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_kernels_have_their_own_alone(engine: str) -> None:
    m = openptx.load(SEVERAL)

    def run(kernel: str, dynamic: int = 0) -> int:
        out = np.zeros(1, np.uint32)
        m[kernel](1, 32, (out,), shared_mem=dynamic, engine=engine)
        return int(out[0])

    begins = ["first", "second", "inner_one", "inner_two", "all_alike", "of_function"]
    assert {run(kernel) for kernel in begins} == {0}
    assert run("dynamic", 64) == 0
    assert run("size_of_first") == 1024
    assert run("own_of_function") == 3072


def test_variables_stand_as_they_are_declared() -> None:
    program = openptx.load(SEVERAL).program
    layout = shared_layout(program, "first")
    assert layout.offset(program.variables["mine"]) == 0
    assert layout.offset(program.variables["ours"]) == 40000
    assert layout.offset(program.variables["more"]) == 40112
    assert (layout.static, layout.size(0), layout.size(100)) == (40100, 40100, 40212)


def stores(variable: str, more: str = "", to: str = ".shared") -> str:
    """A store at this byte offset from a variable."""
    return (
        f"{{ .reg .b32 r; .reg .b64 a, b; ld.param.b32 r, [at]; cvt.s64.s32 a, r; mov.u64 b, {variable};"
        f" add.s64 a, a, b; {more} st{to}.b8 [a], 1; ret; }}"
    )


BOUNDS = f"""
.version 8.5
.target sm_80
.address_size 64
.shared .align 4 .b8 nobodys[4000];
.shared .align 4 .b8 mine[16];
.shared .align 4 .b8 theirs[4096];
.shared .align 4 .b8 of_function[96];
.extern .shared .align 16 .b8 more[];
.func helper(.param .b32 at) {stores("of_function")}
.visible .entry one(.param .b32 at) {stores("mine")}
.visible .entry generic(.param .b32 at) {stores("mine", "cvta.shared.u64 a, a;", "")}
.visible .entry two(.param .b32 at) {stores("theirs")}
.visible .entry calls(.param .b32 at) {{ .shared .b8 unused[3000]; .reg .b32 r; ld.param.b32 r, [at];
  {{ .param .b32 x; st.param.b32 [x], r; call helper, (x); }} ret; }}
.visible .entry dynamic(.param .b32 at) {stores("more")}
.visible .entry both(.param .b32 at) {stores("more", "st.shared.b8 [mine], 1;")}
"""

# fmt: off
#            kernel     dynamic   bytes that it has, the first as seen from its variable (ptxas -v has the same sizes)
EXTENTS = (("one",      0,        0, 16),
           ("one",      64,       0, 80),
           ("generic",  0,        0, 16),
           ("two",      0,        0, 4096),
           ("calls",    0,        0, 3096),
           ("dynamic",  64,       0, 64),
           ("dynamic",  0,        0, 0),
           ("both",     64,       -16, 64))
# fmt: on


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("kernel", "dynamic", "first", "after"), EXTENTS)
def test_bounds_are_the_kernels_own(kernel: str, dynamic: int, first: int, after: int, engine: str) -> None:
    k = openptx.load(BOUNDS)[kernel]
    for at in range(first, min(first + 3, after)):
        k(1, 1, (at,), shared_mem=dynamic, engine=engine)
    if after > first:
        k(1, 1, (after - 1,), shared_mem=dynamic, engine=engine)
    for at in (first - 4, first - 1, after, after + 4, 4092 + 16, 1 << 20):
        with pytest.raises(Fault, match=f"block's .shared, {after - first} bytes"):
            k(1, 1, (at,), shared_mem=dynamic, engine=engine)


CALLED_BY_ADDRESS = """
.version 8.5
.target sm_80
.address_size 64
.shared .align 4 .b8 of_function[96];
.global .u64 kept;
.func (.reg .b32 r) helper() { mov.u32 r, %total_smem_size; st.shared.b32 [of_function+92], r; ret; }
.visible .entry keeps() { .reg .b64 f; mov.u64 f, helper; st.global.u64 [kept], f; ret; }
.visible .entry calls(.param .u64 out) { .reg .b64 f, p; .reg .b32 r; ld.param.u64 p, [out]; ld.global.u64 f, [kept];
  P: .callprototype (.reg .b32 _) _ (); call (r), f, (), P; st.global.u32 [p], r; ret; }
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_functions_whose_address_another_kernel_kept(engine: str) -> None:
    m, out = openptx.load(CALLED_BY_ADDRESS), np.zeros(1, np.uint32)
    m["keeps"](1, 1, (), engine=engine)
    m["calls"](1, 1, (out,), engine=engine)
    assert out[0] == 128
