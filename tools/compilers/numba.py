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
