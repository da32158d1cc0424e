"""Kernels that launch kernels under the sanitizer: each launch is watched for itself."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.runtime.module import LoadedModule
from openptx.sanitize.checks.lost_memory import at_the_end

TEXT = """.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(
    .param .b64 f, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 stream);
.extern .func (.param .b64 block) malloc(.param .b64 size);
.extern .func free(.param .b64 block);

// Launches f with one argument, in a block of 64 threads.
.func launch(.param .b64 f, .param .b64 x)
{
    .reg .b64 p, place;
    .param .b64 a, r, b, c; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 s, d;
    ld.param.u64 p, [f];
    st.param.b64 [a], p;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 64; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [s], 0;
    call.uni (r), __cudaCDP2GetParameterBufferV2, (a, grid, block, s);
    ld.param.b64 place, [r];
    ld.param.u64 p, [x];
    st.b64 [place], p;
    st.param.b64 [b], place;
    st.param.b64 [c], 0;
    call.uni (d), __cudaCDP2LaunchDeviceV2, (b, c);
    ret;
}
// Two warps write one word.
.visible .entry races(.param .u64 x)
{
    .reg .b32 a; .reg .b64 p;
    ld.param.u64 p, [x];
    mov.u32 a, %tid.x;
    shr.u32 a, a, 5;
    st.global.u32 [p], a;
    ret;
}
.visible .entry beyond(.param .u64 x)
{
    .reg .b64 p;
    ld.param.u64 p, [x];
    st.global.u32 [p+4096], 1;
    ret;
}
// Each thread writes its own word.
.visible .entry fills(.param .u64 x)
{
    .reg .b32 a; .reg .b64 p, q;
    ld.param.u64 p, [x];
    mov.u32 a, %tid.x;
    mul.wide.u32 q, a, 4;
    add.u64 p, p, q;
    st.global.u32 [p], a;
    ret;
}
.visible .entry frees(.param .u64 x)
{
    .reg .pred other; .reg .b32 a; .reg .b64 p; .param .b64 b;
    mov.u32 a, %tid.x;
    setp.ne.u32 other, a, 0;
    @other ret;
    ld.param.u64 p, [x];
    st.param.b64 [b], p;
    call.uni free, (b);
    ret;
}
"""

PARENTS = """
// Launches a child with x.
.visible .entry parent(.param .u64 x)
{
    .reg .b64 p; .param .b64 g, y;
    ld.param.u64 p, [x];
    st.param.b64 [y], p;
    mov.u64 p, CHILD;
    st.param.b64 [g], p;
    call.uni launch, (g, y);
    call.uni launch, (g, y);
    ret;
}
// Launches a child with memory of the heap, at which nothing else points.
.visible .entry passes()
{
    .reg .b64 p; .param .b64 size, block, g, y;
    st.param.b64 [size], 256;
    call.uni (block), malloc, (size);
    ld.param.b64 p, [block];
    st.param.b64 [y], p;
    mov.u64 p, CHILD;
    st.param.b64 [g], p;
    call.uni launch, (g, y);
    ret;
}
"""


def parents(child: str) -> LoadedModule:
    return openptx.load(TEXT + PARENTS.replace("CHILD", child))


@pytest.mark.parametrize(("child", "code"), [("races", "PTX8001"), ("beyond", "PTX9001")])
def test_a_child_s_defects_are_found(child: str, code: str) -> None:
    x = np.zeros(64, np.uint32)
    found = openptx.sanitize(parents(child)["parent"], 1, 1, (x,))
    assert {(finding.code, finding.kernel) for finding in found} == {(code, child)}


def test_a_child_without_defects() -> None:
    x = np.zeros(64, np.uint32)
    assert openptx.sanitize(parents("fills")["parent"], 1, 1, (x,), schedules=3) == []
    assert (x == np.arange(64)).all()


def test_a_fault_ends_the_launches_after_it() -> None:
    x = np.zeros(64, np.uint32)
    found = openptx.sanitize(parents("beyond")["parent"], 1, 1, (x,))
    assert [finding.count for finding in found] == [1]


def test_outputs_are_complete_when_the_last_launch_has_ended() -> None:
    x = openptx.empty(64, np.uint32)
    assert openptx.sanitize(parents("fills")["parent"], 1, 1, (x,), outputs=[0]) == []
    y = openptx.empty(65, np.uint32)
    found = openptx.sanitize(parents("fills")["parent"], 1, 1, (y,), outputs=[0])
    wanted = "4 of 260 bytes of argument 0 are undefined in the end, first byte 256"
    assert [finding.message for finding in found] == [wanted]


@pytest.mark.parametrize(("child", "leaks"), [("frees", 0), ("fills", 1)])
def test_memory_whose_pointer_a_launch_takes_along_is_not_lost(child: str, leaks: int) -> None:
    assert openptx.sanitize(parents(child)["passes"], 1, 1) == []
    assert len(at_the_end()) == leaks


def test_a_fault_in_a_linked_module_is_a_finding() -> None:
    head = ".version 8.0\n.target sm_90\n.address_size 64\n"
    caller = ".extern .func f(); .visible .entry k() { call.uni f, (); ret; }"
    called = ".visible .func f() { .reg .b64 p; mov.b64 p, 8; st.global.b32 [p], 1; ret; }"
    (found,) = openptx.sanitize(openptx.load([head + caller, head + called])["k"], 1, 1)
    assert str(found) == "<string 1>:4:49: error[PTX9001] a store of 4 bytes outside of every allocation"
