"""Directives and declarations in various places: files that ptxas 13.5 accepts or rejects."""

from __future__ import annotations

import pytest

import openptx
from openptx.syntax.tokens import TOKEN

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
    (".version\n9.0\n.target sm_80\n" + KERNEL,                                  "missing-version"),
    (".version 8.10\n.target sm_90\n" + KERNEL,                                  None),
    (".version 8.16\n.target sm_90\n" + KERNEL,                                  "unknown-version"),
    (".version 8.9\n.target sm_90\n" + KERNEL,                                   "unknown-version"),
    (".version 7.10\n.target sm_90a\n" + KERNEL,                                 "target-needs-version"),
    (".version/**/9.0\n.target sm_80\n" + KERNEL,                                "missing-version"),
    (".version\t\r9.0\n.target\nsm_80\n" + KERNEL,                               None),
    (".address_size 64\n.version 9.0\n.target sm_80\n" + KERNEL,                 "missing-version"),
    (".file 1 \"a\"\n.version 9.0\n.target sm_80\n" + KERNEL,                    "missing-version"),
    (HEAD + ".target sm_80\n" + KERNEL,                                          "repeated-directive"),
    (".version 9.0\n.target sm_80\n.target sm_80\n.address_size 64\n" + KERNEL, None),
    (".version 9.0\n.target sm_80\n" + KERNEL + ".address_size 64\n",            "misplaced-directive"),
    (".version 9.0\n.target sm_80\n.file 1 \"a\"\n.address_size 64\n" + KERNEL,  "misplaced-directive"),
    ("/**/.version\t9.0/**/\n.target/**/sm_80\n" + KERNEL,                      None),
    (HEAD + ".visible /* . */.entry e() { ret; } .weak // e\n.func f();",        None),
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
    (".const .attribute(.managed) .u32 g;",             "invalid-directive"),
    (".const .attribute(.managed) .u32 g<4>;",          None),
    (".const .attribute(.managed) .u32 g<4>, h;",       "invalid-directive"),
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


MARKED = (
    HEAD
    + """
.global .align 4 .u32 v[2] = {1, 2};
.func (.reg .b32 r) f(.reg .b32 a) { mov.b32 r, a; ret; }
.visible .entry marked(.param .u64 p) .maxntid 32, 1, 1
{
    .reg .pred q; .reg .b32 r<3>; .reg .b64 d<3>;
    ld.param.u64 d1, [p+0];
    setp.eq.u32 q, 1, 1;
    @!q bra L;
    mov.b32 r1, -7;
    call (r2), f, (r1);
    st.v2.u32 [d1+-8], {r1, r2};
L:  .pragma "nounroll";
    ret;
}
"""
)


@pytest.mark.parametrize("marker", ['\n# 7 "b;{.cu" 1 3\n', ' #line 7 "/*.cu"\n'])
def test_line_markers_between_any_tokens(marker: str) -> None:
    ends = [match.end() for match in TOKEN.finditer(MARKED) if match.lastgroup != "trivia"]
    each = [MARKED[:end] + marker + MARKED[end:] for end in ends if end > len(".version")]
    everywhere = ".version 9.0" + "".join(
        f"{marker}{match[0]}" for match in TOKEN.finditer(MARKED, len(".version 9.0"))
    )
    for text in (*each, everywhere):
        assert errors(text) == []
        assert openptx.load(text).kernels == ("marked",)
