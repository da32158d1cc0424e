"""A module with explicit roundings, as we contract it: ptxas makes the same fused operations of both modules."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import replace

import openptx
from openptx.control_flow import registers
from openptx.program import Function, Imm, Op, Reg

_OPEN = re.compile(r"(?<![.\w])(mul|add|sub)((?:\.(?:ftz|sat))*\.(?:f32|f64|f16|bf16|f16x2|bf16x2))\b")
SCRATCH, BITS = "openptx_scratch", "openptx_bits"
_FUSED = re.compile(r"^(?:FFMA|DFMA|HFMA2)\b")


def rounded(text: str) -> str:
    """`mul`, `add` and `sub` without a rounding modifier get `.rn`, which ptxas does not contract."""
    return _OPEN.sub(r"\1.rn\2", text)


def contracted(text: str) -> tuple[str, int]:
    """The module with our contraction written out, and how many operations are fused in it."""
    off, on = (openptx.load(text, contract=contract).program for contract in ("off", "ptxas"))
    pieces: list[tuple[int, int, str]] = []
    declared: dict[int, str] = {}
    fused = 0
    for name in (*on.kernels, *on.functions):
        before, after = off.function(name), on.function(name)
        made = defaultdict[tuple[int, int], list[Op]](list)
        for op in after.code:
            made[op.span].append(op)
            fused += op.rule.startswith("contracted")
        for old in before.code:
            start, stop = old.span
            statement = rounded(text[start:stop])
            lines = (
                written(op, after) if changed(op) else renamed(statement, old, op, after)
                for op in made.get(old.span, ())
            )
            pieces.append((start, stop, " ".join(lines)))
        extra = after.registers[len(before.registers) :]
        body = text.index("{", on.definitions[name][0]) + 1
        new = " ".join(f".reg .{'pred' if r.type.width == 1 else f'b{r.type.width}'} openptx_{r.name};" for r in extra)
        bits = " ".join(f".reg .b{w} {BITS}{w};" for w in (16, 32, 64))
        declared[body] = f".reg .b32 {SCRATCH}; {bits} {new}"
    pieces += [(at, at, line) for at, line in declared.items()]
    found, last = list[str](), 0
    for start, stop, new in sorted(pieces):
        found += [rounded(text[last:start]), new]
        last = stop
    return "".join((*found, rounded(text[last:]))), fused


def renamed(statement: str, old: Op, new: Op, function: Function) -> str:
    """A statement with the registers that the instruction has now: what has moved is called otherwise.

    A guard that is always true is not there any more. Integers do not take registers of floats, nor floats those of
    integers, so what a copy between the two gave is copied again.
    """
    copies = list[str]()
    if old.guard is not None and new.guard is None:
        old, statement = replace(old, guard=None), re.sub(r"^@!?\S+\s*", "", statement)
    pairs = list(zip(all_registers(old), all_registers(new), strict=True))
    if all(a.index == b.index for a, b in pairs):
        return statement
    names = [register(a, function).lstrip("!") for a, _ in pairs]
    found = re.compile("|".join(rf"(?<![\w.%$]){re.escape(name)}(?![\w$])" for name in {*names}))
    assert found.findall(statement) == names, f"the registers of {statement} stand in another order"
    places = iter(pairs)

    def place(_: re.Match[str]) -> str:
        a, b = next(places)
        was, now = function.registers[a.index].type, function.registers[b.index].type
        name = register(b, function).lstrip("!")
        if (was.name[0] == "f") != (now.name[0] == "f") and now.name[0] != "b":
            copies.append(f"mov.b{now.width} {BITS}{now.width}, {name};")
            name = f"{BITS}{now.width}"
        return name

    text = found.sub(place, statement)
    assert len(copies) == len(set(copies)) < 2, f"{statement} reads several such registers"
    return " ".join((*copies, text))


def all_registers(op: Op) -> list[Reg]:
    """Those of the guard and of all operands."""
    guard = [] if op.guard is None else [op.guard]
    return guard + [each for operand in op.operands for each in registers(operand)]


def changed(op: Op) -> bool:
    return bool(op.rule) and not op.rule.startswith("left open")


def written(op: Op, function: Function) -> str:
    """An instruction that we made, as a statement; as two whose rounding stays open where PTX has no word for it."""
    guard = "" if op.guard is None else f"@{'!' if op.guard.negated else ''}{register(op.guard, function)} "
    values = [
        value(o, function, t.name if t else "") for o, t in zip(op.operands, op.types, strict=True) if o is not None
    ]
    name = op.form.instruction.name
    opcode = ".".join((name, *op.m.written))
    if (name, len(values)) in (("div", 4), ("mul", 4)):
        d, a, b, c = values
        more = "".join(f".{flag}" for flag in ("ftz", "sat") if op.m.values.get(flag))
        second = f"add{more}.f32" if name == "div" else f"mul.rn{more}.f32"
        return f"{guard}{opcode.replace('.sat', '')} {SCRATCH}, {a}, {b}; {guard}{second} {d}, {SCRATCH}, {c};"
    return f"{guard}{rounded(opcode)} {', '.join(values)};"


def value(operand: object, function: Function, type: str) -> str:
    if isinstance(operand, Reg):
        return register(operand, function)
    assert isinstance(operand, Imm)
    prefix, digits = {"f32": ("0f", 8), "f64": ("0d", 16)}.get(type, ("0x", 1))
    return f"{prefix}{operand.value:0{digits}X}"


def register(operand: Reg, function: Function) -> str:
    name = function.registers[operand.index].name
    return f"openptx_{name}" if name.isdigit() else name


def fused_operations(code: list[str]) -> Counter[str]:
    """How many of each kind. Moves of constants by the half-precision unit are none, nor are products, whose addend is
    -0."""
    lines = (line for line in code if _FUSED.match(line) and "-RZ, RZ" not in line and not line.endswith(", -RZ"))
    return Counter(line.split(" ")[0] for line in lines)
