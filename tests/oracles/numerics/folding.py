"""Reads from ptxas's machine code the results of instructions on constants that it folds."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import record_hardware as recorder
from numeric_cases import Array

# Operation codes (low 12 bits) of the machine code of sm_100, as seen in ptxas 13.5's output.
MOVE = 0x802
PRODUCTS = (0x424, 0x431)  # IMAD and HFMA2 with a constant, which move it where they multiply nothing
STORE, NOTHING = 0x986, 0xFF
NO_RESULT = (0x94D, 0x947, 0x918, STORE)  # EXIT, BRA, NOP


def program(forms: list[recorder.Form], operands: dict[str, list[Array]], target: str) -> str:
    """A kernel for each form, with a statement and a store for each set of operands."""
    return "\n".join(
        [".version 8.7", f".target {target}", ".address_size 64", *(_entry(f, operands[f.opcode]) for f in forms), ""]
    )


def _entry(form: recorder.Form, arrays: list[Array]) -> str:
    size = recorder.width(form.result)
    lines = [f".visible .entry {form.name}(.param .u64 p)\n{{", ".reg .b64 %at;", "ld.param.u64 %at, [p];"]
    for i in range(arrays[0].size):
        names: list[str] = []
        for k, (name, array) in enumerate(zip(form.operands, arrays, strict=True)):
            names.append(f"%x{i}_{k}")
            w = recorder.width(name)
            lines.append(f".reg .{recorder.register(name)} {names[-1]}; mov.b{w} {names[-1]}, {int(array[i]):#x};")
        if len(names) == 5:
            names = [f"{{{', '.join(names[:4])}}}", names[4]]
        lines.append(f".reg .{recorder.register(form.result)} %d{i}; {form.opcode} %d{i}, {', '.join(names)};")
        lines.append(f"st.global.b{size} [%at+{8 * i}], %d{i};")
    return "\n".join([*lines, "ret;", "}"])


def assemble(ptxas: str, text: str, target: str, folder: Path) -> dict[str, bytes]:
    """The machine code of each kernel."""
    source, image = folder / "fold.ptx", folder / "fold.cubin"
    source.write_text(text)
    done = subprocess.run(
        [ptxas, f"-arch={target}", "-O3", str(source), "-o", str(image)], capture_output=True, text=True
    )
    assert not done.returncode, done.stdout + done.stderr
    return dict(sections(image.read_bytes()))


def sections(image: bytes) -> Iterator[tuple[str, bytes]]:
    """Names of kernels and their code, from the ELF file."""
    [start] = struct.unpack_from("<Q", image, 40)
    size, count, names = struct.unpack_from("<HHH", image, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, start + i * size) for i in range(count)]
    strings = headers[names][4]
    for name, _, _, _, offset, length, *_ in headers:
        text = image[strings + name : image.index(b"\0", strings + name)].decode()
        if text.startswith(".text."):
            yield text.removeprefix(".text."), image[offset : offset + length]


def folded(code: bytes, width: int) -> dict[int, int]:
    """By number of the statement, the results that are constants in the code."""
    constants: dict[int, int | None] = {NOTHING: 0}
    found: dict[int, int] = {}
    for low, high in struct.iter_unpack("<QQ", code):
        op, d, value = low & 0xFFF, low >> 16 & 0xFF, low >> 32
        multiplies_nothing = low >> 24 & 0xFF == NOTHING == high & 0xFF
        if op == MOVE or (op in PRODUCTS and multiplies_nothing):
            constants[d] = value
        elif op == STORE:
            data, offset = value & 0xFF, value >> 8
            parts = [constants.get(data), constants.get(data + 1 if data != NOTHING else data) if width == 64 else 0]
            if None not in parts:
                found[offset // 8] = ((parts[0] or 0) | (parts[1] or 0) << 32) & (1 << width) - 1
        elif op not in NO_RESULT and d != NOTHING:
            constants[d] = constants[d + 1] = None
    return found
