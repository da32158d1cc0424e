"""Definition, references, highlights and rename of the name at a position."""

from __future__ import annotations

import re

from lsprotocol import types

from openptx.check.symbols import Symbol, Use
from openptx.errors import InputError
from openptx.isa.special_registers import is_predefined
from openptx.lsp.document import Document
from openptx.syntax.lexical import NEW_NAME

_NAME = re.compile(NEW_NAME, re.A)


def _use(document: Document, position: types.Position) -> Use | None:
    return document.symbols.at(document.at.offset(position))


def definition(document: Document, position: types.Position) -> types.Location | None:
    """Where the name at a position is declared."""
    use = _use(document, position)
    if use is None or use[1].declared is None:
        return None
    return types.Location(document.uri, document.at.range(use[1].declared))


def references(document: Document, position: types.Position, declaration: bool) -> list[types.Location]:
    """Where the name at a position is used, and where it is declared if that is wanted."""
    use = _use(document, position)
    if use is None:
        return []
    spans = [span for span in document.symbols.references(use[1]) if declaration or span != use[1].declared]
    return [types.Location(document.uri, document.at.range(span)) for span in spans]


def highlights(document: Document, position: types.Position) -> list[types.DocumentHighlight]:
    """The occurrences of the name at a position, to be highlighted."""
    return [types.DocumentHighlight(found.range) for found in references(document, position, declaration=True)]


def renamable(document: Document, position: types.Position) -> types.Range | None:
    """The name at a position, if it can be renamed; raises `InputError` with the reason if not."""
    use = _use(document, position)
    if use is None:
        return None
    _require_own_name(use[1])
    return document.at.range(use[0])


def rename(document: Document, position: types.Position, new: str) -> types.WorkspaceEdit | None:
    """Renames all occurrences of the name at a position; raises `InputError` if the new name is not allowed."""
    use = _use(document, position)
    if use is None:
        return None
    symbol = use[1]
    _require_own_name(symbol)
    if _NAME.fullmatch(new) is None or is_predefined(new):
        raise InputError(
            f"`{new}` can't be declared: {'PTX predefines it' if is_predefined(new) else 'it is not a name'}"
        )
    taken = {other.name for item in document.symbols.items for _, other in document.symbols.uses(item)}
    if new in taken and new != symbol.name:
        raise InputError(f"`{new}` is declared already in this file")
    edits = [types.TextEdit(document.at.range(span), new) for span in document.symbols.references(symbol)]
    return types.WorkspaceEdit(changes={document.uri: edits})


def _require_own_name(symbol: Symbol) -> None:
    if symbol.declared is None:
        raise InputError(f"`{symbol.name}` is predefined by PTX")
    if symbol.ranged:
        raise InputError(f"`{symbol.name}` belongs to the range `{symbol.text}`: its name is the range's with a number")
