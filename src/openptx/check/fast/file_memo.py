"""Per-file memo of accepted declarations, headers and calls, which files repeat verbatim or under other names."""

from __future__ import annotations

import re

from openptx.check.names.declared_types import plain_type, reserved
from openptx.check.names.scopes import Memory, Registers
from openptx.check.operand import kinds
from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.isa.types import FUNDAMENTAL, TYPES
from openptx.patterns import pattern
from openptx.source import File
from openptx.syntax.directives import BranchTargets
from openptx.syntax.lexical import COMMENT, IDENTIFIER, OPEN_STRING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from openptx.check.context import Context
    from openptx.check.names.scopes import Scope
    from openptx.check.operand.kinds import Kind
    from openptx.syntax.declarations import Form, Variable
    from openptx.syntax.directives import CallPrototype
    from openptx.syntax.tree import Function, HeaderForm

    Call = tuple[str, str, str, list[str], str]

_REGISTERS = pattern(r"\.reg\s*(?:\.v([24])\s+)?\.(\w+)\s+([^;{}/=.\[\]()]+);", re.A)
_ONE = pattern(r"\.reg[ \t]*+\.(\w++)[ \t]++(%\w++);", re.A)
_ONE_EACH = pattern(r"(?:\s*+\.reg[ \t]*+\.\w++[ \t]++%\w++;)++", re.A)
_PADDED = pattern(r"[^\d<]0\d++\s*+[,;]")
"""The end of the name of one register, with zeros in front of its number: it may be that of a range."""
RANGE = pattern(rf"({IDENTIFIER})<([1-9][0-9]{{0,8}})>", re.A)
_NAME = pattern(IDENTIFIER, re.A)
_STRING_OR_COMMENT = pattern(rf"{OPEN_STRING}|{COMMENT}")
_CONTINUED = pattern(r",[ \t\r]*+\n[ \t\r\n]*+")
_IN_LINE = pattern(r"[^\r\n]")
_SPECIAL = frozenset(f"%{name}" for name in SPECIAL_REGISTERS)
_RESERVED = frozenset(("_", "WARP_SZ", "%pm", "%envreg", "%clock", "%reserved_smem_offset_"))
"""Ranges with these prefixes are left to the full checker: special registers may have their names, or it is no
name."""
_REGISTERS_PER_CHARACTER = 4
"""A file that declares more registers is left to the full checker, which does not create them one by one."""
_MAX_REGISTERS = 1 << 15
"""The maximum number of register names kept in repeated declarations."""

_POOL: dict[str, list[str]] = {}
"""The names of ranges, by prefix."""
_pooled = 0
"""The number of names in `_POOL`."""
_MAX_POOLED = 1 << 20
"""The maximum number of names in `_POOL`."""
_SHAPES: dict[tuple[object, ...], int] = {}
"""Types of results and parameters, numbered: the memo keys of calls are the same in all files."""
_MAX_SHAPES = 1 << 15
"""The maximum number of types with a number; calls with others are parsed."""


def pool(prefix: str, count: int) -> list[str]:
    """`prefix0`, `prefix1`, ...: the names of a range, shared by all functions."""
    global _pooled
    names = _POOL.get(prefix, [])
    if len(names) < count:
        _pooled += count - len(names)
        names += [f"{prefix}{i}" for i in range(len(names), count)]
        if _pooled > _MAX_POOLED:
            _POOL.clear()
            _pooled = count
        _POOL[prefix] = names
    return names[:count]


class DeclaredVariable:
    """A variable that a body declares, and its kind with its whole size.

    `texts` are its name and the addresses in it that have occurred, with their kinds: files repeatedly declare the same
    call parameters, `param0`, and store to the same offsets in them.
    """

    __slots__ = ("name", "texts", "whole")

    def __init__(self, name: str, whole: Kind, kind: Kind) -> None:
        self.name, self.whole = name, whole
        self.texts = {name: kind}


class FileMemo:
    """Declarations of one file, with the names they declare, and accepted calls of them."""

    __slots__ = (
        "_context", "_headers", "_kept", "_registers", "_shapes", "branches", "calls", "declared", "forms", "headers",
        "listed", "parts", "register_budget", "tables", "uncommented", "variables",
    )  # fmt: skip

    def __init__(self, size: int, headers: Mapping[str, Function], context: Context) -> None:
        self._headers, self._context = headers, context
        self.uncommented: File | None = None  # the file without comments, if a body needs it
        self.register_budget = size * _REGISTERS_PER_CHARACTER  # how many more registers may be declared
        self.forms: dict[Form, Kind] = {}
        """Declarations of module variables, and their kinds."""
        self.headers: dict[HeaderForm, list[Kind | Registers]] = {}
        """Accepted headers: the kind of each result and parameter that is a variable, or the register."""
        self.variables: dict[tuple[str, str], tuple[Kind, Kind]] = {}
        """Declarations of variables in bodies, as the texts before and after the name: the kind with and without its
        whole size, for arrays of any length."""
        self.declared: dict[str, list[DeclaredVariable]] = {}
        """Declarations of parameters of calls, by text."""
        self.tables: dict[tuple[str, str], BranchTargets | CallPrototype] = {}
        """Prototypes and lists of callees, by their directive and the text after it."""
        self.listed: dict[BranchTargets, frozenset[int] | None] = {}
        """The shapes of the functions of each list of callees."""
        self.branches = False
        """Whether a `.branchtargets` was accepted, so that the target of the file has them."""
        self.calls: set[tuple[object, ...]] = set()
        """Keys of accepted calls by a prototype."""
        self.parts: dict[str, Call] = {}
        """Calls by text, split into parts."""
        self._shapes: dict[str | HeaderForm, int] = {}
        self._registers: dict[str, dict[str, Kind]] = {}
        self._kept = 0

    def without_comments(self, file: File) -> File:
        """The file with comments, and line ends after commas, replaced by blanks: the same statements, as rows."""
        text = _STRING_OR_COMMENT.sub(_blank, file.text)
        self.uncommented = File("", _CONTINUED.sub(_blank, text))
        return self.uncommented

    def shape(self, callee: str) -> int | None:
        """A number for the types of results and parameters of a function; None if it has not been declared, or if there
        are too many of them."""
        function = self._headers.get(callee)
        if function is None:
            return None
        found = self._shapes.get(function.form or callee)
        if found is None:
            types = len(function.returns), *map(_type, (*function.returns, *function.parameters))
            found = _SHAPES.get(types)
            if found is None and len(_SHAPES) < _MAX_SHAPES:
                found = _SHAPES[types] = len(_SHAPES)
            if found is not None:
                self._shapes[function.form or callee] = found
        return found

    def shapes_of(self, table: BranchTargets) -> frozenset[int] | None:
        """The shapes of all functions that a `.calltargets` lists; None if that of one is unknown."""
        if table not in self.listed:
            found = {self.shape(target.text) for target in table.targets}
            self.listed[table] = None if None in found else frozenset(each for each in found if each is not None)
        return self.listed[table]

    def header(self, form: HeaderForm, function: Function, scope: Scope) -> None:
        """Records an accepted header, whose parameters are in this scope."""
        found = [scope.names[name] for name in function.formals if name in scope.names]
        if len(found) == len(function.formals):
            self.headers[form] = [each.kind if isinstance(each, Memory) else each for each in found]

    def registers(self, text: str) -> dict[str, Kind] | None:
        """The names that `.reg .b32 %r<5>, a, b;`, or several such, declare; None if it is not plain, or not
        correct."""
        if text[-1] != ";":
            return None
        found = self._registers.get(text)
        if found is None:
            if _PADDED.search(text):
                return None
            found = self._declared_kinds(text) if text.count(";") == 1 else self._several(text)
            if found is not None and self._kept + len(found) < _MAX_REGISTERS:
                self._kept += len(found)
                self._registers[text] = found
        self.register_budget -= len(found or ())
        return found if self.register_budget >= 0 else None

    def _several(self, text: str) -> dict[str, Kind] | None:
        alike = self._single_registers(text)
        if alike is not None:
            return alike
        found: dict[str, Kind] = {}
        for statement in text.split(";")[:-1]:
            more = self.registers(statement.strip() + ";")
            if more is None or not found.keys().isdisjoint(more.keys()):
                return None
            found.update(more)
        return found

    def _single_registers(self, text: str) -> dict[str, Kind] | None:
        """The kinds of registers that are declared one by one, as some compilers do by the hundred; None for any other
        text."""
        if _ONE_EACH.fullmatch(text) is None:
            return None
        pairs = _ONE.findall(text)
        kind_of = {type: self._kind(type) for type in {type for type, _ in pairs}}
        found = {name: kind for type, name in pairs if (kind := kind_of[type]) is not None}
        return found if len(found) == len(pairs) and found.keys().isdisjoint(_SPECIAL) else None

    def _declared_kinds(self, text: str) -> dict[str, Kind] | None:
        """The kinds of the registers of a single declaration; None for any other text."""
        match = _REGISTERS.fullmatch(text)
        if match is None:
            return None
        kind = self._kind(match[2], int(match[1] or 1))
        if kind is None:
            return None
        found: dict[str, Kind] = {}
        declared = 0
        for part in match[3].split(","):
            part = part.strip()
            if numbered := RANGE.fullmatch(part):
                count = int(numbered[2])
                prefix = numbered[1]
                if count > self.register_budget or prefix in _RESERVED or prefix[-1].isdecimal():
                    return None
                found.update(dict.fromkeys(pool(prefix, count), kind))
                declared += count
            elif _NAME.fullmatch(part) and not reserved(part):
                found[part] = kind
                declared += 1
            else:
                return None
        return found if len(found) == declared else None

    def _kind(self, type: str, count: int = 1) -> Kind | None:
        """The kind of a register of a type, or of a vector if allowed."""
        if type not in FUNDAMENTAL or not plain_type(type, count, self._context):
            return None
        return kinds.register(TYPES[type]) if count == 1 else kinds.vector(TYPES[type], count)


def _blank(match: re.Match[str]) -> str:
    """Replaces everything but strings, commas and the line ends of comments by blanks."""
    text = match[0]
    if text[0] == '"':
        return text
    if text[0] == ",":
        return "," + " " * (len(text) - 1)
    return _IN_LINE.sub(" ", text) if text[1] == "*" and ("\n" in text or "\r" in text) else " " * len(text)


def _type(formal: Variable) -> tuple[object, ...]:
    dimensions = [length and length.value for length in formal.names[0].dimensions]
    return formal.space, formal.type, formal.vector, formal.align and formal.align.value, *dimensions
