"""Text of many compilers and people that no manual shows, with the verdicts of ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx

OLD = ".version 1.4\n.target sm_13\n"
FERMI = ".version 2.3\n.target sm_20\n"
NEW = ".version 8.0\n.target sm_80\n"
FUNCTIONS = ".func add { ret; }\n.func (.reg .b64 r) mul { ret; }\n.func (.reg .b64 r) two (.reg .b64 a) { ret; }\n"
BODY = ".reg .b32 r; .reg .b64 t; .reg .f32 f; .reg .b16 h; .reg .pred p; .local .align 8 .b8 l[8];\n"


def errors(text: str) -> list[str]:
    return [found.name for found in openptx.check(text) if found.severity == "error"]


def kernel(statements: str, before: str = FUNCTIONS, head: str = NEW) -> str:
    return f"{head}{before}.entry k\n{{\n{BODY}{statements}\nexit;\n}}\n"


# A `.func` header is a declaration where another item follows: nvopencc wrote no `;`, and any version may leave it out.
FOLLOWING = (
    "", ".func g { ret; }", ".visible .func g { ret; }", ".entry g { exit; }", ".file 1 \"a.cu\"", ".global .u32 x;",
    ".const .u32 x = 1;", ".extern .shared .b8 x[];", "/* a comment */ .weak .global .u32 x;",
)  # fmt: skip


@pytest.mark.parametrize("following", FOLLOWING)
@pytest.mark.parametrize("header", [".func f", ".visible .func (.reg .u32 d) f (.reg .u32 a)", ".extern .func f ()"])
def test_a_function_is_declared_without_a_semicolon(header: str, following: str) -> None:
    assert not errors(f"{NEW}{header}\n{following}\n")


def test_a_kernel_is_not_declared_without_a_semicolon() -> None:
    assert errors(f"{NEW}.entry f\n.global .u32 x;\n")
    assert not errors(f"{NEW}.entry f;\n.global .u32 x;\n")


def test_a_forgotten_brace_is_still_one() -> None:
    found = openptx.check(f"{NEW}.func f\n.reg .u32 a;\nmov.u32 a, 1;\nret;\n}}\n.func g {{ ret; }}\n")
    assert [(each.name, each.file.location(each.span[0])[0]) for each in found if each.severity == "error"] == [
        ("syntax", 4)
    ]


@pytest.mark.parametrize("declaration", [".local .align 4 .b8 a[16];", ".reg .u32 %a<4>;", ".reg .pred p;"])
def test_registers_and_local_memory_belonged_to_modules_before_there_was_an_abi(declaration: str) -> None:
    use = ".entry k\n{\n.reg .u32 r;\nmov.u32 r, 1;\nexit;\n}\n"
    assert not errors(f"{OLD}{declaration}\n{use}")
    assert not errors(f"{FERMI}{declaration}\n{use}")
    assert errors(f".version 3.0\n.target sm_20\n{declaration}\n{use}") == ["state-space-place"]


@pytest.mark.parametrize("space", ["shared", "const", "global", "shared .align 4"])
def test_a_declaration_of_nothing_is_none(space: str) -> None:
    """The assembler takes it too."""
    text = f".version 8.5\n.target sm_80\n.address_size 64\n.{space} .b32 ;\n"
    assert openptx.check(text) == []
    assert openptx.load(text).kernels == ()


@pytest.mark.parametrize(("declared", "right"), [
    (".u32 t", True), (".u64 t, u", True), (".align 8 .u64 t", True), (".s32 t", False), (".b64 t", False),
    (".f32 t", False), (".u32 t[2]", False), (".v2 .u32 t", False), (".u64 t = 4", False),
])  # fmt: skip
def test_textures_had_a_state_space(declared: str, right: bool) -> None:
    code = ".reg .f32 %f<5>; mov.f32 %f1, 0f00000000; tex.1d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [t,{%f1,%f1,%f1,%f1}]; exit;"
    assert (not errors(f".version 1.4\n.target sm_13\n.tex {declared};\n.entry k {{ {code} }}\n")) is right


@pytest.mark.parametrize(("said", "read"), [
    ("sm__80", "sm_80"), ("sm_80x", "sm_80"), ("_sm_80", "sm_80"), ("asm_080", "sm_80"), ("sm_90_a", "sm_90a"),
    ("sm_80_90", "sm_80"), ("compute_x80", "sm_80"), ("sm_80a", None), ("sm_8_0", None), ("sm80", None), ("sm_", None),
    ("SM_80", None), ("smx_80", None), ("sm_90af", None),
])  # fmt: skip
def test_the_first_number_in_the_name_of_a_target_decides(said: str, read: str | None) -> None:
    text = f".version 8.5\n.target {said}\n.address_size 64\n.entry k {{ ret; }}\n"
    found = openptx.check(text)
    assert [each.name for each in found] == ["unknown-target" if read is None else "document-disagrees"]
    assert [each.name for each in openptx.check(text, profile="isa")] == ["unknown-target"]
    if read is not None:
        assert found[0].fix is not None
        assert found[0].fix.replacement == openptx.load(text).program.target == read


@pytest.mark.parametrize(("said", "right"), [
    ("8.5\n.target compute_80", True), ("8.0\n.target compute_90a", True), ("6.0\n.target compute_80", False),
    ("8.5\n.target compute_80a", False), ("8.5\n.target compute_70, compute_80", True),
    ("8.5\n.target compute_80, sm_70", False), ("8.5\n.target COMPUTE_80", False),
])  # fmt: skip
def test_targets_are_also_called_as_the_compiler_calls_them(said: str, right: bool) -> None:
    code = (
        ".entry k { .reg .b32 a; .reg .b64 b; mov.b32 a, 0; mov.b64 b, 0; cp.async.ca.shared.global [a], [b], 4; ret; }"
    )
    text = f".version {said}\n.address_size 64\n{code}\n"
    assert (not errors(text)) is right
    assert any(each.name == "unknown-target" for each in openptx.check(text, profile="isa"))
    if right:
        assert openptx.load(text).program.target.startswith("sm_")


def test_a_parameter_never_belonged_to_a_module() -> None:
    assert "state-space-place" in errors(f"{OLD}.param .u32 a;\n")


# fmt: off
CALLS = (
    ("call add;",                                                       True),
    ("call (t), mul;",                                                  True),
    ("call (t), mul, ();",                                              True),
    ("call (t), two;",                                                  False),
    ("call (t), add;",                                                  False),
    ("P: .callprototype (.reg .b64 _) _; call (t), t, P;",              True),
    ("P: .callprototype (.reg .b64 _) _ (.reg .b64 _); call (t), t, P;", False),
    ("P: .calltargets mul; call (t), t, P;",                            True),
    ("call.uni\nf_$_1,\n(\nt\n);",                                      True),
    ("call.uni\nadd;",                                                  True),
)
SUMS = (  # a register and a constant: the kind of the register counts, its width does not
    ("st.u64 [l], t + 1;",          True),
    ("st.u64 [l], r + 1;",          True),
    ("st.u64 [l], f + 1;",          False),
    ("st.u64 [l], t - 1;",          False),
    ("st.u32 [l], l + 1;",          True),
    ("st.u32 [l], l;",              False),
    ("st.f32 [l], f + 1;",          True),
    ("st.f32 [l], l + 1;",          False),
    ("add.u32 r, h + 1, r;",        True),
    ("and.b32 r, f + 1, r;",        True),
    ("and.pred p, p + 1, p;",       True),
    ("and.pred p, r + 1, p;",       False),
    ("shl.b32 r, r, t + 1;",        False),
    ("shl.b32 r, r, r + 1;",        True),
    ("add.u32 r + 1, r, r;",        False),
    ("mov.f32 f, t + 1;",           True),
    ("mov.u32 r, f + 1;",           False),
    ("add.u64 t, mul + 1, t;",      True),
)
ARGUMENTS = (  # a parameter, a variable that is passed for it
    (".align 4 .b8 x[]",    ".align 4 .b8 q[12]",   True),
    (".align 4 .b8 x[]",    ".align 8 .b8 q[16]",   False),
    (".align 4 .b8 x[]",    ".b32 q",               False),
    (".b32 x[0]",           ".b32 q[3]",            True),
    (".align 4 .b8 x[8]",   ".b32 q[2]",            True),
    (".align 4 .b8 x[8]",   ".b64 q[1]",            False),
    (".align 8 .b8 x[8]",   ".b64 q",               False),
    (".b64 x",              ".b64 q[1]",            False),
    (".b64 x",              ".f64 q",               True),
    (".u64 x",              ".f64 q",               False),
    (".f32 x",              ".b32 q",               True),
    (".u32 x",              ".s32 q",               True),
    (".b32 x",              ".align 8 .b32 q",      False),
)
UNSIZED = (
    (".func f (.reg .u32 n, .param .b32 x[]);",     True),
    (".func f (.param .b32 x[], .reg .u32 n);",     False),
    (".func (.param .b32 x[]) f;",                  False),
    (".func f (.reg .b32 x[]);",                    False),
    (".entry f (.param .b32 x[]) { exit; }",        False),
)
# fmt: on


@pytest.mark.parametrize(("statements", "right"), [*CALLS, *SUMS])
def test_statements(statements: str, right: bool) -> None:
    functions = FUNCTIONS + ".func f_$_1 (.reg .b64 a) { ret; }\n"
    assert (not errors(kernel(statements, functions))) is right


def test_sums_are_for_the_assembler_alone() -> None:
    found = {each.name: each.severity for each in openptx.check(kernel("st.u64 [l], t + 1;"))}
    assert found["document-disagrees"] == "warning"
    assert "operand-kind" in {each.name for each in openptx.check(kernel("st.u64 [l], t + 1;"), profile="isa")}


@pytest.mark.parametrize(("parameter", "variable", "right"), ARGUMENTS)
def test_a_variable_is_passed_as_it_is_declared(parameter: str, variable: str, right: bool) -> None:
    passed = kernel(f".param {variable};\ncall callee, (q);", f".func callee (.param {parameter});\n")
    assert (not errors(passed)) is right


@pytest.mark.parametrize(("declaration", "right"), UNSIZED)
def test_the_last_parameter_may_have_any_length(declaration: str, right: bool) -> None:
    assert (not errors(f"{NEW}{declaration}\n")) is right
    assert errors(f".version 5.0\n.target sm_60\n{declaration}\n")


def test_an_unsized_argument_can_be_left_out_of_a_list() -> None:
    declared = ".func callee (.param .b32 x[]);\n"
    assert not errors(kernel("call callee, ();", declared))
    assert errors(kernel("call callee;", declared)) == ["argument-count"]


# fmt: off
SINCE = (  # a declaration, the first version and target that have it, what came just before
    (".weak .func f { ret; }",                               "3.1 sm_20", "3.0 sm_20"),
    (".weak .global .u32 x;",                                "3.1 sm_20", "3.0 sm_20"),
    (".common .global .u32 x;",                              "5.0 sm_20", "4.3 sm_20"),
    (".entry f;",                                            "3.0 sm_20", "2.3 sm_20"),
    (".entry f .reqntid 32 { exit; }",                       "2.1 sm_20", "2.0 sm_20"),
    (".entry f .maxntid 32 .maxnctapersm 1 { exit; }",       "2.0 sm_20", "2.1 sm_20"),
    (".func f .noreturn { exit; }",                          "6.4 sm_30", "6.3 sm_30"),
    (".func f .noreturn { exit; }",                          "6.4 sm_30", "6.4 sm_20"),
    (".func f .abi_preserve 8 { ret; }",                     "9.0 sm_80", "8.8 sm_80"),
    (".entry f .reqnctapercluster 2 { exit; }",              "7.8 sm_90", "7.8 sm_80"),
    (".func f { ret; }\n.func g;\n.alias g, f;",             "6.3 sm_30", "6.2 sm_30"),
    (".global .u8 v = 0xFF00(1000);",                       "7.2 sm_80", "7.1 sm_80"),
    (".func f (.param .u32 a) { ret; }",                     "2.0 sm_20", "2.0 sm_13"),
    (".entry f (.param .u64 .ptr .global a) { exit; }",      "2.2 sm_20", "2.1 sm_20"),
    (".entry f (.param .u64 .ptr .surfref a) { exit; }",     "4.3 sm_20", "4.2 sm_20"),
    (".entry f (.param .u64 .ptr .texref .align 8 a) {}",    "4.3 sm_20", "4.2 sm_20"),
    (".entry f { .param .u32 a; exit; }",                    "2.0 sm_20", "1.4 sm_13"),
    (".entry f { .pragma \"nounroll\"; exit; }",             "2.0 sm_13", "1.4 sm_13"),
    (".entry f { .pragma \"frequency 3\"; exit; }",          "9.0 sm_50", "8.8 sm_50"),
    (".entry f { L: .branchtargets M; M: exit; }",           "6.0 sm_30", "5.0 sm_30"),
    (".entry f { L: .callprototype _; exit; }",              "2.1 sm_20", "2.0 sm_20"),
    (".entry f { L: .callprototype _ .noreturn; exit; }",    "6.4 sm_30", "6.3 sm_30"),
    (".entry f { .reg .f16x2 a; exit; }",                    "6.0 sm_53", "6.0 sm_52"),
    (".entry f (.param .b8 a[4353]) { exit; }",              "8.1 sm_70", "8.0 sm_70"),
    (".entry f (.param .b8 a[4353]) { exit; }",              "8.1 sm_70", "8.1 sm_62"),
    (".entry f (.param .b8 a[257]) { exit; }",               "1.5 sm_13", "1.4 sm_13"),
    (".file 1 \"a\", 1, 2",                                  "3.2 sm_20", "3.1 sm_20"),
    (".section .debug_str { L: .b8 0 }",                     "7.0 sm_50", "6.5 sm_50"),
    (".section .debug_str { .b8 0 L: .b8 0 }",               "7.0 sm_50", "6.5 sm_50"),
    (".section .debug_str {\n.b32 .debug_loc+4 // -1\n}",    "3.2 sm_20", "3.1 sm_20"),
    (".section .debug_str { .b8 0, - 1 }",                   "7.5 sm_50", "7.4 sm_50"),
    (".section .debug_str { .b64 -0 }",                      "7.5 sm_50", "7.4 sm_50"),
    (".section .debug_str {\n.b64 La-Lb\n}",                 "7.5 sm_50", "7.4 sm_50"),
    (".global .attribute(.managed) .u32 x;",                 "4.0 sm_30", "4.0 sm_20"),
    (".global .texref t;",                                   "1.5 sm_13", "1.4 sm_13"),
    (".global .texref t[2];\n.global .surfref u;",            "1.5 sm_13", "1.4 sm_13"),
    (".tex .u32 t;",                                         "1.4 sm_13", "1.5 sm_13"),
    (".extern .const[2] .u32 x[];",                          "1.5 sm_13", "2.2 sm_13"),
    (".global .u32 x;\n.global .u64 y = x;",                 "2.1 sm_20", "2.0 sm_20"),
    (".global .u32 x;\n.global .u64 y = generic(x);",        "3.1 sm_20", "3.0 sm_20"),
    (".global .u64 x;\n.global .u8 y[1] = {0xff(x)};",       "7.1 sm_50", "7.0 sm_50"),
    (".func f { ret; }\n.global .u64 y = f;",                "2.1 sm_20", "2.1 sm_13"),
    (".entry f { exit; }\n.global .u64 y = f;",              "3.1 sm_35", "3.0 sm_30"),
    (".entry f { exit; }\n.global .u64 y[1] = {f};",         "7.1 sm_35", "7.1 sm_30"),
)
# fmt: on


@pytest.mark.parametrize(("declaration", "first", "before"), SINCE)
def test_declarations_are_old_enough(declaration: str, first: str, before: str) -> None:
    def text(file_says: str) -> str:
        version, target = file_says.split()
        return f".version {version}\n.target {target}\n{declaration}\n"

    assert not errors(text(first))
    assert len(errors(text(before))) == 1


def test_a_kernel_has_so_many_bytes_of_parameters() -> None:
    assert not errors(f"{NEW}.entry f (.param .u32 n, .param .b8 a[4348]) {{ exit; }}\n")
    assert errors(f"{NEW}.entry f (.param .u32 n, .param .b8 a[4349]) {{ exit; }}\n") == ["parameter"]
    large = ".version 9.0\n.target sm_90\n.entry f (.param .b8 a[{}]) {{ exit; }}\n"
    assert not errors(large.format(32764))
    assert errors(large.format(32765)) == ["parameter"]


def test_samplers_of_their_own_are_for_one_mode() -> None:
    declared = ".global .samplerref s;\n"
    assert errors(f"{NEW}{declared}") == ["target-conflict"]
    assert not errors(f".version 8.0\n.target sm_80, texmode_independent\n{declared}")


@pytest.mark.parametrize("size", ["", ".address_size 32\n"])
def test_addresses_have_32_bits_unless_the_file_says_otherwise(size: str) -> None:
    text = ".global .u32 x;\n.entry k\n{\n.reg .u32 a, d;\nmov.u32 a, x;\nld.global.u32 d, [a];\nexit;\n}\n"
    assert not openptx.check(f"{NEW}{size}{text}")
    found = openptx.check(f"{NEW}.address_size 64\n{text}")
    assert [each.name for each in found] == ["narrow-address", "narrow-address"]


COMMENTED = (
    "add/* a */.u32 r, r, 1;", "add // to itself\n.u32 r, r, 1;", "add.u32/* a */r/**/,/* b */r,// c\n1/**/;",
    "st.local.v2.b32 [l], {/* x */r,/* y */r/* z */};", "@/**/p/**/add.u32 r, r, 1;", "mov.u32 r, %tid/**/.x/**/;",
)  # fmt: skip


@pytest.mark.parametrize("statement", COMMENTED)
def test_comments_stand_between_any_two_tokens(statement: str) -> None:
    assert not errors(kernel(statement))


@pytest.mark.parametrize("kind", ["texref", "samplerref", "surfref"])
def test_arrays_of_textures_are_older_than_textures(kind: str) -> None:
    assert not errors(f".version 1.0\n.target sm_10\n.global .{kind} t[2];\n")
