"""Profiles of one launch on both engines, and their differences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import openptx
from openptx.testing.case import argument, read_case

DATA = Path(__file__).parents[2] / "data"
KERNELS = Path(__file__).parents[2] / "kernels"
NEAR = 1 << 24
ENGINES = ("interp", "native")
ELSEWHERE = "counted on the reference engine"


def of_case(folder: Path, engine: str, **options: Any) -> openptx.Profile:
    """The profile of a case folder's launch."""
    case = read_case(str(folder))
    kernel = openptx.load(f"{case.folder}/kernel.ptx")[case.kernel]
    arguments = [argument(case, param) for param in case.params]
    given = {"shared_mem": case.shared, "cluster": case.cluster, "engine": engine}
    return openptx.profile(kernel, case.grid, case.block, arguments, **given, **options)


def of_pattern(kernel: Any, engine: str) -> openptx.Profile:
    a, o = (np.arange(65536) % 29).astype(np.uint32), np.zeros(65536, np.uint32)
    return openptx.profile(kernel, 1, 32, (a, o), engine=engine)


def unlike(one: openptx.Profile, other: openptx.Profile) -> list[str]:
    """What differs: all of the JSON but notes and where examples lie."""
    a, b = dict(leaves(one.as_json(), "")), dict(leaves(other.as_json(), ""))
    return [f"{place}: {a.get(place)} {b.get(place)}" for place in sorted({*a, *b}) if a.get(place) != b.get(place)]


def leaves(found: Any, place: str) -> Iterator[tuple[str, Any]]:
    """Everything with its place."""
    if hasattr(found, "keys"):
        for key in found:
            if key != "notes":
                yield from leaves(
                    example(found[key]) if key == "example" and found[key] else found[key], f"{place}.{key}"
                )
    elif hasattr(found, "append"):
        for i, each in enumerate([*found, None]):
            yield from leaves(each, f"{place}.{i}")
    else:
        yield place, found


def example(found: Any) -> Any:
    """Without where it lies: only distances between lanes are the same, unless they are in several arrays."""
    first = next(offset for offset in found["offsets"] if offset is not None)
    offsets = [None if offset is None else offset - first for offset in found["offsets"]]
    if any(offset is not None and abs(offset) > NEAR for offset in offsets):
        offsets = []
    return {**found, "base": None, "offsets": offsets}
