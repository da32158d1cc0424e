"""A sorting network for the lanes of a vector: a branch-free LLVM function (K. E. Batcher, 1968)."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.engines.native.analysis.lattice import N

VECTOR = f"<{N} x i32>"


def steps() -> Iterator[tuple[int, int]]:
    """For each step, the size of the sequences it merges, and the distance of the lanes it compares."""
    size = 2
    while size <= N:
        apart = size // 2
        while apart:
            yield size, apart
            apart //= 2
        size *= 2


def text() -> str:
    """`@sorted`: ascending, unsigned."""
    lines = [f"define internal {VECTOR} @sorted({VECTOR} %v0) noinline #0 {{"]
    for i, (size, apart) in enumerate(steps()):
        partners = ", ".join(f"i32 {lane ^ apart}" for lane in range(N))
        lesser = [bool(lane & apart) == bool(lane & size) for lane in range(N)]
        chosen = ", ".join(f"i32 {lane if less else lane + N}" for lane, less in enumerate(lesser))
        lines += [
            f"  %p{i} = shufflevector {VECTOR} %v{i}, {VECTOR} poison, {VECTOR} <{partners}>",
            f"  %l{i} = call {VECTOR} @llvm.umin.v{N}i32({VECTOR} %v{i}, {VECTOR} %p{i})",
            f"  %h{i} = call {VECTOR} @llvm.umax.v{N}i32({VECTOR} %v{i}, {VECTOR} %p{i})",
            f"  %v{i + 1} = shufflevector {VECTOR} %l{i}, {VECTOR} %h{i}, {VECTOR} <{chosen}>",
        ]
    lines += [f"  ret {VECTOR} %v{len([*steps()])}", "}"]
    lines += [f"declare {VECTOR} @llvm.{name}.v{N}i32({VECTOR}, {VECTOR})" for name in ("umin", "umax")]
    return "\n".join([*lines, ""])
