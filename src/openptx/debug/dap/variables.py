"""What an editor shows below a stack frame: scopes, their variables, and elements of arrays, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from openptx.debug.dap.source_objects import object_facts, source_variables
from openptx.debug.scope import Scope
from openptx.debug.source_values import SourceObject
from openptx.debug.source_values import shown as source_text
from openptx.debug.values import Array, TypedBits
from openptx.errors import InputError
from openptx.isa.special_registers import SPECIAL_REGISTERS

Variable = dict[str, Any]
Children = Callable[[int, int], list[Variable]]
"""Returns the children of an object from a position on, up to a number; 0 for all."""
SPECIALS = ("tid", "ntid", "ctaid", "nctaid", "laneid", "warpid", "smid")
MOST = 4096


class References:
    """Objects that have children, by the numbers that the client uses. They are valid for one stop."""

    def __init__(self) -> None:
        self._children: dict[int, Children] = {}
        self._scopes: dict[int, Scope] = {}

    def clear(self) -> None:
        """Forgets all references, because the launch continues."""
        self._children.clear()
        self._scopes.clear()

    def add(self, children: Children, scope: Scope) -> int:
        """A number for an object that has children, whose names are expressions in a scope."""
        number = len(self._children) + 1
        self._children[number], self._scopes[number] = children, scope
        return number

    def scope(self, number: int) -> Scope:
        """The scope of a number's children; InputError for a stale one."""
        if number not in self._scopes:
            raise InputError("these variables are of an earlier stop")
        return self._scopes[number]

    def variables(self, number: int, start: int, count: int) -> list[Variable]:
        """The children of a number; InputError for a stale one."""
        if number not in self._children:
            raise InputError("these variables are of an earlier stop")
        return self._children[number](start, count)

    # Scopes.

    def scopes(self, scope: Scope) -> list[Variable]:
        """The scopes of an activation."""
        function = scope.frame.plan.function
        params = [v for v in scope.variables() if v.space in ("param", "frame")]
        shared = [v for v in scope.variables() if v.space == "shared"]
        other = [v for v in scope.variables() if v.space in ("local", "global", "const")]
        registers = [self.value(scope, r.name, scope.register(r)) for r in function.registers]
        found = [
            ("Registers", existing_children(registers), "registers"),
            ("Special registers", existing_children([*self.specials(scope)]), "registers"),
            ("Parameters", existing_children([self.variable(scope, v.name) for v in params]), "arguments"),
            ("Shared", existing_children([self.variable(scope, v.name) for v in shared]), None),
            ("Local and global", existing_children([self.variable(scope, v.name) for v in other]), "locals"),
        ]
        if source := source_variables(scope, self.add):
            found.insert(0, ("Variables", existing_children(source), "locals"))
        return [
            {"name": name, "variablesReference": self.add(children, scope), "expensive": False}
            | ({"presentationHint": hint} if hint else {})
            for name, children, hint in found
        ]

    def specials(self, scope: Scope) -> Iterator[Variable]:
        """Special registers that identify the thread."""
        for name in SPECIALS:
            for component in "xyz" if SPECIAL_REGISTERS[name].vector else [""]:
                text = f"%{name}{'.' if component else ''}{component}"
                yield self.value(scope, text, scope.special(text))

    def variable(self, scope: Scope, name: str) -> Variable:
        """A variable in memory."""
        try:
            return self.value(scope, name, scope.name(name))
        except InputError as error:
            return {"name": name, "value": str(error), "variablesReference": 0}

    # Values.

    def value(self, scope: Scope, name: str, found: Any) -> Variable:
        """A value as a client shows it: an array with its elements below."""
        shown: Variable = {"name": name, "value": str(found), "variablesReference": 0, "evaluateName": name}
        if isinstance(found, TypedBits):
            shown["type"] = f".{found.type.name}"
            if found.type.width in (32, 64) and found.type.kind in "bu":
                shown["memoryReference"] = f"0x{found.bits:x}"
        elif isinstance(found, list):
            parts = cast("list[TypedBits]", found)
            shown["value"] = "{" + ", ".join(map(str, parts)) + "}"
            children = [self.value(scope, f"{name}.{c}", part) for c, part in zip("xyzw", parts, strict=False)]
            shown["variablesReference"] = self.add(existing_children(children), scope)
        elif isinstance(found, SourceObject):
            shown |= {"value": source_text(scope, found)} | object_facts(scope, name, found, self.add)
        elif isinstance(found, Array):
            shown |= self.array(scope, name, found)
        return shown

    def array(self, scope: Scope, name: str, found: Array) -> Variable:
        """A variable: its value if it is one element, else its elements in pages."""
        facts = {"type": f".{found.space} .{found.type.name}", "memoryReference": f"{found.space}:0x{found.address:x}"}
        if found.count == 1:
            return {**facts, "value": str(scope.element(found, 0))}

        def children(start: int, count: int) -> list[Variable]:
            stop = min(start + (count or found.count), found.count, start + MOST)
            return [self.value(scope, f"{name}[{i}]", scope.element(found, i)) for i in range(start, stop)]

        shape = "".join(f"[{n}]" for n in found.shape) or f"[{found.count}]"
        return {
            **facts,
            "value": f".{found.type.name}{shape} at 0x{found.address:x}",
            "variablesReference": self.add(children, scope),
            "indexedVariables": found.count,
        }


def existing_children(found: list[Variable]) -> Children:
    """Children that exist already."""

    def children(start: int, count: int) -> list[Variable]:
        return found[start : start + count] if count else found[start:]

    return children
