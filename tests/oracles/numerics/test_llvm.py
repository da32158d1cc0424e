"""LLVM's folding of NVVM intrinsics on constants agrees on rounded arithmetic, extremes and floats to integers."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

llvm = pytest.importorskip("llvmlite.binding", reason="LLVM is not there: pip install llvmlite")

sys.path.insert(0, str(Path(__file__).parents[2] / "unit" / "numerics"))

from numeric_cases import codes  # noqa: E402

from openptx.numerics import FORMATS, Bits, S, U  # noqa: E402
from openptx.numerics.numpy_machine import NumpyMachine  # noqa: E402

COUNT = 250
FLOATS = {"f": ("float", "f32"), "d": ("double", "f64")}
INTEGERS = {"i": (S, 32), "ui": (U, 32), "ll": (S, 64), "ull": (U, 64)}
x = NumpyMachine()

Row = tuple[str, str, int, str, Callable[..., Bits]]  # intrinsic, format, operands, type of the result, on lanes


def rows() -> Iterator[Row]:
    for suffix, (_, name) in FLOATS.items():
        f = FORMATS[name]
        one = x.const(f.bias << f.man, f.storage)
        for rnd in ("rn", "rz", "rm", "rp"):
            for flag in ("", ".ftz") if suffix == "f" else ("",):
                z = bool(flag)
                yield f"add.{rnd}{flag}.{suffix}", name, 2, "", lambda a, b, f=f, r=rnd, z=z: x.fadd(f, a, b, r, z)
                yield f"mul.{rnd}{flag}.{suffix}", name, 2, "", lambda a, b, f=f, r=rnd, z=z: x.fmul(f, a, b, r, z)
                yield f"div.{rnd}{flag}.{suffix}", name, 2, "", lambda a, b, f=f, r=rnd, z=z: x.fdiv(f, a, b, r, z)
                yield f"fma.{rnd}{flag}.{suffix}", name, 3, "", lambda a, b, c, f=f, r=rnd, z=z: x.fma(f, a, b, c, r, z)
                yield f"rcp.{rnd}{flag}.{suffix}", name, 1, "", lambda a, f=f, r=rnd, z=z, o=one: x.fdiv(f, o, a, r, z)
                yield f"sqrt.{rnd}{flag}.{suffix}", name, 1, "", lambda a, f=f, r=rnd, z=z: x.fsqrt(f, a, r, z)
                for to, (t, w) in INTEGERS.items():
                    kw = {"w": w, "ftz": z}
                    result = f"i{w}"
                    yield (
                        f"{suffix}2{to}.{rnd}{flag}", name, 1, result,
                        lambda a, f=f, r=rnd, t=t, kw=kw: x.to_int(t, f, a, r + "i", **kw),
                    )  # fmt: skip
        for op, extreme in (("fmin", x.fmin), ("fmax", x.fmax)):
            yield f"{op}.{suffix}", name, 2, "", lambda a, b, f=f, e=extreme: e(f, a, b)
            if suffix == "f":
                yield f"{op}.nan.f", name, 2, "", lambda a, b, f=f, e=extreme: e(f, a, b, nan=True)
                yield f"{op}.xorsign.abs.f", name, 2, "", lambda a, b, f=f, e=extreme: e(f, a, b, xorsign=True)


ROWS = list(rows())


def fold(row: Row, arrays: list[np.ndarray]) -> dict[int, int]:
    """By operand, what LLVM makes of the intrinsic; without those that it leaves alone."""
    intrinsic, name, count, result, _ = row
    f = FORMATS[name]
    kind = "float" if name == "f32" else "double"
    to, w = result or kind, f.storage if not result else int(result[1:])
    lines = [f"declare {to} @llvm.nvvm.{intrinsic}({', '.join([kind] * count)})"]
    for i in range(arrays[0].size):
        given = ", ".join(f"{kind} bitcast (i{f.storage} {int(a[i])} to {kind})" for a in arrays)
        lines += [f"define i{w} @f{i}() {{", f"  %d = call {to} @llvm.nvvm.{intrinsic}({given})"]
        lines += [f"  %b = bitcast {to} %d to i{w}", f"  ret i{w} %b", "}"]
    module = llvm.parse_assembly("\n".join(lines))
    passes = llvm.create_new_module_pass_manager()
    passes.add_instruction_combine_pass()
    builder = llvm.create_pass_builder(target(), llvm.create_pipeline_tuning_options())
    passes.run(module, builder)
    found = re.findall(r"@f(\d+)\(\)[^{]*\{\s*ret i\d+ (-?\d+)\s*\}", str(module))
    return {int(i): int(value) % (1 << w) for i, value in found}


def target() -> object:
    llvm.initialize_native_target()
    return llvm.Target.from_default_triple().create_target_machine()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_folding(row: Row, record_property: Callable[[str, object], None]) -> None:
    _, name, count, result, on_lanes = row
    f = FORMATS[name]
    arrays = [codes(f, COUNT, seed) for seed in range(count)]
    expected = on_lanes(*map(x.lanes, arrays)).v
    got = fold(row, arrays)
    record_property("folded", len(got))
    wrong = []
    for i, value in got.items():
        want = int(expected[i])
        if not result and all(x.isnan(f, x.const(v, f.storage)).v for v in (value, want)):
            continue  # LLVM has NaN of its own
        if value != want:
            wrong.append(([hex(int(a[i])) for a in arrays], hex(value), hex(want)))
    assert not wrong, (len(wrong), len(got), wrong[:3])


def test_most_fold() -> None:
    folded = sum(bool(fold(row, [codes(FORMATS[row[1]], 8, seed) for seed in range(row[2])])) for row in ROWS[::5])
    assert folded > 10
