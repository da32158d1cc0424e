"""What the functions of one file have in common: declarations and calls that were found right once."""

from __future__ import annotations

import re

from openptx.check import kinds
from openptx.isa.types import FUNDAMENTAL, TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.kinds import Kind
    from openptx.check.module import ModuleChecker
    from openptx.syntax.declarations import Variable

_REGISTERS = re.compile(r"\.reg\s*(?:\.(v[0-9])\s+)?\.(\w+)\s+([^;{}/=.\[\]()]+);", re.A)
_RANGE = re.compile(r"([A-Za-z_%$][\w$]*)<([1-9][0-9]{0,5})>", re.A)
_NAME = re.compile(r"[A-Za-z_][\w$]*|[%$][\w$]+", re.A)
_LEFT = frozenset(("_", "%pm", "%envreg", "%clock", "%reserved_smem_offset_"))
"""Ranges of these are left to the precise reader: special registers may have their names, or `_` is none."""
_LARGEST = 1 << 16
"""Ranges of registers larger than this are left to the precise reader."""
_MOST = 1 << 15
"""How many names of registers are kept in the declarations that a file repeats."""

_POOL: dict[str, list[str]] = {}


def pool(prefix: str, count: int) -> list[str]:
    """`prefix0`, `prefix1`, ... and so on: the names of a range, shared by all functions."""
    names = _POOL.setdefault(prefix, [])
    if len(names) < count:
        names += [f"{prefix}{i}" for i in range(len(names), count)]
    return names[:count]


class Remembered:
    """Texts of statements in bodies of one file, with what they declare, and the calls that fit what they call."""

    __slots__ = ("_kept", "_registers", "_shapes", "calls", "pragmas", "variables")

    def __init__(self) -> None:
        self.variables: dict[str, tuple[list[tuple[str, Kind, Kind]], int]] = {}
        """Names, their kinds with and without their whole size, and how many bytes of shared memory they take."""
        self.pragmas: set[str] = set()
        self.calls: set[tuple[object, ...]] = set()
        self._shapes: dict[str, tuple[object, ...]] = {}
        self._registers: dict[str, dict[str, Kind]] = {}
        self._kept = 0

    def shape(self, callee: str, module: ModuleChecker) -> tuple[object, ...] | None:
        """The types of results and parameters of a function; None where it has not been declared."""
        found = self._shapes.get(callee)
        if found is None and (function := module.headers.get(callee)) is not None:
            found = self._shapes[callee] = (
                len(function.returns),
                *map(_type, (*function.returns, *function.parameters)),
            )
        return found

    def registers(self, text: str, module: ModuleChecker) -> dict[str, Kind] | None:
        """What `.reg .b32 %r<5>, a, b;` declares; None where that is not plain, or not right."""
        found = self._registers.get(text)
        if found is None:
            found = _registers(text, module)
            if found is not None and self._kept + len(found) < _MOST:
                self._kept += len(found)
                self._registers[text] = found
        return found


def _type(formal: Variable) -> tuple[object, ...]:
    dimensions = [length and length.value for length in formal.names[0].dimensions]
    return formal.space, formal.type, formal.vector, formal.align and formal.align.value, *dimensions


def _registers(text: str, module: ModuleChecker) -> dict[str, Kind] | None:
    match = _REGISTERS.fullmatch(text)
    if match is None or match[1]:  # vectors are rare; whether their elements are written is for the precise reader
        return None
    type = match[2]
    if type not in FUNDAMENTAL or not module.plain_type(type, 1):
        return None
    kind = kinds.register(TYPES[type])
    found: dict[str, Kind] = {}
    declared = 0
    for part in match[3].split(","):
        part = part.strip()
        if numbered := _RANGE.fullmatch(part):
            count = int(numbered[2])
            if count > _LARGEST or numbered[1] in _LEFT:
                return None
            found.update(dict.fromkeys(pool(numbered[1], count), kind))
            declared += count
        elif _NAME.fullmatch(part) and not module.reserved(part):
            found[part] = kind
            declared += 1
        else:
            return None
    return found if len(found) == declared else None
