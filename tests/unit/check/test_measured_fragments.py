"""Registers for fragments of matrices: verdicts of ptxas 13.5, operand by operand."""

from __future__ import annotations

import pytest

import openptx

TYPES = ("b32", "u32", "s32", "f32", "f16x2", "b64", "f64", "u64", "s64")
REGISTERS = " ".join(f".reg .{type} " + ", ".join(f"{type}{i}" for i in range(9)) + ";" for type in TYPES)
MODULE = f""".version 9.1
.target {{target}}
.address_size 64
.visible .entry k() {{{{
    {REGISTERS}
    .reg .pred p<9>;
    {{statement}}
    ret;
}}}}
"""

# fmt: off
KINDS = {  # of registers, by letter
    "A": "b32 u32 s32 f32 f16x2",
    "B": "b32",
    "P": "b32 f16x2",
    "F": "b32 f32",
    "I": "b32 u32 s32",
    "W": "b64 f64 u64",
    "D": "b64 f64",
}
_SCALES = ", b325, {0, 0}, b326, {0, 0}"
FRAGMENTS = (  # target, opcode, what stands after the lists; how many registers each list has, and of which kinds
    ("sm_80",   "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",           "",              "4F 4P 2P 4F"),
    ("sm_80",   "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16",           "",              "2P 4P 2P 2P"),
    ("sm_80",   "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",         "",              "4F 4B 2B 4F"),
    ("sm_80",   "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",          "",              "4F 4B 2B 4F"),
    ("sm_89",   "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32",         "",              "4F 4A 2A 4F"),
    ("sm_80",   "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32",             "",              "4I 4A 2A 4I"),
    ("sm_80",   "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32",              "",              "2I 1I 1I 2I"),
    ("sm_80",   "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",             "",              "2W 1W 1W 2W"),
    ("sm_80",   "mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32",      ", b320, 0",     "4A 2A 2A 4A"),
    ("sm_80",   "mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",        ", b320, 0",     "4F 2P 2P 4F"),
    ("sm_120a", "mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0",
                                                                               _SCALES,         "4F 4B 2B 4F"),
    ("sm_80",   "wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32",    "",              "8F 4B 4B 8F"),
    ("sm_80",   "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32",         "",              "2I 1I 1I 2I"),
    ("sm_80",   "wmma.mma.sync.aligned.row.col.m8n8k4.rn.f64.f64.f64.f64",     "",              "2W 1D 1D 2W"),
    ("sm_80",   "wmma.load.a.sync.aligned.row.m16n16k16.u8",                   ", [b641]",      "2I"),
    ("sm_80",   "wmma.load.b.sync.aligned.col.m8n32k16.s8",                    ", [b641]",      "4I"),
    ("sm_80",   "wmma.load.a.sync.aligned.row.m8n8k32.s4",                     ", [b641]",      "1A"),
    ("sm_80",   "wmma.load.a.sync.aligned.row.m16n16k16.bf16",                 ", [b641]",      "4B"),
    ("sm_90a",  "wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32",          ", b640, 1, 1, 1", "4F 4P"),
    ("sm_90a",  "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8",             ", b640, 1",     "4I 4A"),
)
CONSTANTS: tuple[tuple[str, list[str]], ...] = (  # beside registers; among themselves where they have the list's type
    ("{f321, 0.0, f321, 0f3f800000}",                     []),
    ("{0f00000000, 0f00000000, 0f00000000, 0f00000000}",  []),
    ("{0.0, 0.0, 0.0, 0.0}",                              ["vector-element"] * 4),
    ("{0, 0, 0, 0}",                                      ["vector-element"] * 4),
    ("{f321, 0, f321, f321}",                             ["vector-element"]),
    ("{b321, 0, f321, f321}",                             ["vector-element"]),
)
_MMA, _WMMA = "mma.sync.aligned.", "wmma.mma.sync.aligned.row.col."
_F64, _B1 = "{f641, f642}, {f641}", "{s321, s322}, {b321}"
_POPC = "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32"
_HALVES = "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {b321, b322}, {b323, b324}"
_BYTES, _LONG = f"{_MMA}m8n8k16.row.col.s32.s8.s8.s32", f"{_MMA}m16n8k32.row.col.s32.s8.s8.s32"
_FP8 = f"{_MMA}m16n8k32.row.col.f32.e4m3.e4m3.f32"
_S4, _B4, _F4 = "{s321, s322, s323, s324}", "{b321, b322, b323, b324}", "{f321, f322, f323, f324}"
_S8 = "{s321, s322, s323, s324, s325, s326, s327, s328}"
ALONE = (  # statements with @ for a constant; those that are taken, those that are not
    (f"{_MMA}m8n8k4.row.col.f64.f64.f64.f64 {_F64}, {{@}}, {{f641, f642}};",  "256 0x100000000 1.0 0f3F800000", ""),
    (f"{_MMA}m8n8k4.row.col.f64.f64.f64.f64 {_F64}, {{f641}}, {{@, @}};",     "256 0x100000000 1.0 0f3F800000", ""),
    (f"{_MMA}m8n8k4.row.col.f64.f64.f64.f64 {_F64}, {{f641}}, {{@, f641}};",  "1.0 0f3F800000",  "256 0x100000000"),
    (f"{_WMMA}m8n8k4.rn.f64.f64.f64.f64 {_F64}, {{@}}, {{f641, f642}};",      "1.0 0f3F800000",  "256 0x100000000"),
    (f"{_WMMA}m8n8k4.rn.f64.f64.f64.f64 {_F64}, {{f641}}, {{@, @}};",         "256 0x100000000 1.0 0f3F800000", ""),
    (f"{_POPC} {_B1}, {{@}}, {{s323, s324}};",                          "",  "1 0x100000000 1.0 0f3F800000"),
    (f"{_POPC} {_B1}, {{b321}}, {{@, @}};",                                   "1 0x100000000",   "1.0 0f3F800000"),
    (f"{_WMMA}m8n8k32.s32.s4.s4.s32 {_B1}, {{@}}, {{s323, s324}};",           "1 0x100000000",   "1.0 0f3F800000"),
    (f"{_HALVES}, {{@}}, {{b321, b322}};",                              "",  "1 0x100000000 1.0 0f3F800000"),
    (f"{_HALVES}, {{b325}}, {{@, b322}};",                              "1 0x100000000 1.0 0f3F800000",  ""),
    (f"{_BYTES} {_B1}, {{@}}, {{s323, s324}};",                         "",  "1 1.0 0f3F800000"),
    (f"{_BYTES} {{s321, s322}}, {{@}}, {{b321}}, {{s323, s324}};",      "",  "1 1.0 0f3F800000"),
    (f"{_BYTES} {_B1}, {{b322}}, {{@, @}};",                            "1",               "1.0 0f3F800000"),
    (f"{_LONG} {_S4}, {{@, @, @, @}}, {{b321, b322}}, {_S4};",          "0f3F800000",      "1 1.0"),
    (f"{_LONG} {_S4}, {_B4}, {{@, @}}, {_S4};",                         "0f3F800000",      "1 1.0"),
    (f"{_LONG} {_S4}, {_B4}, {{@, b321}}, {_S4};",                      "0f3F800000 1",    ""),
    (f"{_FP8} {_F4}, {{@, @, @, @}}, {{b321, b322}}, {_F4};",           "0f3F800000",      "1 1.0"),
    (f"{_MMA}m16n8k16.row.col.f32.bf16.bf16.f32 {_F4}, {_B4}, {{@, @}}, {_F4};", "",       "1 1.0 0f3F800000"),
    (f"{_WMMA}m16n16k16.s32.s8.s8.s32 {_S8}, {{b321, b322}}, {{@, b321}}, {_S8};", "0f3F800000", "1"),
    (f"{_WMMA}m16n16k16.s32.u8.u8.s32 {_S8}, {{@, b322}}, {{b322, b321}}, {_S8};", "0f3F800000 1", ""),
    (f"{_WMMA}m16n16k16.s32.s8.s8.s32 {_S8}, {{@, @}}, {{b321, b322}}, {_S8};", "",        "1 1.0 0f3F800000"),
    (f"{_WMMA}m8n32k16.s32.u8.u8.s32 {_S8}, {{b321}}, {{@, b321, b322, b323}}, {_S8};", "0f3F800000 1", ""),
)
# fmt: on


@pytest.mark.parametrize(("statement", "taken", "refused"), ALONE)
def test_constants_alone_in_a_fragment(statement: str, taken: str, refused: str) -> None:
    def errors(constant: str) -> list[str]:
        text = MODULE.format(target="sm_100a", statement=statement.replace("@", constant))
        return [each.name for each in openptx.check(text) if each.severity == "error"]

    assert [each for each in taken.split() if errors(each)] == []
    assert [each for each in refused.split() if not errors(each)] == []


def errors(target: str, statement: str) -> list[str]:
    return [d.name for d in openptx.check(MODULE.format(target=target, statement=statement)) if d.severity == "error"]


@pytest.mark.parametrize(("target", "opcode", "rest", "lists"), FRAGMENTS, ids=[row[1] for row in FRAGMENTS])
def test_registers_of_a_fragment(target: str, opcode: str, rest: str, lists: str) -> None:
    fragments = [(int(each[0]), KINDS[each[1]].split()) for each in lists.split()]
    for i, (_, fitting) in enumerate(fragments):
        for kind in KINDS["W" if "b64" in fitting else "A"].split():
            chosen = [kind if i == j else each[0] for j, (_, each) in enumerate(fragments)]
            texts = [
                ", ".join(f"{k}{n}" for n in range(count)) for k, (count, _) in zip(chosen, fragments, strict=True)
            ]
            wrong = errors(target, f"{opcode} {', '.join(f'{{{text}}}' for text in texts)}{rest};")
            assert bool(wrong) != (kind in fitting), (i, kind, wrong)


@pytest.mark.parametrize(("sums", "wrong"), CONSTANTS)
def test_constants_in_a_fragment(sums: str, wrong: list[str]) -> None:
    factors = "{b320, b321, b322, b323}, {b324, 5}"
    opcode = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"
    assert errors("sm_80", f"{opcode} {{f320, f321, f322, f323}}, {factors}, {sums};") == wrong


def test_a_predicate_in_a_fragment() -> None:
    """The assembler takes it, and its code generator breaks down: measured on sm_100a with PTX 9.0 alone."""
    sums = "{f320, f321, f322, f323}"
    statement = f"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {sums}, {{p0, b321}}, {{b322}}, {sums};"
    for target, version, severity in (("sm_100a", "9.0", "error"), ("sm_80", "9.1", "warning")):
        module = MODULE.replace(".version 9.1", f".version {version}")
        found = openptx.check(module.format(target=target, statement=statement))
        assert [d.severity for d in found if "predicate" in d.message] == [severity]


_SCALED = "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e2m1.e4m3.f32.ue8m0"
_SPARSE = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"
_F, _A, _B = "{f321, f321, f321, f321}", "{b321, b321, b321, b321}", "{b321, b321}"
_IDS = "{0, 0}"
SINGLE = ("b321", "{b321}", "{b321, b322}", "{f321}", "{s321}")  # CUTLASS writes {%14}
NOT_SINGLE = ("5", "{5}", "{b641}", "{b321, b321, b321}", "{p1}")


@pytest.mark.parametrize("operand", [*SINGLE, *NOT_SINGLE])
@pytest.mark.parametrize(
    ("target", "statement"),
    [
        ("sm_120a", f"{_SCALED} {_F}, {_A}, {_B}, {_F}, OPERAND, {_IDS}, OPERAND, {_IDS};"),
        ("sm_80", f"{_SPARSE} {_F}, {_A}, {_A}, {_F}, OPERAND, 0;"),
        ("sm_90a", f"wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8 {_A}, b641, b642, OPERAND, 0, p1;"),
    ],
)
def test_scales_and_metadata_may_be_lists(target: str, statement: str, operand: str) -> None:
    """The assembler takes the first element; the manual has one register."""
    text = MODULE.format(target=target, statement=statement.replace("OPERAND", operand))
    refused = any(each.severity == "error" for each in openptx.check(text))
    assert refused == (operand in NOT_SINGLE)


@pytest.mark.parametrize(
    ("selector", "accepted"),
    [
        ("{0, b321}", True), ("{0, s641}", True), ("{0, %laneid}", True), ("{7, b321}", False), ("{0, f321}", False),
        ("{0, p1}", False), ("{0, 1.0}", False), ("{b321, 0}", False), ("{b321, b322}", False), ("{%laneid, 0}", False),
    ],
)  # fmt: skip
def test_selectors_of_scales(selector: str, accepted: bool) -> None:
    """A constant decides the list's type for the assembler: any integer register may follow it."""
    statement = f"{_SCALED} {_F}, {_A}, {_B}, {_F}, b321, {selector}, b322, {_IDS};"
    found = openptx.check(MODULE.format(target="sm_120a", statement=statement))
    assert all(each.severity != "error" for each in found) == accepted


@pytest.mark.parametrize(
    ("types", "last"), [("s32.s8.u8", 0), ("f32.e4m3.e5m2", 0), ("f32.f16.f16", 1), ("f32.tf32.tf32", 1)]
)
def test_selectors_of_sparse_wgmma(types: str, last: int) -> None:
    depth = {"s8": 64, "e4": 64, "f16": 32, "tf": 16}[next(t for t in ("s8", "e4", "f16", "tf") if f".{t}" in types)]
    d = _A if types[0] == "s" else _F
    rest = {"s8": "", "e4": ", 1, 1", "f1": ", 1, 1, 0, 0", "tf": ", 1, 1"}[types.split(".")[1][:2]]
    for selector in (0, 1, 2):
        statement = (
            f"wgmma.mma_async.sp.sync.aligned.m64n8k{depth}.{types} {d}, b641, b642, b321, {selector}, p1{rest};"
        )
        found = [each.name for each in openptx.check(MODULE.format(target="sm_90a", statement=statement))]
        assert ("immediate-range" in found) == (selector > last), selector


@pytest.mark.parametrize(("types", "d", "last"), [("f16.f16.f16.f16", _B, 1), ("f32.f16.f16.f32", _F, 3)])
def test_selectors_of_sparse_f16(types: str, d: str, last: int) -> None:
    """Of 32 columns; the manual has 0 or 1 for both."""
    for selector in range(5):
        statement = f"mma.sp.sync.aligned.m16n8k32.row.col.{types} {d}, {_A}, {_A}, {d}, b321, {selector};"
        found = [each.name for each in openptx.check(MODULE.format(target="sm_80", statement=statement))]
        assert ("immediate-range" in found) == (selector > last), selector


@pytest.mark.parametrize("columns", [224, 240, 256])
def test_products_of_bytes_have_up_to_256_columns(columns: int) -> None:
    """Table of shapes 9.7.15.2, and CUTLASS; the syntax of 9.7.15.5 stops at 224."""
    d = ", ".join(["b321"] * (columns // 2))
    statement = f"wgmma.mma_async.sync.aligned.m64n{columns}k32.s32.u8.s8 {{{d}}}, b641, b642, p1;"
    assert not [
        each for each in openptx.check(MODULE.format(target="sm_90a", statement=statement)) if each.severity == "error"
    ]


# fmt: off
MOVED = (  # by statements of the assembler's own; the element, whether it is taken
    ("wmma.load.a.sync.aligned.row.m16n16k16.f16 {b320, b321, b322, b323, b324, b325, b326, @}, [b641];",
     "p1 %laneid %tid.x", "b327 f16x21"),
    ("wmma.load.c.sync.aligned.row.m16n16k16.f16 {@, b321, b322, b323}, [b641];",   "p1 %laneid", "b327 f16x21"),
    ("wmma.load.b.sync.aligned.col.m32n8k16.s8 {@}, [b641];",                       "p1 %laneid", "b327 s321"),
    ("wmma.load.a.sync.aligned.row.m8n8k4.f64 {@}, [b641];",                        "p1 %clock64", "b641 f641"),
    ("wmma.store.d.sync.aligned.row.m16n16k16.f16 [b641], {b320, b321, b322, @};",
     "p1 %laneid 1.0 0d3FF0000000000000 v", "b327 0f3F800000 5"),
    ("wmma.store.d.sync.aligned.row.m8n8k4.f64 [b641], {f640, @};",                 "%clock64", "f641 1.0"),
)
# fmt: on


@pytest.mark.parametrize("target", ["sm_80", "sm_120a"])
@pytest.mark.parametrize(("statement", "wrong", "right"), MOVED)
def test_fragments_that_are_loaded_and_stored(target: str, statement: str, wrong: str, right: str) -> None:
    for element in (*wrong.split(), *right.split()):
        text = MODULE.format(target=target, statement=".local .b32 v; " + statement.replace("@", element))
        found = [each.name for each in openptx.check(text) if each.severity == "error"]
        assert bool(found) is (element in wrong.split()), element


@pytest.mark.parametrize(
    "statement",
    [
        "wmma.load.a.sync.aligned.row.m16n16k16.bf16 {b320, b321, b322, b323}, [@], b321;",
        "wmma.load.b.sync.aligned.col.m32n8k16.s8 {b320}, [@];",
        "wmma.store.d.sync.aligned.row.m8n8k4.f64 [@], {f641, f642};",
        "tensormap.replace.tile.box_dim.b1024.b32 [@], 1, b321;",
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [@], 64;",
    ],
)
def test_addresses_that_need_32_bits(statement: str) -> None:
    for register, right in (("h", False), ("b", False), ("b321", True), ("b641", True)):
        text = MODULE.format(target="sm_100a", statement=f".reg .s16 h; .reg .b8 b; {statement.replace('@', register)}")
        found = [each.name for each in openptx.check(text) if each.severity == "error"]
        assert found == ([] if right else ["address-register"]), register


_SMALLER = "wmma.mma.sync.aligned.row.col"
_EIGHT, _FOUR = "b320,b321,b322,b323,b324,b325,b326,b327", "b320,b321,b322,b323"
_BYTES = "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"

# fmt: off
TOGETHER = (  # lists that are taken, and lists that are not: signed beside unsigned integers are bits
    ("wmma.load.c.sync.aligned.row.m16n16k16.f16 {@}, [b641];",
     "u320,s321,u322,u323 s320,s321,s322,u323 u320,b321,u322,u323",  "u320,u321,u322,u323 s320,s321,s322,s323"),
    ("wmma.store.d.sync.aligned.row.m16n16k16.f16 [b641], {@};",
     "u320,s321,u322,u323 u320,b321,u322,u323",                      "u320,u321,u322,u323"),
    ("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {@}, {b320,b321}, {b320}, {b320,b321,b322,b323};",
     "u320,s321,u322,u323 f320,b321,u322,u323",                      "u320,u321,u322,u323 f320,u321,s322,s323"),
    ("atom.global.add.noftz.v2.f16x2 {b320,b321}, [b641], {@};",     "u320,s321 b320,u321",  "u320,u321 s320,s321"),
    # So does a constant: its type is not that of the register beside it.
    ("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {b320,b321}, {b320,b321}, {b320}, {@};",
     "s320,0 u320,1U 0,s320 f320,1.0 1.0,f320",                      "f320,0f00000000 0,0 1.0,1.0"),
    ("atom.global.add.noftz.v2.f16x2 {b320,b321}, [b641], {@};",
     "s320,0 u320,1U f320,1.0",                                      "0,s320 1U,u320 1.0,f320 f320,0f00000000"),
    # Elements of 64 bits are moved one by one.
    ("wmma.load.c.sync.aligned.row.m8n8k4.f64 {@}, [b641];",         "b640,f641 b640,b641",  "b640,u641 u640,s641"),
    ("wmma.store.d.sync.aligned.row.m8n8k4.f64 [b641], {@};",
     "f640,b641 2.0,b641 b640,2.0 1.0,2.0",                          "b640,u641 s640,b641 1,b641 b640,2 1,2"),
    # Smaller `mma` have four, where constants alone must have the type.
    (f"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {{{_EIGHT}}}, {{{_EIGHT}}}, {{{_EIGHT}}}, {{@}};",
     "0,0,0,b320,0,0,b320,0 b320,b320,b320,b320,0f00000000,0f00000000,0f00000000,0f00000000",
     "0,0,0,0,b320,b320,b320,b320 b320,b320,b320,b320,1.0,1.0,1.0,1.0"),
    (f"{_BYTES} {{{_FOUR}}}, {{{_FOUR}}}, {{b320,b321}}, {{@}};",
     "b320,0f00000000,b320,1.0",                                     "b320,0,b320,b320 1U,b320,b320,b320"),
)
# fmt: on


@pytest.mark.parametrize(("statement", "taken", "refused"), TOGETHER)
def test_types_of_elements_together(statement: str, taken: str, refused: str) -> None:
    for elements in (*taken.split(), *refused.split()):
        text = MODULE.format(target="sm_90a", statement=statement.replace("@", elements))
        found = [each.name for each in openptx.check(text) if each.severity == "error"]
        assert bool(found) is (elements in refused.split()), elements


# fmt: off
PIECES = (  # lists that the assembler takes apart on some targets: each piece is judged by itself
    # target, statement with @, lists as letters: bits, signed, unsigned, float
    ("sm_90a",  f"{_SMALLER}.m16n16k16.f32.f32 {{@}}, {{{_EIGHT}}}, {{{_EIGHT}}}, {{{_EIGHT}}};",
     "bsssbsss ussusssu fffbbsss ssubbbbb",  "sssssssb bsssssss uuuuussu bsbbssss"),
    ("sm_90a",  f"{_SMALLER}.m16n16k16.f16.f16 {{{_FOUR}}}, {{{_EIGHT}}}, {{{_EIGHT}}}, {{@}};",
     "bsbs suus ubus",                       "bbss sssb uuss"),
    ("sm_90a",  f"{_SMALLER}.m16n16k16.f16.f32 {{@}}, {{{_EIGHT}}}, {{{_EIGHT}}}, {{{_EIGHT}}};",
     "bbss sssb uuus",                       "ssss"),  # converted before it is taken apart
    ("sm_90a",  f"{_SMALLER}.m16n16k16.f32.f32 {{{_EIGHT}}}, {{{_EIGHT}}}, {{@}}, {{{_EIGHT}}};",
     "bsbsssss ususssss",                    "bbssbbbb ssbbbbbb"),  # the second half is not read
    ("sm_90a",  f"{_SMALLER}.m8n32k16.f32.f32 {{{_EIGHT}}}, {{@}}, {{{_EIGHT}}}, {{{_EIGHT}}};",
     "bsssssss",                             "ssbbbbbb"),
    ("sm_75",   f"{_SMALLER}.m16n16k16.f32.f32 {{{_EIGHT}}}, {{@}}, {{{_EIGHT}}}, {{{_EIGHT}}};",
     "bsbsssss ususssss",                    "bsssbbbb"),
    ("sm_75",   f"{_SMALLER}.m16n16k16.f32.f32 {{{_EIGHT}}}, {{{_EIGHT}}}, {{@}}, {{{_EIGHT}}};",
     "bbbbssss",                             "bsbsbbbb"),
    ("sm_75",   f"{_SMALLER}.m16n16k16.s32.s8.s8.s32 {{@}}, {{b320,b321}}, {{b320,b321}}, {{{_EIGHT}}};",
     "bfbfbfbf",                             "bfffbbbb"),
    ("sm_90a",  f"{_SMALLER}.m16n16k16.s32.s8.s8.s32 {{@}}, {{b320,b321}}, {{b320,b321}}, {{{_EIGHT}}};",
     "bfffbfff",                             "bfffffff"),
    ("sm_90a",  f"{_SMALLER}.m16n16k8.f32.tf32.tf32.f32 {{{_EIGHT}}}, {{@}}, {{{_FOUR}}}, {{{_EIGHT}}};",
     "bsbs",                                 "bsss"),
    ("sm_89",   f"{_BYTES} {{@}}, {{{_FOUR}}}, {{b320,b321}}, {{{_FOUR}}};",  "bsss uuus fbbb",  "ssss"),
    ("sm_90a",  f"{_BYTES} {{{_FOUR}}}, {{{_FOUR}}}, {{b320,b321}}, {{@}};",  "fbbb bbbb",       "bsss uuus sbbb"),
    ("sm_100a", f"{_BYTES} {{@}}, {{{_FOUR}}}, {{b320,b321}}, {{{_FOUR}}};",  "fbbb bbbb",       "bsss uuus sbbb"),
    ("sm_120a", f"{_BYTES} {{@}}, {{{_FOUR}}}, {{b320,b321}}, {{{_FOUR}}};",  "bsss uuus fbbb",  "ssss"),
    ("sm_90a",  "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {@}, {f640,f641}, {f640}, {f640,f641,f642,f643};",
     "DSSS UUUS SSSS",                       "FSFS"),
    ("sm_100a", "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {@}, {f640,f641}, {f640}, {f640,f641,f642,f643};",
     "FDDD",                                 "DSSS UUUS SSSS"),
    ("sm_100a", "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {@}, {f640}, {f640}, {f640,f641};",
     "FD DS US",                             "FS"),
)
# fmt: on
_LETTERS = {"b": "b32", "s": "s32", "u": "u32", "f": "f32", "D": "b64", "S": "s64", "U": "u64", "F": "f64"}


@pytest.mark.parametrize(("target", "statement", "taken", "refused"), PIECES)
def test_lists_that_are_taken_apart(target: str, statement: str, taken: str, refused: str) -> None:
    for letters in (*taken.split(), *refused.split()):
        elements = ",".join(f"{_LETTERS[letter]}{i}" for i, letter in enumerate(letters))
        text = MODULE.format(target=target, statement=statement.replace("@", elements))
        found = [each.name for each in openptx.check(text) if each.severity == "error"]
        assert bool(found) is (letters in refused.split()), letters
