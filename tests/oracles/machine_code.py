"""NVIDIA's machine code of straight-line f32 kernels, read as expressions of what the kernel loads.

A kernel loads numbers from its first parameter and stores to its second. `stored` gives the expression of each word;
`stored_by` does so for a lowered function. Expressions are nested tuples whose operands are in one order and whose
signs are as far out as they go, so that two that compute the same are equal.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import subprocess
from pathlib import Path
from typing import Any

from assembler import PTXAS

from openptx.program import Function, Imm, Reg

NVDISASM = os.environ.get("NVDISASM") or shutil.which("nvdisasm") or str(PTXAS.with_name("nvdisasm"))
MISSING = "ptxas of nvidia-cuda-nvcc and nvdisasm of nvidia-cuda-nvdisasm (or NVDISASM) are needed"
Expression = tuple[Any, ...]
_TEXT = re.compile(r"\.text\.(\w+):\n(.*?)(?=\n\.text\.|\Z)", re.S)
_INSTRUCTION = re.compile(r"/\*[0-9a-f]{4,}\*/\s+(?:@\S+ )?\s*(.*?)\s*;")
_OFFSET = re.compile(r"\+(0x[0-9a-f]+)\]")
SCALES = {
    f".{way}{n}": 127 + sign * n.bit_length() - sign << 23 for way, sign in (("M", 1), ("D", -1)) for n in (2, 4, 8)
}
"""Factors of a multiplication by machine code's spelling, as codes of f32."""

ZERO, MINUS_ZERO, ONE = ("bits", 0), ("bits", 1 << 31), ("bits", 0x3F800000)


def available() -> bool:
    return PTXAS.exists() and Path(NVDISASM).exists()


def machine_code(folder: Path, text: str, target: str) -> dict[str, list[str]]:
    """The instructions of every kernel, without their guards."""
    (folder / "k.ptx").write_text(text)
    command = [str(PTXAS), f"-arch={target}", str(folder / "k.ptx"), "-o", str(folder / "k.cubin")]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert not done.returncode, done.stderr
    listing = subprocess.run([NVDISASM, "-c", str(folder / "k.cubin")], capture_output=True, check=True, text=True)
    return {name: [" ".join(line.split()) for line in _INSTRUCTION.findall(code)]
            for name, code in _TEXT.findall(listing.stdout)}  # fmt: skip


# Expressions.


def negated(e: Expression) -> Expression:
    if e[0] == "neg":
        return e[1]
    return ("bits", e[1] ^ 1 << 31) if e[0] == "bits" else ("neg", e)


def unsigned(e: Expression) -> tuple[bool, Expression]:
    """The sign in front of an expression, and the rest."""
    if e[0] == "neg":
        return True, e[1]
    return (True, negated(e)) if e[0] == "bits" and e[1] >> 31 else (False, e)


def absolute(e: Expression) -> Expression:
    e = unsigned(e)[1]
    return e if e[0] == "abs" else ("abs", e)


def ordered(*operands: Expression) -> tuple[Expression, ...]:
    return tuple(sorted(operands, key=repr))


def product(flags: str, a: Expression, b: Expression, *, open_rounding: bool = False) -> Expression:
    """Products with 1 and -1 whose rounding is open are copies."""
    (p, a), (q, b) = unsigned(a), unsigned(b)
    a, b = squared(*ordered(a, b))
    found = ("*" + flags, a, b)
    if open_rounding and not flags and ONE in (a, b):
        found = b if a == ONE else a
    return negated(found) if p != q else found


def squared(a: Expression, b: Expression) -> tuple[Expression, Expression]:
    """The square of a magnitude is that of the number."""
    return (a[1], a[1]) if a == b and a[0] == "abs" else (a, b)


def sum_of(flags: str, a: Expression, b: Expression) -> Expression:
    (p, x), (q, y) = unsigned(a), unsigned(b)
    if p and q and "sat" not in flags:
        return negated(("+" + flags, *ordered(x, y)))
    return ("+" + flags, *ordered(a, b))


def fused(flags: str, a: Expression, b: Expression, c: Expression) -> Expression:
    """A product and a sum; with -0 it is the product alone."""
    if c == MINUS_ZERO and "sat" not in flags:
        return product(flags, a, b)
    (p, a), (q, b) = unsigned(a), unsigned(b)
    a, b = squared(*ordered(a, b))
    minus, c_unsigned = unsigned(c)
    if p != q and minus and "sat" not in flags:
        return negated(("fma" + flags, False, a, b, c_unsigned))
    return ("fma" + flags, p != q, a, b, c)


def largest(flags: str, a: Expression, b: Expression) -> Expression:
    """Of two equal ones it is a copy; that it may flush a subnormal number is not told apart."""
    if a == b:
        return a
    return ("max" + flags, *ordered(a, b))


# Machine code.


def stored(code: list[str]) -> dict[int, Expression]:
    """What each word of the second parameter's memory gets."""
    found: dict[int, Expression] = {}
    registers: dict[str, Expression] = {}
    for line in code:
        opcode, _, rest = line.partition(" ")
        operands = [o.strip().replace(".reuse", "") for o in rest.split(", ")]
        name, flags = opcode.split(".")[0], "".join(f for f in (".ftz", ".sat") if f.upper() in opcode)
        if name in ("LDG", "STG"):
            memory, first = (operands[1], operands[0]) if name == "LDG" else operands
            match = _OFFSET.search(memory)
            offset = int(match[1], 16) // 4 if match else 0
            for i in range({"64": 2, "128": 4}.get(opcode.rsplit(".", 1)[-1], 1)):
                register = first if first == "RZ" else f"R{int(first[1:]) + i}"
                if name == "LDG":
                    registers[register] = ("in", offset + i)
                else:
                    found[offset + i] = read(register, registers)
        elif operands[0].startswith("R"):
            sources = [read(o, registers) for o in operands[1:]]
            registers[operands[0]] = result(opcode, name, flags, sources, line)
    return found


def result(opcode: str, name: str, flags: str, sources: list[Expression], line: str) -> Expression:
    """The expression that one instruction computes; its own text where it is no arithmetic of f32."""
    if name == "FMUL":
        scale = next((f for f in SCALES if f in opcode), "")
        return product(flags + scale, *sources[:2])
    if name == "FADD":
        a, b = sources[:2]
        return a if b == MINUS_ZERO and "sat" not in flags else sum_of(flags, a, b)
    if name == "FFMA":
        return fused(flags, *sources[:3])
    if name == "FMNMX" and line.endswith("!PT"):
        return largest(flags, *sources[:2])
    if opcode in ("MOV", "IMAD.MOV.U32"):
        return sources[-1] if opcode != "MOV" else sources[0]
    return ("?", line)


def read(text: str, registers: dict[str, Expression]) -> Expression:
    """An operand: a register or a number, with its signs."""
    minus, text = text.startswith("-"), text.removeprefix("-")
    if text.startswith("|"):
        e = absolute(read(text.strip("|"), registers))
    elif text == "RZ":
        e = ZERO
    elif re.match(r"[+\d.]", text) and not text.startswith("0x"):
        e = ("bits", struct.unpack("<I", struct.pack("<f", float(text)))[0])
    else:
        e = registers.get(text, ("?", text))
    return negated(e) if minus else e


# Lowered functions.


def stored_by(function: Function) -> dict[int, Expression]:
    """The same of a function that engines run."""
    found: dict[int, Expression] = {}
    registers: dict[int, Expression] = {}

    def value(operand: Any) -> Expression:
        if isinstance(operand, Imm):
            return ("bits", operand.value)
        return registers.get(operand.index, ("?", operand.index)) if isinstance(operand, Reg) else ("?", operand)

    for op in function.code:
        flags = "".join(f".{f}" for f in ("ftz", "sat") if op.m.values.get(f))
        name, operands = op.form.instruction.name, op.operands
        values = [value(o) for o in operands[1:]]
        if name == "st" and op.m.space == "global":
            found[operands[0].offset // 4] = values[0]
            continue
        if not operands or not isinstance(operands[0], Reg):
            continue
        rounds = "rn" in op.m.written
        match name:
            case "ld" if op.m.space == "global":
                e = ("in", operands[1].offset // 4)
            case "mov":
                e = values[0]
            case "neg":
                e = negated(values[0])
            case "abs":
                e = absolute(values[0])
            case "mul":
                scale = "".join(f for f, code in SCALES.items() if ("bits", code) in values[2:])
                e = product(flags + scale, *values[:2], open_rounding=not rounds)
            case "add":
                e = sum_of(flags, *values)
            case "sub":
                e = sum_of(flags, values[0], negated(values[1]))
            case "fma":
                e = fused(flags, *values)
            case "max":
                e = largest(flags, *values)
            case _:
                e = ("?", op.text)
        registers[operands[0].index] = e
    return found
