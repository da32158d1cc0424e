"""The layout of `--help`: as wide as the terminal, from 40 to 100 columns, and 80 where there is none."""

from __future__ import annotations

import os
import sys
from argparse import HelpFormatter

UNKNOWN, NARROWEST, WIDEST = 80, 40, 100  # columns


class ParagraphFormatter(HelpFormatter):
    """Fills the paragraphs of a description; keeps the lines of those that are indented or have columns: examples."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        from textwrap import fill

        paragraphs = [paragraph.strip("\n") for paragraph in text.split("\n\n")]
        return "\n\n".join(p if "  " in p else fill(p, width, break_on_hyphens=False) for p in paragraphs)


def formatter(prog: str) -> HelpFormatter:
    """A formatter for argparse. It gets a width, since argparse would import shutil (2 ms) to find one out."""
    try:
        width = os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError, AttributeError):  # not a terminal, or no real file at all
        width = UNKNOWN
    return ParagraphFormatter(prog, width=max(min(width, WIDEST), NARROWEST) - 2)
