"""Lowering: memory layout, numbering of registers, binding of operands, resolution of calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from openptx.check import lower
from openptx.device.shared_layout import shared_layout
from openptx.errors import Unsupported
from openptx.program import (
    Address,
    Arguments,
    Function,
    FunctionName,
    Imm,
    Program,
    Prototype,
    Reg,
    Relocation,
    Sink,
    Special,
    Symbol,
    Target,
    Targets,
    Vector,
)  # fmt: skip
from openptx.source import File

ROOT = Path(__file__).parents[3]
HEAD = ".version 9.0\n.target sm_90\n.address_size 64\n"


def program(module: str) -> Program:
    return lower(File("k.ptx", HEAD + module))


def kernel(body: str, parameters: str = ".param .u64 p", module: str = "") -> Function:
    return program(f"{module}\n.visible .entry k({parameters})\n{{\n{body}\nret;\n}}\n").function("k")


def test_registers_are_numbered_when_they_are_used() -> None:
    k = kernel(".reg .b32 %r<1000>; .reg .f32 f; mov.u32 %r7, 1; mov.f32 f, 1.0; add.u32 %r9, %r7, %r7;")
    assert [(r.name, r.type.name, r.index) for r in k.registers] == [
        ("%r7", "b32", 0),
        ("f", "f32", 1),
        ("%r9", "b32", 2),
    ]
    assert k.code[2].operands == (Reg(2, 32), Reg(0, 32), Reg(0, 32))
    assert [t and t.name for t in k.code[2].types] == ["u32", "u32", "u32"]


def test_blocks_have_registers_of_their_own() -> None:
    k = kernel(".reg .b32 a; mov.u32 a, 1; { .reg .b64 a; mov.u64 a, 2; } mov.u32 a, 3;")
    assert [op.operands[0] for op in k.code[:3]] == [Reg(0, 32), Reg(1, 64), Reg(0, 32)]


def test_a_block_hides_a_name_from_its_declaration_on() -> None:
    k = kernel(".reg .b32 a, b; mov.u32 a, 1; { mov.u32 b, a; .reg .b32 a; mov.u32 a, 2; } mov.u32 b, a;")
    assert [op.operands for op in k.code[1:4]] == [
        (Reg(1, 32), Reg(0, 32)),
        (Reg(2, 32), Imm(2, 32)),
        (Reg(1, 32), Reg(0, 32)),
    ]


def test_a_label_keeps_its_name_where_the_module_declares_a_variable_of_it_later() -> None:
    k = program(".visible .entry k() { bra later; later: ret; }\n.global .u32 later;").function("k")
    assert k.code[0].operands == (Target(1),)


def test_each_variable_of_a_range_has_a_place_of_its_own() -> None:
    k = kernel(".local .u32 x<3>; .reg .u32 r; ld.local.u32 r, [x2]; st.local.u32 [x1], r;")
    assert [(v.name, v.offset) for v in k.local] == [("x0", 0), ("x1", 4), ("x2", 8)]
    assert k.code[0].operands[1] == Address(Symbol(k.local[2]), 0)


@pytest.mark.parametrize(
    ("instruction", "bits", "width"),
    [
        ("mov.u16 h, -1;", 0xFFFF, 16),
        ("mov.u16 h, 65537;", 1, 16),
        ("mov.f32 f, 0.1;", 0x3DCCCCCD, 32),
        ("mov.f32 f, 1e300;", 0x7F800000, 32),
        ("mov.f32 f, 0f7FC00001;", 0x7FC00001, 32),
        ("mov.f64 d, 0f3F800000;", 0x000000003F800000, 64),  # in a cubin of ptxas 13.5
        ("mov.b64 r, 1.0;", 0x3FF0000000000000, 64),
        ("mov.pred q, 5;", 1, 1),
        ("mov.u64 r, -1;", (1 << 64) - 1, 64),
    ],
)
def test_constants_take_the_type_of_their_place(instruction: str, bits: int, width: int) -> None:
    k = kernel(f".reg .b16 h; .reg .f32 f; .reg .f64 d; .reg .b64 r; .reg .pred q; {instruction}")
    assert k.code[0].operands[1] == Imm(bits, width)


def test_parameters_lie_at_their_alignment() -> None:
    k = kernel("", ".param .u8 a, .param .u64 b, .param .align 16 .b8 c[20], .param .u16 d")
    assert [(p.offset, p.size) for p in k.parameters] == [(0, 1), (8, 8), (16, 20), (36, 2)]
    assert k.parameter_size == 38


def test_addresses_of_parameters_and_variables() -> None:
    k = kernel(
        ".reg .b64 a; .reg .b32 b; .shared .u32 x[4]; ld.param.u64 a, [p]; ld.shared.u32 b, [x+8]; ld.u32 b, [a+-4];"
    )
    param, shared, generic = (op.operands[1] for op in k.code[:3])
    assert isinstance(param, Address)
    assert isinstance(param.base, Symbol)
    assert (k.code[0].m.space, param.base.variable.space, param.offset) == ("param", "param", 0)
    assert isinstance(shared, Address)
    assert shared.offset == 8
    assert generic == Address(Reg(0, 64), -4)
    assert k.code[2].m.space == "generic"


def test_call_sequences_use_the_frame() -> None:
    k = kernel(
        "{ .reg .b32 t; .param .b64 param0; .param .b32 retval0; st.param.b64 [param0+0], 5;"
        " call.uni (retval0), f, (param0); ld.param.b32 t, [retval0+0]; }",
        module=".func (.param .b32 r) f(.param .b64 a) { st.param.b32 [r], 1; ret; }",
    )
    store, call, load = k.code[:3]
    assert (store.m.space, load.m.space, k.frame_size) == ("frame", "frame", 12)
    returns, callee, arguments = (operand for operand in call.operands if operand is not None)
    assert callee == FunctionName("f")
    assert isinstance(returns, Arguments)
    assert isinstance(arguments, Arguments)
    assert [s.variable.offset for s in (*arguments.values, *returns.values) if isinstance(s, Symbol)] == [0, 8]
    assert k.callees == {"f"}


def test_indirect_calls_and_branch_tables() -> None:
    k = kernel(
        ".reg .b64 a; .reg .b32 i; mov.u64 a, f; P: .callprototype (.param .b32 _) _ (.param .b64 _);"
        "{ .param .b32 r; .param .b64 v; call (r), a, (v), P; } mov.u32 i, 0;"
        "T: .branchtargets X, Y; brx.idx i, T; X: Y:",
        module=".func (.param .b32 r) f(.param .b64 a) { ret; }",
    )
    prototype = k.code[1].operands[-1]
    assert isinstance(prototype, Prototype)
    assert ([p.size for p in prototype.parameters], [r.size for r in prototype.returns]) == ([8], [4])  # type: ignore
    assert k.code[3].operands[1] == Targets(pcs=(4, 4))


def test_branches_find_the_label_of_their_block() -> None:
    k = kernel(".reg .pred q; { L: mov.pred q, 1; @!q bra L; } { L: mov.pred q, 0; bra.uni L; }")
    assert [op.operands[0] for op in k.code if op.form.instruction.control == "branch"] == [Target(0), Target(2)]
    assert k.code[1].guard == Reg(0, 1, negated=True)


def test_vectors_pairs_sinks_and_special_registers() -> None:
    k = kernel(
        ".reg .v4 .f32 v; .reg .b64 a; .reg .pred q; .reg .b32 b; mov.u64 a, 0; ld.global.v4.f32 v, [a];"
        "st.global.v2.f32 [a], {v.x, v.w}; setp.lt.u32 q|_, b, 3; mov.u32 b, %tid.y; mov.b64 {b, _}, a;"
    )
    assert k.code[1].operands[0] == Vector((Reg(1, 32), Reg(2, 32), Reg(3, 32), Reg(4, 32)))
    assert k.code[2].operands[1] == Vector((Reg(1, 32), Reg(4, 32)))
    assert k.code[3].operands[:2] == (Reg(5, 1), Sink())
    assert k.code[4].operands[1] == Special("tid.y", 32)
    assert k.code[5].operands[0] == Vector((Reg(6, 32), Sink()))
    assert k.code[5].types[0] is not None
    assert k.code[5].types[0].name == "b32"


def test_initialisers_become_bytes_and_relocations() -> None:
    p = program(
        ".global .u32 a[4] = {1, -1, 0x10}; .const .f64 h = 0.5; .global .u16 m[2][2] = {{1}, {2, 3}};"
        ".global .u64 q[2] = {a+4, generic(a)}; .global .b8 l = 0xFF00(a); .global .v2 .f32 w = {1.0, 2.0};"
        ".extern .global .u8 z[]; .global .u32 n[] = {1, 2, 3};"
    )
    v = p.variables
    assert v["a"].data == b"\1\0\0\0\xff\xff\xff\xff\x10\0\0\0\0\0\0\0"
    assert v["h"].data == b"\0\0\0\0\0\0\xe0\x3f"
    assert v["m"].data == b"\1\0\0\0\2\0\3\0"
    assert v["q"].relocations == (Relocation(0, 8, "a", 4), Relocation(8, 8, "a", 0, generic=True))
    assert v["l"].relocations == (Relocation(0, 1, "a", shift=8),)
    assert v["w"].data == b"\0\0\x80\x3f\0\0\0\x40"
    assert (v["n"].size, v["n"].shape, v["w"].align) == (12, (3,), 8)


def test_dynamic_shared_memory_begins_behind_the_static() -> None:
    p = program(
        ".shared .u8 a[3]; .extern .shared .align 64 .b8 d[];"
        ".visible .entry k() { .shared .u32 b; .reg .b32 r; ld.shared.u32 r, [b]; ld.shared.u32 r, [d];"
        " ld.shared.u8 r, [a]; ret; }"
    )
    layout = shared_layout(p, "k")
    assert [layout.offset(v) for v in p.function("k").shared] == [4]
    assert (layout.static, layout.offset(p.variables["d"]), p.variables["d"].size) == (8, 64, 0)


def test_lines_and_directives() -> None:
    p = program(
        ".visible .entry k() .maxntid 256, 2 .minnctapersm 3 { .reg .b32 r; .loc 1 27 3\nmov.u32 r, 1; ret; }\n"
        '.file 1 "k.cu"\n'
    )
    k = p.function("k")
    assert k.directives == {"maxntid": (256, 2), "minnctapersm": (3,)}
    assert k.code[0].line == ("k.cu", 27, 3)
    assert k.code[0].text == "mov.u32 r, 1"


def test_what_is_not_declared_stops_its_function_alone() -> None:
    p = program(".visible .entry a() { frobnicate.u32 1; ret; } .visible .entry b() { ret; }")
    assert p.kernels == ("a", "b")
    assert len(p.function("b").code) == 1
    with pytest.raises(Unsupported, match="frobnicate"):
        p.function("a")
    with pytest.raises(KeyError):
        p.function("c")


REFERENCE = {path.read_bytes(): path for path in sorted(ROOT.glob("tests/data/cases/*/kernel.ptx"))}
"""The compiled files of the cases, of which some have more than one kernel to run and stand there as often."""


@pytest.mark.parametrize("path", REFERENCE.values(), ids=lambda path: path.parent.name)
def test_every_kernel_of_the_cases_lowers(path: Path) -> None:
    p = lower(File(path.name, path.read_text()))
    for name in (*p.kernels, *p.functions):
        assert p.function(name).code


@pytest.mark.parametrize(
    ("declared", "data"),
    [
        (".b8 v[4] = {1.5, 7, 0f3F812345, -2.5}", "00074500"),
        (".b16 v[4] = {1.5, 7, 0f3F812345, 0d3FF0123456789ABC}", "000007004523bc9a"),
        (".b32 v[2] = {1.5, 0d3FF0123456789ABC}", "0000c03fa391803f"),
        (".b64 v[2] = {0f3F812345, 1.5}", "4523813f00000000000000000000f83f"),
        (".f64 v[2] = {0fFF800001, 300.1}", "010080ff000000009a99999999c17240"),
        (".f32 v[2] = {300.1, 0d7FF0000000000001}", "cd0c96430000c07f"),
    ],
)
def test_floats_in_types_of_bits_and_of_other_widths(declared: str, data: str) -> None:
    """Bytes as in a cubin of ptxas 13.5."""
    text = f".version 8.5\n.target sm_80\n.address_size 64\n.global {declared};\n"
    assert lower(File("k.ptx", text)).variables["v"].data == bytes.fromhex(data)
