"""Statements of a body that are read one by one: declarations, calls, tables, and whatever else is no row."""

from __future__ import annotations

import re

from openptx.check import kinds
from openptx.check.addresses import guarded_parameter
from openptx.check.budgets import bytes_of, shared_limit
from openptx.check.calls import fits
from openptx.check.flow import is_destination, names_in, writes
from openptx.check.plain.blocks import Declared
from openptx.check.plain.calling import signature
from openptx.check.plain.meeting import Meeting
from openptx.check.reading import at, kind_of
from openptx.check.verdicts import LOOK
from openptx.isa.control import calls, joins
from openptx.isa.directives import PRAGMAS
from openptx.source import File
from openptx.syntax import tree
from openptx.syntax.body import read_statements
from openptx.syntax.declarations import Variable
from openptx.syntax.directives import BranchTargets, CallPrototype, Location, Pragma, Preprocessor
from openptx.syntax.repeated import parted
from openptx.syntax.rows import DECLARATION
from openptx.syntax.statements import END, INSTRUCTION, STATEMENT
from openptx.syntax.tokens import Cursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.functions import FunctionChecker
    from openptx.check.plain.blocks import Block
    from openptx.check.plain.texts import Kinds
    from openptx.diagnostics import Diagnostic

_OPERAND = re.compile(r"(?:[^,{\[]|\{[^}]*\}|\[[^\]]*\])+")
_WORD = re.compile(r"[A-Za-z_$%][\w$]*", re.A)
_MOST = 1 << 10
"""How many declarations of parameters of calls are kept as they stand."""


class Singly:
    """Reads single statements of one body. Each method answers whether all is right."""

    def __init__(self, checker: FunctionChecker, names: Kinds, meeting: Meeting) -> None:
        self.checker, self.names, self.meeting = checker, names, meeting
        self.file = checker.function.file
        self.remembered = checker.module.remembered
        self.shared = 0  # bytes
        self.last: tuple[str | None, str] | None = None  # guard and opcode of an instruction

    def statement(self, text: str) -> bool | None:
        """A brace, a declaration, an instruction whose operands are more than a row holds. None: something else."""
        if text == "{":
            self.names.open()
            return True
        if text == "}":
            return len(self.names.blocks) > 1 and self.tables(self.names.close())
        if text[0] == ".":
            if text.startswith(".reg"):
                found = self.remembered.registers(text, self.checker.module)
                if found is None:
                    return None
                return not self.names.hides(found) and self.names.declare(found)
            variable = self.remembered.declared.get(text)
            return self._declaration(text) if variable is None else self.names.variable(variable)
        if text.startswith("call") and ")" in text:
            return self._call(text)
        match = STATEMENT.match(text)
        if match is None or match.lastindex != INSTRUCTION or match.end() != len(text):
            return None
        return self._listed(text, match[2], match[3], match[4].replace(", ", ","))

    def _declaration(self, text: str) -> bool | None:
        """A variable, or a pragma."""
        head, name, tail = parted(text)
        if (known := self.remembered.variables.get((head, tail))) is not None and name not in ("", "WARP_SZ"):
            whole, kind, size = known
            self.shared += size
            variable = Declared(name, whole, kind)
            if head.startswith(".param") and len(self.remembered.declared) < _MOST:
                self.remembered.declared[text] = variable
            return self.names.variable(variable) and (not size or self._fits())
        if text in self.remembered.pragmas:
            return True
        return self.alone(text) if DECLARATION.fullmatch(text) else None

    def _listed(self, text: str, guard: str | None, opcode: str, operands: str) -> bool:
        """A call, or an instruction with many operands, or with blanks between them."""
        if "(" in operands:
            return self._call(text)
        names = self.names
        parts = _OPERAND.findall(operands) if "{" in operands or "[" in operands else operands.split(",")
        if ",".join(parts) != operands or "" in parts:
            return self.alone(text)
        first = 1 if writes(opcode) and parts[0][0] != "[" else 0
        given = [names[part] for part in parts[first:]]
        if guard is not None:
            predicate = names[guard.lstrip("@!")]
            if predicate is not kinds.PREDICATE_KIND or guarded_parameter(given) is not None:
                return False
        if first:
            names.settle(_WORD.findall(parts[0]))
            given.insert(0, names[parts[0]])
        if self.checker.verdicts[(opcode, *given)] is not None:
            return self.alone(text)
        self.last = guard, opcode
        return True

    def _call(self, text: str) -> bool:
        key = signature(text, self.names)
        if key is None:
            return self.alone(text)
        if key not in self.remembered.calls:
            if not self.alone(text):
                return False
            self.remembered.calls.add(key)
        self.last = None, "call"
        return True

    def odd(self, start: int, end: int) -> int | None:
        """A statement of which rows know nothing: where to go on behind it, None where it is not right."""
        match = STATEMENT.match(self.file.text, start, end)
        if match is None or match.lastindex == END:
            return match and match.end()
        return self.precisely(self.file, start, match.end(), end)

    def alone(self, text: str) -> bool:
        """One statement, by the precise reader."""
        return self.precisely(File("", text), 0, len(text), len(text)) is not None

    def precisely(self, file: File, start: int, until: int, end: int) -> int | None:
        """What begins between two offsets, by the precise reader: where to go on, None where it is not right."""
        found: list[tree.Statement] = []
        problems: list[Diagnostic] = []
        offset = read_statements(Cursor(file, start, end), until, found, problems, inside=True)
        if problems or not all(self._read(statement) for statement in found):
            return None
        return max(offset, until)

    def _read(self, statement: tree.Statement) -> bool:
        if isinstance(statement, tree.Instruction):
            return self._instruction(statement)
        if any(self.checker.module.features.unmet(statement)):
            return False
        match statement:
            case Variable():
                return self._variable(statement)
            case BranchTargets() | CallPrototype():
                return self._table(statement)
            case tree.Label():
                return self.names.label(statement.name.text)
            case Pragma():
                return self._pragma(statement)
            case _:
                return isinstance(statement, (Location, Preprocessor))

    def _instruction(self, instruction: tree.Instruction) -> bool:
        if instruction.problem is not None:
            return False
        names, operands, guard = self.names, instruction.operands, instruction.guard
        first = 1 if operands and writes(instruction.opcode) and is_destination(operands[0], instruction) else 0
        for operand in operands[first:]:
            for name in names_in(operand):
                names[name.text]
        if guard is not None and names[guard.name.text] is not kinds.PREDICATE_KIND:
            return False
        if first:
            names.settle(name.text for name in names_in(operands[0]))
        given = tuple(kind_of(operand, names.known) for operand in operands)
        key = instruction.opcode, *given
        found = self.checker.verdicts[key]
        if found or (found == LOOK and self.checker.verdicts.misvalued(key, operands)):
            return False
        if guard is not None and guarded_parameter(given) is not None:
            return False
        self.last = None if guard is None else "@", instruction.opcode
        if joins(instruction.opcode) and not self._meets(instruction):
            return False
        if not calls(instruction.mnemonic):
            return True
        tables = {name: table for block in names.blocks for name, table in block.tables.items()}
        return fits(self.checker, operands, names.known, tables)

    def _meets(self, barrier: tree.Instruction) -> bool:
        """Whether all threads of a warp come to a barrier together, for certain."""
        return len(barrier.operands) != 1 or (barrier.guard is None and self.meeting.simple)

    def _variable(self, declaration: Variable) -> bool:
        if declaration.space == "reg":
            return False
        found = self.checker.module.declarations.plain(declaration, "frame" if declaration.space == "param" else None)
        if found is None:
            return False
        size = bytes_of(declaration) if declaration.space == "shared" else 0
        head, name, tail = parted(declaration.text)
        if len(found) == 1 and name == found[0][0]:
            self.remembered.variables[head, tail] = found[0][1], at(found[0][1], 0), size
        self.shared += size
        known = [Declared(name, kind, at(kind, 0)) for name, kind in found]
        return all(map(self.names.variable, known)) and self._fits()

    def _fits(self) -> bool:
        """Whether there is as much shared memory as the body declares."""
        return self.shared <= shared_limit(self.checker.context)

    def _pragma(self, pragma: Pragma) -> bool:
        words = [string.value.split() for string in pragma.strings]
        fine = all(word and word[0] in PRAGMAS for word in words)
        if fine:
            self.remembered.pragmas.add(pragma.text)
        return fine

    def _table(self, table: BranchTargets | CallPrototype) -> bool:
        names, block = self.names, self.names.blocks[-1]
        if table.label is None or table.label.text in names or table.label.text in block.labels:
            return False
        name = table.label.text
        names[name] = kinds.TABLE_KINDS[table.name]
        if len(names.blocks) > 1:
            names.log.append(name)
        block.tables[name] = table
        if isinstance(table, BranchTargets) and table.name == "branchtargets":
            for target in table.targets:
                count = target.count
                block.needs.update([target.text] if count is None else [f"{target.text}{i}" for i in range(count)])
        return True

    def tables(self, block: Block) -> bool:
        """Whether the functions in the `.calltargets` of a block are known."""
        functions = self.checker.module.names.functions
        return not block.tables or all(
            target.text in functions
            for table in block.tables.values()
            if isinstance(table, BranchTargets) and table.name == "calltargets"
            for target in table.targets
        )
