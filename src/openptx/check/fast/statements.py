"""Reads statements that are not rows: declarations, calls, tables, instructions with many operands."""

from __future__ import annotations

from openptx.check.fast import tables
from openptx.check.fast.barrier_uniformity import BarrierUniformity
from openptx.check.fast.file_memo import DeclaredVariable, FileMemo
from openptx.check.flow.reads_writes import is_destination, names_in, writes
from openptx.check.forms.addresses import guarded_parameter
from openptx.check.forms.verdicts import LOOK
from openptx.check.operand import kinds
from openptx.check.operand.kinds import at, kind_of, resized
from openptx.check.sizes import bytes_of, shared_limit
from openptx.isa.control import calls, joins
from openptx.isa.directives import pragma_in
from openptx.late import late
from openptx.patterns import pattern
from openptx.source import File
from openptx.syntax import tree
from openptx.syntax.body_parser import BLOCKS, read_statements
from openptx.syntax.declaration_memo import split_declaration
from openptx.syntax.declarations import Variable
from openptx.syntax.directives import BranchTargets, CallPrototype, Pragma
from openptx.syntax.lexical import words
from openptx.syntax.row_lexer import DECLARATION
from openptx.syntax.statement_lexer import END, INSTRUCTION, LABEL, STATEMENT
from openptx.syntax.tokens import Cursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.checked import CheckedFunction
    from openptx.check.fast.classify import OperandClassifier
    from openptx.check.forms.calls import fits
    from openptx.check.problems import Key
    from openptx.diagnostics import Diagnostic
    from openptx.syntax.operands import Operand
else:
    fits = late("openptx.check.forms.calls", "fits")

_OPERAND = pattern(r"(?:[^,{\[]|\{[^{}]*\}|\[[^\[\]]*\])+")
_CALLS = "call ", "call.", "call\t"
_PLAIN_PRAGMAS = frozenset(("nounroll", "used_bytes_mask"))
"""Those that are correct in each body, with any argument."""
_MAX_MEMOISED = 1 << 12
"""The maximum number of memoised declarations of call parameters, and of instructions with correct constants."""


class StatementReader:
    """Reads statements of one body one at a time. Each method returns whether the statement is certainly correct."""

    def __init__(
        self, checked: CheckedFunction, memo: FileMemo, names: OperandClassifier, barriers: BarrierUniformity
    ) -> None:
        self.checked, self.names, self.barriers = checked, names, barriers
        self.memo = memo
        self.shared = 0  # bytes
        self.declared: list[DeclaredVariable] = []  # declared by the last statement, if it declares variables
        self.last: tuple[str | None, str] | None = None  # guard and opcode of an instruction
        self.doubt = False  # whether an instruction was read that may be wrong

    def statement(self, text: str) -> bool | None:
        """A brace, a declaration, an instruction with more operands than a row holds. None: anything else."""
        if text == "{":
            self.names.open()
            return len(self.names.blocks) <= BLOCKS
        if text == "}":
            return len(self.names.blocks) > 1 and tables.has_known_callees(self.names.close(), self.names)
        if text[0] == ".":
            if text.startswith(".reg"):
                found = self.memo.registers(text)
                if found is None:
                    return None
                return not self.names.shadows(found.keys()) and self.names.declare(found)
            known = self.memo.declared.get(text)
            return self._declaration(text) if known is None else all(map(self.names.variable, known))
        if text.startswith(_CALLS):
            return self._call(text)
        match = STATEMENT.match(text)
        if match is not None and match.lastindex == LABEL:
            return tables.accepts_known(text, self.names, self.memo)
        if match is None or match.lastindex != INSTRUCTION or match.end() != len(text):
            return None
        return self._many_operands(text, match[2], match[3], match[4].replace(", ", ","))

    def _declaration(self, text: str) -> bool | None:
        """A variable, parameters of a call, or a pragma."""
        if text.startswith(".param"):
            return self._parameters(text)
        if (known := self._known_variable(text)) is not None:
            size = known.whole.room if known.whole.space == "shared" else 0
            self.shared += size
            return self.names.variable(known) and (not size or self._shared_memory_fits())
        if DECLARATION.fullmatch(text) is None:
            return None
        fine = self.parse_alone(text)
        if fine and text.startswith(".pragma") and len(self.memo.declared) < _MAX_MEMOISED:
            self.memo.declared[text] = []
        return fine

    def _known_variable(self, text: str) -> DeclaredVariable | None:
        """The variable of a declaration that differs from an accepted one only in its name, or in the length of an
        array."""
        head, name, tail, count = split_declaration(text)
        known = self.memo.variables.get((head, tail))
        if known is None or not name:
            return None
        if not count:
            return DeclaredVariable(name, *known)
        whole = resized(known[0], count)
        return DeclaredVariable(name, whole, at(whole, 0))

    def _parameters(self, text: str) -> bool | None:
        """Parameters of a call; memoised by their text, since files repeat these declarations."""
        if DECLARATION.fullmatch(text) is None:
            return None
        found: list[DeclaredVariable] = []
        for each in text.split(";")[:-1]:
            one = each.strip() + ";"
            if (known := self._known_variable(one)) is not None:
                self.declared = [known]
                if not self.names.variable(known):
                    return False
            elif not self.parse_alone(one):
                return False
            found += self.declared
        if len(self.memo.declared) < _MAX_MEMOISED:
            self.memo.declared[text] = found
        return True

    def _many_operands(self, text: str, guard: str | None, opcode: str, operands: str) -> bool:
        """An instruction with many operands, or with blanks between them."""
        names = self.names
        parts = _OPERAND.findall(operands) if "{" in operands or "[" in operands else operands.split(",")
        if ",".join(parts) != operands or "" in parts:
            return self.parse_alone(text)
        first = 1 if writes(opcode) and parts[0][0] != "[" else 0
        given = [names[part] for part in parts[first:]]
        if guard is not None:
            predicate = names[guard.lstrip("@!")]
            if predicate is not kinds.PREDICATE_KIND or guarded_parameter(given) is not None:
                return self.parse_alone(text)
        if first:
            names.mark_written(words(parts[0]))
            given.insert(0, names[parts[0]])
        key = opcode, *given
        if self.checked.verdicts[key] is not None and not self._constants_fit(text, key, parts):
            return False
        self.last = guard, opcode
        return True

    def _constants_fit(self, text: str, key: Key, parts: list[str]) -> bool:
        """Whether the constants of an instruction are correct; memoised, because files repeat them with the same
        kinds."""
        verdicts = self.checked.verdicts
        values = verdicts.constants(key, parts)
        if values is not None and values in verdicts.valued:
            return True
        fine = self.parse_alone(text)
        if fine and values is not None and len(verdicts.valued) < _MAX_MEMOISED:
            verdicts.valued.add(values)
        return fine

    def _call(self, text: str) -> bool:
        key = tables.signature(text, self.names, self.memo)
        if key is None:
            return self.parse_alone(text)
        right = self.memo.calls if isinstance(key[0], CallPrototype) else self.checked.verdicts.calls
        if key not in right:
            if not self.parse_alone(text):
                return False
            if len(right) < _MAX_MEMOISED:
                right.add(key)
        self.last = None, "call"
        return True

    def other(self, file: File, start: int, end: int) -> int | None:
        """A statement that no row describes. Returns where to continue after it; None if it may be wrong."""
        match = STATEMENT.match(file.text, start, end)
        if match is None or match.lastindex == END:
            return match and match.end()
        return self.parse(file, start, match.end(), end)

    def parse_alone(self, text: str) -> bool:
        """Checks one statement with the full parser."""
        return self.parse(File("", text), 0, len(text), len(text)) is not None and not self.doubt

    def parse(self, file: File, start: int, until: int, end: int) -> int | None:
        """Statements that begin between two offsets, with the full parser. Returns where to continue; None if something
        other than an instruction (`doubt`) may be wrong."""
        found: list[tree.Statement] = []
        problems: list[Diagnostic] = []
        offset = max(read_statements(Cursor(file, start, end), until, found, problems, inside=True), until)
        if problems:  # a syntax error in the operands of one instruction is that instruction's
            match = STATEMENT.match(file.text, start, end)
            if match is None or match.lastindex != INSTRUCTION or match.end() != offset:
                return None
            self.doubt = True
            return offset
        return offset if all(map(self._accepts, found)) else None

    def _accepts(self, statement: tree.Statement) -> bool:
        if isinstance(statement, tree.Instruction):
            if joins(statement.opcode) and not self._is_uniform(statement):
                return False
            self.doubt = not self._instruction(statement) or statement.problem is not None or self.doubt
            return True
        if any(self.checked.module.availability.unmet(statement)):
            return False
        match statement:
            case Variable():
                return not statement.attributes and self._variable(statement)
            case CallPrototype():
                plain = not statement.directives and len(statement.returns) < 2
                return (
                    plain
                    and self.checked.module.declarations.plain_prototype(statement)
                    and tables.accepts_new(statement, self.names, self.memo)
                )
            case BranchTargets():
                return tables.accepts_new(statement, self.names, self.memo)
            case tree.Label():
                return self.names.label(statement.name.text)
            case Pragma():
                return self._pragma(statement)
            case _:
                return False

    def _instruction(self, instruction: tree.Instruction) -> bool:
        names, operands, guard = self.names, instruction.operands, instruction.guard
        first = 1 if operands and writes(instruction.opcode) and is_destination(operands[0], instruction) else 0
        for operand in operands[first:]:
            for name in names_in(operand):
                names[name.text]  # is read
        if guard is not None and names[guard.name.text] is not kinds.PREDICATE_KIND:
            return False
        if first:
            names.mark_written(name.text for name in names_in(operands[0]))
        given = tuple(kind_of(operand, names.kind_of_name) for operand in operands)
        if guard is not None and guarded_parameter(given) is not None:
            return False
        if instruction.splits_opcode or not self._is_correct((instruction.opcode, *given), operands):
            return False
        self.last = None if guard is None else "@", instruction.opcode
        return not calls(instruction.mnemonic) or fits(
            self.checked, operands, self.names.kind_of_name, self.names.table
        )

    def _is_correct(self, key: Key, operands: tuple[Operand, ...]) -> bool:
        """Whether an instruction is correct according to its kinds and its constants."""
        found = self.checked.verdicts[key]
        return not found and (found != LOOK or not self.checked.verdicts.immediate_errors(key, operands))

    def _is_uniform(self, barrier: tree.Instruction) -> bool:
        """Whether all threads of a warp certainly reach a barrier together."""
        return len(barrier.operands) != 1 or (barrier.guard is None and self.barriers.never_splits)

    def _variable(self, declaration: Variable) -> bool:
        if declaration.space == "reg" or (declaration.space == "param" and self.checked.own_parameters):
            return False
        found = self.checked.module.declarations.plain(declaration, "frame" if declaration.space == "param" else None)
        if found is None:
            return False
        size = bytes_of(declaration) if declaration.space == "shared" else 0
        head, name, tail, _ = split_declaration(declaration.text)
        if len(found) == 1 and name == found[0][0]:
            self.memo.variables[head, tail] = found[0][1], at(found[0][1], 0)
        self.shared += size
        self.declared = [DeclaredVariable(name, kind, at(kind, 0)) for name, kind in found]
        return all(map(self.names.variable, self.declared)) and self._shared_memory_fits()

    def _shared_memory_fits(self) -> bool:
        """Whether the target has as much shared memory as the body declares."""
        return self.shared <= shared_limit(self.checked.context)

    def _pragma(self, pragma: Pragma) -> bool:
        return all(pragma_in(string.value) in _PLAIN_PRAGMAS for string in pragma.strings)
