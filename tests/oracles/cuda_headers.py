"""The PTX statements of libcu++'s `cuda::ptx` functions, extracted from the headers that come with nvcc."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from assembler import PTXAS

FOLDER = PTXAS.parents[1] / "include" / "cccl" / "cuda" / "__ptx" / "instructions" / "generated"
REGISTERS = {"r": "b32", "l": "b64", "h": "u16", "f": "f32", "d": "f64"}
"""What the constraints of an `asm` statement ask for."""

_STRING = r'"(?:[^"\\]|\\.)*"'
_ASM = re.compile(rf"\basm(?: volatile)?\s*\(\s*((?:{_STRING}\s*)+)(.*?)\);\n", re.S)
_CONSTRAINT = re.compile(r'"[=+]?([a-z])"\s*\(')
DECLARATIONS = " ".join(f".reg .{type} {type}_<200>;" for type in REGISTERS.values())


def statements(folder: Path = FOLDER) -> list[str]:
    """Each different statement or block once, its operands as registers `b32_0`, or the number 1."""
    return sorted({text for file in folder.glob("*.h") for text in _of_a_file(file.read_text("utf-8"))})


def _of_a_file(text: str) -> Iterator[str]:
    for strings, operands in _ASM.findall(text):
        kinds = _CONSTRAINT.findall(operands)
        joined = "".join(part[1:-1] for part in re.findall(_STRING, strings)).replace("\\n", " ").replace("\\t", " ")
        named = re.sub(r"%(\d+)", lambda m, kinds=kinds: _operand(int(m[1]), kinds), joined).replace("%%", "%")
        line = " ".join(named.partition("//")[0].split())
        yield line if line.endswith((";", "}")) else f"{line};"


def _operand(number: int, kinds: list[str]) -> str:
    return f"{REGISTERS[kinds[number]]}_{number}" if kinds[number] in REGISTERS else "1"
