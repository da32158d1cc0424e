"""What an execution case is and how its folder is written; the format is in tests/kernels/README.md."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

Shape = int | tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Out:
    """A buffer that the kernel writes: what it must hold afterwards, and what it holds before (zeros).

    With neither tolerance the bits must be equal. `dtype` names formats that NumPy lacks ("bfloat16")."""

    expect: np.ndarray
    init: np.ndarray | None = None
    rtol: float = 0
    atol: float = 0


@dataclass(frozen=True, slots=True)
class Struct:
    """A parameter passed by value: the bytes of a NumPy structured scalar."""

    value: np.ndarray


@dataclass(frozen=True, slots=True)
class Texture:
    """A texture object: its array, and the options of `openptx.Texture`."""

    array: np.ndarray
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Surface:
    """A surface object: its array, as what the kernel only reads or as an Out."""

    data: np.ndarray | Out
    options: Mapping[str, Any] = field(default_factory=dict)


Parameter = np.ndarray | np.generic | Out | Struct | Texture | Surface | None


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    source: str  # file in tests/kernels/sources
    kernel: str
    grid: Shape
    block: Shape
    shared: int
    builds: tuple[str, ...]  # "sm_75 -G": a target and compiler options
    parameters: Callable[[np.random.Generator], Iterable[Parameter]]
    cluster: Shape | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)  # keys for case.json: stdout, fault, note
    trailing: tuple[np.ndarray | None, ...] = ()  # parameters that the compiler adds
    host: bool = True  # the source also runs as host C++ (tools/kernels/host.py)

    def inputs(self) -> list[Parameter]:
        """The parameters, the same on every call: the seed is the name."""
        return list(self.parameters(np.random.default_rng(zlib.crc32(self.name.encode()))))


CASES: dict[str, Case] = {}


def case(
    source: str,
    kernel: str,
    *,
    grid: Shape = 1,
    block: Shape = 32,
    shared: int = 0,
    name: str | None = None,
    builds: str | tuple[str, ...] = "sm_80",
    cluster: Shape | None = None,
    host: bool = True,
    **extra: Any,
) -> Callable[[Callable[..., Iterable[Parameter]]], Callable[..., Iterable[Parameter]]]:
    """Registers the decorated function, which makes the parameters, as a case."""

    def register(parameters: Callable[..., Iterable[Parameter]]) -> Callable[..., Iterable[Parameter]]:
        key = name or kernel
        if key in CASES:
            raise ValueError(f"two cases are called {key}")
        each = (builds,) if isinstance(builds, str) else builds
        CASES[key] = Case(key, source, kernel, grid, block, shared, each, parameters, cluster, extra, host=host)
        return parameters

    return register


def three(shape: Shape) -> list[int]:
    sizes = (shape,) if isinstance(shape, int) else shape
    return [*sizes, *(1,) * (3 - len(sizes))]


def folder_name(case: Case, build: str) -> str:
    """`scan_sm75_debug` for the build "sm_75 -G"."""
    words = {"-G": "debug", "-lineinfo": "lineinfo", "--use_fast_math": "fast", "-fmad=false": "nofma"}
    target, *options = build.split()
    marks = [target.replace("_", ""), *(words[o] for o in options if words.get(o) not in (None, "nofma"))]
    return "_".join([case.name, *marks])


ENTRY = re.compile(r'extern "C" __global__ void\s+(?:__launch_bounds__\([\w, ]*\)\s*)?(\w+)\(')


def only(source: str, kernel: str) -> str:
    """The source with every other kernel demoted to an unused device function, so that the PTX holds one entry."""
    return ENTRY.sub(lambda found: found[0] if found[1] == kernel else f"static __device__ void {found[1]}(", source)


def write(case: Case, build: str, name: str, ptx: str, root: Path, compiler: str) -> None:
    """The folder of one case: kernel.ptx, case.json and its arrays; what was there before goes."""
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / "kernel.ptx").write_text(ptx)
    rows = [_row(folder, index, value) for index, value in enumerate([*case.inputs(), *case.trailing])]
    head = {
        "name": folder.name,
        "kernel": case.kernel,
        "grid": three(case.grid),
        "block": three(case.block),
        "dynamic_shared": case.shared,
    }
    if case.cluster is not None:
        head["cluster"] = three(case.cluster)
    tail = {**case.extra, "source": f"sources/{case.source}", "compiler": f"{compiler}, {build}"}
    tail.setdefault("checked", "formula in tools/kernels" + (", same source run as host C++" if case.host else ""))
    (folder / "case.json").write_text(_json({**head, "params": rows, **tail}))


def _json(record: dict[str, Any]) -> str:
    """One key a line, one parameter a line."""
    lines = []
    for key, value in record.items():
        if key == "params":
            rows = ",\n".join(f"  {json.dumps(row)}" for row in value)
            lines.append(f' "params": [\n{rows}\n ]' if value else ' "params": []')
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _row(folder: Path, index: int, value: Parameter) -> dict[str, Any]:
    if value is None:
        return {"kind": "null"}
    if isinstance(value, Texture):
        return {"kind": "texture", **_save(folder, f"p{index}_init.npy", value.array), "options": dict(value.options)}
    if isinstance(value, Surface):
        return {**_row(folder, index, value.data), "kind": "surface", "options": dict(value.options)}
    if isinstance(value, Struct):
        return {"kind": "struct", "bytes": np.atleast_1d(value.value).tobytes().hex()}
    if isinstance(value, np.generic):
        return {"kind": "scalar", "dtype": _scalar_type(value), "value": value.item()}
    if isinstance(value, np.ndarray):
        return {"kind": "buffer", **_save(folder, f"p{index}_init.npy", value)}
    init = np.zeros_like(value.expect) if value.init is None else value.init
    exact = not value.rtol and not value.atol
    expected = _save(folder, f"p{index}_expect.npy", value.expect)
    return {
        "kind": "buffer",
        **_save(folder, f"p{index}_init.npy", init),
        "expect": expected["file"],
        "expect_dtype": expected["dtype"],
        "rtol": value.rtol,
        "atol": value.atol,
        "bit_exact": exact,
    }


def _scalar_type(value: np.generic) -> str:
    kind = {"i": "s", "u": "u", "f": "f"}[value.dtype.kind]
    return f"{kind}{value.dtype.itemsize * 8}"


def _save(folder: Path, name: str, array: np.ndarray) -> dict[str, str]:
    """Saves an array; the formats of ml_dtypes go as raw unsigned integers, as case.json's readers expect."""
    raw = array if array.dtype.kind in "iufb" else array.view(f"u{array.dtype.itemsize}")
    np.save(folder / name, np.ascontiguousarray(raw))
    return {"file": name, "dtype": raw.dtype.name}
