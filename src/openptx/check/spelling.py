"""The name that was probably meant: the nearest one, by single-character edits."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def nearest(
    word: str, known: Iterable[str], limit: int | None = None, suits: Callable[[str], bool] = lambda each: True
) -> str | None:
    """The known word with the fewest edits from `word`, if they are few for its length; the first of equal ones.

    One that does not suit the place, by its type say, is not the one that was meant.
    """
    best, found = (limit if limit is not None else max(1, len(word) // 3)) + 1, None
    for candidate in sorted(known):
        if abs(len(candidate) - len(word)) < best and (edits := distance(word, candidate, best)) < best:
            best, found = (edits, candidate) if suits(candidate) else (best, found)
    return found


def distance(a: str, b: str, limit: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours that lead from a to b; `limit` if there are more."""
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
