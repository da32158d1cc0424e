"""Constants that an instruction accepts and rejects, according to ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx
from openptx.isa.notation import INSTRUCTIONS, load
from openptx.isa.notation.ranges import Values, limits

# fmt: off
WORDS = (
    ("0 to 15",                  (0, 15),            (-1, 16)),
    ("24 to 256, a multiple of 8", (24, 32, 256),      (16, 25, 264)),
    ("a multiple of 32, not 0",    (32, 64, -32),      (0, 31)),
    ("4 or 8 or 16",             (4, 8, 16),         (0, 5, 32)),
    ("-1 or 1",                  (-1, 1),            (0, 2)),
    ("128",                      (128,),             (64, 0)),
    ("at least 1",               (1, 1 << 40),       (0, -1, 1 << 63)),
    ("a power of 2",             (1, 2, 1 << 30),    (0, 3, -2)),
)
_SCALED = "mma.sync.aligned.m16n8k64.row.col.kind::"
_BY_FOUR, _BY_TWO = ".scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", ".f32.e2m1.e2m1.f32.ue8m0"
_OF = "{r, r, r, r}, {r, r, r, r}, {r, r}, {r, r, r, r}"
STATEMENTS = (  # with @ for a constant: values that are taken, values that are not
    ("sm_80",   "bar.sync @;",                                              "0 15 7+8",     "16 -1 1<<4"),
    ("sm_80",   "bar.sync 0, @;",                                           "0 32 1024",    "31 33"),
    ("sm_80",   "bar.arrive 0, @;",                                         "32 1024",      "0 31"),
    ("sm_80",   "bar.red.popc.u32 r, @, p;",                                "15",           "16"),
    ("sm_80",   "barrier.sync.aligned @, 32;",                              "15",           "16"),
    ("sm_80",   "pmevent @;",                                               "15",           "16"),
    ("sm_80",   "pmevent.mask @;",                                          "65535",        "65536"),
    ("sm_80",   "discard.global.L2 [t], @;",                                "128",          "64"),
    ("sm_80",   "applypriority.global.L2::evict_normal [t], @;",            "128",          "256"),
    ("sm_80",   "cp.async.ca.shared.global [t], [t], @;",                   "4 8 16",       "0 5 32"),
    ("sm_80",   "cp.async.cg.shared.global [t], [t], @;",                   "16",           "4 8"),
    ("sm_80",   "cp.async.cg.shared.global [t], [t], 16, @;",               "0 16",         "17"),
    ("sm_80",   "mbarrier.init.shared.b64 [t], @;",                         "1 1048575",    "0 1048576 4294967296"),
    ("sm_80",   "mbarrier.test_wait.parity.shared.b64 p, [t], @;",          "0 1",          "2"),
    ("sm_80",   "mbarrier.arrive.noComplete.shared.b64 t, [t], @;",         "1 1<<32",      "0 -1 1<<63"),
    ("sm_80",   "mbarrier.arrive_drop.noComplete.shared.b64 t, [t], @;",    "1 1048576",    "0 0xFFFFFFFFFFFFFFFF"),
    ("sm_90a",  "mbarrier.arrive.shared::cluster.b64 _, [t], @;",           "1 0x100000001", "0 18446744073709551615"),
    ("sm_80",   "alloca.u64 t, 16, @;",                                     "1 16",         "0 3"),
    ("sm_90a",  "setmaxnreg.inc.sync.aligned.u32 @;",                       "24 32 256",    "16 25 264"),
    ("sm_90a",  "wgmma.wait_group.sync.aligned @;",                         "0 7",          "-1 0x8000000000000000"),
    ("sm_90a",  "cp.async.bulk.global.shared::cta.bulk_group [t], [t], @;", "0 16 64",      "8 -16 4294967296"),
    ("sm_100a", "tcgen05.alloc.cta_group::1.sync.aligned.b32 [t], @;",      "32 512",       "0 16 48 1024"),
    ("sm_100a", "tcgen05.mma.cta_group::1.kind::f16 [r], t, t, r, p, @;",   "0 15",         "16"),
    ("sm_100a", "tensormap.replace.tile.box_dim.global.b1024.b32 [t], @, r;",  "0 4",       "5"),
    ("sm_100a", "tensormap.replace.tile.elemtype.global.b1024.b32 [t], @;", "0 15",         "16"),
    ("sm_100a", "fence.proxy.tensormap::generic.acquire.gpu [t], @;",       "128",          "64"),
    ("sm_100a", "st.bulk.weak.shared::cta [t], t, @;",                      "0",            "1"),
    ("sm_120a", f"{_SCALED}mxf4nvf4.block_scale{_BY_FOUR} {_OF}, r, {{@, 0}}, r, {{0, 0}};",
                                                                            "0",            "1 2 -1"),
    ("sm_120a", f"{_SCALED}mxf4.block_scale{_BY_TWO} {_OF}, r, {{0, 0}}, r, {{@, 0}};", "0 2",  "1 3"),
    ("sm_120a", f"{_SCALED}mxf4.block_scale{_BY_TWO} {_OF}, r, {{0, @}}, r, {{0, 0}};", "0 1",  "2"),
    ("sm_120a", f"{_SCALED}mxf4.block_scale{_BY_TWO} {_OF}, r, {{0, 0}}, r, {{0, @}};", "3",    "4 1<<63"),
)
# fmt: on


@pytest.mark.parametrize(("words", "inside", "outside"), WORDS)
def test_words(words: str, inside: tuple[int, ...], outside: tuple[int, ...]) -> None:
    values = Values(words)
    assert all(value in values for value in inside)
    assert not any(value in values for value in outside)


def test_what_holds_an_interval() -> None:
    assert Values("0 to 15").hold(0, 15)
    assert not Values("0 to 15").hold(0, 16)
    assert not Values("a multiple of 16").hold(0, 15)
    assert not Values("1 or 2").hold(1, 2)


@pytest.mark.parametrize(("target", "statement", "taken", "refused"), STATEMENTS)
def test_statements(target: str, statement: str, taken: str, refused: str) -> None:
    head = f".version 9.0\n.target {target}\n.address_size 64\n.entry k() {{ .reg .b32 r; .reg .b64 t; .reg .pred p;\n"
    for value in (*taken.split(), *refused.split()):
        text = f"{head}setp.eq.s32 p, 0, 0; mov.b32 r, 0; mov.b64 t, 0; {statement.replace('@', value)} ret; }}\n"
        found = [each.name for each in openptx.check(text) if each.severity == "error"]
        assert found == ([] if value in taken.split() else ["immediate-range"]), value


def test_every_range_names_an_operand() -> None:
    load()
    for each in INSTRUCTIONS:
        names = {template.name for form in each.forms for template in form.operands}
        for line in filter(None, map(str.strip, each.ranges.splitlines())):
            assert any(line.partition(name)[1] for name in names), (each.name, line)
            assert limits(each, each.forms[0].least(), "no such operand", "sm_90", (9, 0)) is None
