"""Classifies operand texts of one function: a dictionary of kinds, filled on first occurrence."""

from __future__ import annotations

import re

from openptx.check.fast import interned_kinds
from openptx.check.fast.interned_kinds import CONSTANTS
from openptx.check.fast.symbols import SymbolTable
from openptx.check.names.scopes import Memory
from openptx.check.operand import kinds
from openptx.check.operand.kinds import Kind, address, at, kind_of, selected
from openptx.patterns import pattern
from openptx.source import File
from openptx.syntax.instruction_parser import read_operands
from openptx.syntax.lexical import DECIMAL_63, IDENTIFIER, SMALL_INTEGER

_NAME = pattern(IDENTIFIER, re.A)
_NUMERAL = pattern(r"-?[0-9][\w.]*", re.A)
_PART = pattern(rf"({IDENTIFIER})\.([xyzwrgba])", re.A)
_PAIR = pattern(rf"({IDENTIFIER})\|({IDENTIFIER})", re.A)
_ADDRESS = pattern(rf"\[ ?({IDENTIFIER})(?: ?\+ ?({SMALL_INTEGER}))? ?(?:, ?(\{{[^{{}}]*\}}))?\]", re.A)
_AMOUNT = pattern(DECIMAL_63, re.A)
_MAX_ADDRESSES = 1 << 7
"""The maximum number of addresses in a variable that are memoised with it."""


class OperandClassifier(SymbolTable):
    """Kinds of operands by text: names, and addresses, lists and pairs of names."""

    __slots__ = ()

    def __missing__(self, text: str) -> Kind:
        start, in_block = text[0], True
        if start == "[":
            if text[-1] != "]":
                name = text[1:].lstrip()
                found = self[text] = interned_kinds.anywhere(self[name])
                self.composite.append(text)
                if len(self.blocks) > 1 and name in self.block_names:
                    self.log.append(text)
                return found
            found = self._address(text)
            self.composite.append(text)
        elif start == "{":
            found = self._list(text)
            self.composite.append(text)
        elif (found := self.definitions.get(text)) is not None:
            self.read_before_written.add(text)
            in_block = False
        elif (found := CONSTANTS.get(text)) is not None:
            in_block = False
        elif _NAME.fullmatch(text):
            found = self._name(text)
        else:
            found = self._new_text(text)
            self.composite.append(text)
        self[text] = found
        if in_block and len(self.blocks) > 1:
            self.log.append(text)
        return found

    def function(self, name: str) -> Kind:
        """The kind of a callee."""
        found = self.get(name)
        if found is None and name not in self.definitions:
            found = self._outer_kind(name)
        return found if found is not None and found is not kinds.NAME_KIND else self[name]

    def _address(self, text: str) -> Kind:
        """The kind of an address up to its `]`."""
        name, plus, amount = text[1:-1].partition("+")
        if (not plus or _AMOUNT.fullmatch(amount)) and name not in self.variables:
            meaning = self.scope.names.get(name)
            kind = self[name] if name in self.definitions else meaning.kind if isinstance(meaning, Memory) else None
            if kind is not None and kind.sort in (kinds.REGISTER, kinds.VARIABLE):
                return interned_kinds.place(kind, int(amount) if plus else None)
        match = _ADDRESS.fullmatch(text)
        if match is None:
            return self._parsed(text)
        name, offset, parts = match.groups()
        if parts is not None:
            listed = self[parts]
            plain = listed.sort == kinds.LIST and offset is None
            return address(self.kind_of_name(name), None, (listed,)) if plain else self._parsed(text)
        distance, variable = None if offset is None else int(offset, 0), self.variables.get(name)
        if variable is None:
            return interned_kinds.place(self.kind_of_name(name), distance)
        found = interned_kinds.place(variable.whole, distance)
        if len(variable.texts) < _MAX_ADDRESSES:
            variable.texts[text] = found
        return found

    def _new_text(self, text: str) -> Kind:
        """The kind of an operand text that is new."""
        if (constant := interned_kinds.constant(text)) is not None:
            interned_kinds.remember(text, constant)
            return constant
        if match := _PAIR.fullmatch(text):
            return interned_kinds.pair(self[match[1]], self[match[2]]) or self._parsed(text)
        if match := _PART.fullmatch(text):
            return selected(self.kind_of_name(match[1]), match[2])
        if _NUMERAL.fullmatch(text):
            found = self._parsed(text)
            if found.sort in (kinds.INTEGER, kinds.FLOAT):
                interned_kinds.remember(text, found)
            return found
        stripped = text.strip()
        if stripped != text:
            return self[stripped] if stripped else kinds.UNREADABLE_KIND
        return self._parsed(text)

    def _name(self, text: str) -> Kind:
        """The kind of a name that the body does not declare."""
        found = self._outer_kind(text)
        if found is kinds.NAME_KIND:
            if text == "_":
                return kinds.SINK_KIND
            if text == "WARP_SZ":
                return kinds.integer(32)
            self.blocks[-1].undefined_labels.add(text)
        return at(found, 0) if found.sort == kinds.VARIABLE else found

    def _outer_kind(self, text: str) -> Kind:
        """The kind of a name in the header or the module; variables with their whole size."""
        module, scope = self.checked.module, self.scope
        meaning = scope.names.get(text)
        if meaning is None:
            if text[0] == "%" or scope.ranges or module.scope.ranges:
                found = module.kind(text, scope)
                return kinds.UNREADABLE_KIND if found.sort in (kinds.REGISTER, kinds.VECTOR) else found
            meaning = self.module_names.get(text)
            if meaning is None:
                return module.functions.get(text, kinds.NAME_KIND)
        if isinstance(meaning, Memory):
            return meaning.kind
        # A register of the module is written in another function, if at all.
        return meaning.kind if text in scope.names else kinds.UNREADABLE_KIND

    def kind_of_name(self, name: str) -> Kind:
        """The kind of a plain name, variables with their whole size."""
        variable = self.variables.get(name)
        if variable is not None:
            return variable.whole
        if name not in self.definitions:
            found = self._outer_kind(name)
            if found.sort == kinds.VARIABLE:
                return found
        return self[name]

    def _parsed(self, text: str) -> Kind:
        if "/" in text or ";" in text:
            return kinds.UNREADABLE_KIND
        operands, problem = read_operands(File("", text), (0, len(text)), "")
        if problem is not None or len(operands) != 1:
            return kinds.UNREADABLE_KIND
        return kind_of(operands[0], self.kind_of_name)

    def _list(self, text: str) -> Kind:
        """`{%r1, %r2}`."""
        if text[-1] != "}":
            return self._parsed(text)
        elements = text[1:-1].replace(", ", ",").split(",")
        if " " in text or "\n" in text or "\t" in text:
            elements = [element.strip() for element in elements]
        parts = tuple([self[element] for element in elements])
        repeated = len(set(elements)) < len(elements)
        if repeated:  # constants may be
            names = [element for element in elements if element not in CONSTANTS]
            repeated = len(set(names)) < len(names)
        return interned_kinds.list_kind(repeated, parts) or self._parsed(text)
