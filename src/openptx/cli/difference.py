"""A unified diff of a text and its fixed version, in linear time: `difflib` takes minutes for repetitive files."""

from __future__ import annotations

import re

CONTEXT = 3  # unchanged lines around a change
REACH = 20  # the maximum number of lines that a fix adds or removes at one place before the rest counts as one change

Region = tuple[int, int, int, int]
"""Lines old[a:b] became new[c:d]."""


def unified(old: str, new: str, name: str) -> str:
    """The changes in the format of `diff -u`; "" if there are none."""
    before, after = _lines(old), _lines(new)
    hunks = [_hunk(before, after, group) for group in _grouped(_regions(before, after))]
    return "".join([f"--- {name}\n+++ {name}\n", *hunks]) if hunks else ""


def _lines(text: str) -> list[str]:
    """Lines with their ends; only LF ends a line, as in `patch`."""
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _regions(old: list[str], new: list[str]) -> list[Region]:
    """The regions that changed, in order."""
    found: list[Region] = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        a, b = _resume(old, new, i, j)
        found.append((i, a, j, b))
        i, j = a, b
    return found


def _resume(old: list[str], new: list[str], i: int, j: int) -> tuple[int, int]:
    """The next lines on which both files agree after a change. Tries a rewritten line first, then added and removed
    lines."""
    if len(old) - i == len(new) - j:
        return i + 1, j + 1
    for shift in range(1, REACH):
        for a, b in ((i + shift, j + shift), (i, j + shift), (i + shift, j), (i + 1, j + shift), (i + shift, j + 1)):
            if old[a : a + 2] == new[b : b + 2]:
                return min(a, len(old)), min(b, len(new))
    return len(old), len(new)


def _grouped(regions: list[Region]) -> list[list[Region]]:
    """Regions whose context overlaps are shown as one hunk."""
    groups: list[list[Region]] = []
    for region in regions:
        if groups and region[0] - groups[-1][-1][1] <= 2 * CONTEXT:
            groups[-1].append(region)
        else:
            groups.append([region])
    return groups


def _hunk(old: list[str], new: list[str], group: list[Region]) -> str:
    """One hunk: its header, then unchanged, removed and added lines."""
    start = max(group[0][0] - CONTEXT, 0)
    end = min(group[-1][1] + CONTEXT, len(old))
    into = group[0][2] - (group[0][0] - start)
    out: list[str] = []
    at = start
    for a, b, c, d in group:
        out += [f" {line}" for line in old[at:a]]
        out += [f"-{line}" for line in old[a:b]]
        out += [f"+{line}" for line in new[c:d]]
        at = b
    out += [f" {line}" for line in old[at:end]]
    removed, added = end - start, end - group[-1][1] + group[-1][3] - into
    body = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in out)
    return f"@@ -{_range(start, removed)} +{_range(into, added)} @@\n{body}"


def _range(start: int, count: int) -> str:
    """`7,3`: three lines from the seventh on; an empty range names the line before it."""
    return f"{start + (count > 0)},{count}"
