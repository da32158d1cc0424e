"""Machine code as printed by `nvdisasm`: instructions with their guards, and the positions of labels."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from compilers.nvidia import TOOLKIT

PTXAS, NVDISASM = TOOLKIT / "bin" / "ptxas", TOOLKIT / "bin" / "nvdisasm"

_TEXT = re.compile(r"\.text\.(\w+):\n(.*?)(?=\n\.text\.|\Z)", re.S)
_LITERALS = re.compile(r"\.nv\.constant2\.(\w+):\n((?:\s+/\*\w+\*/\s+\.byte.*\n)+)")
_LINE = re.compile(
    r"(?m)^(\.L\w+|\$[\w$]+):"
    r"|/\*[0-9a-f]{4,}\*/\s+(?:@(!?)(U?P[\dT]+)\s+)?([^\s;]+)\s*(.*?)\s*;(?:\s*/\* 0x([0-9a-f]{8}))?"
)


class Instruction(NamedTuple):
    opcode: str
    operands: tuple[str, ...]
    guard: tuple[bool, str] | None  # whether it is negated, and the predicate
    text: str
    immediate: int = 0
    """The 32 bits that have the immediate operand, where there is one."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One kernel."""

    code: list[Instruction]
    labels: dict[str, int]
    literals: bytes
    """Constant bank 2, where code for sm_80 has doubles."""


def available() -> bool:
    return PTXAS.exists() and NVDISASM.exists()


def assemble(folder: Path, text: str, target: str) -> str:
    """What `nvdisasm` prints of the kernels of a file."""
    source, binary = folder / "k.ptx", folder / "k.cubin"
    source.write_text(text)
    done = subprocess.run([PTXAS, f"-arch={target}", source, "-o", binary], capture_output=True, check=False, text=True)
    if done.returncode:
        raise ValueError(done.stderr)
    return subprocess.run([NVDISASM, "-hex", binary], capture_output=True, check=True, text=True).stdout


def listings(text: str) -> dict[str, Listing]:
    """The kernels by name."""
    literals = {name: bytes.fromhex("".join(re.findall(r"0x(\w\w)", rest))) for name, rest in _LITERALS.findall(text)}
    return {name: listing(code, literals.get(name, b"")) for name, code in _TEXT.findall(text)}


def listing(text: str, literals: bytes = b"") -> Listing:
    code, labels = list[Instruction](), dict[str, int]()
    for label, minus, predicate, opcode, rest, immediate in _LINE.findall(text):
        if label:
            labels[label] = len(code)
            continue
        operands = tuple(" ".join(o.split()).replace(".reuse", "") for o in rest.split(", ")) if rest else ()
        guard = (bool(minus), predicate) if predicate else None
        code.append(Instruction(opcode, operands, guard, f"{opcode} {rest}", int(immediate or "0", 16)))
    return Listing(code, labels, literals)
