"""Which declaration a name refers to: verdicts of ptxas 13.5 on labels that hide other names, and on repeated names."""

from __future__ import annotations

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
# fmt: on


def accepted(text: str) -> bool:
    return not [found for found in openptx.check(HEAD + text) if found.severity == "error"]


@pytest.mark.parametrize(("module", "body", "good"), LABELS)
def test_labels_hide_names(module: str, body: str, good: bool) -> None:
    kernel = f".entry k() {{ .reg .b32 q; .reg .b64 w; mov.b32 q, 0; {body} l: ret; }}"
    assert accepted(f"{module}\n{kernel}\n") == good


def test_a_parameter_is_not_what_can_be_called() -> None:
    body = ".reg .b64 w; mov.u64 w, 0; t: .calltargets g; call w, t; ret;"
    assert accepted(f".entry k(.param .u32 p) {{ {body} }}\n")
    assert not accepted(f".entry k(.param .u32 g) {{ {body} }}\n")


@pytest.mark.parametrize(("first", "second", "good"), TWICE)
def test_variables_declared_twice(first: str, second: str, good: bool) -> None:
    assert accepted(f"{first}\n{second}\n.entry k() {{ ret; }}\n") == good
