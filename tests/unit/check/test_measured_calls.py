"""Arguments of calls, with the verdicts of ptxas 13.5."""

from __future__ import annotations

import re

import numpy as np
import pytest

import openptx

MODULE = """
.version 8.0
.target sm_80
.address_size 64
.global .b32 gv;
.func (.reg .b32 r) f(.reg .b32 a) { mov.b32 r, a; ret; }
.func number(.param .b32 a) { ret; }
.func address(.param .b64 a) { ret; }
.func bytes(.param .align 8 .b8 a[8]) { ret; }
.func (.reg .f32 r) single() { ret; }
.func (.reg .pred r) truth() { ret; }
.func (.param .align 4 .b8 r[8]) array() { ret; }
.func halves(.reg .f16x2 a) { ret; }
.func (.reg .f16x2 r) pair() { ret; }
.entry k()
{
    .reg .b32 %r<2>; .reg .v2 .b32 v; .reg .pred p;
    .param .b32 q;
"""

# fmt: off
CALLS = (
    ("call (%r0), f, (%r1);",   True),
    ("call (%r0), f, (-7);",    True),
    ("call number, (%r1);",     True),
    ("call number, (q);",       True),
    ("call number, (1.5);",     True),
    ("call (%r0), f, (gv);",    False),
    # Names alone stand here, and neither those of special registers nor those of functions.
    ("call (%r0), f, (%tid.x);",   False),
    ("call (%r0), f, (%laneid);",  False),
    ("call (%r0), f, (v.x);",      False),
    ("call (v.x), f, (%r0);",      False),
    ("call number, (%laneid);",    False),
    ("call address, (number);",    False),
    # The assembler discards a result that is received in a number that suits the parameter.
    ("call (5), f, (%r1);",     True),
    ("call (-1.5), f, (%r1);",  True),
    ("call (1.0), single;",     True),
    ("call (5), single;",       False),
    ("call (1), truth;",        False),
    ("call (1), array;",        False),
    # A predicate passes as a pair of halves.
    ("call halves, (p);",       True),
    ("call (p), pair;",         True),
    ("call number, (p);",       False),
    # An array is no number.
    ("call bytes, (5);",        False),
    ("call bytes, (0d3FF0000000000000);", False),
)
# fmt: on


@pytest.mark.parametrize(("statement", "taken"), CALLS)
def test_lists_of_calls(statement: str, taken: bool) -> None:
    found = [d.name for d in openptx.check(f"{MODULE}    {statement}\n    ret;\n}}\n") if d.severity == "error"]
    assert found == ([] if taken else ["argument-type"])


@pytest.mark.parametrize(("statement", "said"), [
    ("call (5), f, (%r1);", "the assembler discards a result that is received in the number `5`"),
    ("call halves, (p);", "the assembler accepts the predicate `p` as a pair of halves"),
])  # fmt: skip
def test_what_the_document_does_not_have_is_a_warning(statement: str, said: str) -> None:
    found = openptx.check(f"{MODULE}    {statement}\n    ret;\n}}\n")
    assert said in [d.message for d in found if d.name == "document-disagrees"]


@pytest.mark.parametrize("engine", ["interp", "native"])
def test_a_result_in_a_number_is_lost(engine: str) -> None:
    body = ".param .u64 out) { .reg .b64 d; .reg .b32 r; call (5), f, (7); ld.param.u64 d, [out]; st.global.b32 [d], 1;"
    out = np.zeros(1, np.uint32)
    openptx.load(f"{MODULE.split('.entry')[0]}.entry k({body} ret; }}\n")["k"]((1,), (1,), (out,), engine=engine)
    assert out[0] == 1


# fmt: off
TARGETS = (  # the functions of `.calltargets`, a call through a register, what is wrong
    ("f1",         "call p, (r), t;",         None),
    ("f1",         "call p, (1.0), t;",       None),
    ("f1",         "call p+8, (r), t;",       "operand-kind"),
    ("f1",         "call 8, (r), t;",         "operand-kind"),
    ("f1",         "call p, t;",              "argument-count"),
    ("f1",         "call p, (r, r), t;",      "argument-count"),
    ("f1",         "call (_), p, (r), t;",    "argument-count"),
    ("f1",         "call p, (d), t;",         "argument-type"),
    ("f1",         "call p, (f0), t;",        "argument-type"),
    ("f1",         "call p, (nope), t;",      "unknown-name"),
    ("f1, f64",    "call p, (r), t;",         "argument-type"),
    ("f64, f1",    "call p, (r), t;",         "argument-type"),
    ("f1, f2",     "call p, (r, r), t;",      "argument-count"),
    ("f2, f1",     "call p, (r), t;",         "argument-count"),
    ("g1",         "call (r), p, (r), t;",    None),
    ("g1",         "call (_), p, (r), t;",    None),
    ("g1",         "call (d), p, (r), t;",    "argument-type"),
    ("g1, g64",    "call (r), p, (r), t;",    "argument-type"),
    ("g64, g1",    "call (_), p, (r), t;",    None),
    ("g1",         "call p, (r), t;",         "argument-count"),
    ("open",       "call p, (r), t;",         None),
    ("open",       "call p, (r, a8), t;",     None),
    ("open",       "call p, t;",              "argument-count"),
    ("al",         "call p, (r, r), t;",      "argument-count"),
    # A list without elements is compared with the last function only.
    ("f2, f0",     "call p, t;",              None),
    ("f0, f2",     "call p, t;",              "argument-count"),
    ("g64, f1",    "call p, (r), t;",         None),
    ("f1, g1",     "call p, (r), t;",         "argument-count"),
    ("g1, g0",     "call (r), p, t;",         None),
    ("g64, g0",    "call (r), p, t;",         "argument-type"),
)
# fmt: on
LISTED = """
.version 9.0
.target sm_80
.address_size 64
.visible .func f0() { ret; }
.func f1(.reg .b32 a) { ret; }
.visible .func al(.reg .b32 a);
.visible .func alias(.reg .b32 a) { ret; }
.alias al, alias;
.func f2(.reg .b32 a, .reg .b32 b) { ret; }
.func f64(.reg .b64 a) { ret; }
.func (.reg .b32 r) g0() { mov.b32 r, 1; ret; }
.func (.reg .b32 r) g1(.reg .b32 a) { mov.b32 r, a; ret; }
.func (.reg .b64 r) g64(.reg .b32 a) { mov.b64 r, 1; ret; }
.func open(.param .b32 a, .param .align 4 .b8 b[]) { ret; }
"""
BODY = ".reg .b64 p, d; .reg .b32 r; .param .align 4 .b8 a8[8]; mov.b64 p, f0; mov.b64 d, p; mov.b32 r, 1;"


@pytest.mark.parametrize(("functions", "call", "wrong"), TARGETS)
def test_calls_of_listed_functions(functions: str, call: str, wrong: str | None) -> None:
    table = f"t: .calltargets {functions};"
    for body in (f"{table} {call}", f"{table} {{ {call} }}", f"{{ {table} {call} }}"):
        right = body.replace(table, "t: .calltargets f1;").replace(call, "call p, (r), t;")
        text = f".entry j() {{ {BODY} {right} ret; }}\n.entry k() {{ {BODY} {body} ret; }}\n"
        for written in (text, re.sub(r"\b([pdr])\b", r"%\1", text)):
            found = openptx.check(LISTED + written)
            assert [d.name for d in found if d.severity == "error"] == ([wrong] if wrong else []), written


# fmt: off
FORMALS = (  # a parameter; arguments that are taken, and those that are not
    # A vector is the bits of all of its elements.
    (".reg .v2 .b32 p",           "v vf r64 d64 1 q64",               "r32 f32 v4 q32"),
    (".reg .v2 .f32 p",           "v vf r64 d64 1 q64",               "r32 f32 v4 q32"),
    # An array is no vector.
    (".param .align 8 .b8 p[8]",  "a8",                               "v r64 a4"),
    # Constants of halves, and pairs of them, which are 32 bits.
    (".reg .f16 p",               "h 1.0 0f3F800000",                 "1 r32"),
    (".param .f16 p",             "h 1.0",                            "1 r32"),
    (".reg .f16x2 p",             "x r32 u32 f32 0f3F800000 q32",     "1 1.0 r64 h"),
    (".reg .pred p",              "o",                                "1 r32"),
    # No sums.
    (".reg .b32 p",               "r32 q32 7",                        "r32+1 q32+0 q32+4"),
)
# fmt: on


@pytest.mark.parametrize(("formal", "taken", "refused"), FORMALS)
@pytest.mark.parametrize("through", ["", "t"])
def test_arguments_of_parameters(formal: str, taken: str, refused: str, through: str) -> None:
    names = (
        ".reg .v2 .b32 v; .reg .v4 .b32 v4; .reg .v2 .f32 vf; .reg .b64 r64; .reg .f64 d64; .reg .b32 r32; "
        ".reg .u32 u32; .reg .f32 f32; .reg .f16 h; .reg .f16x2 x; .reg .pred o; .param .b64 q64; .param .b32 q32; "
        ".param .align 8 .b8 a8[8]; .param .align 4 .b8 a4[4]; "
    )
    prototype = f"t: .callprototype _ ({re.sub(r'(?<= )p', '_', formal)});" if through else ""
    callee, table = ("r64", ", t") if through else ("f", "")
    head = f".version 9.0\n.target sm_90\n.address_size 64\n.extern .func f({formal});\n"
    wrong = {
        argument
        for argument in (*taken.split(), *refused.split())
        for found in openptx.check(
            f"{head}.entry k() {{ {names} {prototype} call {callee}, ({argument}){table}; ret; }}"
        )
        if found.severity == "error"
    }
    assert wrong == set(refused.split())


# fmt: off
MATCHES = (  # a formal parameter, a declaration of the body, the argument, whether it is taken (sm_90, PTX 9.0)
    # `.align` does not lower the alignment of the type.
    (".param .b32 a",               ".param .align 1 .b32 q;",      "q",        True),
    (".param .align 2 .b64 a",      ".param .align 4 .b64 q;",      "q",        True),
    (".param .align 1 .b64 a[4]",   ".param .align 8 .b8 q[32];",   "q",        True),
    (".param .align 1 .b64 a[4]",   ".param .b8 q[32];",            "q",        False),
    (".param .align 1 .b8 a[4]",    ".param .align 1 .b32 q[1];",   "q",        False),
    (".param .align 8 .b32 a",      ".reg .b32 r;",                 "r",        False),
    (".param .align 4 .b32 a",      ".reg .b32 r;",                 "r",        True),
    (".param .align 8 .b32 a",      "",                             "1",        True),
    # Elements of arrays have one type, or are bits.
    (".param .u32 a[4]",            ".param .u32 q[4];",            "q",        True),
    (".param .u32 a[4]",            ".param .b32 q[4];",            "q",        True),
    (".param .b64 a[2]",            ".param .align 8 .b8 q[16];",   "q",        True),
    (".param .u32 a[4]",            ".param .s32 q[4];",            "q",        False),
    (".param .f64 a[2]",            ".param .s64 q[2];",            "q",        False),
    (".param .align 8 .u32 a[2]",   ".param .align 8 .u16 q[4];",   "q",        False),
    (".param .f16x2 a[4]",          ".param .f16x2 q[4];",          "q",        False),
    (".param .v2 .f32 a[4]",        ".param .v2 .f32 q[4];",        "q",        False),
    (".param .b64 a[4]",            ".param .v2 .f32 q[4];",        "q",        False),
    (".param .align 8 .b8 a[]",     ".param .align 8 .b32 q[4];",   "q",        True),
    (".param .align 8 .b8 a[]",     ".param .align 8 .f16x2 q[4];", "q",        False),
    (".param .b32 a",               ".param .b32 q[4];",            "q[0]",     False),
    # Registers have alignments, too.
    (".reg .b32 a",                 ".reg .align 8 .b32 r;",        "r",        False),
    (".reg .align 8 .b32 a",        ".reg .b32 r;",                 "r",        False),
    (".reg .align 8 .b32 a",        ".reg .align 8 .f32 r, q;",     "q",        True),
    (".reg .align 8 .b32 a",        ".param .align 8 .b32 q;",      "q",        True),
    (".param .align 8 .b32 a",      ".reg .align 8 .b32 r<2>;",     "r1",       True),
    (".reg .align 2 .b32 a",        ".reg .b32 r;",                 "r",        True),
    (".reg .align 16 .v2 .b32 a",   ".reg .v2 .b32 r;",             "r",        False),
    (".reg .align 16 .v2 .b32 a",   ".reg .align 16 .v2 .b32 r;",   "r",        True),
    (".reg .f16x2 a",               ".reg .pred r;",                "r",        True),
    (".reg .pred a",                ".reg .f16x2 r;",               "r",        True),
    # A constant has the bits of a vector of 64.
    (".reg .v2 .f32 a",             "",                             "0f3F800000", False),
    (".reg .v2 .b32 a",             "",                             "1",        True),
    (".reg .v4 .f16 a",             "",                             "1.0",      True),
    (".reg .v2 .b16 a",             "",                             "1",        False),
    (".reg .v4 .b32 a",             "",                             "1",        False),
)
# fmt: on


@pytest.mark.parametrize(("formal", "declared", "argument", "taken"), MATCHES)
def test_arguments_and_results_match(formal: str, declared: str, argument: str, taken: bool) -> None:
    head = ".version 9.0\n.target sm_90\n.address_size 64\n"
    calls = [f".extern .func f({formal});\n.entry k() {{ {declared} call f, ({argument}); ret; }}"]
    if not argument[0].isdigit() and "[]" not in formal:
        calls.append(f".extern .func ({formal}) f();\n.entry k() {{ {declared} call ({argument}), f; ret; }}")
    for call in calls:
        found = [d.name for d in openptx.check(head + call) if d.severity == "error"]
        assert found == ([] if taken else ["argument-type"]), call


def test_types_of_parameters_and_targets() -> None:
    """The assembler asks for the version of `.b128` where there is a body, for that of `.f16x2` unless in a vector."""
    head = ".version 4.3\n.target sm_50\n.address_size 64\n"
    texts = (
        ".func f(.reg .b128 a);",
        ".func f(.reg .v2 .f16x2 a) { ret; }",
        ".func f(.reg .b128 a) { ret; }",
        ".func f(.reg .f16x2 a);",
        ".entry k() { t: .callprototype _ (.reg .f16x2 a); ret; }",
    )
    taken = [not any(d.severity == "error" for d in openptx.check(head + text)) for text in texts]
    assert taken == [True, True, False, False, False]
