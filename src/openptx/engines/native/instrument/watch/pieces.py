"""Splits known offsets of lanes, and of accesses with one base, into a few calls: adjacent lanes, and lanes at one
address."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from openptx.engines.native.analysis.lattice import Lanes, N

MOST = 4


class Piece(NamedTuple):
    """This many lanes from `first` on; `form` is "row" or "one"."""

    form: str
    first: int
    lanes: int


class Span(NamedTuple):
    """Lanes of a piece from an offset on; `times`: rows, or consecutive addresses. `pair`: as many further lanes do the
    same."""

    piece: Piece
    offset: int
    times: int
    pair: bool = False


def pieces(lanes: Lanes, size: int) -> list[Piece] | None:
    """The lanes' accesses of `size` bytes as runs; None if there are too many."""
    found: list[Piece] = []
    first = 0
    while first < N and len(found) <= MOST:
        piece = max((run(lanes, first, "one", 0), run(lanes, first, "row", size)), key=lambda p: p.lanes)
        found.append(piece)
        first += piece.lanes
    return found if len(found) <= MOST else None


def run(lanes: Lanes, first: int, form: str, step: int) -> Piece:
    """The run of lanes that starts at `first`, each `step` after the one before."""
    stop = first + 1
    while stop < N and lanes[stop] == lanes[stop - 1] + step:
        stop += 1
    return Piece(form, first, stop - first)


def spans(lanes: Lanes, size: int, offsets: Sequence[int], may_pair: bool) -> list[Span] | None:
    """Accesses of `size` bytes at these offsets by all lanes; None if lanes are in many pieces."""
    parts = pieces(lanes, size)
    if parts is None:
        return None
    pair = may_pair and len(parts) == 2 and parts[0].form == "row" and parts[0].lanes == parts[1].lanes
    pair = pair and lanes[parts[1].first] == lanes[0]
    found: list[Span] = []
    for piece in parts[:1] if pair else parts:
        step = size if piece.form == "one" else size * piece.lanes
        rows = piece.form == "one" or piece.lanes & (piece.lanes - 1) == 0
        for offset in sorted(set(offsets)):
            at, last = lanes[piece.first] + offset, found[-1] if found else None
            if rows and last is not None and last.piece is piece and at == last.offset + step * last.times:
                found[-1] = last._replace(times=last.times + 1)
            else:
                found.append(Span(piece, at, 1, pair))
    return found
