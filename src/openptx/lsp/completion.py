"""Completion: opcodes, modifiers by their position, directives, names in scope."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types

from openptx.check.names.body import declare_local, header_scope, label_of
from openptx.check.names.scopes import Registers, Scope
from openptx.explanations.directives import MEANINGS
from openptx.explanations.modifier_meanings import meaning_of
from openptx.isa.directives import NAMES as DIRECTIVES
from openptx.isa.notation import load
from openptx.isa.notation.forms import Form
from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.isa.targets import TARGETS
from openptx.isa.types import TYPES
from openptx.lsp.document import Document
from openptx.lsp.places import is_code
from openptx.patterns import pattern
from openptx.syntax import tree
from openptx.syntax.declarations import Variable
from openptx.syntax.lexical import COMMENT

_TRIVIA = pattern(COMMENT)
_STATEMENT_START = re.compile(r"(?s).*[;{}]|[\w$]+\s*:(?!:)|@!?[\w$%]+\s")
_OPCODE = re.compile(r"\s*([a-z][\w:]*(?:\.[\w:]*)*)\Z", re.A)
_TARGET = re.compile(r"\.target\s+(?:\w+\s*,\s*)*\w*\Z", re.A)
_DIRECTIVE = re.compile(r"(?:^|\s)\.\w*\Z", re.A)
_MAX_RANGE = 64
"""Registers of a range that are offered individually; those of a larger one differ only in their number."""


MOST = 1000
"""The maximum number of completions sent at once."""
_TYPED = re.compile(r"[\w$%.]*\Z", re.A)


def completions(document: Document, position: types.Position) -> list[types.CompletionItem] | types.CompletionList:
    """The completions at a position, which the editor filters by the typed prefix. Of very many only some that begin
    with it, so that the editor asks again with a longer one."""
    offset = document.at.offset(position)
    found = _all(document, offset)
    if len(found) <= MOST:
        return found
    typed = _TYPED.search(document.file.text, document.file.starts[position.line], offset)
    prefix = typed[0] if typed is not None else ""
    fitting = [item for item in found if item.label.startswith(prefix)]
    fitting.sort(key=lambda item: item.sort_text or item.label)
    return types.CompletionList(is_incomplete=len(fitting) > MOST, items=fitting[:MOST])


def _all(document: Document, offset: int) -> list[types.CompletionItem]:
    if not is_code(document, offset):
        return []
    statement = _statement_before(document, offset)
    if _TARGET.search(statement):
        return [_item(name, types.CompletionItemKind.Constant) for name in TARGETS]
    if _DIRECTIVE.search(statement):
        return list(_directives(statement))
    opcode = _OPCODE.match(statement)
    if opcode is None:
        return list(_operands(document, offset, statement))
    mnemonic, *modifiers = opcode[1].split(".")
    if not modifiers:
        return [
            _item(name, types.CompletionItemKind.Function, declared[0].summary) for name, declared in load().items()
        ]
    return list(_modifiers(mnemonic, modifiers[:-1]))


def _statement_before(document: Document, offset: int) -> str:
    """The statement that contains an offset, up to the offset, without comments, label and guard."""
    item = document.symbols.item_at(offset)
    text = _TRIVIA.sub(" ", document.file.text[item.span[0] if item is not None else 0 : offset])
    while (before := _STATEMENT_START.match(text.lstrip())) is not None:
        text = text.lstrip()[before.end() :]
    return text


def _directives(statement: str) -> Iterator[types.CompletionItem]:
    """Directives at the start of a statement; within a declaration also types."""
    for name in DIRECTIVES:
        yield _item(name, types.CompletionItemKind.Keyword, MEANINGS[name.removeprefix(".")])
    if statement.strip().count("."):
        for type in TYPES.values():
            if type.fundamental:
                yield _item(f".{type.name}", types.CompletionItemKind.TypeParameter)


def _modifiers(mnemonic: str, written: list[str]) -> Iterator[types.CompletionItem]:
    """The modifiers that a form allows after those already written."""
    choices: dict[str, None] = {}
    for each in load().get(mnemonic, ()):
        parts = each.parts[1:]
        if tuple(written[: len(parts)]) == parts:
            for form in each.forms:
                choices |= dict.fromkeys(_next(form, written[len(parts) :]))
        elif tuple(written) == parts[: len(written)]:
            choices[parts[len(written)]] = None
    for order, choice in enumerate(choices):
        item = _item(choice, types.CompletionItemKind.EnumMember, meaning_of(choice, mnemonic))
        item.sort_text = f"{order:03}"
        yield item


def _next(form: Form, written: list[str]) -> Iterable[str]:
    """The choices of the next slots of a form, up to the first mandatory one; none if others are written."""
    at = 0
    for modifier in written:
        at = next((i + 1 for i in range(at, len(form.slots)) if modifier in form.slots[i].choices), -1)
        if at < 0:
            return
    for slot in form.slots[at:]:
        yield from slot.choices
        if not slot.optional:
            return


def _operands(document: Document, offset: int, statement: str) -> Iterator[types.CompletionItem]:
    """The names that are visible at an offset; labels first if a branch needs one."""
    function = document.symbols.item_at(offset)
    if not isinstance(function, tree.Function):
        return
    scope, labels = _scope_at(document, function, offset)
    branch = statement.lstrip().startswith("bra")
    for name in labels:
        yield _item(name, types.CompletionItemKind.Reference, "label", sort="0" if branch else "3")
    if branch:
        return
    seen: set[str] = set()
    enclosing: Scope | None = scope
    while enclosing is not None:
        for name, meaning in enclosing.names.items():
            if name not in seen:
                seen.add(name)
                detail = repr(meaning.type) if isinstance(meaning, Registers) else meaning.kind.text
                yield _item(name, types.CompletionItemKind.Variable, detail, sort="1")
        for prefix, meaning in enclosing.ranges.items():
            for number in range(min(meaning.count or 0, _MAX_RANGE)):
                yield _item(f"{prefix}{number}", types.CompletionItemKind.Variable, repr(meaning.type), sort="1")
        enclosing = enclosing.outer
    for name in document.module.functions:
        yield _item(name, types.CompletionItemKind.Function, "function", sort="2")
    for register in SPECIAL_REGISTERS.values():
        yield _item(f"%{register.name}", types.CompletionItemKind.Constant, repr(register.type), sort="2")


def _scope_at(document: Document, function: tree.Function, offset: int) -> tuple[Scope, list[str]]:
    """The innermost scope at an offset with the declarations before it, and the labels visible there."""
    scope = header_scope(function, document.module.scope)
    statements, labels = document.body(function), list[str]()
    while True:
        inner: tree.Block | None = None
        for statement in statements:
            if (label := label_of(statement)) is not None:
                labels.append(label.text)
            if statement.span[0] < offset and isinstance(statement, Variable):
                declare_local(statement, scope)
            elif isinstance(statement, tree.Block) and statement.span[0] < offset < statement.span[1]:
                inner = statement
        if inner is None:
            return scope, labels
        scope, statements = Scope(scope), inner.statements


def _item(
    name: str, kind: types.CompletionItemKind, detail: str = "", *, sort: str | None = None
) -> types.CompletionItem:
    return types.CompletionItem(label=name, kind=kind, detail=detail or None, sort_text=sort and f"{sort}{name}")
