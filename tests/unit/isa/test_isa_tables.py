"""Tables 8, 9, 15 to 19 and 26 to 28: each printed cell is a test of the rules."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from openptx.check.operand.slot import Rule
from openptx.isa import agreement, conversions
from openptx.isa.costs import COSTS, cost_of
from openptx.isa.notation import instructions_of
from openptx.isa.types import FUNDAMENTAL, TYPES

COLUMNS = ["b8", "b16", "b32", "b64", "b128", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64"]

# Tables 27 and 28 as printed, rows and columns as above: - kept, c chopped or extended, . invalid.
RELAXED = {
    "b8": "-cccc-ccc-cccccc",
    "b16": ".-ccc.-cc.-cc-cc",
    "b32": "..-cc..-c..-c.-c",
    "b64": "...-c...-...-..-",
    "b128": "....-...........",
    "s8": "-cccc-ccc-ccc...",
    "s16": ".-ccc.-cc.-cc...",
    "s32": "..-cc..-c..-c...",
    "s64": "...-c...-...-...",
    "u8": "-cccc-ccc-ccc...",
    "u16": ".-ccc.-cc.-cc...",
    "u32": "..-cc..-c..-c...",
    "u64": "...-c...-...-...",
    "f16": ".-ccc........-..",
    "f32": "..-cc.........-.",
    "f64": "...-c..........-",
}

# Table 15 as printed, from the rows to the columns: - nothing, s sext, z zext, c chop1, f, t, u to and from floats.
SCALARS = ["s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "f32", "f64", "bf16", "tf32"]
NAMES = {"-": "", "s": "sext", "z": "zext", "c": "chop1", "x": "s2f", "y": "u2f", "i": "f2s", "j": "f2u", "f": "f2f"}
CONVERSIONS = {
    "s8": "-sss-sssxxxx.",
    "s16": "c-ssc-ssxxxx.",
    "s32": "cc-scc-sxxxx.",
    "s64": "ccc-ccc-xxxx.",
    "u8": "-zzz-zzzyyyy.",
    "u16": "c-zzc-zzyyyy.",
    "u32": "cc-zcc-zyyyy.",
    "u64": "ccc-ccc-yyyy.",
    "f16": "iiiijjjj-fff.",
    "f32": "iiiijjjjf-fff",
    "f64": "iiiijjjjff-f.",
    "bf16": "iiiijjjjffff.",
    "tf32": ".............",
}

# Table 16 as printed.
FORMATS = ["f16", "f32", "bf16", "e4m3", "e5m2", "e2m3", "e3m2", "e2m1", "ue8m0"]
AFTER_TABLE_16 = (9, 1)  # the PTX version that brought conversions which the table does not list
REACHES = {
    "f16": ".ffff....",
    "f32": "f.fffffff",
    "bf16": "fff.....f",
    "e4m3": "f........",
    "e5m2": "f........",
    "e2m3": "f........",
    "e3m2": "f........",
    "e2m1": "f........",
    "ue8m0": "..f......",
}

RELAXED_CELLS = [(row, column, RELAXED[row][i]) for row in COLUMNS for i, column in enumerate(COLUMNS)]
SCALAR_CELLS = [(row, column, CONVERSIONS[row][i]) for row in SCALARS for i, column in enumerate(SCALARS)]
FORMAT_CELLS = [(row, column, REACHES[row][i]) for row in FORMATS for i, column in enumerate(FORMATS)]


def test_every_cell_is_there(record_property: Callable[[str, object], None]) -> None:
    cells = {"27": RELAXED_CELLS, "28": RELAXED_CELLS, "15": SCALAR_CELLS, "16": FORMAT_CELLS}
    counts = {table: len(found) for table, found in cells.items()}
    for table, count in counts.items():
        record_property(f"cells of Table {table}", count)
    print("cells checked:", ", ".join(f"Table {t}: {n}" for t, n in counts.items()), "Table 26: 16, Table 9: 14")
    assert counts == {"27": 256, "28": 256, "15": 169, "16": 81}


@pytest.mark.parametrize(("relaxed", "agreeing"), [(True, "c-"), (False, "-")])
def test_tables_27_and_28(relaxed: bool, agreeing: str) -> None:
    """Without them sizes are equal."""
    for instruction, operand, cell in RELAXED_CELLS:
        found = agreement.agrees(TYPES[instruction], TYPES[operand], relaxed=relaxed)
        assert found == (cell in agreeing), (instruction, operand)


@pytest.mark.parametrize(("instruction", "okay"), [("b", "bsuf"), ("s", "bsu"), ("u", "bsu"), ("f", "bf")])
@pytest.mark.parametrize("operand", list("bsuf"))
def test_table_26(instruction: str, okay: str, operand: str) -> None:
    assert agreement.basic(TYPES[f"{instruction}32"], TYPES[f"{operand}32"]) == (operand in okay)
    wider = TYPES[f"{operand}64"]
    assert not agreement.agrees(TYPES[f"{instruction}32"], wider), "sizes must be equal outside ld, st and cvt"


def test_table_15() -> None:
    for source, destination, cell in SCALAR_CELLS:
        expected = None if cell == "." else NAMES[cell]
        assert conversions.scalar(TYPES[destination], TYPES[source]) == expected, (source, destination)


@pytest.mark.parametrize(("source", "destination", "cell"), FORMAT_CELLS)
def test_table_16(source: str, destination: str, cell: str) -> None:
    forms = [
        form for instruction in instructions_of("cvt") for form in instruction.forms if form.since[0] < AFTER_TABLE_16
    ]
    pairs = [[slot.choices for slot in form.slots if slot.typed][:2] for form in forms]
    converts = any(
        TYPES[d].element.name == destination and TYPES[a].element.name == source
        for d_types, a_types in pairs
        for d in d_types
        for a in a_types
    )
    moves = source == destination != "bf16"  # a dash of Table 15
    assert (converts and not moves) == (cell == "f")


def test_table_8() -> None:
    kinds: dict[str, set[str]] = {}
    for name in FUNDAMENTAL:
        kinds.setdefault(TYPES[name].kind, set()).add(name)
    assert kinds == {
        "s": {"s8", "s16", "s32", "s64"},
        "u": {"u8", "u16", "u32", "u64"},
        "f": {"f16", "f16x2", "f32", "f64"},
        "b": {"b8", "b16", "b32", "b64", "b128"},
        "pred": {"pred"},
    }


@pytest.mark.parametrize(
    ("packed", "count", "element", "held"),
    [
        ("f16x2", 2, "f16", "f16x2 b32"),
        ("f32x2", 2, "f32", "b64"),
        ("bf16x2", 2, "bf16", "b32"),
        *((f"{e}x2", 2, e, "b16") for e in ("e4m3", "e5m2", "e2m3", "e3m2", "ue8m0")),
        ("e2m1x2", 2, "e2m1", "b8"),
        *((f"{e}x4", 4, e, "b32") for e in ("e4m3", "e5m2", "e2m3", "e3m2", "e2m1")),
    ],
)
def test_table_9(packed: str, count: int, element: str, held: str) -> None:
    type = TYPES[packed]
    assert (type.count, type.element.name, type.registers) == (count, element, tuple(held.split()))
    assert agreement.registers_for(type) == tuple(held.split())


def test_alternate_formats_are_held_in_bits() -> None:
    held = {name: TYPES[name].registers for name in ("bf16", "tf32", "ue4m3")}
    assert held == {"bf16": ("b16",), "tf32": ("b32",), "ue4m3": ("b8",)}
    assert not any(TYPES[name].fundamental for name in held)


def test_rounding_modifiers_of_tables_17_and_18() -> None:
    assert set(conversions.ROUNDING) == {"rn", "rna", "rz", "rm", "rp", "rs", "rni", "rzi", "rmi", "rpi"}


def test_table_19() -> None:
    slow = {space for space, cost in COSTS.items() if cost.more}
    assert slow == {"local", "global", "texture", "surface"}
    assert all(cost.clocks == (100 if space in slow else 0) for space, cost in COSTS.items())
    assert len(COSTS) == 9
    assert [repr(cost_of(space)) for space in ("const", "param", "global")] == ["0 clocks", "0 clocks", "> 100 clocks"]
    assert cost_of("rn") is None


def test_the_assembler_takes_pairs_of_halves_for_words_and_predicates() -> None:
    pair = TYPES["f16x2"]
    for wanted in ("b32", "u32", "s32", "pred"):
        assert Rule(TYPES[wanted], relaxed=False, strict=False, follows_ptxas=True).takes(pair)
    assert not agreement.agrees(TYPES["u32"], pair)
    assert not Rule(TYPES["f32"], relaxed=False, strict=False, follows_ptxas=True).takes(pair)
