"""Textures, surfaces and coordinates of texels and tensors: verdicts of ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx

HEAD = ".version 9.0\n.target sm_100a\n.address_size 64\n"
NAMES = (
    ".global .texref tex0; .global .surfref surf0; .global .u64 plain; "
    ".global .texref texs[4]; .global .surfref surfs[4];\n"
)
REGISTERS = (
    ".reg .b32 r<9>; .reg .s32 i<9>; .reg .u32 u<9>; .reg .b64 t<9>; .reg .f32 f<9>; .reg .f64 d<9>; .reg .b16 h<9>; "
    ".reg .v2 .f32 v2; .reg .v4 .f32 v4; .reg .v2 .s32 s2; .shared .align 16 .b8 s[64];"
)


def errors(text: str) -> list[str]:
    return [found.name for found in openptx.check(text) if found.severity == "error"]


# fmt: off
COORDINATES = (  # a statement with @ for coordinates; those that are taken, those that are not
    ("tex.1d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, @];",
     "{f1} f1 {f1,f2} {f1,f2,f3,f4} {i1} {r1} v2 v4",              "{f1,f2,f3} i1 {i1,f1} {f1,_} {d1,d2} 1 %tid.x"),
    ("tex.2d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, @];",
     "{f1,f2} {f1,f2,f3,f4} {i1,i2} {r1,f1} v2 {f1,1.0}",           "{f1} {u1,f1} {h1,h2} {1,f1}"),
    ("tex.2d.v4.f32.s32 {f1,f2,f3,f4}, [tex0, @];",
     "{i1,i2} {r1,r2} {r1,f1} i1 s2 {f1,1.0} {1.0,f1}",             "{f1,f2} f1 v2 {i1} {f1,0f3F800000}"),
    ("tex.3d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, @];",
     "{f1,f2,f3,f4} v4",                                            "{f1,f2} {f1,f2,f3} {i1,f1,f2,f3}"),
    ("tex.a1d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, @];",
     "{i1,f1} {u1,f1} {r1,f1} {1,f1} {r1,r2} {i1,f1,f2,f3}",        "{f1,f2} {i1} {f1,1.0}"),
    ("tex.a2d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, @];",
     "{i1,f1,f2,f3} {r1,f1,f2,f3}",                                 "{i1,f1} {f1,f2,f3,f4} {i1,i2,f1,f2}"),
    ("tex.a2dms.v4.f32.s32 {f1,f2,f3,f4}, [tex0, @], r1;",  # a sample, a layer, coordinates
     "{i1,i2,i3,i4} {f1,i2,f3,f4} {r1,r2,i3,i4} {i1,r2,f3,r4}",     "{i1,f2,i3,i4} {i1,i2,f3,i4} {i1,f2,f3,f4}"),
    ("tex.2d.v4.f32.f32 @, [tex0, {f1,f2}];",
     "{f1,f2,f3,f4} {i1,i2,i3,i4} {u1,u2,u3,u4} {i1,u2,i3,i4} {r1,f2,f3,f4}",
     "{f1,i2,f3,f4} {t1,t2,t3,t4} {h1,h2,h3,h4}"),
    ("tld4.r.2d.v4.f32.f32 @, [tex0, {f1,f2}];",
     "{f1,f2,f3,f4} {i1,i2,i3,i4} {u1,u2,u3,u4}",                   "{f1,f2,i3,f4}"),
    ("tex.2d.v4.s32.f32 @, [tex0, {f1,f2}];",
     "{i1,i2,i3,i4} {u1,i2,u3,u4} {r1,r2,r3,r4}",                   "{f1,f2,f3,f4}"),
    ("tex.2d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, {f1,f2}], @;",
     "i1 u1 r1 f1 3 1.0 {i1,i2} {r1,i2} {1,2} {i1,i2,i3,i4}",       "h1 t1 %tid.x {i1} {i1,i2,i3} {f1,f2}"),
    ("tex.3d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, {f1,f2,f3,f4}], @;",
     "i1 3 {i1,i2,i3,i4}",                                          "f1 r1 1.0 {i1,i2}"),
    ("tld4.r.2d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, {f1,f2}], @, f1;",
     "i1 u1 3 {i1,i2} {i1,i2,i3,i4}",                               "f1 h1 {i1}"),
    # In three dimensions the assembler moves each element by itself.
    ("tex.grad.3d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, @], {f1,f2,f3,f4}, {f1,f2,f3,f4};",
     "{f1,r2,f3,1.0} {r1,r2,r3,r4}",                                "{r1,i2,r3,r4} {i1,i2,i3,i4} {r1,%laneid,r3,r4}"),
    ("tex.grad.3d.v4.f32.s32 {f1,f2,f3,f4}, [tex0, @], {f1,f2,f3,f4}, {f1,f2,f3,f4};",
     "{i1,%laneid,1,r2} {u1,i2,r3,r4}",                             "{r1,f1,r2,r3} {r1,1.0,r2,r3}"),
    ("tex.grad.acube.v4.f32.f32 {f1,f2,f3,f4}, [tex0, @], {f1,f2,f3,f4}, {f1,f2,f3,f4};",
     "{i1,f2,f3,f4} {i1,r2,r3,r4}",                                 "{i1,r2,i3,r4} {r1,r2,%laneid,r3}"),
    ("tex.grad.cube.v4.f32.f32 {f1,f2,f3,f4}, [tex0, {f1,f2,f3,f4}], @, {f1,f2,f3,f4};",
     "{f1,r2,1.0,0f3F800000} {r1,r2,r3,r4}",                        "{r1,i2,r3,r4} {r1,1,r3,r4} {%laneid,f1,f2,f3}"),
    ("tex.grad.2d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, {f1,f2}], {f1,f2}, @;",
     "{r1,i2} {r1,r2}",                                             "{i1,i2}"),
    ("suld.b.1d.b32.trap r5, [surf0, @];",
     "{r1} r1 {r1,r2} {u1} {i1}",                                   "{f1} {h1} {t1} {_}"),
    ("suld.b.2d.b32.trap r5, [surf0, @];",
     "{r1,r2} {i1,u1} {r1,5} {r1,r2,r3,r4}",                        "{r1} {f1,f2} {r1,h1} {r1,r2,r3}"),
    ("sust.b.3d.b32.trap [surf0, @], r5;",
     "{r1,r2,r3,r4}",                                               "{r1,r2} {f1,i1,i2,i3}"),
    ("cp.async.bulk.prefetch.tensor.1d.L2.global [t1, @];",
     "{r1} {i1} {1}",                                               "r1 {r1,r2} {f1} {h1} {_} 1"),
    ("cp.async.bulk.prefetch.tensor.2d.L2.global [t1, @];",
     "{r1,r2} {r1,0} {u1,i1} s2",                                   "{r1} {r1,r2,r3} {f1,f2} {r1,_}"),
    ("cp.async.bulk.prefetch.tensor.5d.L2.global [t1, @];",
     "{r1,r2,r3,r4,r5}",                                            "{r1,r2,r3,r4}"),
)
DECLARATIONS = (  # of the module; whether it is taken
    (".global .texref x;",          True),
    (".global .texref x[4];",       True),
    (".shared .texref x;",          False),
    (".const .surfref x;",          False),
    (".global .v2 .texref x;",      False),
    (".func f(.param .texref x);",  True),
    (".func f(.param .texref x) { ret; }", False),
    (".entry g(.param .texref x) { ret; }", True),
    (".entry g() { .global .texref x; ret; }", False),
    (".const .surfref x[2], y;",    False),
    (".const .surfref x[2], y<3>;", False),
    (".const .texref x[2] = {{}};", True),
    (".shared .texref x[2] = {};",  False),
    (".shared .texref x[2] = {1};", False),
    # Of samplers, the assembler does not look at arrays in the unified mode, nor at declarations of kernels.
    (".global .samplerref x;",      False),
    (".global .samplerref x[2];",   True),
    (".global .samplerref x[2], y;", False),
    (".const .samplerref x[2];",    True),
    (".global .samplerref x[2] = {{filter_mode = linear}};", True),
    (".global .samplerref x[2] = {1};", False),
    (".entry g(.param .samplerref a) { ret; }", False),
    (".entry g(.param .samplerref a[2]) { ret; }", True),
    (".entry g(.param .samplerref a);", True),
)
USES = (
    ("tex.base.2dms.v4.s32.s32 {r1,r2,r3,r4}, [tex0, {r1,r2,r3,r4}];", True),
    ("tex.level.2dms.v4.s32.s32 {r1,r2,r3,r4}, [tex0, {r1,r2,r3,r4}], r1;", False),
    ("sust.b.2d.b32.trap [surf0, {r1,r2}], {r1,r2};",           True),
    ("sured.b.and.1d.b32.trap [surf0, {r1}], t1;",              True),
    ("sured.b.add.1d.u32.trap [surf0, {r1}], t1;",              True),
    ("sured.b.add.1d.u32.trap [surf0, {r1}], d1;",              False),
    ("sured.b.add.1d.u64.trap [surf0, {r1}], r1;",              False),
    ("sust.p.2d.b32.trap [surf0, {r1,r2}], {r1,r2};",           True),
    ("sust.p.2d.b32.trap [surf0, {r1,r2}], {r1,r2,r3,r4};",     True),
    ("sust.p.2d.b32.trap [surf0, {r1,r2}], {r1,r2,r3};",        False),
    ("sust.p.2d.v2.b32.trap [surf0, {r1,r2}], {r1,r2,r3,r4};",  False),
    ("suld.b.2d.b32.trap {r1,r2,r3,r4}, [surf0, {r1,r2}];",     True),
    ("ld.global.b64 t1, [tex0];",                               False),
    ("st.global.b64 [surf0], t1;",                              False),
    ("ld.param.b64 t1, [pt];",                                  False),
    ("mov.u64 t1, tex0;",                                       True),
    ("tex.1d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, {f1}];",          True),
    ("tex.1d.v4.f32.f32 {f1,f2,f3,f4}, [pt, {f1}];",            True),
    ("tex.1d.v4.f32.f32 {f1,f2,f3,f4}, [t1, {f1}];",            True),
    ("tex.1d.v4.f32.f32 {f1,f2,f3,f4}, [surf0, {f1}];",         False),
    ("tex.1d.v4.f32.f32 {f1,f2,f3,f4}, [plain, {f1}];",         False),
    ("suld.b.1d.b32.trap r1, [tex0, {r1}];",                    False),
    ("suq.width.b32 r1, [tex0];",                               False),
    ("suq.width.b32 r1, [surf0];",                              True),
    ("tex.1d.v4.f32.f32 {f1,f2,f3,f4}, [texs, {f1}];",          False),
    ("tex.1d.v4.f32.f32 {f1,f2,f3,f4}, [texs[1], {f1}];",       False),
    ("txq.width.b32 r1, [texs];",                               False),
    ("mov.u64 t1, texs;",                                       True),
    ("suld.b.1d.b32.trap r1, [surfs, {r1}];",                   False),
    ("suld.b.1d.b32.trap r1, [surfs[1], {r1}];",                False),
    ("suq.width.b32 r1, [surfs];",                              False),
)
# fmt: on


@pytest.mark.parametrize(("statement", "taken", "refused"), COORDINATES)
def test_coordinates(statement: str, taken: str, refused: str) -> None:
    for given in (*taken.split(), *refused.split()):
        text = f"{HEAD}{NAMES}.entry k() {{ {REGISTERS}\n{statement.replace('@', given)} ret; }}\n"
        assert (not errors(text)) is (given in taken.split()), given


@pytest.mark.parametrize(("declaration", "right"), DECLARATIONS)
def test_declarations(declaration: str, right: bool) -> None:
    assert (not errors(f"{HEAD}{declaration}\n")) is right


@pytest.mark.parametrize(("statement", "right"), USES)
def test_uses(statement: str, right: bool) -> None:
    text = f"{HEAD}{NAMES}.entry k(.param .texref pt) {{ {REGISTERS}\n{statement} ret; }}\n"
    assert (not errors(text)) is right


def test_a_name_among_coordinates_that_nothing_declares() -> None:
    statement = "tex.2d.v4.f32.f32 {f1,f2,f3,f4}, [tex0, {f1, g2}];"
    found = openptx.check(f"{HEAD}{NAMES}.entry k() {{ {REGISTERS}\n{statement} ret; }}\n")
    assert [(each.name, each.message) for each in found if each.severity == "error"] == [
        ("unknown-name", "`g2` is not declared")
    ]


@pytest.mark.parametrize("opcode", ["tex.2d", "tex.base.2d", "tld4.r.2d"])
@pytest.mark.parametrize(("version", "wrong"), [("7.0", ["needs-version"]), ("7.1", [])])
def test_the_predicate_of_a_texture_needs_a_version(opcode: str, version: str, wrong: list[str]) -> None:
    """Feature 'Texture instruction with optional predicate result' requires PTX ISA .version 7.1 or later."""
    statement = f"{opcode}.v4.f32.f32 {{f1, f2, f3, f4}}|p, [tex0, {{f1, f2, f3, f4}}];"
    head = f".version {version}\n.target sm_80\n.address_size 64\n.global .texref tex0;\n"
    assert errors(f"{head}.entry k() {{ .reg .pred p; .reg .f32 f<9>; {statement} ret; }}\n") == wrong


SAMPLED = """.version 9.0
.target sm_80, texmode_independent
.address_size 64
.global .texref tx; .global .samplerref sa; .global .samplerref sas[3];
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
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, sas[1], {%r0}];",        "operand-kind"),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, sas, {%r0}];",           "operand-kind"),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, sa+8, {%r0}];",          "operand-kind"),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, %d0+8, {%r0}];",         "operand-kind"),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, 0, {%r0}];",             "operand-kind"),
    ("tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [tx, nope, {%r0}];",          "unknown-name"),
    ("txq.filter_mode.b32 %r0, [sas];",                                     "operand-kind"),
)
# fmt: on


@pytest.mark.parametrize(("statement", "wrong"), INDEPENDENT)
def test_samplers_of_their_own(statement: str, wrong: str | None) -> None:
    assert errors(f"{SAMPLED}{statement} ret; }}\n") == ([wrong] if wrong else [])
