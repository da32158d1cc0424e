"""What a CTA reads of its shared memory's size: in units of the target, the system's apart (10.30 to 10.32)."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

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
def test_kernels_have_their_own_at_the_same_places(engine: str) -> None:
    m = openptx.load(SEVERAL)

    def run(kernel: str, dynamic: int = 0) -> int:
        out = np.zeros(1, np.uint32)
        m[kernel](1, 32, (out,), shared_mem=dynamic, engine=engine)
        return int(out[0])

    common = {run("all_alike"), run("of_function")}
    assert len(common) == 2
    begin = run("first")
    assert begin == run("second") > max(common)
    assert run("inner_one") == run("inner_two") > max(common)
    assert run("dynamic", 64) == -(-(begin + 40000) // 16) * 16
    assert run("size_of_first") == -(-(run("inner_one") + 1000) // 128) * 128
    assert run("own_of_function") == -(-(run("inner_one") + 3000) // 128) * 128


def test_variables_of_one_kernel_stand_as_they_are_declared() -> None:
    lines = [line for line in SEVERAL.splitlines() if ".entry" not in line or "entry first" in line]
    variables = openptx.load("\n".join(lines)).program.variables
    offsets = {name: variables[name].offset for name in ("mine", "yours", "ours", "of_functions", "nobodys")}
    assert list(offsets.values()) == sorted(offsets.values())
    assert offsets["yours"] == 40000
