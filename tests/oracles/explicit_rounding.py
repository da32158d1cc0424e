"""A module with every rounding written out, as we contract it: ptxas makes the same fused operations of both."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

import openptx
from openptx.program import Function, Imm, Op, Reg

_OPEN = re.compile(r"(?<![.\w])(mul|add|sub)((?:\.(?:ftz|sat))*\.(?:f32|f64|f16|bf16|f16x2|bf16x2))\b")
_FUSED = re.compile(r"^(?:FFMA|DFMA|HFMA2)\b")


def rounded(text: str) -> str:
    """`mul`, `add` and `sub` without a rounding modifier get `.rn`, which ptxas does not contract."""
    return _OPEN.sub(r"\1.rn\2", text)


def contracted(text: str) -> tuple[str, int]:
    """The module with our contraction written out, and how many operations are fused in it.

    Raises ValueError where PTX cannot spell what we make.
    """
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
        for start, stop in {op.span for op in before.code}:
            ops = made.get((start, stop), [])
            statement = rounded(text[start:stop])
            pieces.append((start, stop, " ".join(written(op, after) if changed(op) else statement for op in ops)))
        extra = after.registers[len(before.registers) :]
        body = text.index("{", on.definitions[name][0]) + 1
        declared[body] = " ".join(f".reg .b{r.type.width} openptx_{r.name};" for r in extra)
    pieces += [(at, at, line) for at, line in declared.items()]
    found, last = list[str](), 0
    for start, stop, new in sorted(pieces):
        found += [rounded(text[last:start]), new]
        last = stop
    return "".join((*found, rounded(text[last:]))), fused


def changed(op: Op) -> bool:
    return bool(op.rule) and not op.rule.startswith("left open")


def written(op: Op, function: Function) -> str:
    """An instruction that we made, as a statement."""
    operands = [o for o in op.operands if o is not None]
    name = op.form.instruction.name
    if (name, len(operands)) in (("div", 4), ("mul", 4)):
        raise ValueError(f"no spelling for `{name}` with four operands")
    guard = "" if op.guard is None else f"@{'!' if op.guard.negated else ''}{register(op.guard, function)} "
    values = [
        value(o, function, t.name if t else "") for o, t in zip(op.operands, op.types, strict=True) if o is not None
    ]
    return guard + rounded(".".join((name, *op.m.written))) + " " + ", ".join(values) + ";"


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
    """How many of each kind; moves of constants by the half-precision unit are none."""
    return Counter(line.split(" ")[0] for line in code if _FUSED.match(line) and "-RZ, RZ" not in line)
