"""The fast way through a function: one lookup a statement. It may only accept; whatever it doesn't is read precisely.

Operands are texts, and a dictionary knows their kinds; opcode and kinds are a key, and a dictionary knows the verdict.
Both fill up as they are asked. Blocks are undone at their `}` by a log, not by a chain of dictionaries.
"""

from __future__ import annotations

import re
from itertools import compress, count, islice

from openptx.check import kinds
from openptx.check.budgets import bytes_of, shared_limit
from openptx.check.divergence import BARRIERS
from openptx.check.flow import ENDS, is_destination, names_in, writes
from openptx.check.kinds import Kind, composed
from openptx.check.names import Memory
from openptx.check.names import kind_of as kind_of_registers
from openptx.check.reading import address, at, kind_of, selected
from openptx.check.verdicts import FINE
from openptx.isa.special_registers import SPECIAL_REGISTERS
from openptx.isa.types import FUNDAMENTAL, TYPES
from openptx.source import File
from openptx.syntax import tree
from openptx.syntax.body import read_statements
from openptx.syntax.declarations import Variable
from openptx.syntax.directives import BranchTargets, CallPrototype, Location, Pragma
from openptx.syntax.precise import read_operands
from openptx.syntax.statements import DATA, END, INSTRUCTION, LABEL, LINE, REGISTERS, ROWS, STATEMENT
from openptx.syntax.tokens import Cursor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from openptx.check.functions import FunctionChecker
    from openptx.check.scopes import Scope
    from openptx.diagnostics import Diagnostic
    from openptx.syntax import operands as text_of

    Place = tuple[int, int, int]
    """What was read in one go, from where to where, and the number of a row in it."""

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
_SILENT = (LINE, DATA)
_FINE = {FINE}
_CUT = re.compile(r";\r?\n")
_CHUNK = 30_000
"""About how many characters are read in one go: rows take twenty times their memory."""

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
    """The kinds of operand texts in one function. Registers are in it from where they are first written."""

    __slots__ = ("bases", "checker", "declared", "depth", "heads", "log", "pending", "scope")

    def __init__(self, checker: FunctionChecker, scope: Scope) -> None:
        super().__init__()
        self[""] = kinds.ABSENT_KIND
        self.checker = checker
        self.scope = scope  # what the header and the module declare
        self.declared: dict[str, Kind] = {}  # registers
        self.heads = Heads(self)
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
        elif (register := self.declared.get(text)) is not None and register.type is not None:
            return kinds.fresh(register.type)
        else:
            found = _CONSTANTS.get(text) or self.read(text)
        if not kinds.has_fresh(found):
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
        if kind.sort != kinds.REGISTER or kind.type is not _PREDICATE:
            return kinds.UNREADABLE_KIND
        return kind if kinds.has_fresh(kind) else kinds.GUARD_KIND

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
        if not (self.declared.keys().isdisjoint(names) and self.keys().isdisjoint(names)):
            if not self.depth or not block.own.isdisjoint(names):
                return False
            self.shadow(names, block)
        self.declared.update(dict.fromkeys(names, kind))
        if self.depth:
            block.own.update(names)
            self.log += names
        return True

    def shadow(self, names: list[str], block: Block) -> None:
        """Names of an outer block get another meaning: forget all texts that hold them, until the block ends."""
        if block.saved is None:
            learnt = set(self.log[block.mark :])
            block.saved = tuple(
                {text: kind for text, kind in known.items() if text not in learnt}
                for known in (self, self.declared, self.bases)
            )
        known = self.keys() | self.declared.keys()
        hidden = re.compile("|".join(rf"(?<![\w$%]){re.escape(name)}(?![\w$])" for name in known & set(names)))
        for text in [text for text in self if hidden.search(text)]:
            del self[text]
            self.bases.pop(text, None)
        self.heads.clear()

    def settle(self, names: Iterable[str]) -> None:
        """These registers are written now; those of them that are registers."""
        for name in names:
            if name not in self and (kind := self.declared.get(name)) is not None:
                self[name] = kind

    def forget(self, block: Block) -> None:
        """Forget what was learnt in a block, but what was written in it."""
        if block.saved is not None:
            written = self.keys() & self.declared.keys() - block.own
            self.clear()
            self.update(block.saved[0])
            self.declared, self.bases = block.saved[1:]
            self.settle(written)
            self.heads.clear()
        else:
            for text in self.log[block.mark :]:
                for known in (self, self.declared, self.bases, self.heads):
                    known.pop(text, None)
        del self.log[block.mark :]


class Heads(dict[str, Kind]):
    """The kinds of first operands. A register that is asked for the first time becomes known as written."""

    __slots__ = ("names",)

    def __init__(self, names: Kinds) -> None:
        super().__init__()
        self.names = names

    def __missing__(self, text: str) -> Kind:
        names = self.names
        register = names.declared.get(text)
        if register is not None:
            self[text] = names[text] = register
            return register
        if "|" in text:
            names.settle(text.split("|"))
        found = names[text]
        if not kinds.has_fresh(found):
            self[text] = found
            if names.depth:
                names.log.append(text)
        return found


class Block:
    """An open block: its labels, the labels it needs, where the log was; its `own` registers, and what they hid."""

    __slots__ = ("labels", "mark", "own", "pending", "saved", "tables")

    def __init__(self, mark: int, pending: set[str]) -> None:
        self.mark = mark
        self.pending = pending
        self.own: set[str] = set()
        self.saved: tuple[dict[str, Kind], ...] | None = None
        self.labels: set[str] = set()
        self.tables: dict[str, BranchTargets | CallPrototype] = {}


class Plain:
    """One walk through a body. `accepts` is True where there is nothing to say, but of registers that nothing wrote."""

    def __init__(self, checker: FunctionChecker, scope: Scope) -> None:
        self.checker = checker
        self.names = Kinds(checker, scope)
        self.file = checker.function.file
        self.blocks = [Block(0, self.names.pending)]
        self.start = checker.function.body[0] if checker.function.body else 0
        self.early: list[tuple[str, int]] = []  # registers that are read before they are written, and where
        self.shared = 0
        self.mark: Place = 0, 0, 0  # where the last label stands
        self.labelled = False  # whether other paths than that of the text lead anywhere
        self.last: tuple[str | None, str | None] = None, None  # guard and opcode
        self.place: Place = 0, 0, 0  # of a row that is read alone
        self.first: dict[str, int] = {}  # of the rows that are looked at again, those that write registers first
        self.row = 0  # the one that is looked at

    def accepts(self) -> bool:
        """Whether the whole body is right, without as much as a warning that takes a closer look."""
        body = self.checker.function.body
        if body is None:
            return False
        text, end = self.file.text, body[1]
        offset: int | None = body[0]
        while offset is not None and offset < end:
            cut = _CUT.search(text, offset + _CHUNK, end)
            stop = end if cut is None or text.find("/*", offset, cut.end()) >= 0 else cut.end()
            while offset is not None and offset < stop:
                offset = self._rows(offset, stop, end)
        return offset is not None and self._ends()

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

    def _rows(self, offset: int, stop: int, end: int) -> int | None:
        """The statements between two offsets: where to go on, None if something is wrong."""
        rows = ROWS.findall(self.file.text, offset, stop)
        guards, opcodes, a, b, c, d, others = zip(*rows, strict=True)
        names, heads = self.names, self.names.heads
        look, write, judge = names.__getitem__, heads.__getitem__, self.checker.verdicts.rows.__getitem__
        # Lazily, a row at a time: what another statement declares changes what the names behind it mean.
        # First operands come last, as a register is known from where it is first written.
        keys = zip(opcodes, map(look, guards), map(look, b), map(look, c), map(look, d), map(write, a), strict=True)
        found = map(judge, keys)
        begin = 0
        for i in (*compress(count(), others), len(rows)):
            if begin < i:
                before = len(names)
                said = list(islice(found, i - begin))
                if set(said) != _FINE and not self._closely(rows[begin:i], said, before, (offset, stop, begin)):
                    return None
                last = i - 1
                while last > begin and not opcodes[last]:
                    last -= 1
                if opcodes[last]:
                    self.last = guards[last] or None, opcodes[last]
            if i < len(rows):
                self.place = offset, stop, i
                fine = self._other(others[i])
                if not fine:
                    return None if fine is False else self._odd(stop - len(others[i]), end)
                next(found)
            begin = i + 1
        return stop

    def _closely(self, rows: list[tuple[str, ...]], said: list[str], before: int, place: Place) -> bool:
        """Rows that are not all fine: some read their first operand, or what is not written yet, or are not plain."""
        new = set(islice(self.names, before, None))
        heads = [(name, number) for number, row in enumerate(rows) for name in row[2].split("|") if name in new]
        self.first = dict(reversed(heads))
        offset, stop, begin = place
        matches = islice(ROWS.finditer(self.file.text, offset, stop), begin, begin + len(rows))
        for number, (verdict, match) in enumerate(zip(said, matches, strict=True)):
            self.row = number
            if verdict is not FINE and self._precise(self.file, match.start(), match.end(), match.end()) is None:
                return False
        self.first.clear()
        return True

    def _other(self, text: str) -> bool | None:
        """A brace, a label, registers, an instruction whose operands are more than names. None: something else."""
        if text in ("{", "}"):
            return self._brace(text)
        if text[-1] == ":" and _NAME.fullmatch(text, 0, len(text) - 1):
            return self._label(text[:-1])
        match = STATEMENT.match(text)
        kind = match.lastindex if match is not None and match.end() == len(text) else None
        if match is None or kind not in (INSTRUCTION, LABEL, REGISTERS):
            return None
        if kind == LABEL:
            return self._label(match[5])
        if kind == REGISTERS:
            return self._registers(match[7], match[8])
        return self._listed(text, match[2], match[3], match[4].replace(", ", ","))

    def _listed(self, text: str, guard: str | None, opcode: str, operands: str) -> bool:
        """An instruction with a list, or with blanks or comments between its operands."""
        names = self.names
        parts = _OPERAND.findall(operands) if "{" in operands else operands.split(",")
        if "(" in operands or ",".join(parts) != operands or "" in parts:
            return self._alone(text)
        first = 1 if writes(opcode) and parts[0][0] != "[" else 0
        given = [names[part] for part in (guard or "", *parts[first:])]
        if any(map(kinds.has_fresh, given)):
            return self._alone(text)
        if first:
            names.settle(_WORD.findall(parts[0]))
            given.insert(1, names[parts[0]])
        if self.checker.verdicts[(opcode, *given[1:])] is not None:
            return self._alone(text)
        self.last = guard, opcode
        return given[0] is (kinds.GUARD_KIND if guard else kinds.ABSENT_KIND)

    def _label(self, name: str) -> bool:
        self.labelled, self.mark = True, self.place
        labels = self.blocks[-1].labels
        fresh = name not in labels
        labels.add(name)
        return fresh

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
        kind = kinds.register(TYPES[name])
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

    def _brace(self, brace: str) -> bool:
        names = self.names
        if brace == "{":
            names.pending = set()
            self.blocks.append(Block(len(names.log), names.pending))
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

    def _odd(self, start: int, end: int) -> int | None:
        """A statement of which rows know nothing: a directive, a declaration, a label of one."""
        self.place = start, start, 0
        match = STATEMENT.match(self.file.text, start, end)
        if match is None or match.lastindex in _SILENT or match.lastindex == END:
            return match and match.end()
        return self._precise(self.file, start, match.end(), end)

    def _alone(self, text: str) -> bool:
        """One statement, by the precise reader."""
        return self._precise(File("", text), 0, len(text), len(text)) is not None

    def _precise(self, file: File, start: int, until: int, end: int) -> int | None:
        found: list[tree.Statement] = []
        problems: list[Diagnostic] = []
        offset = read_statements(Cursor(file, start, end), until, found, problems, inside=True)
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
                return self._label(statement.name.text)
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
        first = 1 if operands and writes(instruction.opcode) and is_destination(operands[0], instruction) else 0
        guard = instruction.guard
        read = [name for operand in operands[first:] for name in names_in(operand)]
        self._read(read if guard is None else [guard.name, *read], instruction)
        if first:
            self.names.settle(name.text for name in names_in(operands[0]))
        given = tuple(kind_of(operand, known) for operand in operands)
        if self.checker.verdicts[(instruction.opcode, *given)]:
            return False
        self.last = None if guard is None else "@", instruction.opcode
        if instruction.opcode in BARRIERS and (
            guard is not None or self._diverges(self._base(instruction.file) + instruction.span[0])
        ):
            return False
        if guard is not None and self.names["@" + guard.name.text] is not kinds.GUARD_KIND:
            return False
        if instruction.mnemonic != "call":
            return True
        from openptx.check.calls import fits

        tables = {name: table for block in self.blocks for name, table in block.tables.items()}
        return fits(self.checker, operands, known, tables)

    def _read(self, names: list[text_of.Name], instruction: tree.Instruction) -> None:
        """Take down which of these names are registers that nothing has written."""
        for name in names:
            if name.text not in self.names.declared:
                continue
            first = self.first.get(name.text, -1)
            if first >= self.row or name.text not in self.names:
                self.first.pop(name.text, None)
                self.early.append((name.text, self._base(instruction.file) + name.span[0]))
                self.names.settle((name.text,))

    def _base(self, file: File) -> int:
        """What to add to offsets in a statement that is read as a file of its own."""
        return 0 if file is self.file else self._offset(self.place)

    def _offset(self, place: Place) -> int:
        """Where a row begins. Found again, since few ask for it."""
        offset, stop, row = place
        match = next(islice(ROWS.finditer(self.file.text, offset, stop), row, None))
        return match.start(7) if stop > offset else offset

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
        text, start = self.file.text, self.start
        guards = {match[1] for match in _CONDITIONAL.finditer(text, max(start, self._offset(self.mark)), place)}
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
