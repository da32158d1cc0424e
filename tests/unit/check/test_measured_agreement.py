"""Declarations of functions, bodies and variables that agree or do not: files that ptxas 13.5 accepts or rejects."""

from __future__ import annotations

import pytest

import openptx

HEAD = ".version 9.0\n.target sm_80\n.address_size 64\n"
KERNEL = ".visible .entry k() { ret; }\n"


def errors(text: str) -> list[str]:
    return [found.name for found in openptx.check(text) if found.severity == "error"]


# fmt: off
FUNCTIONS = (  # declarations that agree or do not
    (".func f(.param .b32 a); .func f(.param .align 4 .b32 a) { ret; }",                None),
    (".func f(.param .b32 a); .func f(.param .align 8 .b32 a) { ret; }",                "declaration-mismatch"),
    (".func f(.param .align 8 .b8 a[16]); .func f(.param .align 16 .b8 a[16]) { ret; }", "declaration-mismatch"),
    (".func (.param .b8 r[16]) f(); .func (.param .align 4 .b8 r[16]) f() { ret; }",    "declaration-mismatch"),
    (".func f() .noreturn; .func f() .noreturn { trap; }",                              None),
    (".weak .func f(); .func f() { ret; }",                                             None),
    (".weak .entry e(); .entry e() .maxntid 4 { ret; }",                                None),
    (".weak .func f(); .visible .func f() { ret; }",                                    "declaration-mismatch"),
    (".func f(); .weak .func f() { ret; }",                                             "declaration-mismatch"),
    (".func f() .noreturn; .func f() { ret; }",                                         "declaration-mismatch"),
    (".func (.param .b32 r) f() .noreturn { trap; }",                                   "invalid-directive"),
    (".func f() .maxnreg 32 { ret; }",                                                  "misplaced-directive"),
    (".func f() .pragma \"nounroll\"; { ret; }",                                        "misplaced-statement"),
    (".func f() .pragma \"nounroll\"; .func f() { ret; }",                              None),
    (".func %tid() { ret; }",                                                           "reserved-name"),
    (".func f() { ret; } .func WARP_SZ() { ret; }",                                     "reserved-name"),
    (".entry %envreg3() { ret; }",                                                      "reserved-name"),
    (".func f() .abi_preserve 8 { ret; }",                                              None),
    (".func f() .noreturn .abi_preserve 8 .abi_preserve_control 11 { trap; }",          None),
    (".func f() .abi_preserve 8 .noreturn { trap; }",                                   "invalid-directive"),
    (".func f() .noreturn .noreturn { trap; }",                                         "invalid-directive"),
    (".func f() .abi_preserve 8 .abi_preserve 8 { ret; }",                              "invalid-directive"),
    (".func f() .abi_preserve 4294967295 { ret; }",                                     None),
    (".func f() .abi_preserve 4294967296 { ret; }",                                     "invalid-directive"),
    (".func f() .abi_preserve_control 12;",                                             "invalid-directive"),
    (".func (.reg .b32 r, .reg .b32 s) f() { ret; }",                                   None),
    (".func (.param .b32 r, .reg .b32 s) f();",                                         "parameter"),
    (".entry e() .maxntid 32 { ret; } .entry f() .maxntid 32;",                         "invalid-directive"),
    (".entry e() .pragma \"nounroll\"; ;",                                              "invalid-directive"),
    (".entry e();",                                                                     None),
    (".visible .func g(); .visible .func f() { ret; } .alias g, f;",                    None),
    (".func f() { ret; } .alias g, f;",                                                 "unknown-function"),
    (".visible .func g() { ret; } .visible .func f() { ret; } .alias g, f;",            "declaration-mismatch"),
    (".visible .func g(.param .b32 a); .visible .func f() { ret; } .alias g, f;",       "declaration-mismatch"),
    (".visible .func g(); .weak .func f() { ret; } .alias g, f;",                       "declaration-mismatch"),
    (".func g(); .func f() { ret; } .alias g, f; .alias g, f;",                         "duplicate-name"),
    (".func g(); .func h(); .func f() { ret; } .alias g, f; .alias h, g;",              None),
    (".func g(); .extern .func f(); .alias g, f;",                                      "declaration-mismatch"),
    (".func g(); .alias g, g; .func g() { ret; }",                                      "declaration-mismatch"),
)
BODIES = (  # what a body declares, and what uses it
    (".entry e() { .global .attribute(.managed) .b32 a; ret; }",                                None),
    (".entry e() { .shared .attribute(.managed) .b32 a; ret; }",                                "invalid-directive"),
    (".entry e() { p: .callprototype (.reg .b32 _, .reg .b32 _) _ (); ret; }",                  None),
    (".entry e() { p: .callprototype (.param .b32 _, .param .b32 _) _ (); ret; }",              "parameter"),
    (".entry e() { p: .callprototype _ () .noreturn .abi_preserve 8; ret; }",                   None),
    (".entry e() { p: .callprototype _ () .abi_preserve 8 .noreturn; ret; }",                   "invalid-directive"),
    (".func a(); .func g() { ret; } .entry e() { .alias a, g; ret; }",                          None),
    (".func g() { ret; } .entry e() { .alias a, g; ret; }",                                     "unknown-function"),
    (".entry e() { .reg .b32 w<3>; .reg .b32 w1; ret; }",                                       "duplicate-name"),
    (".entry e() { .reg .b32 w1; .reg .b32 w<3>; ret; }",                                       "duplicate-name"),
    (".entry e() { .reg .b32 w<3>; .reg .f32 w3; { .reg .b32 w1; } ret; }",                     None),
    (".entry e() { .reg .b32 r<4>; mov.v4.u32 {r0, r1, r2, r3}, %tid; ret; }",                  None),
    (".entry e() { .reg .b32 r<4>; mov.v2.u32 {r0, r1}, %tid; ret; }",                          "operand-type"),
    (".entry e() { .reg .b64 d<4>; mov.u64 d0, 8; p: .callprototype _ (); call d0, (), p; ret; }", None),
    (".entry e() { .reg .b64 d<4>; mov.u64 d0, 8; call d0, (), p; p: .callprototype _ (); ret; }", "target-list"),
    (".func f() { ret; } .entry e() { .reg .b32 r; brx.idx r, t; t: .calltargets f; ret; }", "target-list"),
    (".entry e() { brx.idx 1, t; t: .branchtargets A, B; A: B: ret; }",                         "target-list"),
)
SCOPES = (  # parameters, labels and what the outermost block declares share one scope; ranges meet no label
    (".entry e() { .reg .u32 a; a: ret; }",                               "duplicate-name"),
    (".entry e() { a: .reg .u32 a; ret; }",                               "duplicate-name"),
    (".entry e() { bra a; a: .local .b32 a; ret; }",                      "duplicate-name"),
    (".entry e() { a: .branchtargets b; b: ret; .reg .u32 a; }",          "duplicate-name"),
    (".entry e(.param .u32 a) { a: ret; }",                               "duplicate-name"),
    (".entry e(.param .u32 a) { .reg .u32 a; ret; }",                     "duplicate-name"),
    (".entry e(.param .u32 a) { .local .u32 a; ret; }",                   "duplicate-name"),
    (".func f(.reg .u32 a1) { .reg .u32 a<3>; ret; }",                    "duplicate-name"),
    (".func (.reg .u32 a) f(.reg .u32 b) { .reg .f32 a; ret; }",          "duplicate-name"),
    (".entry e() { .reg .u32 a<4>; a1: ret; }",                           None),
    (".func f(.reg .u32 a) { .reg .u32 a<3>; ret; }",                     None),
    (".entry e() { .reg .u32 a; { a: ret; } }",                           None),
    (".entry e(.param .u32 a) { { .reg .u32 a; } { a: ret; } }",          None),
    (".entry e() { { .reg .u32 a; } a: ret; }",                           None),
    (".entry e(.param .u32 e) { .reg .u32 %r; ret; }",                    None),
    (".entry e() { p: .callprototype _ (.param .bf16 a); ret; }",          "register-type"),
    (".entry e() { p: .callprototype (.param .u4 a) _ (); ret; }",         "register-type"),
    (".entry e() { p: .callprototype _ (.param .e4m3 a); ret; }",          None),
    (".func f(.local .b32 a);",                                           "parameter"),
    (".func (.const .b32 a) f() { ret; }",                                "parameter"),
    (".entry e() { p: .callprototype _ (.global .b32 a); ret; }",          "parameter"),
    (".entry _() { ret; }",                                               "invalid-name"),
    (".entry e() { _: ret; }",                                            "invalid-name"),
    (".entry e() { .reg .b32 _<3>; ret; }",                               "invalid-name"),
    (".func (.reg .b32 _) f() { ret; }",                                  "invalid-name"),
    (".extern .func f(.param .b64 _);",                                   "invalid-name"),
    (".entry e(.param .u32 _) { ret; }",                                  None),
)
VARIABLES = (
    (".extern .global .b32 x;",                                     None),
    (".extern .global .b32 x = 4;",                                 "initializer"),
    (".global .b32 x[0] = {1, 2};",                                 None),
    (".global .b32 x[0][2] = {{1, 2}};",                            None),
    (".global .b32 x[2][0] = {{}, {}};",                            "array-size"),
    (".global .b32 x[0];",                                          "array-size"),
    (".global .b32 x[0] = {};",                                     "initializer"),
    (".global .b32 x[] = {};",                                      "initializer"),
    (".global .b32 x[2] = {};",                                     None),
    (".global .f32x2 x[2] = {1, 0};",                               "initializer"),
    (".global .align 0 .b8 x[2] = {1, 0};",                         "alignment"),
    (".global .u16x2 x[2] = {{1, 0}};",                             None),
    (".global .s2f6x2 x[2];",                                       None),
    (".global .f16 x[2] = {};",                                     None),
    (".global .v2 .f16 x[2] = {};",                                 None),
    (".global .f16x2 x[2][2] = {{}, {}};",                          None),
    (".global .f16x2 x = {-1, 1.0, {}};",                           None),
    (".global .f16x2 x[2] = {{1, 2}, {}};",                         None),
    (".global .f16x2 x[2] = {{1}, 2};",                             "initializer"),
    (".global .f16x2 x[1] = {{1}, {2}};",                           "initializer"),
    (".global .v2 .f16x2 x = {{1}, {2}};",                          None),
    (".global .v2 .f16x2 x = {{1}, {2}, {3}};",                     "initializer"),
    (".global .v2 .f16x2 x = {1, 2};",                              "initializer"),
    (".global .f16 x = {};",                                        "initializer"),
    (".global .f16 x[2][2] = {{}, {1}};",                           "initializer"),
    (".global .b8 y; .global .u8 x[2] = {256, y};",                 "initializer"),
    (".global .b8 y; .global .u8 x[2][2] = {{256}, {y}};",          "initializer"),
    (".shared .b32 x; .global .u64 y = x;",                         "initializer"),
    (".global .b32 x; .global .u8 y = 0xFF00(x);",                  None),
    (".global .b32 x; .global .u8 y = 0xFFF(x);",                   "initializer"),
    (".global .u8 y = 0xFF00(1000);",                               None),
    (".global .u8 y = 0xFFF(1000);",                                "initializer"),
    (".global .u32 y[2] = {1, 0(1000)};",                           "initializer"),
    (".global .b32 x; .global .u8 y[2] = {0xFF(x), 0x1(x)};",       "initializer"),
    (".shared .b32 x; .global .u64 y = generic(x);",                "initializer"),
    (".const .b32 x; .global .u64 y = generic(x);",                 None),
    (".func f() { ret; } .global .u64 y[2] = {f, f};",              None),
    (".func f() { ret; } .global .u64 y = generic(f);",             "initializer"),
    (".func f() { ret; } .global .u64 y = f+0;",                    "initializer"),
    (".func f() { ret; } .global .u64 y[2] = {f, f+8};",            "initializer"),
    (".func f() { ret; } .global .u8 y = 0xFF(generic(f));",        "initializer"),
    (".global .attribute(.managed) .b32 x;",                        None),
    (".shared .attribute(.managed) .b32 x;",                        "invalid-directive"),
)
RANGES = (  # declarations, a register's name, what is wrong
    (".reg .b32 c<50>;",                   "c41",   None),
    (".reg .b32 c4<3>;",                   "c41",   "unknown-name"),
    (".reg .b32 c4<3>;",                   "c4_1",  "unknown-name"),
    (".reg .b32 c<50>, c4<3>;",            "c41",   None),
    (".reg .b32 c<3>, c4<3>;",             "c41",   "unknown-name"),
    (".reg .b64 c<50>; .reg .b32 c4<3>;",  "c41",   "operand-size"),
    (".reg .b32 c4<3>, c41;",              "c41",   None),
    (".reg .b32 c41, c4<3>;",              "c41",   None),
    (".reg .b32 c00<3>;",                  "c002",  "unknown-name"),
)
# fmt: on


@pytest.mark.parametrize(("declared", "name", "wrong"), RANGES)
def test_the_number_of_a_register_is_all_digits_at_the_end_of_its_name(
    declared: str, name: str, wrong: str | None
) -> None:
    body = f"{declared} mov.b32 {name}, 1;"
    for text in (f".entry k() {{ {body} ret; }}", f".entry k() {{ {{ {body} }} ret; }}"):
        assert errors(HEAD + text) == ([wrong] if wrong else [])


@pytest.mark.parametrize(("text", "wrong"), [*FUNCTIONS, *BODIES, *SCOPES, *VARIABLES])
def test_declarations_agree(text: str, wrong: str | None) -> None:
    assert errors(HEAD + text + "\n" + KERNEL) == ([wrong] if wrong else [])
