"""ptxas's folding of constants agrees with our results, except for known differences."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3] / "tools"))
sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "numerics"))

import folding
import record_hardware as recorder
from test_hardware import assembler

TARGET, COUNT = "sm_100a", 48


def is_nan(code: int) -> bool:
    return (code & 0x7FFFFFFF) > 0x7F800000


def is_nan64(code: int) -> bool:
    return code & (1 << 63) - 1 > 0x7FF << 52


# Where the two differ, for which operands, and why. docs/numerics.md says more.
KNOWN = {
    "cvt.ftz.f32.f32": lambda a: is_nan(a),  # ptxas quiets, a B200 gives 7fffffff
    "abs.f32": lambda a: is_nan(a),  # ptxas changes the sign and quiets, an H100 gives 7fffffff
    "neg.f32": lambda a: is_nan(a),
    "abs.f64": lambda a: is_nan64(a),  # ptxas changes the sign alone, an H100 keeps it and quiets
    "neg.f64": lambda a: is_nan64(a),
    "cvt.f32.bf16": lambda a: a & 0x7FFF > 0x7F80,  # ptxas gives the canonical NaN, an H100 keeps sign and payload
    "cvt.f64.bf16": lambda a: a & 0x7FFF > 0x7F80,
    "cvt.f64.f16": lambda a: a & 0x7FFF > 0x7C00,
    "cvt.rn.bf16.f64": lambda a: is_nan64(a),
    "cvt.rn.f16.f64": lambda a: is_nan64(a),
    "add.rn.f32": lambda a, b: a >> 31 != b >> 31,  # ptxas does not tie to even where signs differ
    "add.rn.ftz.f32": lambda a, b: a >> 31 != b >> 31,
}
CALLS = ("div.r", "rcp.r", "sqrt.r")  # become calls of a subroutine, whose registers look like constants
ROUNDED = (".approx.", "div.full.")  # folded to what is exact, rounded: an H100 gives the bits of its tables


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[list[np.ndarray], dict[int, int]]]:
    names = lambda form: (*form.operands, form.result)  # noqa: E731
    forms = [f for f in recorder.forms() if all(recorder.width(n) >= 16 and n not in ("s8", "u8") for n in names(f))]
    forms = [f for f in forms if not f.opcode.startswith(CALLS) and not any(part in f.opcode for part in ROUNDED)]
    operands = {f.opcode: [recorder.codes(name, i)[:COUNT] for i, name in enumerate(f.operands)] for f in forms}
    text = folding.program(forms, operands, TARGET)
    code = folding.assemble(assembler(), text, TARGET, tmp_path_factory.mktemp("folding"))
    return {f.opcode: (operands[f.opcode], folding.folded(code[f.name], recorder.width(f.result))) for f in forms}


def test_folded_results(answers: dict[str, tuple[list[np.ndarray], dict[int, int]]]) -> None:
    compared, forms, unknown = 0, 0, []
    for form in recorder.forms():
        if form.opcode not in answers:
            continue
        arrays, got = answers[form.opcode]
        expected = recorder.defined(form, arrays)
        compared += len(got)
        forms += bool(got)
        for i, value in got.items():
            operands = [int(a[i]) for a in arrays]
            if value != int(expected[i]) and not KNOWN.get(form.opcode, lambda *_: False)(*operands):
                unknown.append((form.opcode, [hex(v) for v in operands], hex(value), hex(int(expected[i]))))
    assert not unknown, unknown[:5]
    assert compared > 4000
    assert forms > 120


def test_a_fold_is_read_right(tmp_path: Path) -> None:
    """Literal results through the same path: the reading of machine code can fail."""
    form = next(f for f in recorder.forms() if f.opcode == "cvt.rn.f16.f32")
    operands = {form.opcode: [np.array([0x43E08000, 0x477FF000, 0x7FC00000, 0x80000000], np.uint32)]}
    code = folding.assemble(assembler(), folding.program([form], operands, TARGET), TARGET, tmp_path)
    assert folding.folded(code[form.name], 16) == {0: 0x5F04, 1: 0x7C00, 2: 0x7FFF, 3: 0x8000}
