"""Variables of the program that PTX was made from, as an editor shows them: structures, arrays and pointers open level
by level."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from typing import Any

from openptx.debug.scope import Scope
from openptx.debug.source_values import DEEPEST, RECORDS, SourceObject, element_of, located, member_of, shown, visible
from openptx.debug.source_variables import ARRAY, POINTER, REFERENCE, DebugInformation, extents, type_name
from openptx.dwarf import Entry
from openptx.errors import InputError

_POSTFIX = re.compile(r"[\w.:\[\]]+(?:->[\w.:\[\]]+)*")
"""Expressions that members and elements can follow: `a.p[1]`, not `*q` or `(Node*)p`."""
Variable = dict[str, Any]
Find = Callable[[], SourceObject]
Add = Callable[[Callable[[int, int], list[Variable]], Scope], int]
"""`References.add`."""
MOST = 4096
"""Elements of an array in one answer."""


def source_variables(scope: Scope, add: Add) -> list[Variable]:
    """The variables that the thread's function sees at its instruction."""
    return [described(scope, each.name, partial(located, scope, each), add) for each in visible(scope)]


def described(scope: Scope, name: str, find: Find, add: Add) -> Variable:
    """An object by the expression that names it; the reason in place of its value if it has none."""
    try:
        found = find()
        text = shown(scope, found)
    except InputError as error:
        return {"name": name, "value": str(error), "variablesReference": 0}
    return {"name": name, "value": text, "evaluateName": name, **object_facts(scope, name, found, add)}


def object_facts(scope: Scope, name: str, found: SourceObject, add: Add) -> Variable:
    """The type of an object, the memory that it is in, and the objects that it consists of or points to."""
    about: Variable = {"type": type_name(found.information, found.type), "variablesReference": 0}
    if found.type.tag in (POINTER, REFERENCE):
        about["memoryReference"] = shown(scope, found)
    elif found.space:
        about["memoryReference"] = f"{found.space}:0x{found.address:x}"
    if found.type.tag == ARRAY:
        about["indexedVariables"] = next(iter(extents(found.type)), 0)
    elif next(parts_of(scope, name, found), None) is None:
        return about

    def children(start: int, count: int) -> list[Variable]:
        parts = islice(parts_of(scope, name, found), start, start + (count or MOST))
        return [described(scope, part, find, add) for part, find in parts]

    return {**about, "variablesReference": add(children, scope)}


def parts_of(scope: Scope, name: str, found: SourceObject) -> Iterator[tuple[str, Find]]:
    """The members, the elements, or what is pointed to, with the expressions that name them."""
    name = name if _POSTFIX.fullmatch(name) else f"({name})"
    target = found.information.type_of(found.type) if found.type.tag in (POINTER, REFERENCE) else found.type
    if found.type.tag == ARRAY:
        for i in range(next(iter(extents(found.type)), 0)):
            yield f"{name}[{i}]", partial(element_of, scope, found, i)
    elif target is not None and target.tag in RECORDS:
        arrow = "." if target is found.type else "->"
        for member in members_of(found.information, target):
            yield f"{name}{arrow}{member}", partial(member_of, scope, found, member)
    elif target is not None and target is not found.type:
        yield f"{name}[0]", partial(element_of, scope, found, 0)


def members_of(information: DebugInformation, record: Entry, depth: int = 0) -> Iterator[str]:
    """The names of a structure's members, and of those of its base classes."""
    for member in information.members(record):
        if member.name:
            yield member.name
        elif depth < DEEPEST:
            yield from members_of(information, member.type, depth + 1)
