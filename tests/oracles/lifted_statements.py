"""Single statements on edge operands: OpenPTX's results next to those of what ptxas makes of them (tools/lifting)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pytest
from lifted_kernels import Unreadable, kernels, listing

import openptx

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
opcodes: Any = import_module("hardware.opcodes")
AT_ONCE = 25
"""Kernels that ptxas compiles at once."""


class Result(NamedTuple):
    """Of one statement: `equal`, `different`, `unreadable`, `refused` (by ptxas) or `unsupported` (here), and why."""

    text: str
    verdict: str
    why: str = ""


LANES = 512


def head(target: str) -> str:
    return f".version 9.3\n.target {target}\n.address_size 64\n"


def statements(target: str, most: int, forms: list[tuple[int, int]] | None = None) -> list[Any]:
    """Statements of every form that the target has, or of some forms; `most` of a form."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("TARGET", head(target)), ("MOST", most), ("TRIES", 1500)):
            patch.setattr(opcodes, name, value)
        return [s for numbers in forms or opcodes.forms() for s in opcodes.of_numbers(*numbers)]


def text(s: Any, target: str, name: str) -> str:
    kernel = opcodes.kernel(s).replace(opcodes.TARGET, head(target))
    return kernel.replace(".entry k(", f".entry {name}(")


def compared(found: list[Any], target: str, contract: str = "ptxas") -> Iterator[Result]:
    """The results of each of some statements."""
    for start in range(0, len(found), AT_ONCE):
        some = found[start : start + AT_ONCE]
        texts = [text(s, target, f"k{n}") for n, s in enumerate(some)]
        whole = texts[0] + "".join(each.split(".address_size 64\n", 1)[1] for each in texts[1:])
        with TemporaryDirectory() as folder:
            try:
                codes = listing.assemble(Path(folder), whole, target)
            except ValueError as refused:
                if len(some) == 1:
                    yield Result(some[0].text, "refused", str(refused))
                    continue
                for s in some:
                    yield from compared([s], target, contract)
                continue
        for s, each in zip(some, texts, strict=True):
            yield one(s, each, codes, contract)


def one(s: Any, text: str, codes: str, contract: str) -> Result:
    given = [a[:LANES] for a in opcodes.arrays(s)]
    try:
        lifted = kernels.lifted(text, codes).text
    except Unreadable as reason:
        return Result(s.text, "unreadable", str(reason))
    try:
        ours = launched(text, given, contract)
    except openptx.Unsupported as reason:
        return Result(s.text, "unsupported", str(reason))
    theirs = launched(lifted, given, "off")
    wrong = np.logical_or.reduce([a != b for a, b in zip(ours, theirs, strict=True)])
    if not wrong.any():
        return Result(s.text, "equal")
    at = np.flatnonzero(wrong)
    places = (tuple(" ".join(f"{a[i]:x}" for a in arrays) for arrays in (given, ours, theirs)) for i in at[:4])
    return Result(s.text, "different", f"{at.size}: {[*places]}")


def launched(text: str, given: list[Any], contract: str) -> list[Any]:
    after = [a.copy() for a in given]
    module = openptx.load(text, contract=contract)
    (name,) = module.program.kernels
    module[name](LANES // opcodes.BLOCK, opcodes.BLOCK, after, engine="interp")
    return after
