"""The location of OpenPTX's caches: the user's cache folder, or OPENPTX_CACHE."""

from __future__ import annotations

import os


def cache_folder() -> str | None:
    """The folder, which need not exist; None if OPENPTX_CACHE is empty, or if this user has no home."""
    chosen = os.environ.get("OPENPTX_CACHE")
    if chosen is not None:
        return chosen or None
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    if not base:
        home = os.path.expanduser("~")
        if home.startswith("~"):
            return None
        base = os.path.join(home, ".cache")
    return os.path.join(base, "openptx")
