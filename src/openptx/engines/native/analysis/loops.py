"""Loops: the sets of blocks that lie on cycles together."""

from __future__ import annotations

from openptx.engines.native.analysis.cfg import END, Block


def cycles(blocks: list[Block]) -> list[frozenset[int]]:
    """Strongly connected components that have an edge within."""

    def turns(c: frozenset[int]) -> bool:
        (b, *others) = c
        return bool(others) or b in blocks[b].successors

    return [c for c in components(blocks) if turns(c)]


def components(blocks: list[Block]) -> list[frozenset[int]]:
    """Strongly connected components, by Tarjan's algorithm without recursion."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    stack: list[int] = []
    inside: set[int] = set()
    found: list[frozenset[int]] = []
    for root in range(len(blocks)):
        if root in number:
            continue
        path = [(root, iter(blocks[root].successors))]
        number[root] = low[root] = len(number)
        stack.append(root)
        inside.add(root)
        while path:
            b, rest = path[-1]
            s = next((s for s in rest if s != END and (s not in number or s in inside)), None)
            if s is None:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[b])
                if low[b] == number[b]:
                    cut = stack.index(b)
                    found.append(frozenset(stack[cut:]))
                    inside.difference_update(stack[cut:])
                    del stack[cut:]
            elif s in number:
                low[b] = min(low[b], number[s])
            else:
                number[s] = low[s] = len(number)
                stack.append(s)
                inside.add(s)
                path.append((s, iter(blocks[s].successors)))
    return found
