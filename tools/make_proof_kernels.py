"""Compiles tools/proof_kernels.py with Triton, for sm_80 and for sm_90: one file of PTX for each target.

Pointers and sizes are multiples of 16, so that Triton loads and stores vectors.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import proof_kernels
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

DATA = Path(__file__).resolve().parent.parent / "tests" / "data" / "prove"

# fmt: off
POINTERS = {  # types of x, y and z where they are not f32
    "halves":   ("fp16", "fp16", "fp16"),
    "brains":   ("bf16", "bf16", "bf16"),
    "widen":    ("bf16", "",     "fp32"),
    "narrow":   ("fp32", "",     "fp16"),
    "doubles":  ("fp64", "fp64", "fp64"),
    "integers": ("i32",  "i32",  "i32"),
    "masked":   ("i8",   "i8",   "i8"),
    "hashed":   ("u32",  "",     "u32"),
}
# fmt: on
NUMBERS = {"n": "i32", "m": "i32", "stride": "i32"}  # the others are f32
DIVISIBLE = ("x", "y", "z", "n", "stride")
HEADER = re.compile(r".*?(\.version.*?\.address_size 64\n)", re.S)


def compiled(function: Any, capability: int) -> str:
    name = function.fn.__name__
    pointers = dict(zip("xyz", POINTERS.get(name, ("fp32",) * 3), strict=True))
    types = {
        p: "constexpr" if p == "BLOCK" else f"*{pointers[p]}" if p in pointers else NUMBERS.get(p, "fp32")
        for p in function.arg_names
    }
    attributes = {(i,): [["tt.divisibility", 16]] for i, p in enumerate(function.arg_names) if p in DIVISIBLE}
    source = ASTSource(fn=function, signature=types, constexprs={"BLOCK": 512}, attrs=attributes)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32)).asm["ptx"]


def bare(text: str) -> str:
    """A module without its header, comments and empty lines."""
    lines = (line.split("//")[0].rstrip() for line in HEADER.sub("", text, count=1).split("\n"))
    return "\n".join(line for line in lines if line)


def main() -> None:
    os.environ["TRITON_DISABLE_LINE_INFO"] = os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
    functions: list[Any] = [f for f in vars(proof_kernels).values() if isinstance(f, triton.JITFunction)]
    for capability in (80, 90):
        texts = [compiled(function, capability) for function in functions]
        header = HEADER.match(texts[0])
        assert header is not None
        text = "\n\n".join((header[1].strip(), *map(bare, texts)))
        (DATA / f"triton_sm_{capability}.ptx").write_text(text + "\n")


if __name__ == "__main__":
    main()
