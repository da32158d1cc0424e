"""Dominators of blocks."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.rewrite.blocks import Block


class Dominators:
    """The dominator tree of a function's blocks, which are named by their place in a list: Cooper, Harvey and Kennedy,
    "A Simple, Fast Dominance Algorithm" (2001). Unreachable blocks have no dominator."""

    def __init__(self, blocks: list[Block]) -> None:
        places = {block.start: i for i, block in enumerate(blocks)}
        self.successors = [[places[start] for start in block.successors] for block in blocks]
        self.predecessors: list[list[int]] = [[] for _ in blocks]
        self.order = postorder(self.successors)
        for i in self.order:
            for after in self.successors[i]:
                self.predecessors[after].append(i)
        self._rank = {block: rank for rank, block in enumerate(self.order)}
        self.immediate: dict[int, int] = {0: 0}
        self._find()
        self.children = self._children()
        self._spans = self._number()

    def _find(self) -> None:
        changed = True
        while changed:
            changed = False
            for i in reversed(self.order[:-1]):
                known = [p for p in self.predecessors[i] if p in self.immediate]
                found = known[0]
                for other in known[1:]:
                    found = self.common(found, other)
                if self.immediate.get(i) != found:
                    self.immediate[i], changed = found, True

    def common(self, a: int, b: int) -> int:
        """The last block that dominates both."""
        rank = self._rank
        while a != b:
            while rank[a] < rank[b]:
                a = self.immediate[a]
            while rank[b] < rank[a]:
                b = self.immediate[b]
        return a

    def dominates(self, a: int, b: int) -> bool:
        """Whether every path to b leads through a."""
        first, last = self._spans[a]
        return first <= self._spans[b][0] <= last

    def _children(self) -> list[list[int]]:
        """The blocks that each block dominates immediately, in an order of execution."""
        found: list[list[int]] = [[] for _ in self.successors]
        for i in reversed(self.order[:-1]):
            found[self.immediate[i]].append(i)
        return found

    def _number(self) -> dict[int, tuple[int, int]]:
        """For each block its preorder number in the tree, and the last number in its subtree."""
        first: dict[int, int] = {}
        found: dict[int, tuple[int, int]] = {}
        for i, done in walk(self.children):
            if done:
                found[i] = first[i], len(first) - 1
            else:
                first[i] = len(first)
        return found


def postorder(successors: list[list[int]]) -> list[int]:
    """Each block after its successors, ignoring loops; the first block last."""
    found: list[int] = []
    seen = {0}
    waiting = [(0, iter(successors[0]))]
    while waiting:
        i, rest = waiting[-1]
        for after in rest:
            if after not in seen:
                seen.add(after)
                waiting.append((after, iter(successors[after])))
                break
        else:
            found.append(i)
            waiting.pop()
    return found


def walk(children: list[list[int]]) -> Iterator[tuple[int, bool]]:
    """A walk of a tree from its root, block 0: each block before its subtree, and again after it, with True."""
    waiting = [(0, False)]
    while waiting:
        i, done = waiting.pop()
        yield i, done
        if not done:
            waiting.append((i, True))
            waiting += ((child, False) for child in reversed(children[i]))
