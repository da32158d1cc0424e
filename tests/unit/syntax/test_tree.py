"""The tree of one module, item by item, and its text, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest
from sample import SAMPLE  # type: ignore[import-not-found]

from openptx.source import File
from openptx.syntax import SyntaxTree, parse
from openptx.syntax.declarations import InitialiserList, SymbolAddress, Variable
from openptx.syntax.directives import (
    Alias,
    BranchTargets,
    CallPrototype,
    Location,
    Pragma,
    Section,
    SourceFile,
    Target,
    Version,
)
from openptx.syntax.operands import (
    Address,
    Float,
    Integer,
    Minus,
    Negated,
    Pair,
    Selector,
    Sink,
    Subscript,
    Sum,
    Vector,
)
from openptx.syntax.tree import Block, Function, Instruction, Label

CASES = Path(__file__).parents[2] / "data" / "cases"


@pytest.fixture(scope="module")
def module() -> SyntaxTree:
    return parse(File("sample.ptx", SAMPLE))


def only(module: SyntaxTree, kind: type) -> list:  # type: ignore[type-arg]
    return [statement for statement in module.walk() if type(statement) is kind]


def instruction(module: SyntaxTree, opcode: str) -> Instruction:
    return next(i for i in only(module, Instruction) if i.opcode.startswith(opcode))


def test_the_sample_is_right_and_prints_back(module: SyntaxTree) -> None:
    assert module.diagnostics == []
    assert str(module) == SAMPLE


def test_every_statement_knows_its_place(module: SyntaxTree) -> None:
    for statement in module.walk():
        start, end = statement.span
        assert SAMPLE[start:end] == statement.text
        assert statement.text == statement.text.strip()


def test_module_directives(module: SyntaxTree) -> None:
    version, target = only(module, Version)[0], only(module, Target)[0]
    assert (version.major, version.minor) == (8, 7)
    assert [name.text for name in target.targets] == ["sm_90a", "debug"]
    file = only(module, SourceFile)[0]
    assert (file.index, file.path.value, [v.value for v in file.values[1:]]) == (1, "kernel.cu", [1339013327, 64118])
    alias = only(module, Alias)[0]
    assert (alias.alias.text, alias.aliasee.text) == ("twin", "helper")
    assert [text.value for text in only(module, Pragma)[0].strings] == ["module"]
    section = only(module, Section)[0]
    assert section.section == ".debug_str"
    assert SAMPLE[slice(*section.body)].strip().startswith("$str:")


def test_variables(module: SyntaxTree) -> None:
    text, pointers, bytes_, pair = [item for item in module.items if type(item) is Variable]
    assert (text.linkage, text.space, text.type, text.align.value) == ("visible", "global", "b8", 8)
    assert [dimension.value for dimension in text.names[0].dimensions] == [4, 2]
    first, second = pointers.names[0].initialiser.elements
    assert isinstance(first, SymbolAddress)
    assert (first.name.text, first.offset, first.generic, first.mask) == ("text", 1, True, None)
    assert (second.name.text, second.generic) == ("vprintf", False)
    masked, folded = bytes_.names[0].initialiser.elements
    assert (masked.mask.value, masked.name.text, masked.offset) == (0xFF00, "text", 4)
    assert folded.value == (1546 & 0xFF)
    values = pair.names[0].initialiser
    assert isinstance(values, InitialiserList)
    assert (pair.vector, values.elements[0].value, values.elements[1].bits) == (2, -1.5, 0x3F800000)


def test_functions(module: SyntaxTree) -> None:
    vprintf, helper, twin, kernel = module.functions
    assert (vprintf.linkage, vprintf.kind, vprintf.body) == ("extern", "func", None)
    assert [p.names[0].name.text for p in (*vprintf.returns, *vprintf.parameters)] == ["result", "a", "b"]
    assert (helper.linkage, helper.noreturn, helper.parameters[0].space) == ("weak", True, "reg")
    assert twin.statements == []
    assert (kernel.kind, kernel.name.text) == ("entry", "kernel")
    out, struct = kernel.parameters
    assert (out.pointer.space, out.pointer.align.value, out.type) == ("global", 16, "u64")
    assert (struct.pointer, struct.names[0].dimensions[0].value) == (None, 12)
    assert {d.name: [v.value for v in d.values] for d in kernel.directives} == {
        "maxntid": [16, 16, 4],
        "minnctapersm": [2],
    }
    assert SAMPLE[kernel.body[0] - 1] == "{"
    assert SAMPLE[kernel.body[1]] == "}"
    assert kernel.text.endswith("}")


def test_registers(module: SyntaxTree) -> None:
    kernel = module.functions[-1]
    predicates, numbers, vector = [s for s in kernel.statements if isinstance(s, Variable)][:3]
    assert [(d.name.text, d.count and d.count.value) for d in numbers.names] == [("%r", 100), ("extra", None)]
    assert (predicates.type, vector.vector, vector.type) == ("pred", 4, "f32")


def test_body(module: SyntaxTree) -> None:
    kernel = module.functions[-1]
    blocks = [s for s in kernel.statements if isinstance(s, Block)]
    assert [type(s) for s in blocks[0].statements] == [Variable, Instruction]
    assert [label.name.text for label in only(module, Label)] == ["$next"]
    targets, prototype = only(module, BranchTargets)[0], only(module, CallPrototype)[0]
    assert (targets.label.text, [(t.text, t.count) for t in targets.targets]) == (
        "targets",
        [("$next", None), ("L", 3)],
    )
    assert (prototype.label.text, len(prototype.returns), len(prototype.parameters)) == ("proto", 1, 2)
    location = only(module, Location)[0]
    assert [v.value for v in location.values] == [1, 9, 3]
    assert (location.function_name.text, location.function_offset) == ("$str", 4)
    assert [v.value for v in location.inlined_at] == [1, 21, 3]


def test_guard_and_opcode(module: SyntaxTree) -> None:
    branch = instruction(module, "bra")
    assert (branch.guard.name.text, branch.guard.negated) == ("%p1", True)
    odd = instruction(module, "mov.u32")
    assert (odd.opcode, odd.mnemonic, odd.modifiers, odd.guard) == ("mov.u32", "mov", (".u32",), None)
    assert instruction(module, "call").operands[-1].text == "proto"


def test_operands(module: SyntaxTree) -> None:
    pair, _, number, negated = instruction(module, "setp").operands
    assert isinstance(pair, Pair)
    assert (pair.first.text, type(pair.second)) == ("%p1", Sink)
    assert isinstance(number, Integer)
    assert (number.value, number.literal) == (-16, False)
    assert isinstance(negated, Negated)
    vector, place = instruction(module, "tex").operands
    assert isinstance(vector, Vector)
    assert isinstance(place, Address)
    assert (len(vector.elements), place.base.text, [e.text for e in place.parts[0].elements]) == (
        4,
        "texture",
        ["%r5", "%r6"],
    )
    selector, place = instruction(module, "ld").operands
    assert isinstance(selector, Selector)
    assert (selector.base.text, selector.field, place.offset.value, place.suffix) == ("v", "x", -8, "unified")
    _, minus, element, _ = instruction(module, "vmad").operands
    assert isinstance(minus, Minus)
    assert isinstance(element, Subscript)
    assert (element.base.text, element.index.base.text, element.index.offset.value) == ("buffer", "%r3", 1)
    _, total = instruction(module, "mov.u32").operands
    assert isinstance(total, Sum)
    assert (total.base.text, total.offset.value) == ("buffer", 4)
    results, name, arguments, _ = instruction(module, "call").operands
    assert ([e.text for e in results.elements], name.text, [e.text for e in arguments.elements]) == (
        ["%r1"],
        "vprintf",
        ["%r2", "5"],
    )


def test_operands_know_their_place(module: SyntaxTree) -> None:
    for found in only(module, Instruction):
        for operand in found.operands:
            assert SAMPLE[slice(*operand.span)] == operand.text


@pytest.mark.parametrize(
    ("text", "value"), [("1.5", 1.5), ("0f3F800000", 1.0), ("-0d3FF0000000000000", -1.0), ("1e5", 1e5), (".5", 0.5)]
)
def test_floats(text: str, value: float) -> None:
    source = f".func f() {{ mov.f64 %fd1, {text}; }}"
    found = instruction(parse(File("f.ptx", source)), "mov").operands[1]
    assert isinstance(found, Float)
    assert found.value == value


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\t\n"])
def test_any_line_end(end: str) -> None:
    source = SAMPLE.replace("\n", end) if end != "\r" else SAMPLE.replace("//", "").replace("\n", end)
    module = parse(File("sample.ptx", source))
    assert str(module) == source
    if end != "\r":
        assert module.diagnostics == []
        assert len(list(module.walk())) == len(list(parse(File("sample.ptx", SAMPLE)).walk()))


def test_reading_twice_gives_the_same(module: SyntaxTree) -> None:
    kernel = module.functions[-1]
    assert [s.span for s in kernel.walk()] == [s.span for s in kernel.walk()]
    assert isinstance(kernel, Function)


def test_kernels_of_the_compiler_print_back() -> None:
    paths = sorted({path.read_bytes(): path for path in CASES.glob("*/kernel.ptx")}.values())
    assert len(paths) == 16  # 52 cases, of which many share a file
    for path in paths:
        text = path.read_bytes().decode()
        module = parse(File(path.name, text))
        assert str(module) == text, path
        assert module.diagnostics == [], path
        assert all(found.problem is None for found in only(module, Instruction)), path
