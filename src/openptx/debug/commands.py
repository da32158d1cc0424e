"""Commands of the terminal that show or change something and do not run the launch: functions that return lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from openptx.debug import examine, focus, listing
from openptx.debug.arguments import number
from openptx.debug.breakpoints import Breakpoint
from openptx.debug.c_types import type_of_text
from openptx.debug.expressions import parse
from openptx.debug.formats import split_form, value_text
from openptx.debug.logpoints import of_format
from openptx.debug.scope import Scope
from openptx.debug.session import Session
from openptx.debug.settings import setting
from openptx.debug.source_values import DEEPEST, RECORDS, information_of
from openptx.debug.source_variables import POINTER, DebugInformation, type_name
from openptx.debug.values import Array, TypedBits
from openptx.dwarf import Entry
from openptx.errors import InputError

_ASSIGNMENT = re.compile(r"(.*?)(?<![=<>!])=(?!=)(.*)")
SYNONYMS = {"locals": "variables", "args": "params", "watchpoints": "breakpoints", "stack": "calls"}
"""gdb's words for what `info` shows."""


def where(session: Session, text: str) -> Iterator[str]:
    """where: the calls that the thread is in, innermost first"""
    yield from listing.calls(session)


def show(session: Session, text: str) -> Iterator[str]:
    """print[/TYPE] EXPRESSION: registers, variables, f32[address], arithmetic; TYPE: s32, f16x2, x, d, u, t, c, f; as
    TARGET = VALUE it is changed before"""
    form, text = split_form(text)
    if (found := _ASSIGNMENT.fullmatch(text)) is not None:
        session.assign(found[1], found[2])
        text = found[1].strip()
    yield f"{text} = {value_text(session.scope(), session.evaluate(text), form)}"


def lanes(session: Session, text: str) -> Iterator[str]:
    """lanes[/TYPE] EXPRESSION: its value in each thread of the warp"""
    form, text = split_form(text)
    yield from (f"{name}: {value}" for name, value in listing.in_warp(session, text, form))


def x(session: Session, text: str) -> Iterator[str]:
    """x[/COUNT[TYPE]] [SPACE] ADDRESS: memory from an address or a variable on, eight values a line; x/s: a string;
    x/COUNTi $pc: instructions"""
    form, text = split_form(text)
    yield from examine.memory(session, form, text)


def displayed(session: Session, text: str) -> list[str]:
    """What `display[/TYPE] EXPRESSION` shows at a stop: that of `print`, of instructions and strings that of `x`."""
    form, expression = split_form(text)
    examined = re.fullmatch(r"\d*s", form) or (form.endswith("i") and expression == "$pc")
    return list((x if examined else show)(session, text))


def assign(session: Session, text: str) -> Iterator[str]:
    """set TARGET = VALUE: change a register, an element of a variable, f32[address]; going back forgets it"""
    if (said := setting(text)) is not None:
        yield said
        return
    found = _ASSIGNMENT.fullmatch(re.sub(r"^var(?:iable)?\s+", "", text))
    if found is None:
        raise InputError("write set TARGET = VALUE, such as `set %r1 = 4` or `set tile[3] = 0.5`")
    yield f"{found[1].strip()} = {session.assign(found[1], found[2])}"


def info(session: Session, text: str) -> Iterator[str]:
    """info breakpoints | registers [NAME...] | threads | warps | lanes | blocks | variables | params | functions |
    frame | line [PLACE] | step | kernels | devices | sms | barriers"""
    word, *names = text.removeprefix("cuda ").split()[:99] or [""]
    found = [SYNONYMS.get(name, name) for name in (*listing.INFO, *SYNONYMS) if word and name.startswith(word)]
    if not found:
        raise InputError(f"info about {', '.join(listing.INFO)}")
    if found[0] == "registers" and names:
        for name in names:
            yield f"{name} = {value_text(session.scope(), session.evaluate(name), '')}"
        return
    if found[0] == "line" and names:
        for place in session.places.find(" ".join(names)):
            yield session.places.describe(place)
        return
    yield from listing.INFO[found[0]](session)


def list_lines(session: Session, text: str) -> Iterator[str]:
    """list [ROW | FUNCTION | FILE:LINE]: the PTX around the thread, a row or a function; lines of a source"""
    name, colon, line = text.rpartition(":")
    if colon and line.isdecimal() and name:
        yield from listing.source_listing(session, name, int(line))
    elif text and not text.isdecimal():
        function, pc = session.places.find(text)[0]
        yield from listing.listing(session, session.places.row(session.places.functions[function].code[pc]))
    else:
        yield from listing.listing(session, number(text) if text else None)


def whatis(session: Session, text: str) -> Iterator[str]:
    """whatis EXPRESSION|TYPE: its type"""
    yield f"type = {next(iter(type_lines(session, text, members=False)))}"


def ptype(session: Session, text: str) -> Iterator[str]:
    """ptype EXPRESSION|TYPE: its type, with the members of a structure"""
    first, *rest = type_lines(session, text, members=True)
    yield f"type = {first}"
    yield from rest


def type_lines(session: Session, text: str, members: bool) -> Iterator[str]:
    """The type of a value in the program or in PTX, or of that name."""
    if not text:
        raise InputError("the expression is missing: write one, such as a variable's name")
    scope = session.scope()
    information = information_of(scope)
    try:
        type = type_of_value(scope, text)
    except InputError as error:
        try:
            type = type_of_text(information, text)
        except InputError:
            raise error from None
    if not isinstance(type, Entry):
        yield type or "void"
        return
    name = type_name(information, type)
    if members and type.tag == POINTER and (pointed := information.type_of(type)) is not None:
        type = pointed
    if not members or type.tag not in RECORDS:
        yield name
        return
    yield f"{name} {{"
    yield from member_lines(information, type)
    yield "}"


def type_of_value(scope: Scope, text: str) -> Entry | str:
    """The type of a value: that of the program, or the name of one in PTX. Raises InputError."""
    expression = parse(text)
    found = expression.source_object(scope)
    if found is not None:
        return found.type
    value = expression.evaluate(scope)
    if isinstance(value, TypedBits | Array):
        return f".{value.type.name}" + (f"[{value.count}]" if isinstance(value, Array) else "")
    return "int" if isinstance(value, int) else "float"


def member_lines(information: DebugInformation, type: Entry, offset: int = 0, depth: int = 0) -> Iterator[str]:
    """The members of a structure with their offsets, and those of an anonymous union in it."""
    for member in information.members(type):
        at = offset + member.offset
        if not member.label and member.type.tag in RECORDS and depth < DEEPEST:
            yield from member_lines(information, member.type, at, depth + 1)
            continue
        bits = f" : {member.bits.width}" if member.bits is not None else ""
        element, bracket, extents = type_name(information, member.type).partition(" [")
        yield f"    {element} {member.label}{bracket.strip()}{extents}{bits};  // at {at}"


def dprintf(session: Session, text: str) -> Iterator[str]:
    """dprintf PLACE, "FORMAT", EXPRESSION, ...: write values where a thread reaches a place, without stopping"""
    place, comma, rest = text.partition(",")
    if not comma:
        raise InputError('write dprintf PLACE, "FORMAT", EXPRESSION, ...')
    made = session.break_at(place, log=of_format(rest.strip()))
    session.breakpoints.commands[made.number] = [f"printf {rest.strip()}"]
    yield f"dprintf {made.number}: {', '.join(sorted(map(session.places.describe, made.places)))}"


def ignore(session: Session, text: str) -> Iterator[str]:
    """ignore N COUNT: do not stop the next COUNT times at breakpoint or watchpoint N"""
    which, _, count = text.partition(" ")
    point = session.point(number(which))
    point.skip = number(count.strip())
    what = "breakpoint" if isinstance(point, Breakpoint) else "watchpoint"
    yield f"{what} {which} does not stop the next {point.skip} times"


def condition(session: Session, text: str) -> Iterator[str]:
    """condition N [EXPRESSION]: stop at breakpoint or watchpoint N only if it is true, without it always"""
    which, _, text = text.partition(" ")
    session.point(number(which)).condition = parse(text) if text.strip() else None
    return iter(())


def delete(session: Session, text: str) -> Iterator[str]:
    """delete [N...]: remove breakpoints or watchpoints, or all of them"""
    for each in numbers(session, text):
        session.delete(each)
    return iter(())


def clear(session: Session, text: str) -> Iterator[str]:
    """clear [PLACE]: remove the breakpoints at a row, FILE:LINE, a label or a function"""
    places = {*session.places.find(text or str(listing.row(session)))}
    found = [each.number for each in session.breakpoints.values() if places & each.places]
    if not found:
        raise InputError("no breakpoint is there; `info breakpoints` lists them")
    for each in found:
        session.delete(each)
    yield f"deleted breakpoint{'s' if len(found) > 1 else ''} {' '.join(map(str, found))}"


def enable(session: Session, text: str) -> Iterator[str]:
    """enable [N...]: stop at breakpoints or watchpoints again, or at all of them"""
    for each in numbers(session, text):
        session.point(each).enabled = True
    return iter(())


def disable(session: Session, text: str) -> Iterator[str]:
    """disable [N...]: keep breakpoints or watchpoints, but do not stop at them"""
    for each in numbers(session, text):
        session.point(each).enabled = False
    return iter(())


def numbers(session: Session, text: str) -> list[int]:
    """The numbers of breakpoints and watchpoints; without any, those of all."""
    words = text.removeprefix("breakpoints").split()
    return [number(word) for word in words] or [*session.breakpoints, *session.watchpoints]


COMMANDS: dict[str, Callable[[Session, str], Iterator[str]]] = {
    **focus.COMMANDS,
    "delete": delete, "clear": clear, "dprintf": dprintf, "condition": condition, "ignore": ignore, "enable": enable,
    "disable": disable, "where": where, "list": list_lines, "print": show, "lanes": lanes, "x": x, "set": assign,
    "whatis": whatis, "ptype": ptype, "info": info,
}  # fmt: skip
