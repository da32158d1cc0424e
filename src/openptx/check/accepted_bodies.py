"""Bodies without findings, among several versions of one text: what an editor changes, or a second check tries, leaves
most of them as they are."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.context import Context
    from openptx.source import File, Span

    Key = tuple[int, str]


class AcceptedBodies:
    """The bodies without findings, each with the number of registers that it declares.

    The verdict on one depends on its own text, and on what stands before it outside of bodies: the header of its
    function and what the module declares.
    """

    __slots__ = ("_earlier", "_known")

    def __init__(self) -> None:
        self._known: dict[Key, int] = {}
        self._earlier: dict[Key, int] = {}

    def renew(self) -> None:
        """A version of the file has been checked: those that it no longer has are forgotten after the next one."""
        self._known, self._earlier = {}, self._known

    def registers(self, key: Key) -> int | None:
        """How many registers a body declares that had no findings; None if it is not known."""
        found = self._known.get(key)
        if found is None and (found := self._earlier.get(key)) is not None:
            self._known[key] = found
        return found

    def add(self, key: Key, registers: int) -> None:
        """A body without findings."""
        self._known[key] = registers


class BodiesInOrder:
    """The bodies of one file in text order: what is known of the current one."""

    __slots__ = ("_accepted", "_end", "_file", "_key", "_outside")

    def __init__(self, file: File, context: Context, accepted: AcceptedBodies) -> None:
        self._file, self._accepted, self._end = file, accepted, 0
        self._outside = hash(context.key())  # of everything outside of bodies so far; 64 bits do not collide
        self._key: Key = 0, ""

    def next(self, body: Span) -> None:
        """Makes this body the current one, whose key is its text with its braces and the hash of what stands before."""
        text, (start, end) = self._file.text, body
        self._outside = hash((self._outside, text[self._end : start]))
        self._end = end
        self._key = self._outside, text[max(start - 1, 0) : end + 1]

    def registers(self) -> int | None:
        """How many registers the current body declares if it is known to have no findings."""
        return self._accepted.registers(self._key)

    def add(self, registers: int) -> None:
        """The current body has no findings."""
        self._accepted.add(self._key, registers)
