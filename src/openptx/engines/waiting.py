"""The words for who waits where, which both engines say alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from openptx.program import Op
    from openptx.source import File


def waits(op: Op, file: File, what: str, threads: list[int]) -> str:
    """That these threads of a block wait at an instruction; `what` is `at barrier 0 for all threads`."""
    count = f"{len(threads)} thread{'s wait' if len(threads) != 1 else ' waits'}"
    names = ranges(threads) if threads else "none of this block"
    return f"{count} {what}, line {file.location(op.span[0])[0]}: `{op.text}` (threads {names})"


def left(gone: list[int], threads: int) -> str:
    """Which of a block's threads have ended."""
    if not gone:
        return f"none of the block's {threads} threads has left"
    return f"{len(gone)} of the block's {threads} threads have left (threads {ranges(gone)})"


def ranges(numbers: list[int]) -> str:
    """`0-31, 40`: sorted numbers, neighbours together, cut short after eight."""
    found: list[tuple[int, int]] = []
    for i in numbers:
        if found and found[-1][1] == i - 1:
            found[-1] = found[-1][0], i
        else:
            found.append((i, i))
    texts = [f"{a}-{b}" if b > a else f"{a}" for a, b in found[:8]]
    return ", ".join(texts) + (", ..." if len(found) > 8 else "")
