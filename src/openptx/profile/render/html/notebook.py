"""A profile in a notebook: its findings and accesses, in the notebook's own colours."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from openptx.profile.findings import NAMES, grouped

if TYPE_CHECKING:
    from openptx.profile.counted_launch import CountedLaunch


def in_notebook(profile: CountedLaunch) -> str:
    """The HTML of `CountedLaunch._repr_html_`."""
    shape = profile.launch
    facts = [
        f"{grouped(shape.blocks)} blocks of {grouped(shape.threads)} threads",
        f"{grouped(profile.counters.warps)} warp instructions",
        f"{profile.counters.mean_active:.1f} lanes active",
        f"{grouped(profile.counters.divergent)} of {grouped(profile.counters.branches)} branches divergent",
    ]
    found = [f"<b>profile of <code>{escape(profile.kernel)}</code></b>: {', '.join(facts)}"]
    found += [f"<br><em>{escape(note)}</em>" for note in profile.notes]
    if profile.fault is not None:
        found.append(f"<br><em>{escape(str(profile.fault))}</em>")
    if profile.counters.memory:
        found.append(table(("access", "bits", "requests", "sectors or wavefronts", "ideal"), memory(profile)))
    if profile.findings:
        items = "".join(
            f"<li>{escape(str(finding))}<br><small>{escape(finding.cure)}</small></li>" for finding in profile.findings
        )
        found.append(f"<ol>{items}</ol>")
    return f"<div>{''.join(found)}</div>"


def memory(profile: CountedLaunch) -> Iterable[tuple[str, ...]]:
    """A row for each memory, access and width."""
    for (space, kind, width), counted in sorted(profile.counters.memory.items()):
        numbers = (width, counted.requests, counted.cost, counted.ideal)
        yield f"{space} {NAMES[kind]}", *map(grouped, numbers)


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table whose heads and cells are text."""
    head = "".join(f"<th>{escape(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
