"""Triton, without a GPU."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")
os.environ["TRITON_ALWAYS_COMPILE"] = "1"  # its cache does not know that a source's path has changed

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


def version() -> str:
    return f"Triton {triton.__version__}"


class Compiled(NamedTuple):
    """What Triton makes of a kernel: `shared` bytes of dynamic shared memory, and `scratch` of global memory a CTA."""

    ptx: str
    entry: str
    shared: int
    scratch: int


def compile_kernel(
    function: Any,
    signature: Mapping[str, str],
    constants: Mapping[str, Any],
    target: str,
    *,
    warps: int = 4,
    **options: Any,
) -> Compiled:
    """A kernel for a target, `sm_90` and the like.

    `signature` gives types by parameter ("*fp32", "i32"), without the constants. The entry takes two more pointers, to
    scratch memory and to what a profiler wants.
    """
    types = {name: signature.get(name, "constexpr") for name in function.arg_names}
    source = ASTSource(fn=function, signature=types, constexprs=dict(constants))
    capability = int("".join(c for c in target if c.isdigit()))
    kernel = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": warps, **options})
    ptx = kernel.asm["ptx"].replace(f'"{Path(triton.__file__).parent}/', '"triton/')
    return Compiled(ptx, kernel.metadata.name, kernel.metadata.shared, kernel.metadata.global_scratch_size)
