"""numba-cuda: Python functions to PTX."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numba_cuda
from numba.cuda import compile_ptx


def version() -> str:
    return f"numba-cuda {numba_cuda.__version__}"


def compile_kernel(
    function: Callable[..., None], signature: tuple[Any, ...], target: str, **options: Any
) -> tuple[str, str]:
    """PTX and the entry's (mangled) name."""
    digits = "".join(c for c in target if c.isdigit())
    ptx, _ = compile_ptx(function, signature, cc=(int(digits[:-1]), int(digits[-1])), **options)
    entry = re.search(r"\.entry\s+([\w$]+)", ptx)
    if entry is None:
        raise ValueError("numba made no entry")
    return ptx, entry[1]


def compile_signature(function: Callable[..., None], signature: str, target: str, options: dict[str, bool]) -> str:
    """PTX for a signature such as "f8 f8[:] i4"; options are numba's own: debug, lineinfo, fastmath."""
    parts = tuple(_type(part) for part in signature.split())
    if options.get("debug"):
        options = {**options, "opt": False}
    return compile_kernel(function, parts, target, **options)[0]


def _type(text: str) -> Any:
    from numba import types

    scalar = {"f4": types.float32, "f8": types.float64, "i4": types.int32, "i8": types.int64}[text[:2]]
    return scalar[:] if text.endswith("[:]") else scalar
