"""The layout of `--help`: descriptions as they are written, as wide as the terminal, up to 100 columns."""

from __future__ import annotations

import os
import sys
from argparse import RawDescriptionHelpFormatter


def formatter(prog: str) -> RawDescriptionHelpFormatter:
    """A formatter for argparse. It gets a width, since argparse would import shutil (2 ms) to find one out."""
    try:
        width = os.get_terminal_size(sys.stdout.fileno()).columns - 2
    except (OSError, ValueError, AttributeError):  # not a terminal, or no real file at all
        width = 100
    return RawDescriptionHelpFormatter(prog, width=max(min(width, 100), 40))
