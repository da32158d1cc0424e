"""Runs one primitive as machine code on lanes, and its definition on NumPy."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from openptx.engines.native.analysis.lattice import Value
from openptx.engines.native.emit.arith.float_ops import FloatOps
from openptx.engines.native.rtlib.support import METADATA, attributes
from openptx.llvm.codegen import compile
from openptx.llvm.host import CPU, host
from openptx.llvm.jit import Library
from openptx.numerics import Arithmetic, Bits, Format
from openptx.numerics.numpy_machine import NumpyMachine

DTYPES = {1: np.uint8, 8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
Primitive = Callable[..., Any]


class Definitions(NumpyMachine):
    """NumPy lanes without their fast ways: what the definitions say."""


for _name in ("fadd", "fsub", "fsubr", "fmul", "fma", "fdiv", "fsqrt", "convert", "from_int", "to_int", "integral"):
    setattr(Definitions, _name, getattr(Arithmetic, _name))


class Bench(FloatOps):
    """The emitter alone, without a kernel around it."""

    def __init__(self, cpu: CPU) -> None:
        super().__init__({})
        self.cpu = cpu


def without(*features: str) -> CPU:
    """This machine, as if it lacked something."""
    return replace(host(), **dict.fromkeys(features, False))


def run(primitive: Primitive, inputs: list[Any], widths: list[int], cpu: CPU) -> list[Any]:
    """The results of machine code for 32 lanes at a time."""
    x = Bench(cpu)
    given: list[Bits] = []
    for i, w in enumerate(widths):
        name = x.ir.emit(f"load <32 x i{max(w, 8)}>, ptr %in{i}, align 8")
        given.append(Bits(x, w, Value(x.ir.emit(f"trunc <32 x i8> {name} to <32 x i1>") if w == 1 else name, None)))
    found = primitive(x, *given)
    results = [x.resize(d, 8) if d.width == 1 else d for d in (found if isinstance(found, tuple) else (found,))]
    for i, d in enumerate(results):
        x.ir.line(f"store <32 x i{d.width}> {x.vector(d)}, ptr %out{i}, align 8")
    header = ", ".join([f"ptr %in{i}" for i in range(len(inputs))] + [f"ptr %out{i}" for i in range(len(results))])
    body = "\n".join(
        [f"define void @test({header}) #0 {{", "entry:", *x.ir.entry_lines(), *x.ir.lines, "ret void", "}"]
    )
    library = Library(
        compile("\n".join([*(f.text for f in x.functions.values()), body, attributes(), METADATA])), ("test",)
    )
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * (len(inputs) + len(results)))(library["test"])
    n = len(inputs[0])
    outputs = [np.zeros(n, DTYPES[d.width]) for d in results]
    for at in range(0, n, 32):
        call(*[a[at:].ctypes.data for a in inputs], *[o[at:].ctypes.data for o in outputs])
    return outputs


def defined(primitive: Primitive, inputs: list[Any], widths: list[int]) -> list[Any]:
    x = Definitions()
    given = [x.lanes(a.astype(bool) if w == 1 else a) for a, w in zip(inputs, widths, strict=True)]
    with np.errstate(all="ignore"):
        found = primitive(x, *given)
    n = len(inputs[0])
    return [np.broadcast_to(d.v, (n,)) for d in (found if isinstance(found, tuple) else (found,))]


def samples(random: np.random.Generator, w: int, n: int, f: Format | None = None) -> Any:
    """Bit patterns with many edges: of integers, and of a format's exponents, infinities and NaNs."""
    edges = [0, 1, 2, 3, w - 1, w, w + 1, (1 << w) - 1, (1 << w) - 2, 1 << w - 1, (1 << w - 1) - 1, (1 << w - 1) + 1]
    a = random.integers(0, 1 << min(w, 63), n, dtype=np.uint64)
    if w == 64:
        a = a * np.uint64(2) + random.integers(0, 2, n, dtype=np.uint64)
    if f is not None:
        infinity = f.infinity or 0
        edges += [infinity, infinity | f.sign, infinity + 1, f.hidden, f.hidden - 1, f.hidden + 1, f.hidden | f.sign]
        edges += [
            f.largest,
            f.largest | f.sign,
            f.bias << f.man,
            (f.bias << f.man) | f.sign,
            f.nan or 0,
            (f.nan or 0) | f.sign,
        ]
        for low, high, share in ((max(0, f.bias - 12), f.bias + 12, 0.4), (0, 4, 0.2)):
            exponents = random.integers(low, high, n, dtype=np.uint64) << np.uint64(f.man)
            near = exponents | random.integers(0, 1 << f.man, n, dtype=np.uint64)
            near |= random.integers(0, 2, n, dtype=np.uint64) * np.uint64(f.sign)
            a = np.where(random.random(n) < share, near, a)
    chosen = np.array([e & (1 << w) - 1 for e in edges], np.uint64)[random.integers(0, len(edges), n)]
    return (np.where(random.random(n) < 0.3, chosen, a) & np.uint64((1 << w) - 1)).astype(DTYPES[w])


def differences(
    primitive: Primitive, widths: list[int], formats: list[Format | None] | None = None, n: int = 2048,
    cpu: CPU | None = None,
) -> int:  # fmt: skip
    """How many lanes machine code gets other bits in than the definitions."""
    random = np.random.default_rng(5)
    kinds = formats or [None] * len(widths)
    inputs = [samples(random, w, n, f) for w, f in zip(widths, kinds, strict=True)]
    return different(primitive, inputs, widths, cpu)


def different(primitive: Primitive, inputs: list[Any], widths: list[int], cpu: CPU | None = None) -> int:
    """The same for given operands; their number is a multiple of 32."""
    pairs = zip(run(primitive, inputs, widths, cpu or host()), defined(primitive, inputs, widths), strict=True)
    return sum(int((ours != theirs.astype(ours.dtype)).sum()) for ours, theirs in pairs)
