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
