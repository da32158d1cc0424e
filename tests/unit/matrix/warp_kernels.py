"""Kernels that pass one instruction its registers, lane by lane, and return its results."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

import openptx

ENGINES = ("interp", "native")
HEAD = ".version 9.1\n.target {0}\n.address_size 64\n"


@lru_cache(maxsize=8)
def program(text: str, profile: str = "ptxas") -> Any:
    return openptx.load(text, profile=profile)


def one_instruction(template: str, sources: list[tuple[int, int]], results: tuple[int, int], target: str) -> str:
    """A kernel around `template`, in which {0} is the destination and {1}, {2}... the sources.

    Sources and results are (how many registers, their width). Register r of lane i is element 32 r + i of an array.
    """
    groups = [results, *sources]
    parameters = ", ".join(f".param .u64 p{i}" for i in range(len(groups)))
    lines = [f".visible .entry k({parameters})", "{", ".reg .b64 %rd<4>;", ".reg .b32 %lane, %offset;"]
    lines += ["mov.u32 %lane, %tid.x;"]

    def addressed(i: int, width: int) -> list[str]:
        wide = f"mul.wide.u32 %rd1, %lane, {width // 8};"
        return [f"ld.param.u64 %rd0, [p{i}];", wide, "add.s64 %rd2, %rd0, %rd1;"]

    lists: list[str] = []
    for i, (count, width) in enumerate(groups):
        lines.append(f".reg .b{width} %g{i}_<{count}>;")
        lists.append("{" + ", ".join(f"%g{i}_{r}" for r in range(count)) + "}")
    for i, (count, width) in enumerate(groups):
        if not i:
            continue
        lines += addressed(i, width)
        lines += [f"ld.global.b{width} %g{i}_{r}, [%rd2+{r * 4 * width}];" for r in range(count)]
    lines.append(template.format(*lists))
    count, width = results
    lines += addressed(0, width)
    lines += [f"st.global.b{width} [%rd2+{r * 4 * width}], %g0_{r};" for r in range(count)]
    return HEAD.format(target) + "\n".join([*lines, "ret;", "}", ""])


def run(
    template: str, sources: list[Any], results: tuple[int, int], target: str = "sm_120a", profile: str = "ptxas"
) -> Any:
    """What the instruction writes, [register, lane]: the same on all engines."""
    shapes = [(len(a), 8 * a.itemsize) for a in sources]
    kernel = program(one_instruction(template, shapes, results, target), profile)["k"]
    found: list[Any] = []
    for engine in ENGINES:
        d = np.zeros((results[0], 32), f"u{results[1] // 8}")
        kernel((1,), (32,), (d, *(np.ascontiguousarray(a) for a in sources)), engine=engine)
        found.append(d)
    np.testing.assert_array_equal(found[0], found[1])
    return found[0]


def run_on_memory(
    text: str, arrays: list[Any], target: str = "sm_120a", engines: tuple[str, ...] = ENGINES
) -> list[Any]:
    """The arrays after the kernel `k` of `text` ran with one warp: the same on all engines."""
    kernel = program(HEAD.format(target) + text)["k"]
    found: list[list[Any]] = []
    for engine in engines:
        copies = [a.copy() for a in arrays]
        kernel((1,), (32,), tuple(copies), engine=engine)
        found.append(copies)
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)
    return found[0]
