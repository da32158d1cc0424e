"""What this engine does not do."""

from __future__ import annotations


class Fallback(Exception):
    """Something this engine leaves to the reference engine, for the whole kernel."""
