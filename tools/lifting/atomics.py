"""Atomic operations on memory."""

from __future__ import annotations

import re

from contraction.listing import Instruction

from lifting.memory import IGNORED, place
from lifting.operands import Step, Unreadable, Writer, following, is_predicate

TYPES = {"64": "64", "S32": "s32", "S64": "s64", "F32": "f32", "F64": "f64", "F16x2": "f16x2", "BF16_V2": "bf16x2",
         "BF16x2": "bf16x2"}  # fmt: skip
SCOPES = {"GPU": "gpu", "SYS": "sys", "CTA": "cta", "SM": "cta"}
OPERATIONS = ("ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS")
_VECTOR = re.compile(r"(F32|F16|BF16)x(\d)$")


def type_of(operation: str, mods: list[str]) -> str:
    """The type of an atomic operation."""
    kind = next((m for m in mods if m in TYPES), "")
    if operation in ("AND", "OR", "XOR", "EXCH", "CAS"):
        return "b64" if kind.endswith("64") else "b32"
    return "u64" if kind == "64" else TYPES.get(kind, "u32")


def vector_of(mods: list[str]) -> tuple[str, int]:
    """The type and the number of elements of a vector in registers, or one."""
    found = next((match for m in mods if m not in TYPES and (match := _VECTOR.match(m))), None)
    if found is None:
        return "", 1
    name, count = found[1].lower(), int(found[2])
    return (name, count) if name == "f32" else (f"{name}x2", count // 2)


def registers(w: Writer, value: str, count: int, size: int) -> str:
    """An operand, or a list of registers that follow each other."""
    names = [value] if count == 1 else [following(value, n) for n in range(count)]
    read = w.wide if size == 64 else w.word
    found = [w.make(f"mov.b{size}", read(each), type=f"b{size}") for each in names]
    return found[0] if count == 1 else f"{{{', '.join(found)}}}"


def atomic(space: str, name: str) -> Step:
    """Atomics, and reductions, which have no result. Where a predicate is the first operand, it says whether the
    address was one of global memory; if not, nothing is done."""

    def step(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
        done = operands[0] if is_predicate(operands[0]) and not operands[0].endswith("PT") else ""
        operands = [o for o in operands if not is_predicate(o)]
        d, address, *values = operands if name == "atom" else ["RZ", *operands]
        vector, count = vector_of(mods)
        if any(m not in (*OPERATIONS, *TYPES, *IGNORED, "32", "FTZ", "RN") and not _VECTOR.match(m) for m in mods):
            raise Unreadable(i.text)
        operation = next((m for m in mods if m in OPERATIONS), "ADD" if name == "red" else "CAS")
        type = vector or type_of(operation, mods)
        size = 64 if type.endswith("64") else 32
        scope = "".join(f".{SCOPES[m]}" for m in mods if m in SCOPES)
        noftz = ".noftz" if type.endswith("x2") else ""
        at = place(w, space, address, mods)
        given = [registers(w, value, count, size) for value in values]
        order = f".relaxed{scope}" if scope else ""
        where = "global" if vector else space
        prefix = f"{name}{order}{f'.{where}' if where else ''}.{operation.lower()}{noftz}"
        prefix += f".v{count}.{type}" if count > 1 else f".{type}"
        guard = ""
        if done:
            guard = w.make("isspacep.global", at[1:-1], type="pred")
            w.set_predicate(done, guard)
            guard = f"@{guard} "
        if operation in ("MIN", "MAX") and type.endswith("x2") and count == 1:
            pair(w, d, f"{name}{order}.global.{operation.lower()}.noftz.v2.{type[:-2]}", at, given[0])
            return
        results = [w.new(f"b{size}") for _ in range(count)]
        if name == "red":
            w.emit(f"{guard}{prefix} {', '.join((at, *given))}")
            return
        result = results[0] if count == 1 else f"{{{', '.join(results)}}}"
        w.lines += [f"mov.b{size} {each}, 0;" for each in results if guard]
        w.emit(f"{guard}{prefix} {', '.join((result, at, *given))}")
        for n, each in enumerate(results):
            (w.set_wide if size == 64 else w.set)(following(d, n) if n else d, each)

    return step


def pair(w: Writer, d: str, opcode: str, at: str, value: str) -> None:
    """An extreme of two halves, which PTX has as vectors of two only."""
    low, high, *results = (w.new("b16") for _ in range(4))
    w.emit(f"mov.b32 {{{low}, {high}}}, {value}")
    if opcode.startswith("red"):
        w.emit(f"{opcode} {at}, {{{low}, {high}}}")
        return
    w.emit(f"{opcode} {{{', '.join(results)}}}, {at}, {{{low}, {high}}}")
    w.set(d, w.make("mov.b32", f"{{{', '.join(results)}}}"))


def swap(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`ATOMS`. `CAST.SPIN` compares and swaps, and says whether it did."""
    if mods[:2] != ["CAST", "SPIN"]:
        atomic("shared", "atom")(w, i, mods, operands)
        return
    d, address, *values = operands
    if mods[2:] not in ([], ["64"]):
        raise Unreadable(i.text)
    size = 64 if mods[2:] else 32
    old, new = (w.make(f"mov.b{size}", (w.wide if mods[2:] else w.word)(each), type=f"b{size}") for each in values)
    found = w.make(f"atom.shared.cas.b{size}", place(w, "shared", address, []), old, new, type=f"b{size}")
    same = w.make(f"setp.eq.b{size}", found, old, type="pred")
    if is_predicate(d):  # code for sm_100
        w.set_predicate(d, same)
        return
    result = w.make(f"selp.b{size}", "1", "0", same, type=f"b{size}")
    (w.set_wide if mods[2:] else w.set)(d, result)


def is_shared(w: Writer, i: Instruction, mods: list[str], operands: list[str]) -> None:
    """`QSPC`. Generic addresses of shared memory end the launch: what follows would take their lower half for a place
    in shared memory, which begins elsewhere here."""
    p, _, address = operands
    if mods != ["E", "S"]:
        raise Unreadable(i.text)
    shared = w.make("isspacep.shared", place(w, "", address, mods)[1:-1], type="pred")
    w.emit(f"@{shared} trap")
    w.set_predicate(p, shared)


STEPS: dict[str, Step] = {
    "ATOMG": atomic("global", "atom"), "ATOM": atomic("", "atom"), "ATOMS": swap, "REDG": atomic("global", "red"),
    "RED": atomic("global", "red"), "QSPC": is_shared,
}  # fmt: skip
