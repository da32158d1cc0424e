"""What `x` shows: memory as values, strings or instructions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from openptx.debug import listing
from openptx.debug.formats import memory_form
from openptx.debug.pointers import pointed_array
from openptx.debug.scope import Scope
from openptx.debug.session import Session
from openptx.debug.source_values import Pointer
from openptx.debug.source_variables import ARRAY, type_name
from openptx.debug.values import Array, TypedBits
from openptx.errors import InputError
from openptx.trace.values import show, type_of

LONGEST = 200
"""Bytes of a string that are shown."""
_SPECIAL = re.compile(r"(\d*)([is])")


def memory(session: Session, form: str, text: str) -> Iterator[str]:
    """Values from an address on, eight a line. Raises InputError for an unreadable command, and if there is no address
    or it cannot be read."""
    if (special := _SPECIAL.fullmatch(form)) is not None:
        what = instructions if special[2] == "i" else strings
        yield from what(session, int(special[1] or 1), text)
        return
    count, type = memory_form(form)
    scope = session.scope()
    space, address, own = location(session, text)
    kind = type_of(type or own)
    values = scope.read(space, address, kind, count)
    step = max(kind.width // 8, 1)
    for i in range(0, len(values), 8):
        yield f"0x{address + i * step:x}: " + " ".join(show(value.bits, kind) for value in values[i : i + 8])


def location(session: Session, text: str) -> tuple[str, int, str]:
    """The state space and the address that `[SPACE] ADDRESS` names, and the type of its elements. Raises InputError if
    it is no address."""
    space, _, rest = text.partition(" ")
    if space not in ("global", "shared", "local", "const", "param", "generic") or not rest:
        space, rest = "generic", text
    start = session.evaluate(rest)
    if isinstance(start, Pointer):
        start = pointed_array(session.scope(), start) or start
    if isinstance(start, Array):
        return start.space, start.address, start.type.name
    address = start.number if isinstance(start, TypedBits) else start
    if not isinstance(address, int):
        raise InputError(f"`{rest}` is not an address")
    return start.space if isinstance(start, Pointer) and space == "generic" else space, address, "b32"


def at_location(session: Session, text: str) -> tuple[str, Scope | None]:
    """The expression for what is at the address of another one now, and the scope in which it keeps its value: that of
    the kernel, as the function may return. Raises InputError for what has no address."""
    pointer = session.evaluate(f"&({text})")
    assert isinstance(pointer, Pointer)
    information, array = pointer.object.information, ""
    pointed = information.type_of(pointer.object.type)
    if pointed is not None and pointed.tag == ARRAY and (element := information.type_of(pointed)) is not None:
        array = f"@{information.size(pointed) // max(information.size(element), 1)}"
        pointed = element
    scope = session.scope(len(session.frames()) - 1) if pointer.space != "local" else None
    return f"*(@{pointer.space} {type_name(information, pointed)} *)0x{pointer.bits:x}{array}", scope


def strings(session: Session, count: int, text: str) -> Iterator[str]:
    """Strings of C from an address on, each up to its zero. Raises InputError for memory that cannot be read."""
    space, address, _ = location(session, text)
    for _ in range(count):
        found = b""
        while len(found) < LONGEST and (byte := session.scope().bytes(space, address + len(found), 1)) != b"\0":
            found += byte
        quoted = json.dumps(found.decode("utf-8", "replace"), ensure_ascii=False)
        yield f"0x{address:x}: {quoted}" + ("..." if len(found) == LONGEST else "")
        address += len(found) + 1


def instructions(session: Session, count: int, text: str) -> Iterator[str]:
    """Instructions from `$pc` or a place on; that of the thread is marked."""
    frame, pc, _ = session.frames()[session.level]
    position = frame.plan.function.name, pc
    name, first = position if text in ("$pc", "") else session.places.find(text.removeprefix("&"))[0]
    code = session.places.functions[name].code
    for at in range(first, min(first + count, len(code))):
        mark = "=>" if (name, at) == position else "  "
        yield f"{mark} {session.places.row(code[at]):>5}  {listing.instruction_text(session, at, name)}"
