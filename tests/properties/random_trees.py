"""Programs as trees of text, in which blocks may be removed or replace their parents, to shrink failing ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass


@dataclass(slots=True)
class Group:
    """Text, what may be left out, text, ..."""

    parts: list[str | list[str | Group]]


Block = list["str | Group"]


def rendered(block: Sequence[str | Group]) -> Iterator[str]:
    for node in block:
        if isinstance(node, str):
            yield node
        else:
            for part in node.parts:
                if isinstance(part, str):
                    yield part
                else:
                    yield from rendered(part)


def shrink(block: Block, still: Callable[[], bool]) -> None:
    """Takes out of a block, in place, all that may go: `still` is asked each time whether the rest will do."""
    size = max(1, len(block) // 2)
    while size:
        at = 0
        while at < len(block):
            cut = block[at : at + size]
            del block[at : at + size]
            if not still():
                block[at:at] = cut
                at += size
        size //= 2
    for i in reversed(range(len(block))):
        node = block[i]
        if isinstance(node, str):
            continue
        inner = [n for part in node.parts if isinstance(part, list) for n in part]
        block[i : i + 1] = inner
        if still():
            shrink(block, still)
            return
        block[i : i + len(inner)] = [node]
        for part in node.parts:
            if isinstance(part, list):
                shrink(part, still)
