"""Writes tests/spec/*.ptx: every form of the scalar instructions with literal results from the models in tools/spec.

python tools/make_spec.py            write the files
python tools/make_spec.py --check    exit 1 where one is not as it would be written
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from spec.opcodes import opcodes

from openptx.api import check
from openptx.isa.fidelity import UNSUPPORTED
from openptx.isa.notation import INSTRUCTIONS, Instruction, load
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.types import Type
from spec import conversions, edges, floats, integers, videos

SPEC = Path(__file__).parents[1] / "tests" / "spec"
ROWS, OPCODES = 8, {"video": 6, "half_comparison": 24, "convert": 1800}
Model = Callable[..., object]

HEADERS = ("", ".version 9.2\n.target sm_120a\n.address_size 64\n")
"""What the runner puts in front of a file is sm_100a; the rest is tried on the second."""

NOTE = "// Written by tools/make_spec.py: operands at their edges, results by the models in tools/spec.\n\n"

# fmt: off
MODELS: dict[str, dict[str, Model]] = {
    "integer_arithmetic": {
        "add": integers.add, "sub": integers.sub, "mul": integers.mul, "mad": integers.mad, "mul24": integers.mul24,
        "mad24": integers.mad24, "sad": integers.sad, "div": integers.div, "rem": integers.rem, "abs": integers.abs_,
        "neg": integers.neg, "min": integers.min_, "max": integers.max_, "dp4a": integers.dp4a,
        "dp2a": integers.dp2a,
    },
    "integer_bits": {
        "popc": integers.popc, "clz": integers.clz, "bfind": integers.bfind, "fns": integers.fns, "brev": integers.brev,
        "bfe": integers.bfe, "bfi": integers.bfi, "szext": integers.szext, "bmsk": integers.bmsk,
    },
    "floating_point": {
        "add": floats.add, "sub": floats.sub, "mul": floats.mul, "fma": floats.fma, "mad": floats.fma,
        "div": floats.div, "neg": floats.neg, "abs": floats.abs_, "min": floats.min_, "max": floats.max_,
        "testp": floats.testp, "copysign": floats.copysign,
    },
    "elementary_functions": {"rcp": floats.rcp, "sqrt": floats.sqrt},
    "half_precision": {
        "add": floats.add, "sub": floats.sub, "mul": floats.mul, "fma": floats.fma, "neg": floats.neg,
        "abs": floats.abs_, "min": floats.min_, "max": floats.max_,
    },
    "mixed_precision": {"add": floats.mixed_add, "sub": floats.mixed_sub, "fma": floats.mixed_fma},
    "comparison_selection": {"set": floats.set_, "setp": floats.setp, "selp": integers.selp, "slct": floats.slct},
    "half_comparison": {"set": floats.set_, "setp": floats.setp},
    "logic_shift": {
        "and": integers.and_, "or": integers.or_, "xor": integers.xor, "not": integers.not_, "cnot": integers.cnot,
        "lop3": integers.lop3, "shf": integers.shf, "shl": integers.shl, "shr": integers.shr,
    },
    "move": {"prmt": integers.prmt},
    "convert": {"cvt": conversions.cvt},
    "video": videos.MODELS,
}
TABLES = (0x00, 0x01, 0x1B, 0x80, 0x96, 0xCA, 0xE8, 0xFE)  # of lop3
COUNTED = {
    "bfe": "bc", "bfi": "cd", "szext": "b", "bmsk": "ab", "shf": "c", "shl": "b", "shr": "b", "vshl": "b", "vshr": "b",
}
# fmt: on


def chosen(instruction: Instruction) -> list[tuple[str, Form, Modifiers]]:
    """Opcodes that can be executed, thinned out where there are very many: every choice of every slot stays."""
    found = [(opcode, form, m) for opcode, form, m in opcodes(instruction) if instruction.fidelity(m) != UNSUPPORTED]
    random.Random(instruction.name).shuffle(found)
    seen: set[tuple[int, str]] = set()
    first: list[tuple[str, Form, Modifiers]] = []
    rest: list[tuple[str, Form, Modifiers]] = []
    for opcode, form, m in found:
        choices = {(id(form), modifier) for modifier in m.written} | {(id(form), "")}
        (rest if choices <= seen else first).append((opcode, form, m))
        seen |= choices
    return sorted(first + rest[: max(0, OPCODES.get(instruction.module, 40) - len(first))], key=lambda item: item[0])


def register(t: Type) -> str:
    return "pred" if t.kind == "pred" else f"b{max(t.width, 16)}"


def values(instruction: Instruction, name: str, t: Type) -> list[int]:
    """The edges of one operand."""
    if t.kind == "pred":
        return [0, 1]
    if name in COUNTED.get(instruction.name, ""):
        return list(edges.COUNTS)
    if instruction.name == "fns" and name != "mask":
        return [0, 1, 3, 7, 31] if name == "base" else [0, 1, 2, 5, 0xFFFFFFFF, 0xFFFFFFFE, 40]
    if t.format is None:
        return edges.integers(t.width)
    codes, w = list(edges.FLOATS[t.element.format or ""]), t.element.width
    for i in range(1, t.count):
        shifted = random.Random(i).sample(codes, len(codes))
        codes = [low | high << i * w for low, high in zip(codes, shifted, strict=True)]
    return codes


def written(instruction: Instruction, opcode: str, form: Form, m: Modifiers, model: Model) -> Iterator[list[str]]:
    """The functions that test one opcode, each as lines."""
    if instruction.name == "lop3":
        for table in TABLES:
            yield function(instruction, opcode, form, m, partial(with_table, model, table), table)
    elif instruction.module == "video":
        for parts in videos.selections(form, random.Random(opcode)):
            yield function(instruction, opcode, form, m.with_(**parts), model, parts=parts)
    else:
        yield function(instruction, opcode, form, m, model)


def with_table(model: Model, table: int, m: Modifiers, a: int, b: int, c: int, *q: int) -> object:
    return model(m, a, b, c, table, *q)


def function_name(opcode: str, table: int | None, parts: dict[str, str]) -> str:
    name = opcode.replace(".", "_").replace("::", "_") + (f"_{table}" if table is not None else "")
    return name + "".join(f"_{key[0]}_{part}" for key, part in parts.items() if part)


def operand_texts(form: Form, table: int | None, parts: dict[str, str]) -> str:
    """The operands under their own names, with the parts of them that are selected."""
    texts: list[str] = []
    for t in form.operands:
        suffix = f".{parts[f'{t.name}_part']}" if parts.get(f"{t.name}_part") else ""
        if t.pair:
            texts[-1] += f"|{t.name}"
        elif t.role == "immediate" or t.name == "immLut":
            texts.append(str(table))
        elif not t.optional:
            texts.append(t.name + suffix)
    return ", ".join(texts)


Named = list[tuple[str, Type]]


def runs(
    name: str, model: Callable[..., object], rows: Iterable[tuple[int, ...]], takes: Named, results: Named
) -> Iterator[str]:
    """The run lines of a function: what the model says for each row of operands, unless it says nothing."""
    for row in rows:
        outcome = model(*row)
        if outcome is None:
            continue
        outcomes = outcome if isinstance(outcome, tuple) else (outcome,)
        spelled = [spell(v, kind, extended=True) for v, (_, kind) in zip(outcomes, results, strict=False)]
        right = f"({', '.join(spelled)})" if len(spelled) > 1 else spelled[0]
        inputs = ", ".join(spell(v, kind) for v, (_, kind) in zip(row, takes, strict=True))
        yield f"// run: {name}({inputs}) == {right}"


def function(
    instruction: Instruction,
    opcode: str,
    form: Form,
    m: Modifiers,
    model: Model,
    table: int | None = None,
    parts: dict[str, str] | None = None,
) -> list[str]:
    """A device function around one instruction, and runs with what the model says; [] if it says nothing."""
    parts = parts or {}
    types = form.types(m)
    named = [(t.name, t, kind) for t, kind in zip(form.operands, types, strict=True) if kind is not None]
    results = [(name, kind) for name, t, kind in named if t.role == "write"]
    takes = [(name, kind) for name, t, kind in named if t.role == "read" and (not t.optional or name in parts)]
    name = function_name(opcode, table, parts)
    if any(kind.format not in (None, *edges.FLOATS) for _, kind in takes):
        return []  # formats of eight bits and fewer have tests of their own
    gives = ", ".join(f".reg .{register(kind)} {r}" for r, kind in results)
    arguments = ", ".join(f".reg .{register(kind)} {r}" for r, kind in takes)
    head = f".func ({gives}) {name} ({arguments}) {{ {opcode} {operand_texts(form, table, parts)}; ret; }}"
    columns = [values(instruction, r, kind) for r, kind in takes]
    rows = edges.rows(name, columns, max(ROWS, *(len(c) for c in columns)) if len(columns) < 3 else ROWS + 4)
    lines = [*runs(name, partial(model, m), rows, takes, results)]
    return [head, *lines] if lines else []


def spell(v: object, t: Type, *, extended: bool = False) -> str:
    """A value as run lines have it; results are extended to their register by the sign of their type."""
    width = max(t.width, 16) if t.kind != "pred" else 1
    bits = int(v) & (1 << t.width) - 1  # type: ignore[call-overload]
    if extended and t.signed and bits >> t.width - 1:
        bits |= (1 << width) - (1 << t.width)
    return str(bits) if width == 1 or bits < 10 else f"0x{bits:X}"


def text(module: str, header: str, functions: list[list[str]]) -> tuple[str, list[list[str]]]:
    """A file of the functions that the checker accepts under this header, and those that it does not."""
    body = [f for f in functions if f]
    lines = (header or ".version 9.0 .target sm_100a .address_size 64\n") + "\n".join(f[0] for f in body)
    start = lines.count("\n") - len(body) + 1
    bad = {d.location[0] - start - 1 for d in check(lines) if d.severity == "error"}
    good = [f for i, f in enumerate(body) if i not in bad]
    left = [f for i, f in enumerate(body) if i in bad]
    return header + NOTE + "\n\n".join("\n".join(f) for f in good) + "\n" if good else "", left


def files() -> Iterator[tuple[Path, str]]:
    """Paths and texts of all files."""
    load()
    for module, models in MODELS.items():
        functions = [
            lines
            for instruction in INSTRUCTIONS
            if instruction.module == module and instruction.name in models
            for opcode, form, m in chosen(instruction)
            for lines in written(instruction, opcode, form, m, models[instruction.name])
        ]
        for header, suffix in zip(HEADERS, ("", "_sm_120"), strict=True):
            content, functions = text(module, header, functions)
            if content:
                yield SPEC / f"{module}{suffix}_forms.ptx", content
        for lines in functions:
            print("not accepted by the checker:", lines[0][:140], file=sys.stderr)


def main() -> int:
    stale = 0
    for path, content in files():
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text() != content:
                print(f"{path}: not as tools/make_spec.py writes it", file=sys.stderr)
                stale = 1
        else:
            path.write_text(content)
            print(path, content.count("// run:"))
    return stale


if __name__ == "__main__":
    sys.exit(main())
