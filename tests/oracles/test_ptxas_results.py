"""What ptxas makes of the kernels of tests/kernels, executed here, gives the results that these tests expect.

ptxas contracts, folds, reorders and expands; the translation of its machine code back to PTX (tools/lifting) has no
choice left. So this compares what our rules and definitions make of a kernel with what NVIDIA's compiler does, without
a GPU.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from lifted_kernels import Unreadable, kernels, launch, lifted
from machine_code import MISSING, available

from openptx.testing.case import read_case, run_case

pytestmark = pytest.mark.skipif(not available(), reason=MISSING)

KERNELS = Path(__file__).parents[1] / "kernels"
SOME = ("atomic_integers_sm90a", "black_scholes_sm80", "divisions_sm90a", "layer_norm_sm80")
OTHERS = sorted(
    path.parent.name
    for path in KERNELS.glob("*/case.json")
    if path.parent.name not in SOME and not path.parent.name.endswith("debug")
)


@pytest.mark.parametrize("name", SOME)
def test_results(name: str) -> None:
    run_case(read_case(str(KERNELS / name)), engine="interp", launch=launch)


@pytest.mark.sweep
@pytest.mark.parametrize("name", OTHERS)
def test_results_of_other_kernels(name: str) -> None:
    try:
        run_case(read_case(str(KERNELS / name)), engine="interp", launch=launch)
    except Unreadable as reason:
        pytest.skip(f"the translation lacks {reason}")


def test_a_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reciprocal that is translated as a root."""
    lifted.cache_clear()
    monkeypatch.setitem(kernels.floats.FUNCTIONS, "RCP", "rsqrt.approx.ftz.f32")
    with pytest.raises(Exception, match="elements differ"):
        run_case(read_case(str(KERNELS / "divisions_sm90a")), engine="interp", launch=launch)
    lifted.cache_clear()
