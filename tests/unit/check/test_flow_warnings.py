"""Barriers in divergent code, exceeded memory, and opt-in warnings."""

from __future__ import annotations

import pytest

import openptx
from openptx.check.fast.rows import FastPath

HEAD = ".version 9.0\n.target {}\n.address_size 64\n"
TID = "mov.u32 a, %tid.x; "
FAR = "mov.u32 b, 1;\n" * 5000
"""More than is read in one go."""


def module(body: str, directives: str = "", target: str = "sm_90") -> str:
    declared = ".reg .pred p; .reg .b32 a, b; .reg .b64 q;"
    return f"{HEAD.format(target)}.visible .entry k() {directives}\n{{ {declared} {body} ret; }}\n"


# fmt: off
DIVERGENT = {
    "a guard":                  (TID + "setp.eq.u32 p, a, 0; @p bar.sync 0;", True),
    "a negated guard":          (TID + "setp.lt.u32 p, a, 16; @!p bar.sync 0;", True),
    "a lane":                   ("mov.u32 a, %laneid; setp.ne.s32 p, a, 3; @p barrier.sync.aligned 0;", True),
    "after a branch":          (TID + "setp.ne.u32 p, a, 0; @p bra E; bar.sync 0; E: mov.u32 b, 1; bar.sync 0;", True),
    "far after a branch":      (TID + f"setp.ne.u32 p, a, 0; @p bra E; {FAR} bar.sync 0; E: bar.sync 0;", True),
    "far after a label":       (TID + f"setp.ne.u32 p, a, 0; @p bra E; E: {FAR} bar.sync 0;", False),
    "after a hidden branch":   (TID + "setp.ne.u32 p, a, 0; @p bra /* */ E; bar.sync 0; E: bar.sync 0;", True),
    "after an odd branch":     (TID + "setp.ne.u32 p, a, 0; @p bra\nE; bar.sync 0; E: bar.sync 0;", True),
    "after a label of a list": (TID + "setp.ne.u32 p, a, 0; @p bra E; L: .branchtargets E; bar.sync 0; E: bar.sync 0;",
                                 True),
    "jumps to the end":         (TID + "setp.ne.u32 p, a, 0; @p bra E; bar.sync 0; E:", False),
    "after a label":           (TID + "setp.ne.u32 p, a, 0; @p bra E; mov.u32 b, 1; E: bar.sync 0;", False),
    "whole warps":              (TID + "setp.lt.u32 p, a, 32; @p bar.sync 0;", False),
    "no thread":                (TID + "setp.lt.u32 p, a, 0; @p bar.sync 0;", False),
    "a number of threads":      (TID + "setp.lt.u32 p, a, 16; @p bar.sync 0, 32;", False),
    "not aligned":              (TID + "setp.lt.u32 p, a, 16; @p barrier.sync 0;", False),
    "the block":                ("mov.u32 a, %ctaid.x; setp.eq.u32 p, a, 0; @p bar.sync 0;", False),
    "written twice":            (TID + "mov.u32 a, 1; setp.eq.u32 p, a, 0; @p bar.sync 0;", False),
}
# fmt: on


@pytest.mark.parametrize(("body", "found"), DIVERGENT.values(), ids=DIVERGENT.keys())
def test_barriers_that_only_a_part_of_a_warp_reaches(body: str, found: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = ["divergent-barrier"] if found else []
    assert [d.name for d in openptx.check(module(body))] == expected
    assert openptx.check(module(body, ".maxntid 1")) == []
    monkeypatch.setattr(FastPath, "accepts", lambda self: False)
    assert [d.name for d in openptx.check(module(body))] == expected


@pytest.mark.parametrize(
    ("target", "size", "found"),
    [("sm_90", 49_152, False), ("sm_90", 49_153, True), ("sm_90a", 49_153, False), ("sm_90a", 232_449, True)],
)
def test_a_kernel_has_so_much_shared_memory(target: str, size: int, found: bool) -> None:
    whole = module(f".shared .b8 x[{size}];", target=target)
    halves = module(f".shared .b8 x[{size - 100}]; .shared .b8 y[100];", target=target)
    for text in (whole, halves):
        assert [d.name for d in openptx.check(text)] == ["too-much-memory"] * found


def test_a_file_has_so_many_constants() -> None:
    text = HEAD.format("sm_90") + ".const .b8 x[65000];\n.const .b8 y[{}];\n"
    assert openptx.check(text.format(536)) == []
    assert [d.name for d in openptx.check(text.format(537))] == ["too-much-memory"]


UNUSED = HEAD.format("sm_60").replace("9.0", "6.0") + (
    ".global .u32 kept;\n.global .u32 lost;\n.global .u64 first = kept;\n.visible .global .u32 seen;\n"
    ".func helper() { ret; }\n.func orphan() { ret; }\n.visible .entry k()\n{\n"
    ".reg .b32 %r<4>, %q<4>; .reg .b64 %d; .reg .pred p, q;\n"
    "mov.u64 %d, first; ld.global.u32 %r1, [%d]; call helper; setp.eq.u32 q, %r1, 0; vote.all.pred p, q;\n"
    "bra END; st.global.u32 [%d], %r1; st.global.u32 [%d+4], %r1; END: ret;\n}\n"
)


def test_what_is_said_only_on_demand() -> None:
    assert openptx.check(UNUSED) == []
    unused = openptx.check(UNUSED, select="unused")
    assert [UNUSED[d.span[0] : d.span[1]] for d in unused] == ["lost", "orphan", "%q"]
    both = openptx.check(UNUSED, extend_select=["unreachable", "PTX1010"])
    assert [d.name for d in both] == ["deprecated", "unreachable"]
    assert "2 statements" not in both[1].message
    assert "statement after it" in both[1].message


def test_selecting_is_not_ignoring() -> None:
    wrong = module("add.u32 a, b, 1.0;")
    assert "immediate-type" in [d.name for d in openptx.check(wrong, extend_select=["unused"])]
    assert openptx.check(wrong, ignore=["PTX03", "uninitialized-register"]) == []
    assert openptx.check(wrong, select=["PTX06"]) == []


@pytest.mark.parametrize(("linkage", "said"), [("", ["fall-through"]), (".visible", ["fall-through"]), (".weak", [])])
def test_functions_that_end_with_nothing(linkage: str, said: list[str]) -> None:
    """nvcc writes inline functions of C++ that are never to be called so, in debug code of `mdspan` for one."""
    text = f"{HEAD.format('sm_90')}{linkage} .func f (.param .b64 a) {{ .reg .b64 q; ld.param.b64 q, [a]; }}\n"
    assert [found.name for found in openptx.check(text)] == said
