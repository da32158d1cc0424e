"""Replays launches recorded on a GPU: memory as it was before, the launch, and what then differs from the GPU's memory.

A recording is one line of JSON and the bytes of every allocation before and after (`../shared/recordings/README.md`).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import openptx
from openptx import LoadedModule
from openptx.engines.common.engine import engine_of
from openptx.runtime.module import extent

Json = dict[str, Any]
Memory = list[Any]


def read(path: Path) -> tuple[Json, Memory, Memory]:
    """The launch, and its allocations before and after it."""
    with path.open("rb") as file:
        launch = json.loads(file.readline())
        sizes = [size for _, size in launch["allocs"]]
        before, after = ([np.frombuffer(file.read(n), np.uint8).copy() for n in sizes] for _ in range(2))
    return launch, before, after


def relocated(launch: Json, bases: list[int], size: int) -> Any:
    """The parameters, with words that point into an allocation pointing to where it lies here."""
    buffer = bytearray(size)
    for offset, _, digits in launch["params"]:
        data = bytearray.fromhex(digits)
        for at in range(0, len(data) - 7, 8):
            word = int.from_bytes(data[at : at + 8], "little")
            for (there, length), here in zip(launch["allocs"], bases, strict=True):
                if there <= word < there + max(length, 1):
                    data[at : at + 8] = (here + word - there).to_bytes(8, "little")
        buffer[offset : offset + len(data)] = data[: max(0, size - offset)]
    return np.frombuffer(buffer, np.uint8)


def differing(path: Path, module: LoadedModule, engine: str) -> int:
    """How many bytes of what is compared are not those that the GPU left."""
    launch, before, after = read(path)
    memory = module.image.memory
    allocations = [memory.add(f"allocation {i}", data) for i, data in enumerate(before)]
    kernel = module[launch["kernel"]]
    parameters = relocated(launch, [a.base for a in allocations], kernel.function.parameter_size)
    grid, block = extent("grid", launch["grid"]), extent("block", launch["block"])
    engine_of(engine)(
        module.program, kernel.function, grid, block,
        memory=module.image.map(parameters, True), image=module.image, shared=launch["shared"],
        cluster=kernel.cluster(grid, launch["cluster"] or None), timeout=300, since=None, max_instructions=None,
        blocks=None, **({"initcheck": False} if engine == "interp" else {"workers": None}),
    )  # fmt: skip
    pairs = zip(before, after, launch["compare"], strict=True)
    return sum(int((ours != theirs).sum()) for ours, theirs, compared in pairs if compared)


def load(path: Path) -> LoadedModule:
    """The module of a launch."""
    with path.open("rb") as file:
        name = json.loads(file.readline())["ptx"]
    return openptx.load(path.with_name(f"{name}.ptx"))
