"""How much memory the computer has, and how much of it programs are told that the device has free."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

PHYSICAL = "SC_PHYS_PAGES"
STATISTICS = Path("/proc/meminfo")


@cache
def total() -> int:
    """The bytes of this computer's memory."""
    names = getattr(os, "sysconf_names", {})
    return os.sysconf(PHYSICAL) * os.sysconf("SC_PAGE_SIZE") if PHYSICAL in names else 1 << 37


@cache
def offered() -> int:
    """The bytes that are said to be free before anything is allocated: half of what was available at the first call.

    Programs that fill the device's free memory need memory of the host, too, which is the same here.
    """
    return min(available(), total()) // 2


def available() -> int:
    """The bytes that programs can still use, as Linux estimates them; elsewhere all of the memory."""
    try:
        lines = STATISTICS.read_text().splitlines()
    except OSError:
        return total()
    found = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    return int(next(found, total() >> 10)) << 10
