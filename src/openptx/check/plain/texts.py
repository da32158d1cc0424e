"""The kinds of operand texts in one function: looked up, and found out when a text is new."""

from __future__ import annotations

import re
from collections import deque
from itertools import repeat

from openptx.check import kinds
from openptx.check.kinds import Kind
from openptx.check.names import Memory
from openptx.check.names import kind_of as kind_of_registers
from openptx.check.plain import everywhere
from openptx.check.plain.blocks import Block, Declared
from openptx.check.plain.everywhere import COMMON, CONSTANTS
from openptx.check.reading import address, at, kind_of, selected
from openptx.source import File
from openptx.syntax.precise import read_operands

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from openptx.check.functions import FunctionChecker
    from openptx.check.scopes import Scope

_NAME = re.compile(r"[A-Za-z_][\w$]*|[%$][\w$]+", re.A)
_NUMERAL = re.compile(r"-?[0-9][\w.]*", re.A)
_PART = re.compile(r"([A-Za-z_][\w$]*|[%$][\w$]+)\.([xyzwrgba])", re.A)
_PAIR = re.compile(r"([A-Za-z_][\w$]*|[%$][\w$]+)\|([A-Za-z_][\w$]*|[%$][\w$]+)", re.A)
_ADDRESS = re.compile(
    r"\[ ?([A-Za-z_][\w$]*|[%$][\w$]+)(?: ?\+ ?(-?[1-9][0-9]{0,17}|0))? ?(?:, ?(\{[^{}]*\}))?\]", re.A
)
_AMOUNT = re.compile(r"0|[1-9][0-9]{0,17}", re.A)
_WORD = re.compile(r"[A-Za-z_$%][\w$]*", re.A)
_PREDEFINED = frozenset(("WARP_SZ", "_"))
_MOST = 1 << 7
"""How many addresses in a variable are remembered with it."""


class Kinds(dict[str, Kind]):
    """Kinds by text. A register is in it from where it is first written; in `first.declared`, from its declaration.

    What a block declares, and what it learns of texts that may hold such names, is undone at its `}` by a log: chains
    of dictionaries would cost more.
    """

    __slots__ = ("bases", "blocks", "checker", "early", "first", "inner", "log", "mixed", "outside", "scope")

    def __init__(self, checker: FunctionChecker, scope: Scope) -> None:
        super().__init__(COMMON)
        self.checker = checker
        self.scope = scope  # what the header declares
        self.outside = checker.module.scope.names  # what the module declares
        self.first = First(self)
        self.bases: dict[str, Declared] = {}  # variables that the body declares
        self.blocks = [Block(0)]
        self.log: list[str] = []  # what to forget at the end of the block
        self.mixed: list[str] = []  # texts that were learnt and may hold names, perhaps forgotten already
        self.early: set[str] = set()  # registers that are read before they are written, in the order of the text
        self.inner: set[str] = set()  # names that some block declares, perhaps not the only one

    def __missing__(self, text: str) -> Kind:
        start, inner = text[0], True
        if start == "[":
            if text[-1] != "]":
                name = text[1:].lstrip()
                found = self[text] = everywhere.anywhere(self[name])
                self.mixed.append(text)
                if len(self.blocks) > 1 and name in self.inner:
                    self.log.append(text)
                return found
            found = self._place(text)
            self.mixed.append(text)
        elif start == "{":
            found = self._list(text)
            self.mixed.append(text)
        elif (found := self.first.get(text)) is not None:
            self.early.add(text)
            inner = False
        elif (found := CONSTANTS.get(text)) is not None:
            inner = False
        elif _NAME.fullmatch(text):
            found = self._name(text)
        else:
            found = self._read(text)
            self.mixed.append(text)
        self[text] = found
        if inner and len(self.blocks) > 1:
            self.log.append(text)
        return found

    def function(self, name: str) -> Kind:
        """The kind of what is called: that of a function need not be kept."""
        found = self.get(name)
        if found is None and name not in self.first:
            found = self._outside(name)
        return found if found is not None and found is not kinds.NAME_KIND else self[name]

    def _place(self, text: str) -> Kind:
        """Other addresses, which are whole."""
        name, plus, amount = text[1:-1].partition("+")
        if (not plus or _AMOUNT.fullmatch(amount)) and name not in self.bases:
            meaning = self.scope.names.get(name)
            kind = self[name] if name in self.first else meaning.kind if isinstance(meaning, Memory) else None
            if kind is not None and kind.sort in (kinds.REGISTER, kinds.VARIABLE):
                return everywhere.place(kind, int(amount or 0))
        match = _ADDRESS.fullmatch(text)
        if match is None:
            return self._precisely(text)
        name, offset, parts = match.groups()
        if parts is not None:
            listed = self[parts]
            plain = listed.sort == kinds.LIST and offset is None
            return address(self.known(name), 0, (listed,)) if plain else self._precisely(text)
        variable = self.bases.get(name)
        if variable is None:
            return everywhere.place(self.known(name), int(offset or 0))
        found = everywhere.place(variable.whole, int(offset or 0))
        if len(variable.texts) < _MOST:
            variable.texts[text] = found
        return found

    def _read(self, text: str) -> Kind:
        """The kind of an operand that was not seen before."""
        if (constant := everywhere.constant(text)) is not None:
            everywhere.remember(text, constant)
            return constant
        if match := _PAIR.fullmatch(text):
            return everywhere.pair(self[match[1]], self[match[2]]) or self._precisely(text)
        if match := _PART.fullmatch(text):
            return selected(self.known(match[1]), match[2])
        if _NUMERAL.fullmatch(text):
            found = self._precisely(text)
            if found.sort in (kinds.INTEGER, kinds.FLOAT):
                everywhere.remember(text, found)
            return found
        stripped = text.strip()
        if stripped != text:
            return self[stripped] if stripped else kinds.UNREADABLE_KIND
        return self._precisely(text)

    def _name(self, text: str) -> Kind:
        """The kind of a name that the body doesn't declare."""
        found = self._outside(text)
        if found is kinds.NAME_KIND:
            if text == "_":
                return kinds.SINK_KIND
            if text == "WARP_SZ":
                return kinds.integer(32)
            self.blocks[-1].needs.add(text)
        return at(found, 0) if found.sort == kinds.VARIABLE else found

    def _outside(self, text: str) -> Kind:
        """What the header or the module says of a name, variables with their whole size; quick for labels."""
        module, scope = self.checker.module, self.scope
        meaning = scope.names.get(text)
        if meaning is None:
            if text[0] == "%" or scope.ranges or module.scope.ranges:
                found = module.kind(text, scope)
                return kinds.UNREADABLE_KIND if found.sort in (kinds.REGISTER, kinds.VECTOR) else found
            meaning = self.outside.get(text)
            if meaning is None:
                return module.names.functions.get(text, kinds.NAME_KIND)
        if isinstance(meaning, Memory):
            return meaning.kind
        # A register of the module is written somewhere else, if at all.
        return kind_of_registers(meaning) if text in scope.names else kinds.UNREADABLE_KIND

    def known(self, name: str) -> Kind:
        """The kind of a plain name, variables with their whole size."""
        variable = self.bases.get(name)
        if variable is not None:
            return variable.whole
        if name not in self.first:
            found = self._outside(name)
            if found.sort == kinds.VARIABLE:
                return found
        return self[name]

    def _precisely(self, text: str) -> Kind:
        if "/" in text or ";" in text:
            return kinds.UNREADABLE_KIND
        operands, problem = read_operands(File("", text), (0, len(text)), "")
        if problem is not None or len(operands) != 1:
            return kinds.UNREADABLE_KIND
        return kind_of(operands[0], self.known)

    def _list(self, text: str) -> Kind:
        """`{%r1, %r2}`."""
        if text[-1] != "}":
            return self._precisely(text)
        elements = text[1:-1].replace(", ", ",").split(",")
        if " " in text or "\n" in text or "\t" in text:
            elements = [element.strip() for element in elements]
        parts = tuple([self[element] for element in elements])
        repeated = len(set(elements)) < len(elements)
        if repeated:  # constants may be
            names = [element for element in elements if element not in CONSTANTS]
            repeated = len(set(names)) < len(names)
        return everywhere.listed(repeated, parts) or self._precisely(text)

    def declare(self, names: dict[str, Kind]) -> bool:
        """Make registers known; False where this block declares one of them already, as a label perhaps."""
        first = self.first
        if not names.keys().isdisjoint(self.blocks[-1].labels):
            return False
        if len(self.blocks) == 1 and not names.keys().isdisjoint(self.scope.names):
            return False
        if not (first.keys().isdisjoint(names.keys()) and self.keys().isdisjoint(names.keys())):
            if len(self.blocks) == 1 or not self.blocks[-1].own.isdisjoint(names):
                return False
            self._shadow(names)
        first.update(names)
        if len(self.blocks) > 1:
            self.blocks[-1].own.update(names)
            self.inner.update(names)
            self.log += names
        return True

    def label(self, name: str) -> bool:
        """Take down a label of this block; False where it declares that name already."""
        labels = self.blocks[-1].labels
        if name in labels or name == "_" or name in self.bases or (len(self.blocks) == 1 and name in self.scope.names):
            return False
        labels.add(name)
        return self.first.get(name, kinds.NAME_KIND) is kinds.NAME_KIND

    def labels(self, names: list[str]) -> bool:
        """Take down labels of this block, perhaps before they are met; False where it declares one of them already."""
        if not names:
            return True
        new, block, module = set(names), self.blocks[-1], self.checker.module
        if (
            len(new) < len(names)
            or not block.labels.isdisjoint(new)
            or not _none_of(new, self, self.first, self.scope.names, self.outside, module.names.functions)
            or self.scope.ranges
            or module.scope.ranges
            or "%" in "".join(names)
            or not _PREDEFINED.isdisjoint(new)
        ):
            return all(map(self.label, names))
        block.labels |= new
        self.update(dict.fromkeys(names, kinds.NAME_KIND))
        if len(self.blocks) > 1:
            self.log += names
        return True

    def withdraw(self, names: Iterable[str]) -> None:
        """Labels that were taken down are met later, if at all."""
        block = self.blocks[-1]
        for name in names:
            block.labels.discard(name)
            block.needs.add(name)
            self.pop(name, None)

    def hides(self, names: dict[str, Kind]) -> bool:
        """Whether one of these means something outside of the body: texts may be known already that hold it."""
        declared = names.keys()
        return not (declared.isdisjoint(self.scope.names.keys()) and declared.isdisjoint(self.outside.keys()))

    def unknown(self, names: list[str]) -> bool:
        """Whether none of these has a meaning yet, here or outside of the body."""
        return _none_of(names, self, self.first, self.scope.names, self.outside)

    def variable(self, variable: Declared) -> bool:
        """Make a variable known, and the addresses in it; False where the name has a meaning already."""
        name = variable.name
        if name in self or name in self.first or name in self.blocks[-1].labels:
            return False
        if name in self.scope.names or name in self.outside:
            return False
        if len(self.blocks) > 1:
            self.log += variable.texts
        self.bases[name] = variable
        self.update(variable.texts)
        if len(variable.texts) > 1:
            self.first.update(variable.texts)
        self.mixed += variable.texts
        return True

    def settle(self, names: Iterable[str]) -> None:
        """These are written now, those of them that are registers."""
        for name in names:
            if name not in self and (kind := self.first.get(name)) is not None:
                self[name] = kind

    def release(self) -> None:
        """Let go of each other, so that memory is free at once: collection may be off."""
        del self.first.names

    def open(self) -> None:
        """A block begins."""
        self.blocks.append(Block(len(self.log)))

    def close(self) -> Block:
        """A block ends: forget what was learnt in it, but what was written in it."""
        block = self.blocks.pop()
        learnt = self.log[block.mark :]
        if learnt:
            for known in (self, self.first, self.bases):
                if known:
                    deque(map(known.pop, learnt, repeat(None)), maxlen=0)
            del self.log[block.mark :]
        if block.hidden is not None:
            self.update(block.hidden[0])
            self.first.update(block.hidden[1])
            self.bases.update(block.hidden[2])
        if block.needs:
            self.blocks[-1].needs |= block.needs - block.labels
        return block

    def _shadow(self, names: Iterable[str]) -> None:
        """Names of an outer block get another meaning: forget all texts that hold them, until the block ends."""
        block = self.blocks[-1]
        learnt = set(self.log[block.mark :])
        again = {name for name in names if name in self or name in self.first}
        holds = re.compile("|".join(map(re.escape, again))).search  # or texts like them, which are learnt again
        texts = again.union(filter(holds, self.mixed))
        block.hidden = block.hidden or ({}, {}, {})
        for known, hidden in zip((self, self.first), block.hidden[:2], strict=True):
            for text in texts:
                kind = known.pop(text, None)
                if kind is not None and text not in learnt:
                    hidden.setdefault(text, kind)
        for name in again & self.bases.keys():
            variable = self.bases.pop(name)
            if name not in learnt:
                block.hidden[2].setdefault(name, variable)


def _none_of(names: Iterable[str], *known: Mapping[str, object]) -> bool:
    for each in known:  # noqa: SIM110 - `all` takes twice as long
        if not each.keys().isdisjoint(names):
            return False
    return True


class First(dict[str, Kind]):
    """The kinds of first operands: of all registers that are declared, and of other texts that were seen there.

    A register that is asked for here goes into `Kinds`, as it is written.
    """

    __slots__ = ("names",)

    def __init__(self, names: Kinds) -> None:
        super().__init__()
        self[""] = kinds.ABSENT_KIND
        self.names = names

    def __missing__(self, text: str) -> Kind:
        names = self.names
        if text[0] == "{" or "|" in text:
            names.settle(_WORD.findall(text))
        found = self[text] = names[text]
        if len(names.blocks) > 1:
            names.log.append(text)
        return found
