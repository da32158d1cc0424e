"""Branch tables, call prototypes, and calls by them. Exact repetitions of accepted ones are accepted."""

from __future__ import annotations

import re

from openptx.check.fast.classify import OperandClassifier
from openptx.check.fast.file_memo import FileMemo
from openptx.check.fast.symbols import Block
from openptx.check.operand import kinds
from openptx.isa.special_registers import is_predefined
from openptx.patterns import pattern
from openptx.syntax.directives import BranchTargets, CallPrototype
from openptx.syntax.lexical import IDENTIFIER, WORD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.fast.file_memo import Call
    from openptx.check.operand.kinds import Kind

_MAX_TABLES = 1 << 10
# Compiled when the first table occurs.
_TABLE = rf"({IDENTIFIER})\s*:\s*\.(branchtargets|calltargets|callprototype)\b\s*([^;]*?)\s*;"
TABLE = pattern(rf"{WORD}[ \t]*:[^:]", re.A)
"""The beginning of a row that is a table."""
_TARGETS = rf"{IDENTIFIER}(?:\s*,\s*{IDENTIFIER})*"


def accepts_known(text: str, names: OperandClassifier, memo: FileMemo) -> bool | None:
    """Whether a table identical to an earlier one is correct. None if that is uncertain."""
    match = re.fullmatch(_TABLE, text, re.A)
    if match is None:
        return None
    name, directive, operands = match.groups()
    if directive == "branchtargets":
        if not memo.branches or not re.fullmatch(_TARGETS, operands, re.A):
            return None
        if not _labels(name, directive, names):
            return False
        names.blocks[-1].undefined_labels.update(target.strip() for target in operands.split(","))
        return True
    table = memo.tables.get((directive, operands))
    if table is None:
        return None
    if not _labels(name, directive, names):
        return False
    names.blocks[-1].tables[name] = table
    return True


def accepts_new(table: BranchTargets | CallPrototype, names: OperandClassifier, memo: FileMemo) -> bool:
    """Whether a parsed table has a unique name. It is kept for later ones."""
    block = names.blocks[-1]
    if table.label is None or not _labels(table.label.text, table.name, names):
        return False
    block.tables[table.label.text] = table
    if isinstance(table, CallPrototype) or table.name == "calltargets":
        match = re.fullmatch(_TABLE, table.text, re.A)
        if match is not None and len(memo.tables) < _MAX_TABLES:
            memo.tables[match[2], match[3]] = table
    else:
        memo.branches = True
        for target in table.targets:
            count = target.count
            block.undefined_labels.update(
                [target.text] if count is None else [f"{target.text}{i}" for i in range(count)]
            )
    return True


def has_known_callees(block: Block, names: OperandClassifier) -> bool:
    """Whether the functions in the `.calltargets` of a block are known."""
    functions = names.checked.module.functions
    return not block.tables or all(
        target.text in functions and target.text not in names.scope.names
        for table in block.tables.values()
        if isinstance(table, BranchTargets) and table.name == "calltargets"
        for target in table.targets
    )


def _labels(name: str, directive: str, names: OperandClassifier) -> bool:
    """Declares the label of a table; False if the name already has a meaning."""
    if name in names or name in names.blocks[-1].labels or names.means(name) or is_predefined(name):
        return False
    names[name] = kinds.TABLE_KINDS[directive]
    if len(names.blocks) > 1:
        names.log.append(name)
    return True


_CALL = pattern(
    rf"""(call(?:\.uni)?) \s+ (?:\(\s*({IDENTIFIER})\s*\)\s*,\s*)? ({IDENTIFIER})
    \s* (?:,\s*\(\s*({IDENTIFIER}(?:\s*,\s*{IDENTIFIER})*)?\s*\)\s*)? (?:,\s*({IDENTIFIER})\s*)?;""",
    re.X | re.A,
)
_MAX_CALLS = 1 << 12


def signature(text: str, names: OperandClassifier, memo: FileMemo) -> tuple[object, ...] | None:
    """The key of a call, which alone determines its verdict. None if the call is not of the plain form."""
    call = _call_parts(text, memo)
    if call is None:
        return None
    opcode, result, callee, arguments, table = call
    shape = names.table(table) if table else memo.shape(callee)
    if isinstance(shape, BranchTargets):
        shape = memo.shapes_of(shape)
    if shape is None:
        return None
    given: list[Kind] = [names[name] for name in arguments]
    if result:
        names.mark_written((result,))
    return shape, opcode, names.function(callee), names[result], *given


def _call_parts(text: str, memo: FileMemo) -> Call | None:
    """The opcode, result ("" for none), callee, arguments and prototype ("" for none) of a call. Most call texts occur
    repeatedly in a file, because their parameters have the same names everywhere."""
    found = memo.parts.get(text)
    if found is None and (match := _CALL.fullmatch(text)) is not None:
        opcode, result, callee, arguments, table = match.groups(default="")
        found = opcode, result, callee, [name.strip() for name in arguments.split(",")] if arguments else [], table
        if len(memo.parts) < _MAX_CALLS:
            memo.parts[text] = found
    return found
