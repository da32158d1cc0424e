"""A pytest plugin: every kernel that a test launches also runs on a GPU, and the results are compared.

    PYTHONPATH=tools:src HARDWARE_LOG=log python -m pytest -p hardware.shadow -n 12 tests/spec tests/kernels

Tests see OpenPTX's results, and pass or fail as ever. One line of JSON for each launch goes to $HARDWARE_LOG, a folder:
`agrees`, `differs` with the first places, or `elsewhere` with the reason why there was nothing to compare.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import itertools
import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hardware.client import Gpu
from hardware.requests import Elsewhere, Request, request
from openptx.runtime.module import Kernel

PLACES = 12
LARGEST = 1 << 27  # bytes

ordinary = Kernel.__call__
gpu = Gpu(tuple(os.environ.get("HARDWARE_SERVER", "").split()))
seen = set[str]()
current = [""]
serials = itertools.count(1)


def pytest_configure(config: pytest.Config) -> None:
    Kernel.__call__ = shadowed  # type: ignore[method-assign]


def pytest_unconfigure(config: pytest.Config) -> None:
    Kernel.__call__ = ordinary  # type: ignore[method-assign]
    gpu.stop()


def pytest_runtest_setup(item: pytest.Item) -> None:
    current[0] = item.nodeid


def shadowed(self: Kernel, grid: Any, block: Any, args: Any = (), **options: Any) -> None:
    """A launch by OpenPTX, then the same on the GPU if it ended well."""
    args = list(args)
    try:
        made: Request | None = request(self, grid, block, args, options.get("shared_mem", 0), options.get("cluster"))
        assert made is not None
        live = made.arrays
        made.arrays = [np.array(a, order="C", copy=True) for a in live]
        if sum(a.nbytes for a in live) > LARGEST:
            raise Elsewhere("large arrays")
        reason = ""
    except Exception as error:  # tests launch with wrong arguments on purpose: what is wrong, the launch below says
        made, live, reason = None, [], f"{type(error).__name__}: {error}"
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        ordinary(self, grid, block, args, **options)
    sys.stdout.write(printed.getvalue())
    if made is None or options.get("blocks"):
        note(self, None, {"outcome": "elsewhere", "reason": reason or "a part of a grid"})
        return
    key = hashlib.sha256(pickle.dumps(made)).hexdigest()
    module = self.module
    if key not in seen or any(v.space == "global" for v in module.program.variables.values()):
        seen.add(key)
        made.serial = module.__dict__.setdefault("_serial", next(serials))
        note(self, made, compared(made, live, printed.getvalue()))


def compared(made: Request, live: list[Any], printed: str) -> dict[str, Any]:
    try:
        arrays, words = gpu.launch(made)
    except Elsewhere as error:
        return {"outcome": "elsewhere", "reason": str(error)}
    differing = [
        {"array": i, "dtype": str(ours.dtype), "size": ours.size, **where}
        for i, (ours, theirs) in enumerate(zip(live, arrays, strict=True))
        if (where := places(np.ascontiguousarray(ours), theirs))
    ]
    if sorted(words.splitlines()) != sorted(printed.splitlines()):
        differing.append({"printed": words[:500], "ours": printed[:500]})
    return {"outcome": "differs", "arrays": differing} if differing else {"outcome": "agrees"}


def places(ours: Any, theirs: Any) -> dict[str, Any]:
    """How many elements differ, and the first of them, as codes."""
    if ours.dtype.itemsize in (1, 2, 4, 8):
        a, b = (v.reshape(-1).view(f"u{v.dtype.itemsize}") for v in (ours, theirs))
    else:
        a, b = (v.reshape(-1).view(np.uint8) for v in (ours, theirs))
    at = np.flatnonzero(a != b)
    if not at.size:
        return {}
    some = at[:PLACES]
    return {"count": int(at.size), "at": some.tolist(), "ours": [f"{v:x}" for v in a[some]],
            "theirs": [f"{v:x}" for v in b[some]]}  # fmt: skip


def note(kernel: Kernel, made: Request | None, found: dict[str, Any]) -> None:
    used = kernel.module.fidelity(kernel.name)
    line = {
        "test": current[0],
        "kernel": kernel.name,
        "grid": made and made.grid,
        "block": made and made.block,
        **found,
        "device": gpu.device,
        "opcodes": sorted({u.opcode for u in used}),
        "inexact": sorted({u.opcode for u in used if u.fidelity.kind != "exact"}),
    }
    folder = Path(os.environ.get("HARDWARE_LOG", "hardware-log"))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{os.getpid()}.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
