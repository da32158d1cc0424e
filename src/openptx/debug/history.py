"""The command history, kept from one session to the next."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

LENGTH = 1000


@contextmanager
def history(wanted: bool) -> Generator[None]:
    """Reads the history on entry, and writes it on exit; does nothing if it is not wanted or Python has no readline."""
    readline: Any = None
    if wanted:
        with contextlib.suppress(ImportError):  # Windows has none
            readline = import_module("readline")
    if readline is None:
        yield
        return
    base = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    path = Path(base, "openptx", "debug_history")
    readline.set_completer_delims(" \t\n=+-*/<>()[],!&|")
    with contextlib.suppress(OSError):  # an unreadable history counts as empty
        readline.read_history_file(path)
    try:
        yield
    finally:
        readline.set_history_length(LENGTH)
        with contextlib.suppress(OSError):  # it may also be impossible to write
            path.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(path)
