"""Uses of registers that nothing wrote, on both engines: each is reported once, and none of uses that mean nothing."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

HEAD = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out) {
    .reg .b64 p, d; .reg .b32 t, x, y, z, w, h32; .reg .b16 h; .reg .f32 f; .reg .pred c;
    .shared .align 16 .b32 s[64];
    ld.param.u64 p, [out]; mov.u32 t, %tid.x; mad.wide.u32 p, t, 16, p; mov.u32 w, s; mov.u32 z, 1;
"""

USES = {
    "a branch":                   ("setp.eq.u32 c, x, 0; @c bra END; END:",                     "undefined-value"),
    "a predicate":                ("@c st.global.u32 [p], 1;",                                  "undefined-value"),
    "an address":                 ("and.b32 y, x, 12; mad.wide.u32 p, y, 1, p; ld.u32 y, [p];", "undefined-value"),
    "arithmetic":                 ("add.u32 x, x, 1; st.global.u32 [p], x;",                    "undefined-value"),
    "less another":               ("add.u32 z, z, x; sub.u32 z, z, y; st.global.u32 [p], z;",   "undefined-value"),
    "the negative of a sum":      ("add.u32 z, z, x; sub.u32 z, x, z; add.u32 z, z, x; st.global.u32 [p], z;",
                                                                                                "undefined-value"),
    "less that of another lane":  ("add.u32 z, z, x; shfl.sync.up.b32 y, x, 1, 0, -1; sub.u32 z, z, y;"
                                   "st.global.u32 [p], z;",                                     "undefined-value"),
    "less what it was before":    ("add.u32 z, z, x; add.u32 x, x, y; sub.u32 z, z, x; st.global.u32 [p], z;",
                                                                                                "undefined-value"),
    "the amount of a shift":      ("shl.b32 y, z, x; st.global.u32 [p], y;",                    "undefined-value"),
    "a choice":                   ("selp.u32 y, z, t, c; st.global.u32 [p], y;",                "undefined-value"),
    "a vote":                     ("vote.sync.ballot.b32 y, c, -1;",                            "undefined-value"),
    "a reduction":                ("red.global.add.u32 [p], x;",                                "undefined-value"),
    "a reduction of floats":      ("red.global.add.f32 [p], f;",                                "undefined-value"),
    "a reduction in shared memory": ("st.shared.u32 [s], 0; bar.sync 0; red.shared.max.u32 [s], x;", "undefined-value"),
    "an atomic operation":        ("atom.global.add.u32 y, [p], x;",                            "undefined-value"),
    "a comparand":                ("atom.global.cas.b32 y, [p], x, 0;",                         "undefined-value"),
    "a replacement":              ("atom.global.cas.b32 y, [p], 0, x;",                         "undefined-value"),
    "what is exchanged":          ("atom.global.exch.b32 y, [p], x;",                           "unwritten-copy"),
    "the number of a barrier":    ("and.b32 x, x, 7; bar.sync x, 32;",                          "undefined-value"),
    "the predicate of a barrier": ("bar.red.popc.u32 y, 0, c;",                                 "undefined-value"),
    "a store":                    ("st.global.u32 [p], x;",                                     "unwritten-copy"),
    "a store of a half":          ("st.global.b16 [p], h;",                                     "unwritten-copy"),
    "a store after a move":       ("mov.b32 y, x; st.global.v2.b32 [p], {y, x};",               "unwritten-copy"),
    "some lanes' store":          ("setp.lt.u32 c, t, 5; @c mov.u32 x, 1; st.global.u32 [p], x;", "unwritten-copy"),
    "a hash of padding":          ("st.shared.u8 [s], t; ld.shared.u32 y, [s]; mad.lo.s32 y, y, 31, t;"
                                   "st.global.u32 [p], y;",                                     "undefined-value"),
    "a bulk copy":                ("setp.eq.u32 c, t, 0; @c cp.async.bulk.global.shared::cta.bulk_group [p], [w], 64;"
                                   "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",   "unwritten-copy"),
}  # fmt: skip
IMAGES = {
    "a coordinate of a texture":  ("tex.2d.v4.u32.s32 {y, z, w, y}, [t2, {t, x}];",             "undefined-value"),
    "a level of a texture":       ("tex.level.2d.v4.u32.f32 {y, z, w, y}, [t2, {f1, f1}], f;",  "undefined-value"),
    "a coordinate of a surface":  ("shl.b32 x, x, 2; suld.b.2d.b32.zero y, [s2, {x, t}];",      "undefined-value"),
    "a register in a surface":    ("sust.b.2d.b32.zero [s2, {0, t}], x;",                       "unwritten-copy"),
    "arithmetic in a surface":    ("add.u32 x, x, 1; sust.b.2d.b32.zero [s2, {0, t}], x;",      "undefined-value"),
    "a reduction in a surface":   ("sured.b.add.2d.u32.zero [s2, {0, t}], x;",                  "undefined-value"),
}  # fmt: skip
HARMLESS_IMAGES = {
    "a coordinate that the geometry does not have": "tex.3d.v4.u32.s32 {y, z, w, y}, [t3, {t, t, t, x}];",
    "a written value in a surface": "sust.b.2d.b32.zero [s2, {0, t}], t;",
}
HARMLESS = {
    "an addend that is subtracted": "add.u32 z, t, x; sub.u32 z, z, x; st.global.u32 [p], z;",
    "an exclusive sum of lanes": "setp.lt.u32 c, t, 9; @c mov.u32 x, t; add.u32 y, t, x; mov.u32 z, y;"
    "shfl.sync.up.b32 h32|c, y, 1, 0, -1; @c add.u32 z, z, h32; sub.u32 z, z, y;"
    "setp.lt.u32 c, t, 10; @c st.global.u32 [p], z;",
    "a sum of two unknowns, subtracted": "add.u32 y, x, h32; add.u32 z, y, t; sub.u32 z, z, y; st.global.u32 [p], z;",
    "an unused element of a vector": "st.global.v4.b32 [p], {t, t, t, x};",
    "an upper half": "mov.b64 d, {t, x}; st.global.b64 [p], d;",
    "bits that are masked": "and.b32 x, x, 0; shl.b32 y, t, x; red.global.add.u32 [p], y;",
    "a byte in an unwritten word": "bfi.b32 y, t, x, 0, 8; st.global.u32 [p], y;",
    "padding moved by a product": "st.shared.u8 [s], t; ld.shared.u32 y, [s]; mul.lo.u32 y, y, 256;"
    "st.global.u32 [p], y;",
    "a byte of a product": "st.shared.u8 [s], t; ld.shared.u32 y, [s]; mul.lo.u32 y, y, 31; st.global.u8 [p], y;",
    "a store in written lanes": "setp.lt.u32 c, t, 5; @c mov.u32 x, 1; @c st.global.u32 [p], x;",
}


IMAGE_HEAD = (
    HEAD.replace("(.param .u64 out)", "(.param .u64 out, .param .u64 a, .param .u64 b, .param .u64 e)")
    + """
    .reg .b64 t2, t3, s2; .reg .f32 f1; mov.f32 f1, 0f00000000;
    ld.param.u64 t2, [a]; ld.param.u64 t3, [b]; ld.param.u64 s2, [e];
"""
)


def found(body: str, engine: str) -> list[str]:
    kernel = openptx.load(f"{HEAD}    {body}\n    ret;\n}}")["k"]
    report = openptx.sanitize(kernel, 1, 32, (np.zeros(128, np.uint32),), tools="init", engine=engine)
    return [each.name for each in report]


def found_in_images(body: str, engine: str) -> list[str]:
    kernel = openptx.load(f"{IMAGE_HEAD}    {body}\n    ret;\n}}")["k"]
    plane, space = openptx.Texture(np.zeros((8, 8), np.uint32)), openptx.Texture(np.zeros((4, 4, 4), np.uint32))
    arguments = (np.zeros(128, np.uint32), plane, space, openptx.Surface(np.zeros((32, 8), np.uint32)))
    return [each.name for each in openptx.sanitize(kernel, 1, 32, arguments, tools="init", engine=engine)]


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("use", USES)
def test_uses_of_unwritten_registers(use: str, engine: str) -> None:
    body, name = USES[use]
    assert found(body, engine) == [name]


@pytest.mark.parametrize("use", HARMLESS)
def test_uses_that_mean_nothing(use: str) -> None:
    assert found(HARMLESS[use], "interp") == []


@pytest.mark.parametrize("engine", ["interp", "native"])
@pytest.mark.parametrize("use", IMAGES)
def test_undefined_operands_of_textures_and_surfaces(use: str, engine: str) -> None:
    body, name = IMAGES[use]
    assert found_in_images(body, engine) == [name]


@pytest.mark.parametrize("use", HARMLESS_IMAGES)
def test_operands_of_textures_and_surfaces_that_mean_nothing(use: str) -> None:
    assert found_in_images(HARMLESS_IMAGES[use], "interp") == []
