"""The processes that are running, from /proc."""

from __future__ import annotations

from pathlib import Path

import pytest

PROC = Path("/proc")
needs_proc = pytest.mark.skipif(not PROC.is_dir(), reason="children are looked up in /proc")


def stat(process: int | str) -> list[str]:
    """The fields of /proc/[pid]/stat from the state on. Raises OSError if the process has ended."""
    return (PROC / str(process) / "stat").read_text().rpartition(")")[2].split()


def alive(process: int) -> bool:
    """Whether a process runs, or is stopped: not one that only waits for its parent to read its exit status."""
    try:
        return stat(process)[0] != "Z"
    except OSError:
        return False


def parents() -> dict[int, int]:
    """The parent of each process that is alive."""
    found: dict[int, int] = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            try:
                state, parent, *_ = stat(folder.name)
            except OSError:  # it has just ended
                continue
            if state != "Z":
                found[int(folder.name)] = int(parent)
    return found
