"""The functions that counting kernels call, compiled once for a processor and linked once for a process."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files

from openptx.engines.native import abi
from openptx.engines.native.analysis.lattice import N
from openptx.engines.native.cache import store
from openptx.engines.native.cache.key import digest
from openptx.engines.native.instrument.count import layout
from openptx.engines.native.requests import FLUSH, UPCALLS
from openptx.isa.address_windows import FIRST
from openptx.llvm.codegen import compile
from openptx.llvm.jit import Library

_HEADER = re.compile(r"^define (void @(count\.\w+)\(.*?\))", re.M)
_NAME = re.compile(r" %\w+")
_linked: list[Library] = []


@cache
def text() -> str:
    """The LLVM text of all functions."""
    found = files("openptx.engines.native.instrument.count").joinpath("functions.ll").read_text("utf-8")
    numbers = {name: value for name, value in vars(layout).items() if name.isupper() and isinstance(value, int)}
    numbers |= {
        "REQUEST": abi.REQUEST,
        "UPCALL": abi.UPCALL,
        "FLUSH": UPCALLS.index(FLUSH),
        "RESERVE": layout.MOST * layout.RECORD,
        "FIRST": FIRST,
    }
    found = found.replace("{FACTORS}", "<" + ", ".join(f"i64 {factor}" for factor in layout.FACTORS) + ">")
    previous = ", ".join(f"i32 {max(lane - 1, 0)}" for lane in range(N))
    found = found.replace("{PREVIOUS}", f"<{previous}>")
    for name, value in numbers.items():
        found = found.replace(f"{{{name}}}", str(value))
    return found + sorting_network()


def names() -> list[str]:
    """The functions that kernels may call."""
    return [name for _, name in _HEADER.findall(text())]


def declarations() -> list[str]:
    """The beginning of a counting kernel's text."""
    return [f"declare {_NAME.sub('', header)}" for header, _ in _HEADER.findall(text())]


def functions(address_size: int) -> Mapping[str, int]:
    """The addresses of the functions by name, valid for the lifetime of the process."""
    if not _linked:
        name = digest("count")
        image = store.load(name)
        if image is None:
            image = compile(text())
            store.store(name, image)
        _linked.append(Library(image, tuple(names())))
    return {name: _linked[0][name] for name in names()}


VECTOR = f"<{N} x i32>"


def network_steps() -> Iterator[tuple[int, int]]:
    """For each step, the size of the sequences it merges, and the distance of the lanes it compares."""
    size = 2
    while size <= N:
        apart = size // 2
        while apart:
            yield size, apart
            apart //= 2
        size *= 2


def sorting_network() -> str:
    """`@sorted`: sorts the lanes of a vector, ascending, unsigned, without branches (K. E. Batcher, 1968)."""
    lines = [f"define internal {VECTOR} @sorted({VECTOR} %v0) noinline #0 {{"]
    for i, (size, apart) in enumerate(network_steps()):
        partners = ", ".join(f"i32 {lane ^ apart}" for lane in range(N))
        lesser = [bool(lane & apart) == bool(lane & size) for lane in range(N)]
        chosen = ", ".join(f"i32 {lane if less else lane + N}" for lane, less in enumerate(lesser))
        lines += [
            f"  %p{i} = shufflevector {VECTOR} %v{i}, {VECTOR} poison, {VECTOR} <{partners}>",
            f"  %l{i} = call {VECTOR} @llvm.umin.v{N}i32({VECTOR} %v{i}, {VECTOR} %p{i})",
            f"  %h{i} = call {VECTOR} @llvm.umax.v{N}i32({VECTOR} %v{i}, {VECTOR} %p{i})",
            f"  %v{i + 1} = shufflevector {VECTOR} %l{i}, {VECTOR} %h{i}, {VECTOR} <{chosen}>",
        ]
    lines += [f"  ret {VECTOR} %v{len([*network_steps()])}", "}"]
    lines += [f"declare {VECTOR} @llvm.{name}.v{N}i32({VECTOR}, {VECTOR})" for name in ("umin", "umax")]
    return "\n".join([*lines, ""])
