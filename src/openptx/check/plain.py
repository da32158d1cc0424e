"""The fast way through a function: one lookup a statement. It may only accept; whatever it doesn't is read precisely.

Operands are texts, and a dictionary knows their kinds; opcode and kinds are a key, and a dictionary knows the verdict.
Both fill up as they are asked. Blocks are undone at their `}` by a log, not by a chain of dictionaries.
"""

from __future__ import annotations

import re

from openptx.check import kinds
from openptx.check.budgets import bytes_of, shared_limit
from openptx.check.divergence import BARRIERS
from openptx.check.flow import ENDS, is_destination, names_in, writes
from openptx.check.kinds import Kind, composed
from openptx.check.names import Memory
from openptx.check.names import kind_of as kind_of_registers
from openptx.check.reading import address, at, kind_of, selected
from openptx.check.verdicts import EARLY, SEVERAL, WAIT
from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.isa.types import FUNDAMENTAL, TYPES
from openptx.syntax import tree
from openptx.syntax.body import read_statements
from openptx.syntax.declarations import Variable
from openptx.syntax.directives import BranchTargets, CallPrototype, Location, Pragma
from openptx.syntax.precise import read_operands
from openptx.syntax.statements import BRACE, DATA, END, INSTRUCTION, LABEL, LINE, REGISTERS, STATEMENT
from openptx.syntax.tokens import Cursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.functions import FunctionChecker
    from openptx.check.scopes import Scope
    from openptx.diagnostics import Diagnostic

_NAME = re.compile(r"[A-Za-z_][\w$]*|[%$][\w$]+", re.A)
_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})|0[xX][0-9a-fA-F]{1,15}", re.A)
_EXACT = re.compile(r"0[fF][0-9a-fA-F]{8}|0[dD][0-9a-fA-F]{16}", re.A)
_ADDRESS = re.compile(r"\[([A-Za-z_][\w$]*|[%$][\w$]+)(?:\+(-?[1-9][0-9]{0,17}|0))?\]", re.A)
_OPERAND = re.compile(r"(?:[^,{\[]|\{[^}]*\}|\[[^\]]*\])+")
_RANGE = re.compile(r"([A-Za-z_%$][\w$]*)<([1-9][0-9]{0,5})>", re.A)
_ELEMENT = re.compile(r"[A-Za-z_][\w$]*|[%$][\w$]+|-?(?:0|[1-9][0-9]{0,17})", re.A)
_REGISTERS = re.compile(r"\.reg\s*(\.\w+)\s+([^;{}/=.\[\]()]+);", re.A)
_OFFSET = re.compile(r"-?[1-9][0-9]{0,8}|0", re.A).fullmatch
_PLACES: dict[Kind, Kind] = {}
_CONSTANTS: dict[str, Kind] = {}
_PREDICATE = TYPES["pred"]
_WORD = re.compile(r"[A-Za-z_$%][\w$]*", re.A)
_NO_OPERANDS: list[str] = []
_SILENT = (LINE, DATA)
_LABELLED = re.compile(r"\s*\.(?:branchtargets|calltargets|callprototype)\b")

GUARD_KIND = kinds.kind("guard", "a guard")
_NONE = kinds.floating(32, 32, "0f"), kinds.floating(64, 64, "0d")
_RESERVED = frozenset(("%pm", "%envreg", "%clock", "%reserved_smem_offset_"))
_POOL: dict[str, list[str]] = {}
_CONDITIONAL = re.compile(r"@!?([%$\w]+)\s+bra\b")
_FEW_LANES = re.compile(r"setp\.\w+\.\w+\s+([%$\w]+)\s*,\s*[%$\w]+\s*,\s*(?:[0-9a-fA-FxX]{1,4}|[^;]*[^\s;\w][^;]*);")
_MOST = 1 << 16
"""Ranges of registers larger than this are left to the precise reader."""


def pool(prefix: str, count: int) -> list[str]:
    """`prefix0`, `prefix1`, ... and so on: the names of a range, shared by all functions."""
    names = _POOL.setdefault(prefix, [])
    if len(names) < count:
        names += [f"{prefix}{i}" for i in range(len(names), count)]
    return names[:count]


def _constant(text: str) -> Kind | None:
    """The kind of a plain literal, or of a special register: what means the same everywhere."""
    if _INTEGER.fullmatch(text):
        return kinds.integer(int(text, 0))
    if _EXACT.fullmatch(text):
        return _NONE[len(text) > 10]
    if text[:1] == "%" and text[-2:-1] == "." and (special := SPECIAL_REGISTERS.get(text[1:-2])) is not None:
        return selected(kinds.special(special.type, 4), text[-1]) if special.vector and text[-1] in "xyzw" else None
    return None


class Kinds(dict[str, Kind]):
    """The kinds of operand texts in one function."""

    __slots__ = ("bases", "checker", "depth", "log", "pending", "scope")

    def __init__(self, checker: FunctionChecker, scope: Scope) -> None:
        super().__init__()
        self.checker = checker
        self.scope = scope  # what the header and the module declare
        self.bases: dict[str, Kind] = {}  # variables that the body declares, with their whole size
        self.pending: set[str] = set()  # names without declaration: labels, if all is well
        self.log: list[str] = []  # what to forget at the end of the block
        self.depth = 0

    def __missing__(self, text: str) -> Kind:
        first = text[:1]
        if first == "[":
            found = self._place(text) or self.read(text)
        elif first == "@":
            found = self._guard(text)
        else:
            found = _CONSTANTS.get(text) or self.read(text)
        self[text] = found
        if self.depth:
            self.log.append(text)
        return found

    def _place(self, text: str) -> Kind | None:
        """`[%rd1+16]`, by far the commonest of texts that are new: all registers of a type give one kind."""
        name, plus, offset = text[1:-1].partition("+")
        base = self.get(name)
        if base is None or text[-1] != "]" or (plus and not _OFFSET(offset)):
            return None
        found = _PLACES.get(base)
        if found is None and base.sort == kinds.REGISTER:
            found = _PLACES[base] = address(base, 0)
        return found

    def read(self, text: str) -> Kind:
        """The kind of an operand that was not seen before."""
        if _NAME.fullmatch(text):
            return self.name(text)
        if match := _ADDRESS.fullmatch(text):
            return address(self.known(match[1]), int(match[2] or 0))
        if (constant := _constant(text)) is not None:
            if len(_CONSTANTS) < _MOST:
                _CONSTANTS[text] = constant
            return constant
        if text[:1] == "{" and text[-1:] == "}":
            return self._list(text)
        stripped = text.strip()
        if stripped != text:
            return self[stripped] if stripped else kinds.UNREADABLE_KIND
        return self._precisely(text)

    def _guard(self, text: str) -> Kind:
        kind = self[text[2:] if text[1:2] == "!" else text[1:]]
        predicate = kind.sort == kinds.REGISTER and kind.type is _PREDICATE and kind.space != kinds.FRESH
        return GUARD_KIND if predicate else kinds.UNREADABLE_KIND

    def name(self, text: str) -> Kind:
        """The kind of a name that the body doesn't declare."""
        if text == "_":
            return kinds.SINK_KIND
        if text == "WARP_SZ":
            return kinds.integer(32)
        found = self._outside(text)
        if found is kinds.NAME_KIND:
            self.pending.add(text)
        return at(found, 0) if found.sort == kinds.VARIABLE else found

    def _outside(self, text: str) -> Kind:
        """What the header or the module says of a name; quicker than `module.kind` for labels, the commonest case."""
        module = self.checker.module
        if text[0] in "%" or self.scope.ranges or module.scope.ranges:
            return module.kind(text, self.scope)
        meaning = self.scope.names.get(text) or module.scope.names.get(text)
        if meaning is not None:
            return meaning.kind if isinstance(meaning, Memory) else kind_of_registers(meaning)
        return module.names.functions.get(text, kinds.NAME_KIND)

    def known(self, name: str) -> Kind:
        """The kind of a plain name, variables with their whole size."""
        found = self.bases.get(name)
        if found is None:
            found = self[name]
            if found.sort == kinds.VARIABLE:
                meaning = self.scope.names.get(name) or self.checker.module.scope.names.get(name)
                found = meaning.kind if isinstance(meaning, Memory) else self.checker.module.kind(name, self.scope)
        return found

    def _precisely(self, text: str) -> Kind:
        from openptx.source import File

        if "/" in text or ";" in text:
            return kinds.UNREADABLE_KIND
        operands, problem = read_operands(File("", text), (0, len(text)), "")
        if problem is not None or len(operands) != 1:
            return kinds.UNREADABLE_KIND
        return kind_of(operands[0], self.known)

    def _list(self, text: str) -> Kind:
        elements = [element.strip() for element in text[1:-1].split(",")]
        if not all(map(_ELEMENT.fullmatch, elements)):
            return self._precisely(text)
        repeated = len(set(elements)) < len(elements)
        return composed(kinds.LIST, tuple(map(self.__getitem__, elements)), repeated)

    def declare(self, names: list[str], kind: Kind, block: Block) -> bool:
        """Make names known as registers; False where this block declares one of them already."""
        if not self.keys().isdisjoint(names):
            if not self.depth or not block.own.isdisjoint(names):
                return False
            self.shadow(names, block)
        block.own.update(names)
        self.update(dict.fromkeys(names, kind))
        if self.depth:
            self.log += names
        return True

    def shadow(self, names: list[str], block: Block) -> None:
        """Names of an outer block get another meaning: forget all texts that hold them, until the block ends."""
        if block.saved is None:
            learnt = self.log[block.mark :]
            block.saved = {text: kind for text, kind in self.items() if text not in learnt}, self.bases.copy()
        hidden = re.compile("|".join(rf"(?<![\w$%]){re.escape(name)}(?![\w$])" for name in self.keys() & set(names)))
        for text in [text for text in self if hidden.search(text)]:
            del self[text]
            self.bases.pop(text, None)

    def settle(self, names: list[str], text: str) -> None:
        """These registers, of which `text` is the list, are written now."""
        for name in names:
            if kinds.has_fresh(kind := self[name]):
                self[name] = kinds.settled(kind)
        if text not in names:
            self.pop(text, None)

    def forget(self, block: Block) -> None:
        """Forget what was learnt in a block."""
        if block.saved is not None:
            outside = {
                text: now
                for text, kind in block.saved[0].items()
                if kind.space == kinds.FRESH
                and text not in block.own
                and (now := self.get(text)) is not None
                and now.space != kinds.FRESH
            }
            self.clear()
            self.update(block.saved[0])
            self.update(outside)  # what the block wrote
            self.bases = block.saved[1]
        else:
            for text in self.log[block.mark :]:
                self.pop(text, None)
                self.bases.pop(text, None)
        del self.log[block.mark :]


class Block:
    """An open block: its labels, the labels it needs, where the log was; its `own` registers, and what they hid."""

    __slots__ = ("labels", "mark", "own", "pending", "saved", "start", "tables")

    def __init__(self, mark: int, pending: set[str], start: int) -> None:
        self.mark = mark
        self.start = start
        self.pending = pending
        self.own: set[str] = set()
        self.saved: tuple[dict[str, Kind], dict[str, Kind]] | None = None
        self.labels: set[str] = set()
        self.tables: dict[str, BranchTargets | CallPrototype] = {}


class Plain:
    """One walk through a body. `accepts` is True where there is nothing to say, but of registers that nothing wrote."""

    def __init__(self, checker: FunctionChecker, scope: Scope) -> None:
        self.checker = checker
        self.names = Kinds(checker, scope)
        self.file = checker.function.file
        self.blocks = [Block(0, self.names.pending, checker.function.body[0] if checker.function.body else 0)]
        self.early: list[tuple[str, int]] = []  # registers that are read before they are written, and where
        self.shared = 0
        self.mark = 0  # where the last label stands
        self.labelled = False  # whether other paths than that of the text lead anywhere
        self.last: tuple[str | None, str | None] = None, None  # guard and opcode

    def accepts(self) -> bool:
        """Whether the whole body is right, without as much as a warning that takes a closer look."""
        body = self.checker.function.body
        offset: int | None = body[0] if body else None
        while offset is not None and body is not None:
            if offset >= body[1]:
                return self._ends()
            offset = self._run(offset, body[1])
        return False

    def _ends(self) -> bool:
        block = self.blocks[0]
        guard, opcode = self.last
        if guard is not None or opcode is None or opcode.partition(".")[0] not in ENDS:
            return False
        body = self.checker.function.body
        if len(self.blocks) > 1 or not block.pending <= block.labels or body is None:
            return False
        return self._tables(block) and self._unwritten()

    def _unwritten(self) -> bool:
        """Say which registers no path has written; False where there are paths to follow."""
        if self.early and self.labelled:
            return False
        for name, place in self.early:
            self.checker.unwritten(name, (place, place + len(name)))
        return True

    def _run(self, offset: int, end: int) -> int | None:
        """Plain statements from an offset on: where something else stopped the run, None if something is wrong."""
        names, verdicts = self.names, self.checker.verdicts
        lookup, judge = names.__getitem__, verdicts.__getitem__
        guard, opcode = self.last
        for match in STATEMENT.finditer(self.file.text, offset, end):
            kind = match.lastindex
            if kind == INSTRUCTION:
                guard, opcode, operands = match.group(2, 3, 4)
                if "{" in operands:
                    parts = _OPERAND.findall(operands.replace(", ", ","))
                elif "(" in operands:
                    return self._odd(match.end(1), match.end(), end)
                else:
                    parts = operands.replace(", ", ",").split(",") if operands else _NO_OPERANDS
                found = judge((opcode, *map(lookup, parts)))
                if found is not None:
                    if isinstance(found, Kind):
                        names[parts[0]] = found
                    elif found is SEVERAL:
                        names.settle(_WORD.findall(parts[0]), parts[0])
                    elif found is EARLY:
                        self._early(match, parts[0])
                    elif found is WAIT:
                        if guard is not None or self._diverges(match.start(3)):
                            return None
                    else:
                        return None if found else self._odd(match.end(1), match.end(), end)
                if guard is not None and lookup(guard) is not GUARD_KIND:
                    return None
            elif kind == REGISTERS:
                if not self._registers(match[7], match[8]):
                    return None
            elif kind in _SILENT:
                continue
            elif kind == LABEL and not _LABELLED.match(self.file.text, match.end(), end):
                labels = self.blocks[-1].labels
                if match[5] in labels:
                    return None
                labels.add(match[5])
                self.labelled, self.mark = True, match.end()
            elif kind == BRACE:
                if not self._brace(match[6], match.start(6)):
                    return None
            elif kind == END:
                break
            else:
                self.last = guard, opcode
                return self._odd(match.end(1), match.end(), end)
        self.last = guard, opcode
        return end

    def _early(self, match: re.Match[str], first: str) -> None:
        """A statement that reads a register which nothing wrote before it, in the order of the text."""
        names, start = self.names, match.start(4)
        written = len(first) if writes(match[3]) and first[:1] != "[" else 0
        for word in _WORD.finditer(match[4], written):
            kind = names.get(word[0])
            if kind is not None and kinds.has_fresh(kind):
                self.early.append((word[0], start + word.start()))
                names[word[0]] = kinds.settled(kind)
        if written:
            names.settle(_WORD.findall(first), first)

    def _registers(self, type: str, text: str) -> bool:
        """`.reg .b32 %r<5>, a, b;`."""
        vector = 1
        if type[1] == "v" and type[2:3].isdigit():
            if type[3:4] not in " \t":
                return False
            vector, type = int(type[2]), type[3:].lstrip()
        name = type[1:]
        if name not in FUNDAMENTAL or not self.checker.module.plain_type(name, vector):
            return False
        if vector > 1:
            return False  # rare; whether their elements are written is for the precise reader
        kind = kinds.fresh(TYPES[name])
        for part in text.split(","):
            part = part.strip()
            if match := _RANGE.fullmatch(part):
                count = int(match[2])
                if (
                    count > _MOST
                    or match[1] in _RESERVED
                    or not self.names.declare(pool(match[1], count), kind, self.blocks[-1])
                ):
                    return False
            elif (
                not _NAME.fullmatch(part)
                or self.checker.module.reserved(part)
                or not self.names.declare([part], kind, self.blocks[-1])
            ):
                return False
        return True

    def _brace(self, brace: str, offset: int) -> bool:
        names = self.names
        if brace == "{":
            names.pending = set()
            self.blocks.append(Block(len(names.log), names.pending, offset))
            names.depth += 1
            return True
        if len(self.blocks) == 1:
            return False
        block = self.blocks.pop()
        names.forget(block)
        names.depth -= 1
        names.pending = self.blocks[-1].pending
        names.pending |= block.pending - block.labels
        return self._tables(block)

    def _odd(self, start: int, until: int, end: int) -> int | None:
        """A statement that is not plain, by the precise reader."""
        found: list[tree.Statement] = []
        problems: list[Diagnostic] = []
        offset = read_statements(Cursor(self.file, start, end), until, found, problems, inside=True)
        if problems or not all(self._statement(statement) for statement in found):
            return None
        return max(offset, until)

    def _statement(self, statement: tree.Statement) -> bool:
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
                labels = self.blocks[-1].labels
                fresh = statement.name.text not in labels
                labels.add(statement.name.text)
                self.labelled = True
                return fresh
            case Location():
                return True
            case Pragma():
                from openptx.check.functions import PRAGMAS

                words = [string.value.split() for string in statement.strings]
                return all(word and word[0] in PRAGMAS for word in words)
            case _:
                return False

    def _instruction(self, instruction: tree.Instruction) -> bool:
        if instruction.problem is not None:
            return False
        known = self.names.known
        operands = instruction.operands
        given = tuple(kind_of(operand, known) for operand in operands)
        found = self.checker.verdicts[(instruction.opcode, *given)]
        if isinstance(found, tuple) and found:
            return False
        self.last = None if instruction.guard is None else "@", instruction.opcode
        first = 1 if operands and writes(instruction.opcode) and is_destination(operands[0], instruction) else 0
        if any(kinds.has_fresh(self.names[name.text]) for tree in operands[first:] for name in names_in(tree)):
            return False
        if first:
            self.names.settle([name.text for name in names_in(operands[0])], "")
        guard = instruction.guard
        if instruction.opcode in BARRIERS and (guard is not None or self._diverges(instruction.span[0])):
            return False
        if guard is not None and self.names["@" + guard.name.text] is not GUARD_KIND:
            return False
        if instruction.mnemonic != "call":
            return True
        from openptx.check.calls import fits

        tables = {name: table for block in self.blocks for name, table in block.tables.items()}
        return fits(self.checker, operands, known, tables)

    def _variable(self, declaration: Variable) -> bool:
        """A declaration of the body."""
        if declaration.space == "reg":
            match = _REGISTERS.fullmatch(declaration.text)
            return match is not None and self._registers(match[1], match[2])
        if declaration.space == "shared" and self._exceeds(declaration):
            return False
        found = self.checker.module.declarations.plain(declaration, "frame" if declaration.space == "param" else None)
        if found is None:
            return False
        names = self.names
        for name, kind in found:
            if name in names:
                return False
            names.bases[name] = kind
            names[name] = at(kind, 0)
            if names.depth:
                names.log.append(name)
        return True

    def _exceeds(self, declaration: Variable) -> bool:
        """Whether the shared memory of the body may be more than there is."""
        self.shared += bytes_of(declaration)
        return self.shared > shared_limit(self.checker.context)

    def _diverges(self, place: int) -> bool:
        """Whether a barrier stands behind a branch, without a label between, whose guard may split a warp."""
        text, start = self.file.text, self.blocks[0].start
        guards = {match[1] for match in _CONDITIONAL.finditer(text, max(start, self.mark), place)}
        return any(match[1] in guards for match in _FEW_LANES.finditer(text, start, place)) if guards else False

    def _table(self, table: BranchTargets | CallPrototype) -> bool:
        if table.label is None or table.label.text in self.names or table.label.text in self.blocks[-1].labels:
            return False
        name = table.label.text
        self.names[name] = kinds.TABLE_KINDS[table.name]
        if self.names.depth:
            self.names.log.append(name)
        self.blocks[-1].tables[name] = table
        if isinstance(table, BranchTargets) and table.name == "branchtargets":
            self.names.pending.update(
                name
                for target in table.targets
                for name in (
                    [target.text] if target.count is None else [f"{target.text}{i}" for i in range(target.count)]
                )
            )
        return True

    def _tables(self, block: Block) -> bool:
        """Whether the functions in `.calltargets` are known."""
        functions = self.checker.module.names.functions
        return all(
            target.text in functions
            for table in block.tables.values()
            if isinstance(table, BranchTargets) and table.name == "calltargets"
            for target in table.targets
        )
