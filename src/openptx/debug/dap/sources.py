"""Source files for a client: the PTX as it was launched, and the files that `.loc` names."""

from __future__ import annotations

import os

from openptx.debug.dap.wire import Message
from openptx.debug.places import Places
from openptx.program import Op

AS_LAUNCHED = 1
"""The reference by which clients request the PTX that was launched, if no file contains it."""


class Sources:
    """The sources of one launch."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.stamp = stamp(places.file.name)

    @property
    def changed(self) -> bool:
        """Whether the file of the PTX differs from what was launched, or no longer exists."""
        return stamp(self.places.file.name) != self.stamp

    def source_message(self, path: str) -> Message:
        """A source of the protocol. PTX that no file contains any more is requested with `source`."""
        name = os.path.basename(path) or path
        if path != self.places.file.name or (self.stamp is not None and not self.changed):
            return {"name": name, "path": os.path.abspath(path)}
        return {"name": f"{name} (as launched)", "sourceReference": AS_LAUNCHED}

    def path(self, source: Message) -> str:
        """The path of a source that the client names."""
        if source.get("sourceReference") == AS_LAUNCHED:
            return self.places.file.name
        return str(source.get("path") or source.get("name") or "")

    def location(self, op: Op, by_source: bool = False, outward: int = 0) -> tuple[str, int, int]:
        """Where an instruction, or the call that is `outward` inlined calls further out, is shown: in the source if
        that can be read, else in the PTX."""
        chain = self.places.table.of(op)[outward:]
        if chain and (by_source or self.places.table.text(chain[0]) is not None):
            return chain[0]
        return (self.places.file.name, *self.places.file.location(op.span[0]))


def stamp(path: str) -> tuple[int, int, int] | None:
    """Time, size and inode of a file, by which a change is noticed; None if it does not exist."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
