"""Runs a case folder: `case.json`, `kernel.ptx`, and the input and expected output arrays.

`case.json` names the kernel, `grid`, `block`, `dynamic_shared`, optionally `cluster`, and `params` in order: `buffer`
(with `expect`, bit for bit or within `atol + rtol * |expected|`), `scalar`, `struct` (bytes in hexadecimal), `null`,
`texture` and `surface` (arrays like `buffer`, with the `options` of `openptx.Texture` and `openptx.Surface`).
`stdout` is what the kernel prints, `stdout_lines` the lines it prints in any order, `fault` the fault it must end in:
its possible `names`, and where they are known `thread`, `block_index`, `space`, `access`, and what its text `says`.
"""

from __future__ import annotations

import io
import json
import os
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from openptx.device.textures.surface import Surface
from openptx.device.textures.texture import Texture
from openptx.errors import Fault, InputError
from openptx.reading import content, decode, open_regular
from openptx.runtime import load
from openptx.runtime.npy import read_array
from openptx.testing.comparison import compare
from openptx.testing.launching import Launch, plain
from openptx.testing.result import Mismatch

if TYPE_CHECKING:
    from openptx.array_types import Array

    Json = dict[str, Any]

# fmt: off
# the NumPy type of a scalar; b types contain bits
SCALARS = {
    "f16": "float16", "f32": "float32", "f64": "float64",
    "s8":  "int8",    "s16": "int16",   "s32": "int32",    "s64": "int64",
    "u8":  "uint8",   "u16": "uint16",  "u32": "uint32",   "u64": "uint64",
    "b8":  "uint8",   "b16": "uint16",  "b32": "uint32",   "b64": "uint64",
}
# fmt: on
ACCESSES = {"ld": "load", "ldu": "load", "st": "store", "atom": "atomic", "red": "atomic"}
TIMEOUT = 60.0  # seconds; no case may hang
ENDLESS = 1.0  # seconds, for a kernel that must be stopped


@dataclass(frozen=True, slots=True)
class Case:
    """The content of `case.json`. `params` are its entries as written."""

    folder: str
    kernel: str
    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared: int
    cluster: tuple[int, ...] | None
    params: tuple[Json, ...]
    stdout: str | None
    stdout_lines: tuple[str, ...] | None
    fault: Json | None


def is_case(folder: str) -> bool:
    """Whether a folder is a case."""
    return os.path.isfile(os.path.join(folder, "case.json"))


def read_case(folder: str) -> Case:
    """The case in a folder; `InputError` if it is not one."""
    path = os.path.join(folder, "case.json")
    try:
        with open_regular(path) as stream:
            data = cast("Json", json.loads(content(stream, path)))
        lines, fault = data.get("stdout_lines"), data.get("fault")
        if fault is not None and not isinstance(fault.get("names"), list):
            raise TypeError("a fault has `names`, a list")
        return Case(
            folder=folder,
            kernel=data["kernel"],
            grid=tuple(data["grid"]),
            block=tuple(data["block"]),
            shared=data.get("dynamic_shared", 0),
            cluster=tuple(data["cluster"]) if data.get("cluster") else None,
            params=tuple(data["params"]),
            stdout=data.get("stdout"),
            stdout_lines=tuple(lines) if lines is not None else None,
            fault=fault,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path}: not a case: {type(error).__name__}: {error}") from error


def run_case(case: Case, engine: str = "auto", sanitize: str | None = None, launch: Launch = plain) -> None:
    """Launches the kernel of a case and compares; raises `Mismatch` with all differences.

    With `sanitize` ("all", or tools with commas) the launch is watched, and SanitizerError raised for findings.
    """
    with open_regular(path := os.path.join(case.folder, "kernel.ptx")) as stream:
        file = decode(path, content(stream, path))
    kernel = load(file).get_function(case.kernel)
    arguments = [argument(case, param) for param in case.params]
    printed = io.StringIO()
    try:
        with redirect_stdout(printed):
            launch(
                kernel,
                case.grid,
                case.block,
                arguments,
                shared_mem=case.shared,
                cluster=case.cluster,
                engine=engine,
                sanitize=None if case.fault else sanitize,
                timeout=ENDLESS if case.fault and "timeout" in case.fault["names"] else TIMEOUT,
            )
    except Fault as fault:
        if case.fault is None:
            raise
        problems = compare_fault(case.fault, fault)
    else:
        problems = [] if case.fault is None else [f"expected the fault {case.fault}, and nothing happened"]
        problems += compare_buffers(case, arguments)
    problems += compare_output(case, printed.getvalue())
    if problems:
        raise Mismatch("\n".join(problems))


def argument(case: Case, param: Json) -> object:
    """One parameter as a launch argument: an array, a number, bytes, or None. Raises InputError if `case.json`
    describes none."""
    import numpy as np

    match param:
        case {"kind": "buffer", "file": str(file)}:
            return load_array(case, file)
        case {"kind": "texture" | "surface" as kind, "file": str(file), **rest}:
            options = cast("dict[str, Any]", rest.get("options", {}))
            return (Texture if kind == "texture" else Surface)(load_array(case, file), **options)
        case {"kind": "scalar", "dtype": str(dtype), "value": int() | float() as value} if dtype in SCALARS:
            try:
                return np.dtype(SCALARS[dtype]).type(value)
            except (ValueError, OverflowError) as error:
                raise InputError(f"{case.folder}: {value} is no `.{dtype}`") from error
        case {"kind": "struct", "bytes": str(data)}:
            return bytes.fromhex(data)
        case {"kind": "null"}:
            return None
        case _:
            raise InputError(f"{case.folder}: no such parameter: {param}")


def load_array(case: Case, file: str) -> Array:
    """An array of the case; `InputError` if the file is not an array, or not one of the case's own files."""
    return read_array(inside(case.folder, file))


def inside(folder: str, file: str) -> str:
    """The path of a file of the case. The author of `case.json` must not choose other files of the user. Raises
    InputError for those."""
    if (
        os.path.isabs(file)
        or os.path.splitdrive(file)[0]
        or {"..", "\0"} & {*file.replace("\\", "/").split("/"), *file}
    ):
        raise InputError(f"{folder}: `{file}` is outside of the case's folder")
    return os.path.join(folder, file)


def compare_buffers(case: Case, arguments: list[object]) -> list[str]:
    """The differences between the kernel's buffers and the expected ones. Raises InputError for a description of an
    expected buffer that is not one."""
    problems: list[str] = []
    for index, (param, got) in enumerate(zip(case.params, arguments, strict=True)):
        if "expect" not in param:
            continue
        file, dtype = param["expect"], param.get("expect_dtype", param.get("dtype"))
        exact, rtol, atol = param.get("bit_exact", True), param.get("rtol", 0.0), param.get("atol", 0.0)
        if not (isinstance(file, str) and isinstance(dtype, str) and is_number(rtol) and is_number(atol)):
            raise InputError(f"{case.folder}: `expect` and `dtype` are texts, `rtol` and `atol` numbers: {param}")
        wanted = load_array(case, file)
        array = cast("Array", getattr(got, "array", got))
        if wrong := compare(array, wanted, dtype, exact=exact, rtol=rtol, atol=atol):
            problems.append(f"buffer {index}: {wrong}")
    return problems


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def compare_output(case: Case, printed: str) -> list[str]:
    """The difference between the kernel's output and the expected one."""
    if case.stdout is not None and printed != case.stdout:
        return [f"printed {printed!r}, not {case.stdout!r}"]
    if case.stdout_lines is not None and sorted(printed.splitlines()) != sorted(case.stdout_lines):
        return [f"printed the lines {sorted(printed.splitlines())}, not {sorted(case.stdout_lines)}"]
    return []


def compare_fault(wanted: Json, fault: Fault) -> list[str]:
    """Facts of a fault that differ from those that the case names."""
    text = str(fault)
    got = {
        "names": fault.name,
        "thread": list(fault.thread or ()),
        "block_index": list(fault.block or ()),
        "space": fault.space,
        "access": access(fault),
        "says": [words for words in wanted.get("says", []) if words in text],
    }
    wrong = [key for key, value in wanted.items() if got[key] != value and not (key == "names" and got[key] in value)]
    return [f"the fault's {key}: {got[key]}, not {wanted[key]}" for key in wrong] + ([text] if wrong else [])


def access(fault: Fault) -> str:
    """The memory operation of a fault's instruction: load, store or atomic."""
    if fault.file is None or fault.span is None:
        return ""
    words = fault.file.text[slice(*fault.span)].split()
    mnemonics = (word.split(".")[0] for word in words if not word.startswith("@"))
    return ACCESSES.get(next(mnemonics, ""), "")
