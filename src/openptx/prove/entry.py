"""`openptx.prove`: whether two kernels are equivalent for all inputs."""

from __future__ import annotations

from importlib import import_module
from math import isfinite

from openptx.errors import ArgumentError, InputError, require_kernel
from openptx.launch_options import require_count, require_timeout
from openptx.program import Function, Variable
from openptx.prove.report import Proof
from openptx.runtime import Kernel

UNROLL = 16
TIMEOUT = 60.0


def prove(a: Kernel, b: Kernel, *, unroll: int = UNROLL, timeout: float = TIMEOUT) -> Proof:
    """Whether two kernels, `a` and `b`, leave the same memory, bit for bit, after every launch.

    `unroll` is the maximum number of iterations to which loops are unrolled whose length depends on inputs; `timeout`
    is in seconds. A difference is confirmed by a launch on the interpreter. docs/prove.md lists the assumptions.

    Raises ArgumentError if the kernels take different parameters or require different blocks, InputError if z3 is not
    installed.
    """
    require_count("unroll", unroll)
    require_timeout(timeout)
    if not isfinite(timeout):
        raise ArgumentError("`timeout` is a finite number of seconds: write a large one, such as 86400")
    require_kernel(a)
    require_kernel(b)
    require_same_launches(a, b)
    try:
        search = import_module("openptx.prove.search")
    except ModuleNotFoundError as error:
        if error.name != "z3":
            raise
        raise InputError("proofs need z3: pip install 'openptx[prove]'") from error
    return search.prove_kernels(a, b, unroll, timeout)


def require_same_launches(a: Kernel, b: Kernel) -> None:
    """Raises ArgumentError if parameters have different offsets, or no block suits both kernels; names and types of
    parameters do not matter."""
    one, two = layout(a.function), layout(b.function)
    if one != two:
        raise ArgumentError(
            f"`{a.name}` and `{b.name}` take different parameters: {format_places(one)}, and {format_places(two)} "
            "(offset:bytes)"
        )
    blocks = [block for k in (a, b) if (block := k.function.directives.get("reqntid")) is not None]
    if len({(*block, 1, 1)[:3] for block in blocks}) > 1:
        texts = " and ".join(f"`.reqntid {', '.join(map(str, block))}`" for block in blocks)
        raise ArgumentError(f"`{a.name}` and `{b.name}` require different blocks: {texts}")
    for kernel in (a, b):
        if kernel.module.program.address_size != 64:
            raise ArgumentError(f"`{kernel.name}` is of a module with addresses of 32 bits")


def layout(function: Function) -> list[tuple[int, int]]:
    """Offset and size of each parameter, in bytes."""
    return [(p.offset, p.size) for p in function.parameters if isinstance(p, Variable)]


def format_places(places: list[tuple[int, int]]) -> str:
    return " ".join(f"{offset}:{size}" for offset, size in places) or "none"
