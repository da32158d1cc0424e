"""Symbol table of a body: declarations and labels, block by block, with an undo log."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable
from itertools import repeat

from openptx.check.checked import CheckedFunction
from openptx.check.fast.file_memo import DeclaredVariable
from openptx.check.fast.interned_kinds import COMMON
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind
from openptx.syntax.directives import BranchTargets, CallPrototype
from openptx.syntax.lexical import words

_PREDEFINED = frozenset(("WARP_SZ", "_"))


class Block:
    """An open block: where its part of the undo log begins, its labels, its registers and the names that they hide."""

    __slots__ = ("hidden", "labels", "log_start", "registers", "tables", "undefined_labels")

    def __init__(self, log_start: int) -> None:
        self.log_start = log_start
        self.undefined_labels: set[str] = set()  # undeclared names, which must be labels
        self.registers: set[str] = set()  # empty for the body's outermost block, where a name cannot hide another
        self.hidden: tuple[dict[str, Kind], dict[str, Kind], dict[str, DeclaredVariable]] | None = None
        self.labels: set[str] = set()
        self.tables: dict[str, BranchTargets | CallPrototype] = {}


class SymbolTable(dict[str, Kind]):
    """Kinds by text. It contains a register from its first write on, `definitions` from its declaration on.

    A block's declarations, and the kinds of texts that may contain their names, are undone at its `}` by a log; chained
    dictionaries would cost more.
    """

    __slots__ = (
        "block_names", "blocks", "checked", "composite", "definitions", "log", "module_names", "read_before_written",
        "scope", "variables",
    )  # fmt: skip

    def __init__(self, checked: CheckedFunction) -> None:
        super().__init__(COMMON)
        self.checked = checked
        self.scope = checked.header  # what the header declares
        self.module_names = checked.module.scope.names  # what the module declares
        self.definitions = Definitions(self)
        self.variables: dict[str, DeclaredVariable] = {}  # variables that the body declares
        self.blocks = [Block(0)]
        self.log: list[str] = []  # entries to remove at the end of the block
        self.composite: list[str] = []  # cached texts that may contain names, perhaps removed already
        self.read_before_written: set[str] = set()  # registers that are read before they are written, in text order
        self.block_names: set[str] = set()  # names that some block declares, perhaps not the only one

    def declare(self, names: dict[str, Kind]) -> bool:
        """Declares registers; False if this block declares one of them already, perhaps as a label."""
        definitions = self.definitions
        if not names.keys().isdisjoint(self.blocks[-1].labels):
            return False
        if len(self.blocks) == 1 and not names.keys().isdisjoint(self.scope.names):
            return False
        if not (definitions.keys().isdisjoint(names.keys()) and self.keys().isdisjoint(names.keys())):
            if len(self.blocks) == 1 or not self.blocks[-1].registers.isdisjoint(names):
                return False
            self._shadow(names)
        definitions.update(names)
        if len(self.blocks) > 1:
            self.blocks[-1].registers.update(names)
            self.block_names.update(names)
            self.log += names
        return True

    def label(self, name: str) -> bool:
        """Declares a label in this block; False if it declares that name already."""
        labels = self.blocks[-1].labels
        if name in labels or name in _PREDEFINED or name in self.variables:
            return False
        if self.means(name):
            return False
        labels.add(name)
        return self.definitions.get(name, kinds.NAME_KIND) is kinds.NAME_KIND

    def labels(self, names: list[str]) -> bool:
        """Declares labels of this block, perhaps ahead of their position; False if it declares one of them already."""
        if not names:
            return True
        new, block, module = set(names), self.blocks[-1], self.checked.module
        if (
            len(new) < len(names)
            or not block.labels.isdisjoint(new)
            or not (self.unknown(new) and module.functions.keys().isdisjoint(new))
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
        """Undeclares labels that were declared ahead of their position."""
        block = self.blocks[-1]
        for name in names:
            block.labels.discard(name)
            block.undefined_labels.add(name)
            self.pop(name, None)

    def shadows(self, names: Collection[str]) -> bool:
        """Whether one of these has a meaning outside the body: texts that contain it may be known already."""
        return not (self.scope.names.keys().isdisjoint(names) and self.module_names.keys().isdisjoint(names))

    def means(self, name: str) -> bool:
        """Whether a name has a meaning outside of the body, which a label hides."""
        return name in self.scope.names or name in self.module_names or name in self.checked.module.functions

    def unknown(self, names: Collection[str]) -> bool:
        """Whether none of these has a meaning yet, in this block or outside."""
        return self.keys().isdisjoint(names) and self.definitions.keys().isdisjoint(names) and not self.shadows(names)

    def variable(self, variable: DeclaredVariable) -> bool:
        """Declares a variable and the addresses in it; False if the name already has a meaning."""
        name = variable.name
        if name in self or name in self.definitions or name in self.blocks[-1].labels:
            return False
        if name in self.scope.names or name in self.module_names:
            return False
        if len(self.blocks) > 1:
            self.log += variable.texts
        self.variables[name] = variable
        self.update(variable.texts)
        if len(variable.texts) > 1:
            self.definitions.update(variable.texts)
        self.composite += variable.texts
        return True

    def table(self, label: str) -> BranchTargets | CallPrototype | None:
        """The table that a label denotes, in the innermost block that has it."""
        return next((block.tables[label] for block in reversed(self.blocks) if label in block.tables), None)

    def mark_written(self, names: Iterable[str]) -> None:
        """Marks those of the names that are registers as written from the current statement on."""
        for name in names:
            if name not in self and (kind := self.definitions.get(name)) is not None:
                self[name] = kind

    def release(self) -> None:
        """Breaks the reference cycle with `definitions`: memory is freed at once, even with garbage collection off."""
        del self.definitions.names

    def open(self) -> None:
        """Opens the scope of a block."""
        self.blocks.append(Block(len(self.log)))

    def close(self) -> Block:
        """A block ends: removes what it declared, except which registers it wrote."""
        block = self.blocks.pop()
        learnt = self.log[block.log_start :]
        if learnt:
            for known in (self, self.definitions, self.variables):
                if known:
                    deque(map(known.pop, learnt, repeat(None)), maxlen=0)
            del self.log[block.log_start :]
        if block.hidden is not None:
            self.update(block.hidden[0])
            self.definitions.update(block.hidden[1])
            self.variables.update(block.hidden[2])
        if block.undefined_labels:
            self.blocks[-1].undefined_labels |= block.undefined_labels - block.labels
        return block

    def _shadow(self, names: Iterable[str]) -> None:
        """Names of an outer block get another meaning: removes all texts that contain them, until the block ends."""
        block = self.blocks[-1]
        learnt = set(self.log[block.log_start :])
        again = {name for name in names if name in self or name in self.definitions}
        holds = re.compile("|".join(map(re.escape, again))).search  # or similar texts, which are learnt again
        texts = again.union(filter(holds, self.composite))
        block.hidden = block.hidden or ({}, {}, {})
        for known, hidden in zip((self, self.definitions), block.hidden[:2], strict=True):
            for text in texts:
                kind = known.pop(text, None)
                if kind is not None and text not in learnt:
                    hidden.setdefault(text, kind)
        for name in again & self.variables.keys():
            variable = self.variables.pop(name)
            if name not in learnt:
                block.hidden[2].setdefault(name, variable)


class Definitions(dict[str, Kind]):
    """The kinds of first operands: all declared registers, and other texts that occurred there.

    A register that is looked up in this table counts as written: it is added to the `SymbolTable`.
    """

    __slots__ = ("names",)

    def __init__(self, names: SymbolTable) -> None:
        super().__init__()
        self[""] = kinds.ABSENT_KIND
        self.names = names

    def __missing__(self, text: str) -> Kind:
        names = self.names
        if text[0] == "{" or "|" in text:
            names.mark_written(words(text))
        found = self[text] = names[text]
        if len(names.blocks) > 1:
            names.log.append(text)
        return found
