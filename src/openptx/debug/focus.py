"""Commands that select the thread to look at, as in cuda-gdb: functions that return lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from openptx.debug import listing
from openptx.debug.arguments import linear, number, position
from openptx.debug.session import Session
from openptx.errors import InputError

WARP = 32
_COORDINATE = re.compile(r"(thread|block|warp|lane|kernel|grid|device|sm)\b\s*(\([^)]*\)|[\d,]+)?\s*")


def thread(session: Session, text: str) -> Iterator[str]:
    """thread [X[,Y[,Z]]]: look at this thread of the block"""
    yield from chosen(session, thread=text)


def block(session: Session, text: str) -> Iterator[str]:
    """block [X[,Y[,Z]]]: look at the same thread of this block"""
    yield from chosen(session, block=text)


def lane(session: Session, text: str) -> Iterator[str]:
    """lane N: look at this lane of the warp"""
    own = session.thread % session.numbering.block_threads
    yield from chosen(session, thread=str(own - own % WARP + require_below(number(text), WARP, "lane")))


def warp(session: Session, text: str) -> Iterator[str]:
    """warp N: look at the first thread of this warp of the block"""
    count = -(-session.numbering.block_threads // WARP)
    yield from chosen(session, thread=str(WARP * require_below(number(text), count, "warp")))


def cuda(session: Session, text: str) -> Iterator[str]:
    """cuda [block X,Y,Z] [thread X,Y,Z] [warp N] [lane N]: look at another thread, as in cuda-gdb; without numbers:
    which thread it is"""
    found = {match[1]: match[2] for match in _COORDINATE.finditer(text)}
    if _COORDINATE.sub("", text).strip():
        raise InputError("write cuda block X,Y,Z thread X,Y,Z, or cuda warp N lane N")
    for what in ("kernel", "device"):
        if (found.get(what) or "0") != "0":
            raise InputError(f"no {what} {found[what]}: there is {what} 0")
    own = session.thread % session.numbering.block_threads
    if not any(found.values()):
        cta, position = session.position(session.thread)
        yield f"kernel 0, block {cta}, thread {position}, warp {own // WARP}, lane {own % WARP}"
        return
    if found.get("warp") or found.get("lane"):
        warp, lane = (
            number(found.get(name) or str(now)) for name, now in (("warp", own // WARP), ("lane", own % WARP))
        )
        found["thread"] = str(WARP * warp + require_below(lane, WARP, "lane"))
    yield from chosen(session, found.get("thread") or "", found.get("block") or "")


def chosen(session: Session, thread: str = "", block: str = "") -> Iterator[str]:
    """Selects a thread of a block, and shows where it is."""
    cta, own = divmod(session.thread, session.numbering.block_threads)
    if thread:
        own = linear(thread, session.prepared.block, "thread")
    if block:
        cta = session.numbering.number_of_block(position(block, session.prepared.grid, "block"))
    session.look_at(cta * session.numbering.block_threads + own)
    yield listing.thread_state(session)


def require_below(value: int, count: int, what: str) -> int:
    """The value. Raises InputError if there are no more than that."""
    if value >= count:
        raise InputError(f"no {what} {value}: there are {count}")
    return value


COMMANDS = {"thread": thread, "block": block, "lane": lane, "warp": warp, "cuda": cuda}
