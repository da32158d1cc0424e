"""The parser of the manual's notation, construct by construct, and the lookup of opcodes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from openptx.isa.instructions import SECTIONS
from openptx.isa.mnemonics import MODULES
from openptx.isa.notation import INSTRUCTIONS, Form, Instruction, Modifiers, instructions_of, load, refused, resolve
from openptx.isa.types import TYPES


def form(syntax: str, name: str = "op") -> Form:
    """The only form of a declaration written for the test."""
    (only,) = forms(syntax, name)
    return only


def forms(syntax: str, name: str = "op") -> tuple[Form, ...]:
    return Instruction(name, anchor="", summary="", syntax=syntax).forms


def matched(f: Form, text: str) -> Modifiers:
    m = f.match(tuple(text.split(".")) if text else ())
    assert m is not None, text
    return m


def names(f: Form) -> list[str]:
    return [t.name for t in f.operands]


# Opcodes.


def test_literals_choices_and_options() -> None:
    f = form("op.rnd{.ftz}.f32 d, a;\n.rnd = { .rn, .rz };")
    m = matched(f, "rn.ftz.f32")
    assert (m.rnd, m.ftz, m.type) == ("rn", True, TYPES["f32"])
    assert matched(f, "rz.f32").ftz is False
    assert f.match(("f32",)) is None, "the rounding is not optional"
    assert f.match(("rn",)) is None, "nor is the type"
    assert f.match(("rn", "f64")) is None


def test_modifiers_are_looked_up_once() -> None:
    """And copies with other values have their own."""
    m = matched(form("op.rnd{.ftz}.f32 d, a;\n.rnd = { .rn, .rz };"), "rn.f32")
    assert (m.rnd, m.space, m.rnd, m.space) == ("rn", None, "rn", None)
    assert vars(m) == {"rnd": "rn", "space": None}
    assert (m.with_(rnd="rz").rnd, m.rnd) == ("rz", "rn")
    assert not hasattr(m, "__array__")


def test_modifiers_come_in_any_order_and_never_twice() -> None:
    f = form("op.rnd{.ftz}.f32 d, a;\n.rnd = { .rn, .rz };")
    assert matched(f, "f32.ftz.rn") == matched(f, "rn.ftz.f32")
    assert f.match(("rn", "rn", "f32")) is None
    assert f.match(("rn", "rz", "f32")) is None
    assert f.match(("rn", "ftz", "ftz", "f32")) is None


def test_slots_that_share_choices_fill_in_the_order_written() -> None:
    m = matched(form("op.dtype.atype d, a;\n.dtype = .atype = { .u8, .s8 };"), "u8.s8")
    assert (m.dtype, m.atype) == (TYPES["u8"], TYPES["s8"])


def test_a_chained_definition_is_the_same_set_and_not_the_same_value() -> None:
    f = form("op.atype.btype d, a, b;\n.atype = .btype = { .u32, .s32 };")
    assert {(m.atype.name, m.btype.name) for m in (matched(f, "u32.s32"), matched(f, "s32.s32"))} == {
        ("u32", "s32"),
        ("s32", "s32"),
    }


def test_suffixes_multiply_out() -> None:
    f = form("op{.ss}.b32 d, [a];\n.ss = { .global, .shared{::cta, ::cluster} };")
    assert list(f.slots[0].choices) == ["global", "shared", "shared::cta", "shared::cluster"]
    assert list(form("op{.shared{::cta}}.b32 d, [a];").slots[0].choices) == ["shared", "shared::cta"]
    assert list(form("op.x::{a, b} d;").slots[0].choices) == ["x::a", "x::b"]


def test_choices_may_be_sequences_of_modifiers() -> None:
    f = form("op.kind;\n.kind = { .alias, .async, .async.global, .async.shared::{cta, cluster} };")
    assert [matched(f, text).values["kind"] for text in ("async", "async.global", "async.shared::cta")] == [
        "async",
        "async.global",
        "async.shared::cta",
    ]


def test_an_option_of_several_stands_or_falls_together() -> None:
    f = form("op{.sem.scope}.b64 d;\n.sem = { .release };\n.scope = { .cta, .gpu };")
    assert f.match(("b64",)) is not None
    assert f.match(("release", "cta", "b64")) is not None
    assert f.match(("release", "b64")) is None
    assert f.match(("cta", "b64")) is None


def test_braces_with_commas_choose_one() -> None:
    f = form("op{.hi,.lo}.u32 d, a;")
    assert f.match(("hi", "u32")) is not None
    assert f.match(("u32",)) is None
    g = form("op.{.1d,.2d} d;")
    assert g.match(("2d",)) is not None
    assert g.match(()) is None


def test_none_among_the_choices_makes_a_slot_optional() -> None:
    f = form("op.vec.b32 d;\n.vec = { none, .v2 };")
    assert matched(f, "b32").vec is None
    assert matched(f, "v2.b32").vec == "v2"


def test_choices_without_dots_and_names_with_colons() -> None:
    f = form("op.cmp.level::hint d;\n.cmp = { eq, ne };\n.level::hint = { .L2::hint }")
    m = matched(f, "eq.L2::hint")
    assert (m.values["cmp"], m.values["level_hint"]) == ("eq", "L2::hint")


def test_definitions_belong_to_their_paragraph() -> None:
    first, second, third = forms("""
        op.type d, a;
        .type = { .u32 };
        op.type d, a, b;

        op.type d, a, b, c;
        .type = { .f32 };

        .type = { .s32 };
    """)
    assert [list(f.slots[0].choices) for f in (first, second, third)] == [["u32"], ["s32"], ["f32"]]


def test_headings_comments_rules_and_forgotten_semicolons() -> None:
    first, second = forms("""
        // Integer type:
        op.u32 d, a;   // the plain one
        ----------------------
        Alternate floating point type :
        op.type d, a;
        .type = { .f16, .bf16 }
    """)
    assert (str(first), str(second)) == ("op.u32 d, a", "op.type d, a")


def test_guards_are_passed_over() -> None:
    assert [str(f) for f in forms("@p op{.uni} tgt;\nop{.uni} tgt;")] == ["@p op{.uni} tgt", "op{.uni} tgt"]
    assert forms("@p op tgt;")[0].operands[0].role == "label"


def test_types_have_their_place_for_a_name() -> None:
    m = matched(form("op.f32.f16.f16.f32 d, a, b, c;"), "f32.f16.f16.f32")
    assert [t.name for t in (m.dtype, m.atype, m.btype, m.ctype)] == ["f32", "f16", "f16", "f32"]
    assert matched(form("op.b32 d;"), "b32").type is TYPES["b32"]


def test_spaces_lose_what_says_nothing() -> None:
    f = form("op.space.b32 d, [a];\n.space = { .shared{::cta, ::cluster}, .param{::entry, ::func} };")
    spaces = ["shared", "shared::cta", "shared::cluster", "param", "param::entry", "param::func"]
    seen = [matched(f, f"{space}.b32").space for space in spaces]
    assert seen == ["shared", "shared", "shared::cluster", "param", "param", "frame"]


@pytest.mark.parametrize("syntax", ["op.u32 d, a", "op.u32 d, {a;", "op.u32 d, a b;", "nop d;", "op.{ d;"])
def test_what_cant_be_read_is_said(syntax: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        forms(syntax)


# Operands.


def test_optional_operands_on_either_side_of_the_comma() -> None:
    f = form("op.b32 d, [a]{, cache-policy}, b{, c};")
    assert names(f) == ["d", "a", "cache-policy", "b", "c"]
    assert [bool(t.optional) for t in f.operands] == [False, False, True, False, True]
    g = form("op.b32 d, a{, b}, {!}c;")
    assert [(t.name, bool(t.optional), t.negatable) for t in g.operands] == [
        ("d", False, False),
        ("a", False, False),
        ("b", True, False),
        ("c", False, True),
    ]
    assert g.layouts(matched(g, "b32")) == ((0, 1, 2, 3), (0, 1, 3))


def test_parts_of_an_address() -> None:
    (template,) = form("op [a, {b,} c];").operands
    assert (template.role, template.parts) == ("address", ("a", "b", "c"))


@pytest.mark.parametrize(("text", "optional"), [("d|p", False), ("d[|p]", True), ("p[|q]", True)])
def test_pairs(text: str, optional: bool) -> None:
    first, second = form(f"op.b32 {text};").operands
    assert (first.role, second.role, second.pair, bool(second.optional)) == ("write", "write", True, optional)


def test_vectors_hyphens_lists_selectors_and_suffixes() -> None:
    assert form("op.b32 d, {a, b, e, f}, rbits;").operands[1].elements == ("a", "b", "e", "f")
    assert names(form("op a-desc, imm-scale-a;")) == ["a-desc", "imm-scale-a"]
    assert form("op a-desc, imm-scale-a;").operands[1].role == "immediate"
    roles = [t.role for t in form("op (ret-param), func, (param-list), flist;").operands]
    assert roles == ["returns", "function", "arguments", "targets"]
    d, a, b = form("op.u32 d.dsel, a{.asel}, {-}b;\n.dsel = .asel = { .b0, .h1 };").operands
    assert (d.selectors, d.selected, a.selected, b.minus) == (("b0", "h1"), True, False, True)
    assert form("op.b32 d, [a]{.unified};").operands[1].suffix == "unified"


def test_operands_that_go_with_a_modifier() -> None:
    form_, m = resolve("ld.global.L2::cache_hint.u32")[0]
    assert [len(layout) for layout in form_.layouts(m)] == [3]
    form_, m = resolve("ld.global.u32")[0]
    assert [len(layout) for layout in form_.layouts(m)] == [2]


# Types of operands.


@pytest.mark.parametrize(
    ("opcode", "types"),
    [
        ("add.s32", "s32 s32 s32"),
        ("mul.wide.u16", "u32 u16 u16"),
        ("mad.wide.s32", "s64 s32 s32 s64"),
        ("mad.lo.s32", "s32 s32 s32 s32"),
        ("shl.b64", "b64 b64 u32"),
        ("popc.b64", "u32 b64"),
        ("bfe.s64", "s64 s64 u32 u32"),
        ("bfi.b64", "b64 b64 b64 u32 u32"),
        ("setp.lt.f32", "pred pred f32 f32"),
        ("selp.f64", "f64 f64 f64 pred"),
        ("slct.u64.f32", "u64 u64 u64 f32"),
        ("cvt.rn.f16x2.f32", "f16x2 f32 f32"),
        ("cvt.u64.u32", "u64 u32"),
        ("set.eq.f16.u32", "f16 u32 u32"),
        ("dp4a.u32.s32", "s32 b32 b32 s32"),
        ("add.f32.bf16", "f32 bf16 f32"),
        ("shfl.sync.up.b32", "b32 pred b32 u32 u32 b32"),
        ("vote.sync.ballot.b32", "b32 pred b32"),
        ("atom.global.cas.b64", "b64 - b64 b64"),
        ("cvta.to.global.u64", "u64 u64"),
        ("fma.rn.bf16x2", "bf16x2 bf16x2 bf16x2 bf16x2"),
        ("elect.sync", "b32 pred b32"),
    ],
)
def test_types_of_operands(opcode: str, types: str) -> None:
    form_, m = next((f, m) for f, m in resolve(opcode) if len(f.operands) == len(types.split()))
    assert " ".join(t.name if t else "-" for t in form_.types(m)) == types


def test_type_expressions() -> None:
    each = Instruction("op", anchor="", summary="", syntax="op.type d, a, b, c;\n.type = { .u16, .s32 };")
    each.types = {"d": "wide(type)", "b": "u32", "c": lambda m: TYPES["pred"] if m.type.signed else None}
    (f,) = each.forms
    assert [t and t.name for t in f.types(matched(f, "s32"))] == ["s64", "s32", "u32", "pred"]
    assert [t and t.name for t in f.types(matched(f, "u16"))] == ["u32", "u16", "u32", None]


@pytest.mark.parametrize(
    ("opcode", "counts"),
    [
        ("ld.global.v4.f32", [4, 0, 0]),
        ("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", [4, 4, 2, 4]),
        ("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", [8, 2, 2, 8]),
        ("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", [2, 1, 1, 2]),
        ("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc", [4, 4, 2, 4]),
        ("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", [4, 4, 4, 4, 0, 0]),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32", [8, 8, 8, 8]),
        ("wmma.mma.sync.aligned.row.col.m32n8k16.s32.s8.s8.s32", [8, 4, 1, 8]),
        ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16", [4, 0, 0, 0, 0, 0, 0, 0]),
        ("ldmatrix.sync.aligned.m8n8.x4.shared.b16", [4, 0]),
        ("tcgen05.ld.sync.aligned.16x256b.x4.b32", [16, 0]),
        ("tex.2d.v4.f32.f32", [4, 0, 0, 2, 0]),
    ],
)
def test_lengths_of_vectors(opcode: str, counts: list[int]) -> None:
    assert counts in [[form_.count(t, m) for t in form_.operands] for form_, m in resolve(opcode)[:2]]


# Opcodes.


def test_resolving_is_remembered_and_knows_what_it_knows_not() -> None:
    assert resolve("fma.rn.f32") is resolve("fma.rn.f32")
    assert resolve("fma.f32") == ()
    assert resolve("frobnicate.u32") == ()
    assert resolve("") == ()
    assert resolve("add..u32") == ()


@pytest.mark.parametrize(
    "opcode", ["atom.global.sys.add.u32", "red.and.release.cta.b32", "fma.f32.ftz.rn", "ld.u32.nc.global"]
)
def test_real_files_order_modifiers_as_they_like(opcode: str) -> None:
    assert resolve(opcode)


@pytest.mark.parametrize(
    "opcode", ["mul.u32.lo", "shf.clamp.l.b32", "cvta.global.to.u64", "cvt.sat.pack.s8.s32.b32", "bar.sync.warp"]
)
def test_some_modifiers_belong_to_the_name(opcode: str) -> None:
    assert resolve(opcode) == ()


@pytest.mark.parametrize(
    ("opcode", "word"),
    [
        ("ld.volatile.const.u32", "volatile"),
        ("ld.global.v2.b128", "wide"),
        ("ld.relaxed.gpu.local.u32", "ordered"),
        ("wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32", "same type"),
    ],
)
def test_modifiers_that_cant_go_together_are_refused_with_a_reason(opcode: str, word: str) -> None:
    assert resolve(opcode) == ()
    assert any(word in why for _, _, why in refused(opcode))


@pytest.mark.parametrize("opcode", ["." * 5000, "ld." * 5000, "ld" + ".global" * 5000 + ".u32", "\0", "ld.\u00e9"])
def test_nonsense_resolves_to_nothing(opcode: str) -> None:
    assert resolve(opcode) == ()
    assert refused(opcode) == []


def test_profiles_differ_in_forms() -> None:
    assert resolve("fma.rz.bf16")
    assert resolve("fma.rz.bf16", "isa") == ()
    assert resolve("membar.proxy.async.global", "isa")
    assert resolve("membar.proxy.async.global") == ()


def test_modifiers_are_values() -> None:
    _, m = resolve("ld.global.u32")[0]
    frame = m.with_(space="frame")
    assert (m.space, frame.space, frame.type) == ("global", "frame", m.type)
    assert m != frame
    assert frame == m.with_(space="frame")
    assert hash(frame) == hash(m.with_(space="frame"))
    assert m.values.get("sem") is None


def test_defaults_are_filled_in() -> None:
    assert resolve("ld.u32")[0][1].space == "generic"
    assert resolve("add.f32")[0][1].rnd == "rn"


def test_every_declaration_reads_and_says_where_it_is_from() -> None:
    load()
    count = 0
    for each in INSTRUCTIONS:
        assert each.module, each
        assert each.section.startswith("9.7."), each
        assert each.summary.endswith("."), each
        assert each.anchor, each
        count += len(each.forms)
        for f in each.forms:
            assert f.gate.alternatives, f
    print(f"{count} forms of {len(INSTRUCTIONS)} instructions")
    assert count > 700


def test_a_syntax_spells_its_modifiers() -> None:
    """`resolve` passes over instructions whose syntax does not have the words of an opcode's modifiers."""
    for each in (each for found in load().values() for each in found):
        choices = {choice for form in each.forms for slot in form.slots for choice in slot.choices}
        words = {word for choice in choices for part in choice.split(".") for word in part.split("::")}
        assert not [word for word in words if word not in each.syntax], each


def test_one_mnemonic_imports_its_own_modules_alone() -> None:
    code = "import sys; from openptx.isa.notation import instructions_of; instructions_of('bra'); print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    modules = {name.rpartition(".")[2] for name in loaded if name.startswith("openptx.isa.instructions.")}
    assert modules == {"control_flow"}


def test_mnemonics_are_found_one_by_one_as_all_at_once() -> None:
    every = load()
    assert {name: modules.split() for name, modules in MODULES.items()} == {
        name: list(dict.fromkeys(each.module for each in found)) for name, found in every.items()
    }, "make docs"
    assert {name: instructions_of(name) for name in every} == every
    assert [each for found in every.values() for each in found if each.module not in SECTIONS] == []
