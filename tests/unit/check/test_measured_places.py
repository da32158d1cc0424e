"""Directives and declarations in various places: files that ptxas 13.5 accepts or rejects."""

from __future__ import annotations

import pytest

import openptx

HEAD = ".version 9.0\n.target sm_80\n.address_size 64\n"
KERNEL = ".visible .entry k() { ret; }\n"
DATA = ".section .debug_info { .b8 1 }\n"


def errors(text: str) -> list[str]:
    return [found.name for found in openptx.check(text) if found.severity == "error"]


# fmt: off
HEADERS = (  # the whole file, what is wrong with it
    (".version 9.0\n.address_size 64\n.target sm_80\n" + KERNEL,                 "missing-target"),
    (".version 9.0\n.file 1 \"a\"\n.target sm_80\n" + KERNEL,                    "missing-target"),
    (".version 9.0\n.pragma \"nounroll\";\n.target sm_80\n" + KERNEL,            "missing-target"),
    (".address_size 64\n.version 9.0\n.target sm_80\n" + KERNEL,                 "missing-version"),
    (".file 1 \"a\"\n.version 9.0\n.target sm_80\n" + KERNEL,                    "missing-version"),
    (HEAD + ".target sm_80\n" + KERNEL,                                          "repeated-directive"),
    (".version 9.0\n.target sm_80\n.target sm_80\n.address_size 64\n" + KERNEL, None),
    (".version 9.0\n.target sm_80\n" + KERNEL + ".address_size 64\n",            "misplaced-directive"),
    (".version 9.0\n.target sm_80\n.file 1 \"a\"\n.address_size 64\n" + KERNEL,  "misplaced-directive"),
    (".version 9.0\n.target debug\n" + KERNEL + DATA,                            "missing-target"),
    (".version 9.0\n.target sm_80, debug\n" + KERNEL,                            "target-conflict"),
    (".version 9.0\n.target sm_80, debug\n" + KERNEL + DATA,                     None),
    (".version 2.3\n.target sm_20, debug\n.entry k { exit; }\n" + DATA,          "needs-version"),
    (".version 9.0\n.target sm_80, map_f64_to_f32\n" + KERNEL,                   "removed"),
    (".version 1.4\n.target sm_12, map_f64_to_f32\n.entry k { exit; }\n",        None),
    (".version 9.0\n.target sm_90, sm_80\n.entry k() { wgmma.fence.sync.aligned; ret; }\n", "needs-target"),
    (".version 9.0\n.target sm_80, sm_90a\n.entry k() { wgmma.fence.sync.aligned; ret; }\n", None),
    ("#1 \"a.cu\"\n" + HEAD + "# 7 \"b.cu\" 2\n" + KERNEL,                       None),
    (HEAD + "#7 \"b.cu\" ret;\n" + KERNEL,                                       "invalid-character"),
    (HEAD + ".file 1 \"a\"\n.file 1 \"a\"\n" + KERNEL,                           "repeated-directive"),
    (HEAD + ".file 4294967296 \"a\"\n" + KERNEL,                                 "invalid-integer"),
)
LINES = (  # in a kernel, after `.loc 1 2 3`
    (".loc 1 30 1",                                              None),
    (".loc 1 30 ,",                                              "invalid-directive"),
    (".loc 1 -1 1",                                              "invalid-directive"),
    (".loc 1 4294967296 1",                                      "invalid-integer"),
    (".loc 1 30 1, function_name S, inlined_at 1 2 3",           None),
    (".loc 1 30 1, function_name S+4, inlined_at 1 0x2 3",       None),
    (".loc 1 30 1, function_name S+4, inlined_at 1 2 4",         "invalid-directive"),
    (".loc 1 30 1, function_name S-4, inlined_at 1 2 3",         "invalid-directive"),
    (".loc 1 30 1, function_name S",                             "invalid-directive"),
)
PARAMETERS = (  # of a kernel, of a function: whether they are taken
    (".param .u64 .ptr .global .align 16 a",    True,   False),
    (".param .u64 .ptr .align 3 a",             False,  False),
    (".param .u64 .ptr .align 0 a",             False,  False),
    (".param .u64 .align 16 a",                 True,   False),
    (".param .u64 .align 8 .ptr a",             False,  False),
    (".param .align 256 .b8 a[4]",              True,   False),
    (".param .align 128 .b8 a[4]",              True,   True),
    (".param .align 4294967296 .b8 a[4]",       False,  False),
)
IN_KERNELS = (  # p: a parameter of the kernel, c: a variable for calls
    ("ld.param.b32 r, [p];",            True),
    ("ld.param::entry.b32 r, [p];",     True),
    ("ld.param::func.b32 r, [p];",      False),
    ("ld.param::entry.b32 r, [c];",     False),
    ("ld.param::func.b32 r, [c];",      True),
    ("ld.param::func.b32 r, [t];",      False),
    ("@q ld.param.b32 r, [p];",         True),
    ("@q ld.param.b32 r, [c];",         False),
    ("@q st.param.b32 [c], r;",         False),
    ("mov.b64 t, c;",                   False),
    ("mov.b64 t, p;",                   True),
)
IN_FUNCTIONS = (  # a: what it is given, d: its result, c: a variable for calls
    ("ld.param.b32 r, [a];",            True),
    ("st.param.b32 [a], r;",            False),
    ("ld.param.b32 r, [d];",            False),
    ("st.param.b32 [d], r;",            True),
    ("@q ld.param.b32 r, [a];",         True),
    ("@q st.param.b32 [d], r;",         True),
    ("@q ld.param.b32 r, [c];",         False),
    ("ld.param::entry.b32 r, [c];",     False),
    ("ld.param::func.b32 r, [t];",      True),
)
# fmt: on


@pytest.mark.parametrize(("text", "wrong"), HEADERS)
def test_headers(text: str, wrong: str | None) -> None:
    assert errors(text) == ([wrong] if wrong else [])


@pytest.mark.parametrize(("line", "wrong"), LINES)
def test_locations(line: str, wrong: str | None) -> None:
    text = f'{HEAD}.file 1 "a"\n.entry k() {{\n.loc 1 2 3\n{line}\nret; }}\n.section .debug_str {{\nS: .b8 1\n}}\n'
    assert errors(text) == ([wrong] if wrong else [])


@pytest.mark.parametrize(("parameter", "kernel", "function"), PARAMETERS)
def test_parameters(parameter: str, kernel: bool, function: bool) -> None:
    assert (not errors(f"{HEAD}.entry k({parameter}) {{ ret; }}\n")) is kernel
    assert (not errors(f"{HEAD}.func f({parameter}) {{ ret; }}\n")) is function


@pytest.mark.parametrize(("statement", "right"), IN_KERNELS)
def test_accesses_of_kernels(statement: str, right: bool) -> None:
    body = ".reg .b32 r; .reg .b64 t; .reg .pred q; .param .b32 c; setp.eq.s32 q, 0, 0;"
    found = errors(f"{HEAD}.entry k(.param .b64 p) {{ {body} st.param.b32 [c], 1; {statement} ret; }}\n")
    assert (not found) is right


@pytest.mark.parametrize(("statement", "right"), IN_FUNCTIONS)
def test_accesses_of_functions(statement: str, right: bool) -> None:
    body = ".reg .b32 r; .reg .b64 t; .reg .pred q; .param .b32 c; setp.eq.s32 q, 0, 0;"
    found = errors(f"{HEAD}.func (.param .b32 d) f(.param .b32 a) {{ {body} {statement} ret; }}\n")
    assert (not found) is right


@pytest.mark.parametrize("limit", [".reqntid 0", ".maxntid 32, 0", ".maxnreg 0", ".minnctapersm 0"])
def test_limits_are_positive(limit: str) -> None:
    assert errors(f"{HEAD}.entry k()\n{limit}\n{{ ret; }}\n") == ["invalid-directive"]
    assert errors(f"{HEAD}.entry k()\n{limit.replace('0', '1')}\n{{ ret; }}\n") == []


@pytest.mark.parametrize(
    ("limits", "right"),
    [
        (".maxntid 32 .reqntid 32", False),
        (".maxntid 32 .maxnreg 32", True),
        (".reqnctapercluster 2 .maxclusterrank 4", False),
        (".blocksareclusters", False),
        (".reqntid 32 .reqnctapercluster 2 .blocksareclusters", True),
    ],
)
def test_limits_that_exclude_each_other(limits: str, right: bool) -> None:
    head = HEAD.replace("sm_80", "sm_90")
    assert (not errors(f"{head}.entry k()\n{limits}\n{{ ret; }}\n")) is right


PRAGMAS = ('.pragma "enable_smem_spilling";', '.pragma "nounroll", "frequency 3";', '.pragma "used_bytes_mask 1";')


@pytest.mark.parametrize("pragma", PRAGMAS)
def test_pragmas_about_code_are_in_functions(pragma: str) -> None:
    assert set(errors(f"{HEAD}{pragma}\n.entry k() {{ ret; }}\n")) == {"misplaced-directive"}
    assert errors(f"{HEAD}.entry k() {{ {pragma} ret; }}\n") == []
    assert errors(f'{HEAD}.pragma "nounroll";\n.entry k() {{ ret; }}\n') == []


# fmt: off
#    in front of the kernel, in its body in front of the value, the value, the finding
LOCAL_VALUES = (
    ("",                 "",                        "no",            "unknown-name"),
    ("",                 "",                        "generic(no)",   "unknown-name"),
    ("",                 "{ .global .u32 a; }",     "a",             "unknown-name"),
    ("",                 "L:",                      "L",             "unknown-name"),
    ("",                 "",                        "%tid",          "unknown-name"),
    ("",                 ".reg .b32 a<4>;",         "a1",            "initializer"),
    (".global .u32 a;",  ".reg .u32 a;",            "a",             "initializer"),
    ("",                 ".shared .u32 a;",         "a",             "initializer"),
    (".shared .u32 a;",  "",                        "a+4",           "initializer"),
    ("",                 "",                        "parameter",     "initializer"),
    (".global .u32 a;",  "",                        "a",             None),
    ("",                 ".global .u32 a;",         "a+4",           None),
    ("",                 ".const .u32 a; {} ",      "generic(a)",    None),
    ("",                 "",                        "k",             None),
    ("",                 "",                        "v",             None),
    (".func f;",         "",                        "f",             None),
)
# fmt: on


@pytest.mark.parametrize(("before", "body", "value", "wrong"), LOCAL_VALUES)
def test_names_in_initial_values_of_bodies(before: str, body: str, value: str, wrong: str | None) -> None:
    text = f"{HEAD}{before}\n.entry k(.param .u64 parameter) {{ {body} .global .u64 v = {value}; ret; }}\n"
    assert errors(text) == ([wrong] if wrong else [])


# fmt: off
ATTRIBUTES = (
    (".global .attribute(.managd) .f32 g;",             "invalid-directive"),
    (".global .attribute(.managed, .entry) .f32 g;",    "invalid-directive"),
    (".global .attribute(.managed(1, 2)) .f32 g;",      "invalid-directive"),
    (".func .attribute(.managed) f();",                 "invalid-directive"),
    (".func .attribute(.unified(1, 2, 3)) f();",        "invalid-directive"),
    (".func .attribute(.unified) f();",                 "invalid-directive"),
    (".shared .attribute(.unified(1, 2)) .u32 g;",      "invalid-directive"),
    (".global .attribute(.managed, .managed) .f32 g;",  None),
    (".func .attribute(.unified(1, 2)) f();",           None),
    (".func f(.common .param .b32 a);",                 "misplaced-directive"),
    (".func (.weak .param .b32 a) f;",                  "misplaced-directive"),
    (".entry f(.visible .param .b32 a) { ret; }",       "misplaced-directive"),
    (".entry f() { p: .callprototype _ (.extern .param .b32 _); ret; }", "misplaced-directive"),
)
# fmt: on


@pytest.mark.parametrize(("text", "wrong"), ATTRIBUTES)
def test_attributes_and_linkage(text: str, wrong: str | None) -> None:
    head = HEAD.replace("sm_80", "sm_90")
    assert errors(f"{head}{text}\n") == ([wrong] if wrong else [])


def test_unknown_types_of_nothing() -> None:
    assert errors(f"{HEAD}.global .foo ;\n{KERNEL}") == ["register-type"]
    assert errors(f"{HEAD}.entry k() {{ .local .foo ; ret; }}\n") == ["register-type"]
    assert errors(f"{HEAD}.global .e4m3 ;\n{KERNEL}") == []


@pytest.mark.parametrize("limit", [".maxclusterrank 4294967296", ".reqnctapercluster 1, 4294967296"])
def test_limits_of_clusters_have_32_bits(limit: str) -> None:
    head = HEAD.replace("sm_80", "sm_90")
    assert errors(f"{head}.entry k() {limit} {{ ret; }}\n") == ["invalid-directive"]
    assert errors(f"{head}.entry k() {limit.replace('96', '95')} {{ ret; }}\n") == []


def test_values_after_an_unknown_type() -> None:
    assert errors(f"{HEAD}.global .foo a, b = 7, c[2] = {{1}};\n{KERNEL}") == ["register-type"]
    assert errors(f"{HEAD}.entry k() {{ .global .foo a, b = 7; ret; }}\n") == ["register-type"]


@pytest.mark.parametrize("count", ["4294967296", "99999999999"])
def test_so_many_registers_are_too_many(count: str) -> None:
    assert errors(f"{HEAD}.entry k() {{ .reg .b32 %r<{count}>; ret; }}\n") == ["array-size"]


TEXTURES = """.version 9.0
.target sm_80, texmode_independent
.address_size 64
.global .texref tx; .global .samplerref sa;
.entry k() { .reg .f32 %f<8>; .reg .b32 %r<4>; .reg .b64 %d<4>;
"""

# fmt: off
INDEPENDENT = (  # with samplers of their own
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, sa, {%r0}];",            None),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, %d0, {%r0}];",           None),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, {%r0}];",                "address-form"),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, tx, {%r0}];",            "operand-kind"),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, %r1, {%r0}];",           "operand-kind"),
    ("tld4.r.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [tx, {%f4, %f5}];",        "address-form"),
    ("txq.width.b32 %r0, [tx];",                                            None),
    ("txq.filter_mode.b32 %r0, [sa];",                                      None),
    ("txq.filter_mode.b32 %r0, [tx];",                                      "operand-kind"),
)
FUNCTIONS = (  # declarations that agree or do not
    (".func f(.param .b32 a); .func f(.param .align 4 .b32 a) { ret; }",                None),
    (".func f(.param .b32 a); .func f(.param .align 8 .b32 a) { ret; }",                "declaration-mismatch"),
    (".func f(.param .align 8 .b8 a[16]); .func f(.param .align 16 .b8 a[16]) { ret; }", "declaration-mismatch"),
    (".func (.param .b8 r[16]) f(); .func (.param .align 4 .b8 r[16]) f() { ret; }",    "declaration-mismatch"),
    (".func f() .noreturn; .func f() .noreturn { trap; }",                              None),
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
    (".global .f16 x = {};",                                        "initializer"),
    (".global .f16 x[2][2] = {{}, {1}};",                           "initializer"),
    (".global .b8 y; .global .u8 x[2] = {256, y};",                 "initializer"),
    (".global .b8 y; .global .u8 x[2][2] = {{256}, {y}};",          "initializer"),
    (".shared .b32 x; .global .u64 y = x;",                         "initializer"),
    (".global .b32 x; .global .u8 y = 0xFF00(x);",                  None),
    (".global .b32 x; .global .u8 y = 0xFFF(x);",                   "initializer"),
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
# fmt: on


# fmt: off
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


@pytest.mark.parametrize(("statement", "wrong"), INDEPENDENT)
def test_samplers_of_their_own(statement: str, wrong: str | None) -> None:
    assert errors(f"{TEXTURES}{statement} ret; }}\n") == ([wrong] if wrong else [])


@pytest.mark.parametrize(("text", "wrong"), [*FUNCTIONS, *BODIES, *SCOPES, *VARIABLES])
def test_declarations_agree(text: str, wrong: str | None) -> None:
    assert errors(HEAD + text + "\n" + KERNEL) == ([wrong] if wrong else [])
