"""All codes of 16- and 8-bit sources to every destination in every mode: tables compared with definitions."""

from __future__ import annotations

import numpy as np
import pytest
from numeric_cases import Definition, differing, spread
from test_model import forms

from openptx.numerics import Bits
from openptx.numerics.arrays import convert
from openptx.numerics.cvt import cvt
from openptx.numerics.dtypes import unsigned
from openptx.numerics.type_names import ELEMENTS

FLAGS = ("sat", "satfinite", "relu", "ftz")


def check(d: str, s: str) -> int:
    w, x, checked = ELEMENTS[s].storage, Definition(), 0
    a = np.arange(1 << w, dtype=np.uint64).astype(f"u{w // 8}")
    for form in forms(d, s):
        if form.stochastic:
            continue
        flags = {name: getattr(form, name) for name in FLAGS}
        with x.quietly() if hasattr(x, "quietly") else np.errstate(all="ignore"):
            expected = cvt(x, d, s, Bits(x, w, a), rnd=form.rnd, **flags)
        got = convert(a, d, source=s, rounding=form.rnd, **flags).view(unsigned(ELEMENTS[d]))
        wrong = differing(got, spread(expected, a.shape), a)
        assert not wrong, f"{form}: {wrong}"
        checked += a.size
    return checked


@pytest.mark.parametrize("s", [name for name, t in ELEMENTS.items() if t.storage == 8])
def test_sources_of_8_bits(s: str) -> None:
    assert sum(check(d, s) for d in ELEMENTS) > 10_000


@pytest.mark.parametrize("s", ["f16", "bf16"])
@pytest.mark.parametrize("d", ELEMENTS)
def test_sources_of_16_bits(d: str, s: str) -> None:
    if d != "s2f6" or s != "s2f6":
        assert check(d, s) >= 1 << 16
