"""Loops that ptxas unrolls, and others: machine code has as many products and sums of each kind as our code."""

from __future__ import annotations

import re
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from assembler import MISSING

import openptx
from openptx.rewrite.algebra import algebra

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
sys.path.insert(0, str(Path(__file__).parents[1] / "unit" / "rewrite"))
listing: Any = import_module("contraction.listing")
programs: Any = import_module("unrolled_programs")
kernel: Any = import_module("straight_line").kernel

pytestmark = pytest.mark.skipif(not listing.available(), reason=f"{MISSING}, or nvdisasm")

CALLED = {"FFMA": "fused", "FMUL": "product", "FADD": "sum"}


def test_as_many_as_in_machine_code(tmp_path: Path) -> None:
    groups = (programs.UNROLLED, programs.LEFT_ROLLED, programs.BY_FOUR, programs.ROLLED)
    texts = {(n, name): body for n, group in enumerate(groups) for name, body in group.items()}
    kernels = [
        kernel(body, declarations=programs.MORE).replace(" k(", f" k{n}(") for n, body in enumerate(texts.values())
    ]
    header = kernels[0].partition(".visible")[0]
    whole = header + "\n".join(".visible" + text.partition(".visible")[2] for text in kernels)
    theirs, ours = listing.listings(listing.assemble(tmp_path, whole, "sm_90a")), openptx.load(whole)
    for n, name in enumerate(texts):
        found = Counter(CALLED[re.split(r"\W", i.opcode)[0]] for i in theirs[f"k{n}"].code if i.opcode[:4] in CALLED)
        made = Counter(kind for op in ours[f"k{n}"].function.code if (kind := algebra(op)) in CALLED.values())
        assert (name, made) == (name, found)
