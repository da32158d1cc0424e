"""A run names the memory that is not checked for races."""

from __future__ import annotations

import numpy as np
import pytest

import openptx
from openptx.sanitize.entry import watch
from openptx.sanitize.options import Options

HEAD = ".version 8.6\n.target sm_100a\n.address_size 64\n"
SURFACE = (
    HEAD
    + """
.func put(.param .b64 s) {
    .reg .b64 h; .reg .b32 x; ld.param.u64 h, [s]; mov.u32 x, %tid.x; shl.b32 x, x, 2;
    sust.b.1d.b32.trap [h, {x}], x;
    ret;
}
.visible .entry k(.param .u64 s) {
    .reg .b64 h; ld.param.u64 h, [s];
    { .param .b64 a; st.param.b64 [a], h; call put, (a); }
    ret;
}
"""
)
PLAIN = HEAD + ".visible .entry k(.param .u64 s) { ret; }\n"


@pytest.mark.parametrize(
    ("text", "tools", "said"),
    [
        (
            SURFACE,
            "race",
            ["races in surfaces are not watched: line 7, `sust.b.1d.b32.trap [h, {x}], x`"],
        ),
        (SURFACE, "mem", []),
        (PLAIN, "race", []),
    ],
)
def test_what_is_not_watched_is_said(text: str, tools: str, said: list[str]) -> None:
    kernel = openptx.load(text)["k"]
    surface = openptx.Surface(np.zeros(128, np.uint32))
    given = surface if text is SURFACE else np.zeros(128, np.uint32)
    report = watch(kernel, 1, 32, [given], Options(tools=frozenset({tools})))
    assert report.limits == said
    assert report.findings == []
