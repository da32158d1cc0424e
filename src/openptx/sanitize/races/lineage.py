"""From which vector each vector was made by adding entries: of two in one line the later contains the earlier one.

Threads that update one location in turn learn what those before them released, so that their vectors are such a line,
and of two no entries need to be compared. The ancestor at any depth is found in a logarithmic number of steps by jump
pointers (Myers, "An applicative random-access stack", 1983).
"""

from __future__ import annotations

from collections.abc import Container
from typing import NamedTuple


class Node(NamedTuple):
    """The vector that a vector was made from, one further back, its distance from the first, and what it has more: the
    time of each key that is new or later; None if these are many, or unknown."""

    parent: int
    jump: int
    depth: int
    more: dict[int, int] | None


class Lineage:
    """The vectors' origins, by number. A vector has a higher number than its parent; 0, the empty one, is the first."""

    def __init__(self) -> None:
        self._nodes = {0: Node(0, 0, 0, None)}

    def __getitem__(self, number: int) -> Node:
        return self._nodes[number]

    def add(self, number: int, parent: int, more: dict[int, int] | None) -> None:
        """A vector was made of another one."""
        nodes, above = self._nodes, self._nodes[parent]
        far = nodes[above.jump]
        even = above.depth - far.depth == far.depth - nodes[far.jump].depth
        nodes[number] = Node(parent, far.jump if even else parent, above.depth + 1, more)

    def clear(self) -> None:
        self.__init__()

    def ancestor(self, number: int, depth: int) -> int:
        """The vector at this depth that a vector was made from; itself if it is not deeper."""
        nodes = self._nodes
        node = nodes[number]
        while node.depth > depth:
            number = node.jump if nodes[node.jump].depth >= depth else node.parent
            node = nodes[number]
        return number

    def common(self, a: int, b: int) -> int:
        """The last vector that both were made from, directly or not, or are."""
        nodes = self._nodes
        a, b = self.ancestor(a, nodes[b].depth), self.ancestor(b, nodes[a].depth)
        while a != b:
            one, other = nodes[a], nodes[b]
            a, b = (one.jump, other.jump) if one.jump != other.jump else (one.parent, other.parent)
        return a

    def since(self, number: int, earlier: int, most: int) -> dict[int, int] | None:
        """What a vector has more than one that it was made from; None if these are more than `most`, or unknown."""
        path = list[dict[int, int]]()
        while number != earlier:
            node = self._nodes[number]
            if node.more is None or len(path) == most:
                return None
            path.append(node.more)
            number = node.parent
        found = dict[int, int]()
        for more in reversed(path):  # later ones have later times
            found.update(more)
        return found if len(found) <= most else None

    def keep(self, used: Container[int]) -> None:
        """Forgets the vectors that are not in use; the others then descend from the next one that is."""
        nodes, nearest = self._nodes, dict[int, int]()
        self.__init__()
        for number in sorted(nodes):  # parents come before their children
            parent = nodes[number].parent
            if number and number in used:
                above = nearest[parent]
                self.add(number, above, nodes[number].more if above == parent else None)
            nearest[number] = number if number in used else nearest.get(parent, 0)
