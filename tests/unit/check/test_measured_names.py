"""Which declaration a name refers to: verdicts of ptxas 13.5 on labels that hide other names, and on repeated names."""

from __future__ import annotations

import numpy as np
import pytest

import openptx

HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n.func g() { ret; }\n"
VARIABLE, FUNCTION = ".global .u32 x;", ".func x() { ret; }"

# fmt: off
LABELS = (  # of the module, in a kernel with registers q and w; whether it is accepted
    # A label hides what its name means outside of its block, from its position on.
    (VARIABLE, "x: mov.u64 w, x;",                                                    False),
    (VARIABLE, "mov.u64 w, x; x: ret;",                                               True),
    (VARIABLE, "x: bra x;",                                                           True),
    (VARIABLE, "bra x; x: ret;",                                                      False),
    (VARIABLE, "x: { mov.u64 w, x; }",                                                False),
    (VARIABLE, "{ x: mov.b32 q, 1; } mov.u64 w, x;",                                  True),
    (VARIABLE, "{ x: mov.b32 q, 1; } { mov.u64 w, x; }",                              True),
    (VARIABLE, "x: ld.global.u32 q, [x];",                                            False),
    (VARIABLE, "x: ld.global.u32 q, [x+4];",                                          False),
    (VARIABLE, "ld.global.u32 q, [x]; x: ld.global.u32 q, [x];",                      False),
    (FUNCTION, "call x; x: ret;",                                                     True),
    (FUNCTION, "x: call x;",                                                          False),
    (FUNCTION, "mov.u64 w, x; { x: mov.u64 w, x; }",                                  False),
    ("",       ".reg .b32 x; mov.b32 x, 1; { x: mov.b32 q, x; }",                     False),
    ("",       ".reg .b32 x; mov.b32 x, 1; { mov.b32 q, x; x: }",                     True),
    ("",       ".reg .b32 x; mov.b32 x, 1; { x: bra x; }",                            True),
    ("",       ".reg .b32 x<4>; mov.b32 x1, 1; { x1: mov.b32 q, x1; }",               False),
    ("",       ".reg .pred x; setp.eq.u32 x, 1, 1; { x: @x mov.b32 q, 1; }",          False),
    ("",       ".local .u32 x; { x: mov.u64 w, x; }",                                 False),
    ("",       ".param .b32 x; { x: st.param.b32 [x], q; }",                          False),
    (VARIABLE, "x: { .reg .b32 x; mov.b32 x, 1; mov.b32 q, x; }",                     True),
    # So do the labels of tables.
    (VARIABLE, "x: .branchtargets l; brx.idx q, x;",                                  True),
    (VARIABLE, "x: .branchtargets l; mov.u64 w, x;",                                  False),
    (FUNCTION, "mov.u64 w, g; x: .callprototype _ (); call w, x;",                    True),
    (FUNCTION, "x: .callprototype _ (); call x;",                                     False),
    # A predefined name is none of a label, a table or a range.
    ("",       "WARP_SZ: ret;",                                                       False),
    ("",       "mov.b32 q, (1); { WARP_SZ: }",                                        False),
    ("",       "WARP_SZ: .branchtargets l; ret;",                                     False),
    ("",       "WARP_SZ: .callprototype _ (); ret;",                                  False),
    ("",       ".reg .b32 WARP_SZ<3>;",                                               False),
    ("",       ".reg .b32 WARP_SZ1;",                                                 True),
    # Names in tables mean what they mean at that place.
    (VARIABLE, "t: .branchtargets x; brx.idx q, t; x: ret;",                          False),
    (VARIABLE, "x: t: .branchtargets x; brx.idx q, t;",                               True),
    ("",       "t: .branchtargets x; brx.idx q, t; x: ret;",                          True),
    (FUNCTION, "mov.u64 w, g; t: .calltargets x; call w, t;",                         True),
    (FUNCTION, "x: mov.u64 w, g; t: .calltargets x; call w, t;",                      False),
)
TWICE = (  # two declarations of the module; whether they are accepted
    (".global .u32 x;",               ".extern .global .u32 x;",      True),
    (".global .u32 x = 1;",           ".extern .global .u32 x;",      True),
    (".shared .u32 x;",               ".extern .shared .u32 x;",      True),
    (".extern .global .u32 x;",       ".global .u32 x;",              False),
    (".extern .global .u32 x;",       ".visible .global .u32 x;",     True),
    (".global .u32 x;",               ".extern .global .u64 x;",      False),
    (".global .u32 x[4];",            ".extern .global .u32 x[];",    True),
    (".global .u32 x;",               ".visible .global .u32 x;",     False),
    (".global .u32 x<4>;",            ".global .u32 x2;",             False),
    (".global .u32 x0; .global .u32 y;", ".global .u32 y<4>; .global .u32 x1; .global .u32 y1;", False),
    (".global .u32 x2;",              ".visible .global .u32 x<4>;",  False),
    (".global .u32 x<2>;",            ".global .u32 x2;",             True),
    (".global .u32 x<2>, x1;",        "",                             False),
    (".visible .global .u32 x<4>;",   ".global .u64 x2;",             True),
    (".extern .global .u32 x2;",      ".global .u64 x<4>;",           True),
    (".global .u32 x<4>;",            ".global .u32 x<2>;",           False),
    (".extern .global .u32 x<4>;",    ".extern .global .u64 x<4>;",   False),
    (".global .u32 x<4>;",            ".global .u32 x;",              True),
    (".global .u32 x<4>;",            ".global .u64 y[2] = {x0, x3+4};", True),
    (".global .u32 x<4>;",            ".global .u64 y = x4;",         False),
    (".global .u32 x<4>;",            ".global .u64 y = x;",          False),
    (".shared .u32 x<4>;",            ".global .u64 y = x1;",         False),
)
SPECIAL = (  # in a kernel with a register q
    (".reg .b32 %tid; mov.b32 %tid, 1;",                       True),
    (".reg .b32 %tid; mov.b32 q, %tid.x;",                     False),
    (".reg .v4 .b32 %tid; mov.b32 %tid.x, 1;",                 True),
    (".reg .pred %laneid; mov.b32 q, %laneid;",                False),
    ("{ .reg .pred %laneid; } mov.b32 q, %laneid;",            True),
    ("mov.b32 q, %laneid; .reg .pred %laneid;",                True),
    (".reg .b32 %tid, %tid;",                                  False),
    (".shared .b32 %laneid; mov.b32 q, %laneid;",              True),
    (".reg .b32 %envreg<4>; mov.b32 q, %envreg1;",             True),
    ("%laneid: bra %laneid;",                                  True),
)
# fmt: on


def accepted(text: str) -> bool:
    return not [found for found in openptx.check(HEAD + text) if found.severity == "error"]


@pytest.mark.parametrize(("module", "body", "good"), LABELS)
def test_labels_hide_names(module: str, body: str, good: bool) -> None:
    kernel = f".entry k() {{ .reg .b32 q; .reg .b64 w; mov.b32 q, 0; {body} l: ret; }}"
    assert accepted(f"{module}\n{kernel}\n") == good


@pytest.mark.parametrize(("body", "good"), SPECIAL)
def test_functions_may_hide_special_registers(body: str, good: bool) -> None:
    kernel = f".entry k() {{ .reg .b32 q; mov.b32 q, 0; {body} l: ret; }}\n"
    assert accepted(kernel) == good
    assert "%envreg" in body or not all(
        each.severity == "warning" for each in openptx.check(HEAD + kernel, profile="isa")
    )


@pytest.mark.parametrize(
    "module", [".global .u32 %tid;", ".func %tid() { ret; }", ".entry k() { .reg .b32 WARP_SZ; ret; }"]
)
def test_no_name_of_a_module_is_predefined(module: str) -> None:
    assert [each.name for each in openptx.check(HEAD + module)] == ["reserved-name"]


def test_what_hides_a_special_register_is_what_runs() -> None:
    kernel = """.entry k(.param .u64 p) { .reg .v4 .b32 %tid; .reg .b32 %laneid; .reg .b64 d; ld.param.u64 d, [p];
        mov.b32 %tid.x, 40; mov.b32 %laneid, 2; add.u32 %laneid, %laneid, %tid.x; st.global.u32 [d], %laneid; ret; }"""
    stored = np.zeros(1, np.uint32)
    openptx.load(HEAD + kernel)["k"]((1,), (1,), (stored,), engine="interp")
    assert stored[0] == 42


def test_parameters_may_hide_special_registers() -> None:
    second = ".entry j(.param .b32 %tid) { .reg .b32 q; ld.param.b32 q, [%tid]; ret; }\n"
    found = openptx.check(HEAD + second.replace("%tid", "a").replace("j", "i") + second)
    assert [(each.name, each.location[0]) for each in found] == [("document-disagrees", 6)]


def test_a_parameter_is_not_what_can_be_called() -> None:
    body = ".reg .b64 w; mov.u64 w, 0; t: .calltargets g; call w, t; ret;"
    assert accepted(f".entry k(.param .u32 p) {{ {body} }}\n")
    assert not accepted(f".entry k(.param .u32 g) {{ {body} }}\n")


@pytest.mark.parametrize(("first", "second", "good"), TWICE)
def test_variables_declared_twice(first: str, second: str, good: bool) -> None:
    assert accepted(f"{first}\n{second}\n.entry k() {{ ret; }}\n") == good
