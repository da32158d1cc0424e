"""The name that was probably meant: the nearest one, by single-character edits."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

WORK = 10_000_000
"""The limit of character comparisons for one file, at most a second of work: a hostile file may have any number of
unknown and known names, while people misspell few."""


SEARCHES = 500
"""The limit of wrong instructions in one file whose operands are tried with other opcodes and in other places, at about
a millisecond each. The errors after them keep the advice that needs no search."""


class Suggestions:
    """Suggestions for the unknown names of one file, within a budget of `WORK`, and which of its wrong instructions are
    searched for advice, within `SEARCHES`: what other files have does not matter."""

    __slots__ = ("left", "searched")

    def __init__(self) -> None:
        self.left = WORK
        self.searched: set[object] = set()

    def searches(self, key: object) -> bool:
        """Whether advice on a wrong instruction is searched for; `key` is its opcode and the kinds of its operands."""
        if len(self.searched) < SEARCHES:
            self.searched.add(key)
        return key in self.searched

    def spend(self, characters: int) -> bool:
        """Takes a search through so many characters from the budget; returns whether there was enough."""
        self.left -= characters
        return self.left >= 0

    def nearest(
        self, word: str, known: Callable[[], Collection[str]], limit: int | None = None,
        suits: Callable[[str], bool] = lambda each: True,
    ) -> str | None:  # fmt: skip
        """The nearest known word; None if there is none, or once the budget is spent."""
        if self.left <= 0:
            return None
        names, most = known(), max_distance(word, limit)
        self.left -= sum(len(word) * len(name) if abs(len(name) - len(word)) <= most else 1 for name in names)
        return nearest(word, names, limit, suits) if self.left > 0 else None


def nearest(
    word: str, known: Iterable[str], limit: int | None = None, suits: Callable[[str], bool] = lambda each: True
) -> str | None:
    """The known word with the fewest edits from `word`, if they are few for its length; of equal ones one
    with the same letters, or else the first.

    Words that do not suit the place, for example by type, are not considered.
    """
    best, found = max_distance(word, limit) + 1, None
    letters, same = set(word), sorted(word)
    for candidate in sorted(known, key=lambda each: (len(each) != len(word) or sorted(each) != same, each)):
        if abs(len(candidate) - len(word)) >= best or differing(letters, set(candidate)) >= best:
            continue
        if letters.isdisjoint(candidate):  # `r` is no misspelt `x`
            continue
        if (edits := distance(word, candidate, best)) < best and suits(candidate):
            best, found = edits, candidate
    return found


def max_distance(word: str, limit: int | None) -> int:
    """The maximum edit distance for a word."""
    return limit if limit is not None else max(1, len(word) // 3)


def differing(a: set[str], b: set[str]) -> int:
    """A lower bound on the edits, because each adds at most one new letter and removes at most one."""
    return max(len(a - b), len(b - a))


def distance(a: str, b: str, limit: int) -> int:
    """The number of insertions, deletions, replacements and adjacent swaps that turn a into b; `limit` if there are
    more."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        before, last, row = row, before, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
        if min(row) >= limit:
            return limit
    return row[-1]
