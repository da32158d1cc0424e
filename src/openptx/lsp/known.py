"""What is known of the versions of an open file: a change leaves most of it as it is."""

from __future__ import annotations

from typing import NamedTuple

from lsprotocol import types

from openptx.check.accepted_bodies import AcceptedBodies
from openptx.source import Span


class Part(NamedTuple):
    """A symbol: where it is declared, and where its name stands there."""

    name: str
    kind: types.SymbolKind
    detail: str | None
    span: Span
    named: Span


class Outline(NamedTuple):
    """What an item of a file declares, in a function too, and its blocks. Offsets are from its start, so that its text
    decides all of it."""

    symbols: tuple[Part, ...] = ()
    inside: tuple[Part, ...] = ()
    blocks: tuple[Span, ...] = ()


class Known:
    """What later versions of a file use: its bodies without findings, and the outlines of its items by their text."""

    def __init__(self) -> None:
        self.accepted = AcceptedBodies()
        self.outlines: dict[str, Outline] = {}
