"""Kernels that launch kernels, through the functions of CUDA's device runtime: their order, parameters and limits."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import openptx
from openptx.errors import ArgumentError, Fault, Unsupported

ENGINES = pytest.mark.parametrize("engine", ["interp", "native", "auto"])

TEXT = """.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(
    .param .b64 f, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 stream);

// x = 10 * x + digit, by the last of the launch's threads
.visible .entry append(.param .u64 x, .param .u32 digit)
{
    .reg .pred other; .reg .b32 a, b, d; .reg .b64 p;
    ld.param.u64 p, [x];
    ld.param.u32 d, [digit];
    mov.u32 a, %tid.x; mov.u32 b, %ntid.x; sub.u32 b, b, 1;
    setp.ne.u32 other, a, b;
    @other ret;
    mov.u32 a, %ctaid.y; mov.u32 b, %nctaid.y; sub.u32 b, b, 1;
    setp.ne.u32 other, a, b;
    @other ret;
    ld.global.u32 a, [p];
    mad.lo.u32 a, a, 10, d;
    st.global.u32 [p], a;
    ret;
}

// Launches `append` with the digits 5 and 1 to 3, 5 into the stream; then makes x 7.
.visible .entry k(.param .u64 x, .param .u64 stream, .param .u32 threads)
{
    .reg .pred more; .reg .b32 i, n, status; .reg .b64 p, f, place, order;
    .param .b64 a, r, b, c; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 s, d;
    ld.param.u64 p, [x];
    ld.param.u32 n, [threads];
    mov.u64 f, append;
    mov.u32 i, 0;
NEXT:
    ld.param.u64 order, [stream];
    setp.ne.u32 more, i, 0;
    @more mov.u64 order, 0;
    st.param.b64 [a], f;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 3; st.param.b32 [grid+8], 1;
    st.param.b32 [block], n; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [s], 0;
    call.uni (r), __cudaCDP2GetParameterBufferV2, (a, grid, block, s);
    ld.param.b64 place, [r];
    st.b64 [place], p;
    selp.u32 status, i, 5, more;
    st.b32 [place+8], status;
    st.param.b64 [b], place;
    st.param.b64 [c], order;
    call.uni (d), __cudaCDP2LaunchDeviceV2, (b, c);
    ld.param.b32 status, [d];
    add.u32 i, i, 1;
    setp.lt.u32 more, i, 4;
    @more bra NEXT;
    add.u32 status, status, 7;
    st.global.u32 [p], status;
    ret;
}

// Counts in x, and launches itself until it has run n times.
.visible .entry again(.param .u64 x, .param .u32 n)
{
    .reg .pred last; .reg .b32 i, left; .reg .b64 p, f, place;
    .param .b64 a, r, b, c; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 s, d;
    ld.param.u64 p, [x];
    ld.param.u32 left, [n];
    ld.global.u32 i, [p];
    add.u32 i, i, 1;
    st.global.u32 [p], i;
    sub.u32 left, left, 1;
    setp.eq.u32 last, left, 0;
    @last ret;
    mov.u64 f, again;
    st.param.b64 [a], f;
    st.param.b32 [grid], 1; st.param.b32 [grid+4], 1; st.param.b32 [grid+8], 1;
    st.param.b32 [block], 1; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [s], 0;
    call.uni (r), __cudaCDP2GetParameterBufferV2, (a, grid, block, s);
    ld.param.b64 place, [r];
    st.b64 [place], p;
    st.b32 [place+8], left;
    st.param.b64 [b], place;
    st.param.b64 [c], 3;
    call.uni (d), __cudaCDP2LaunchDeviceV2, (b, c);
    ret;
}

// Launches what is not a kernel, or with parameters that were not prepared.
.visible .entry wrong(.param .u64 f, .param .u64 place)
{
    .reg .b64 p, q; .param .b64 a, r, b, c; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12];
    .reg .pred made; .param .b32 s, d;
    ld.param.u64 p, [f];
    ld.param.u64 q, [place];
    setp.ne.u64 made, q, 0;
    @made bra LAUNCH;
    st.param.b64 [a], p;
    call.uni (r), __cudaCDP2GetParameterBufferV2, (a, grid, block, s);
LAUNCH:
    st.param.b64 [b], q;
    call.uni (d), __cudaCDP2LaunchDeviceV2, (b, c);
    ret;
}
"""


def result(stream: int, engine: str, threads: int = 32) -> int:
    x = np.zeros(1, np.uint32)
    openptx.load(TEXT)["k"](1, 1, (x, stream, threads), engine=engine)
    return int(x[0])


@ENGINES
@pytest.mark.parametrize(("stream", "digits"), [(0, 75123), (4, 75123), (3, 71235)], ids=["own", "forget", "tail"])
def test_children_run_in_order_after_their_parent(stream: int, digits: int, engine: str) -> None:
    assert result(stream, engine) == digits


def test_names_without_the_header_of_nvcc() -> None:
    """As in NVVM IR: CUDA's sample device-side-launch."""
    x = np.zeros(1, np.uint32)
    openptx.load(TEXT.replace("__cudaCDP2", "cuda"))["k"](1, 1, (x, 0, 32))
    assert x[0] == 75123


OLDER = """.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) __cudaCDP2GetParameterBuffer(.param .b64 alignment, .param .b64 size);
.extern .func (.param .b32 r) __cudaCDP2LaunchDevice_ptsz(.param .b64 f, .param .b64 p,
    .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared, .param .b64 stream);
.visible .entry child(.param .u32 value, .param .u64 x) {
    .reg .b64 p; .reg .b32 v;
    ld.param.u64 p, [x];
    ld.param.u32 v, [value];
    red.global.add.u32 [p], v;
    ret;
}
.visible .entry k(.param .u64 x) {
    .reg .b64 p, f, place; .reg .b32 result;
    .param .b64 a, b, r, s, t; .param .align 4 .b8 grid[12]; .param .align 4 .b8 block[12]; .param .b32 shared, status;
    st.param.b64 [a], 64; st.param.b64 [b], 16;
    call (r), __cudaCDP2GetParameterBuffer, (a, b);
    ld.param.b64 place, [r];
    ld.param.u64 p, [x];
    st.b32 [place], 7; st.b64 [place+8], p;
    mov.u64 f, child;
    st.param.b64 [a], f; st.param.b64 [s], place;
    st.param.b32 [grid], 2; st.param.b32 [grid+4], 3; st.param.b32 [grid+8], 5;
    st.param.b32 [block], 11; st.param.b32 [block+4], 1; st.param.b32 [block+8], 1;
    st.param.b32 [shared], 0; st.param.b64 [t], 0;
    call (status), __cudaCDP2LaunchDevice_ptsz, (a, s, grid, block, shared, t);
    ld.param.b32 result, [status];
    st.global.u32 [p+4], result;
    ret;
}
"""


def test_launches_with_parameters_of_a_number_of_bytes() -> None:
    """As CUB makes them, and with the streams of each thread. The four bytes between the parameters are not written."""
    x = np.array([0, 9], np.uint32)
    assert openptx.sanitize(openptx.load(OLDER)["k"], 1, 1, (x,)) == []
    assert x.tolist() == [7 * 2 * 3 * 5 * 11, 0]


@ENGINES
def test_each_launch_has_its_own_children(engine: str) -> None:
    kernel, x = openptx.load(TEXT)["k"], np.zeros(1, np.uint32)
    for _ in range(3):
        kernel(1, 1, (x, 0, 32), engine=engine)
    assert x[0] == 75123


def test_a_kernel_that_launches_itself() -> None:
    x = np.zeros(1, np.uint32)
    openptx.load(TEXT)["again"](1, 1, (x, 400), engine="interp")
    assert x[0] == 400


def test_the_memory_of_parameters_is_used_again() -> None:
    module, x = openptx.load(TEXT), np.zeros(1, np.uint32)
    module["k"](1, 1, (x, 0, 32))
    heap = module["k"].prepare(1, 1, (x, 0, 32)).memory.heap
    assert heap is not None
    before = dict(heap.blocks)
    module["k"](1, 1, (x, 0, 32))
    assert heap.blocks == before


@ENGINES
def test_a_launch_that_is_not_possible(engine: str) -> None:
    with pytest.raises(ArgumentError, match="2048"):
        result(0, engine, threads=2048)


@ENGINES
@pytest.mark.parametrize(
    ("arguments", "words"), [((64, 0), "is no kernel of the module"), ((0, 48), "none were prepared")]
)
def test_launches_of_nothing(arguments: tuple[int, int], words: str, engine: str) -> None:
    with pytest.raises(Fault, match=words):
        openptx.load(TEXT)["wrong"](1, 1, arguments, engine=engine)


@pytest.mark.parametrize("tool", [openptx.profile, openptx.trace])
def test_tools_refuse_them(tool: Callable[..., object]) -> None:
    with pytest.raises(Unsupported, match="a kernel that launches kernels"):
        tool(openptx.load(TEXT)["k"], 1, 1, (np.zeros(1, np.uint32), 0, 32))


def test_such_a_grid_is_not_distributed() -> None:
    with ThreadPoolExecutor(1) as pool, pytest.raises(ArgumentError, match="openptx_nested_launch"):
        openptx.distribute(openptx.load(TEXT)["k"], pool, 4, 1, (np.zeros(1, np.uint32), 0, 32))
