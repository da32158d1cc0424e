"""What a run of `openptx record` has written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from openptx.errors import InputError
from openptx.recording.collection import Found, below
from openptx.recording.file import header_of

MOST = 20
"""Kernels that are listed."""


def recorded(folder: str) -> list[Found]:
    """The recordings in a folder, which need not be there."""
    return below(Path(folder), folder) if Path(folder).is_dir() else []


def summary(made: list[Found], folder: str) -> str:
    """A line for each kernel, the most recorded first."""
    if not made:
        return f"no launch was recorded in {folder}"
    counts, size = Counter[str](), 0
    for one in made:
        size += one.path.stat().st_size
        with one.path.open("rb") as stream:
            try:
                counts[header_of(stream, one.name).kernel] += 1
            except InputError:
                counts["(unreadable)"] += 1
    lines = [f"{len(made)} launches of {len(counts)} kernels in {folder}, {size / (1 << 20):.1f} MiB"]
    lines += [f"  {count:4}  {name}" for name, count in counts.most_common(MOST)]
    if len(counts) > MOST:
        lines.append(f"  ... and {len(counts) - MOST} more kernels")
    return "\n".join(lines)
