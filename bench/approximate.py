"""Approximate functions as the native engine computes them, beside their definitions, on every operand of f32.

    python bench/approximate.py [FUNCTION ...]

Prints how many of the 2^32 results differ, which should be none, and the time of each.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

from openptx.engines.native.compiler import Library, compile
from openptx.engines.native.cpu import host
from openptx.engines.native.floats import Floats
from openptx.engines.native.support import ATTRIBUTES, METADATA
from openptx.engines.native.values import ZEROS, N
from openptx.numerics import FORMATS, Bits

F32 = FORMATS["f32"]


def sweep(make: Callable[[Floats, Bits], Bits]) -> Callable[[int, int], int]:
    """A function that counts, of a range of operands, those for which a lane of `make` is not 0."""
    x = Floats({})
    x.cpu = host()
    out = x.out
    out.start("loop")
    at = "phi i64 [%from, %entry], [%next, %{end}]"
    lines = len(out.lines)
    out.line("")
    base = x.bits(out.emit("trunc i64 %i to i32"), 32, ZEROS)
    lanes = x.literal_vector(tuple(range(N)), 32)
    a = x.bits(out.emit(f"add <{N} x i32> {x.vector(base)}, {lanes}"), 32)
    wrong = x.vector(make(x, a) != 0)
    word = out.emit(f"bitcast <{N} x i1> {wrong} to i{N}")
    count = out.emit(f"zext i32 {out.emit(f'call i32 @llvm.ctpop.i32(i32 {word})')} to i64")
    out.line(f"%sum = add i64 %n, {count}")
    out.line(f"%next = add i64 %i, {N}")
    out.line("%more = icmp ult i64 %next, %to")
    out.line("br i1 %more, label %loop, label %done")
    out.lines[lines] = f"%i = {at.format(end=out.label)}\n%n = phi i64 [0, %entry], [%sum, %{out.label}]"
    body = [
        "define i64 @sweep(i64 %from, i64 %to) #0 {",
        "entry:",
        "br label %loop",
        *out.lines,
        "done:",
        "ret i64 %sum",
    ]
    text = "\n".join([*(f.text for f in x.functions.values()), *body, "}", ATTRIBUTES, METADATA])
    library = Library(compile(text), ("sweep",))
    call = ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64)(library["sweep"])
    return lambda start, stop, keep=library: call(start, stop)


def compare(op: str, ftz: bool) -> None:
    def both(x: Floats, a: Bits) -> Bits:
        return x.approx(op, F32, a, ftz) ^ x.defined(op, F32, a, ftz)

    def ours(x: Floats, a: Bits) -> Bits:
        return x.approx(op, F32, a, ftz)

    start = time.process_time()
    wrong = sweep(both)(0, 1 << 32)
    middle = time.process_time()
    sweep(ours)(0, 1 << 32)
    end = time.process_time()
    each, defined = (end - middle) * 1e9 / 2**32, (2 * middle - start - end) * 1e9 / 2**32
    name = op + ".ftz" * ftz
    print(f"{name:9} {wrong} results differ; {each:.2f} ns an operand, the definition {defined:.2f}", flush=True)


def main() -> None:
    for op in sys.argv[1:] or ("ex2", "lg2", "rsqrt", "sin", "cos", "tanh"):
        for ftz in (False, True):
            compare(op, ftz)


if __name__ == "__main__":
    main()
