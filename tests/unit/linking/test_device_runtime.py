"""The functions of CUDA's device runtime for cooperative groups, and what its library is known by."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.linking import is_device_runtime

GRID_SYNC = """.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);
.extern .func (.param .b32 r) cudaCGGetSize(.param .b64 threads, .param .b64 grids, .param .b64 handle);
.extern .func (.param .b32 r) cudaCGGetRank(.param .b64 thread, .param .b64 grid, .param .b64 handle);
.visible .entry k(.param .u64 x, .param .u64 y, .param .u32 rounds) {
    .reg .pred more; .reg .b32 me, other, size, i, n, value; .reg .b64 from, to, a, b, handle, locals;
    .local .align 4 .b32 facts[4];
    ld.param.u64 from, [x];
    ld.param.u64 to, [y];
    ld.param.u32 n, [rounds];
    { .param .b32 p; .param .b64 r; st.param.b32 [p], 1; call.uni (r), cudaCGGetIntrinsicHandle, (p);
      ld.param.b64 handle, [r]; }
    mov.u64 locals, facts;
    cvta.local.u64 locals, locals;
    add.u64 a, locals, 4;
    { .param .b64 p; .param .b64 q; .param .b64 h; .param .b32 r;
      st.param.b64 [p], locals; st.param.b64 [q], 0; st.param.b64 [h], handle;
      call.uni (r), cudaCGGetSize, (p, q, h); }
    { .param .b64 p; .param .b64 q; .param .b64 h; .param .b32 r;
      st.param.b64 [p], a; st.param.b64 [q], 0; st.param.b64 [h], handle;
      call.uni (r), cudaCGGetRank, (p, q, h); }
    ld.local.u32 size, [facts];
    ld.local.u32 me, [facts+4];
    sub.u32 other, size, me;
    sub.u32 other, other, 1;
    mov.u32 i, 0;
LOOP:
    mul.wide.u32 a, other, 4;
    add.u64 a, a, from;
    ld.global.u32 value, [a];
    add.u32 value, value, me;
    mul.wide.u32 b, me, 4;
    add.u64 b, b, to;
    st.global.u32 [b], value;
    { .param .b64 p; .param .b32 f; .param .b32 r; st.param.b64 [p], handle; st.param.b32 [f], 0;
      call.uni (r), cudaCGSynchronize, (p, f); }
    mov.u64 a, from;
    mov.u64 from, to;
    mov.u64 to, a;
    add.u32 i, i, 1;
    setp.lt.u32 more, i, n;
    @more bra LOOP;
    ret;
}
"""


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize(("grid", "block"), [((1, 1, 1), (1, 1, 1)), ((3, 2, 2), (7, 3, 2)), ((5, 1, 1), (64, 1, 1))])
def test_blocks_meet_each_round(grid: tuple[int, int, int], block: tuple[int, int, int], engine: str) -> None:
    """Each round, each thread adds its number to what another thread of the grid wrote in the round before."""
    n = int(np.prod(grid) * np.prod(block))
    kernel = openptx.load(GRID_SYNC)["k"]
    for rounds in (1, 4, 4):
        x, y = np.zeros(n, np.uint32), np.zeros(n, np.uint32)
        kernel(grid, block, (x, y, rounds), engine=engine, timeout=60)
        wanted = np.zeros(n, np.uint32)
        for _ in range(rounds):
            wanted = wanted[::-1] + np.arange(n, dtype=np.uint32)
        assert ((y if rounds % 2 else x) == wanted).all()


def test_a_program_may_define_them_itself() -> None:
    own = """.version 7.0
    .target sm_70
    .address_size 64
    .visible .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope) { st.param.b64 [r], 77; ret; }
    .visible .entry k(.param .u64 x) {
        .reg .b64 p, q;
        ld.param.u64 p, [x];
        { .param .b32 s; .param .b64 r; st.param.b32 [s], 1; call.uni (r), cudaCGGetIntrinsicHandle, (s);
          ld.param.b64 q, [r]; }
        st.global.u64 [p], q;
        ret;
    }"""
    x = np.zeros(1, np.uint64)
    openptx.load(own)["k"](1, 1, (x,))
    assert x == 77


def test_other_names_may_stay_undefined() -> None:
    other = GRID_SYNC.replace(
        ".visible .entry", ".extern .func other();\n.visible .entry m() { call other; ret; }\n.visible .entry"
    )
    module = openptx.load(other)
    with pytest.raises(openptx.Unsupported, match="`other`, which the module does not define"):
        module["m"](1, 1)


def test_the_linked_text_has_them() -> None:
    text = openptx.link([GRID_SYNC])
    assert ".weak .func (.param .b32 status) cudaCGSynchronize" in text
    assert openptx.check(text) == []
    assert openptx.load(text).program.file.text == text, "linked already"


LAUNCH = "\n.weak .func (.param .b32 r) __cudaCDP2LaunchDeviceV2 (.param .b64 a, .param .b64 b)\n{\nret;\n}\n"


@pytest.mark.parametrize(
    ("text", "is_it"),
    [
        (LAUNCH, True),
        (LAUNCH + ".visible .func cudaFree()\n{\nret;\n}\n.func of_this_file()\n{\nret;\n}\n", True),
        (LAUNCH + ".visible .entry k()\n{\nret;\n}\n", False),
        (LAUNCH + ".visible .func  (.param .b32 r) cudaless()\n{\nret;\n}\n", False),
        (LAUNCH.replace("__cudaCDP2", "cuda"), True),
        (LAUNCH.replace(".weak", ".extern"), False),
        ("", False),
    ],
)
def test_the_library_itself_is_known_by_the_names_of_its_functions(text: str, is_it: bool) -> None:
    assert is_device_runtime(text) == is_it
