"""Costs that `auto` weighs, in seconds, and the thresholds at which it acts.

The cost of deciding counts, too: the modules that compile and run machine code are imported, the compile time is
estimated, and the disk is searched only when launches have taken several times as long as that does.
"""

from __future__ import annotations

import sys

from openptx.engines.native.entry import MACHINE_CODE

IMPORTS, NAMING = 0.08, 0.035
"""Seconds to import `MACHINE_CODE`, and `KEYS` alone, most of which is LLVM's library."""

SERVICE = "openptx.engines.tiers.service"
"""The module that has code made: forks and servers."""

LOOK, ORDERING = 0.003, 0.004
"""Seconds to estimate the compile time, and to look for the code on disk; and to import `SERVICE`."""

SHARE = 5
"""Each of these steps is taken when a kernel's launches have taken this many times as long. So a result that is
available before code could be is delayed by less than a fifth."""

AT_ONCE, AT_ONCE_ALONE = 0.02, 0.12
"""The compile time in seconds below which a launch compiles the code itself if it cannot fork: where a server is
running, and where one would have to be started."""

SERVER = 0.4
"""Seconds to start the server: 0.3, or 0.75 if Python cannot store its compiled files."""

ASKED = 0.15
"""The part of the time until code would be available that launches must have taken before they request it: a program
that launches a kernel once for a moment does not pay for code that is never run, which on two processors slows the
launch itself."""

FORK = 0.08
"""The minimum seconds of launches before they request a fork, which costs them 7 to 20 ms. Simulated with 14 ms, 3 of
440 first results take over 1.2 times as long as on the faster engine; 5 with 0.065, 9 with 0.05 (docs/decisions)."""

FAR = 2.0
"""How many times longer than making code a launch must be forecast to take for a fork to be requested at once. Both are
often wrong by a factor of 1.5: with 1.0, `odd_even_sm80` takes 1.6 times as long as on the faster engine."""

BASELINE, BASELINE_OF_FORKS = 0.12, 0.03
"""The compile time of optimised code in seconds from which baseline code is compiled first: by a server, and by a fork,
for which a launch waits that has taken `FORK` already. Baseline code takes 0.65 of the time for such short ones."""

FOUND = 0.0015
"""Seconds that it takes instead if the code is on disk."""


def imported(what: str = MACHINE_CODE) -> bool:
    """Whether a module that takes long to import has been imported."""
    return what in sys.modules


def look() -> float:
    """Seconds until it is known whether to request code."""
    return LOOK if imported(SERVICE) else LOOK + ORDERING


def imports() -> float:
    """Seconds of imports before machine code can run."""
    return 0.0 if imported() else IMPORTS
