"""Walks a body as rows of strings: whole columns are looked up at once, in statement order."""

from __future__ import annotations

from itertools import compress, count, islice

from openptx.check.fast import tables
from openptx.check.fast.barrier_uniformity import BarrierUniformity
from openptx.check.fast.blocks import apply, block_memo, form_of
from openptx.check.fast.classify import OperandClassifier
from openptx.check.fast.first_operands import FirstOperands
from openptx.check.fast.statements import StatementReader
from openptx.check.flow.reads_writes import assigns, ends
from openptx.check.forms.addresses import guarded_parameter
from openptx.check.forms.verdicts import BARRIER, FINE, READS_FIRST
from openptx.check.operand.kinds import PREDICATE_KIND
from openptx.late import late
from openptx.source import File
from openptx.syntax.lexical import words
from openptx.syntax.row_lexer import FIRST, GUARD, LABEL, OPCODE, OTHER, Chunk, chunk_end
from openptx.syntax.statement_lexer import landmarks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.check.checked import CheckedFunction
    from openptx.check.explain.report import stated
    from openptx.check.fast.definite_assignment import control_transfers, early_reads, mentions
    from openptx.check.fast.file_memo import FileMemo
    from openptx.diagnostics import Diagnostic
    from openptx.syntax.row_lexer import Row
else:
    control_transfers = late("openptx.check.fast.definite_assignment", "control_transfers")
    early_reads = late("openptx.check.fast.definite_assignment", "early_reads")
    mentions = late("openptx.check.fast.definite_assignment", "mentions")
    stated = late("openptx.check.explain.report", "stated")

_MAX_BLOCK_MEMOS = 1 << 12
"""The maximum number of memoised forms of blocks."""
_COMMENT_DISTANCE = 1 << 12
"""How far, in characters, a comment is searched for in a statement that is not a row."""


class FastPath:
    """The fast path's walk through one body."""

    def __init__(self, checked: CheckedFunction, memo: FileMemo) -> None:
        self.checked, self.memo = checked, memo
        self.body = checked.tree.body or (0, 0)
        self.file = memo.uncommented or checked.tree.file
        self.names = OperandClassifier(checked)
        self.barriers = BarrierUniformity(self.file.text, self.body)
        self.reader = StatementReader(checked, memo, self.names, self.barriers)
        self.doubts: list[int] = []  # where instructions end that may be wrong, in text order
        self.doubt_in_block = False  # whether there is one in the current block
        self.maybe_unwritten: set[str] = set()  # registers that are read before a write may have reached them
        self.unwritten: list[tuple[str, int]] = []  # registers that nothing writes, each with the position of a read
        self.falls_through = False  # whether control may reach the end of the body
        self.warnings: list[Diagnostic] = []  # about rows that are otherwise correct
        self.missing: set[str] = set()  # undeclared names

    def accepts(self) -> bool:
        """Whether the whole body is certainly correct, except for `warnings`, `unwritten`, `falls_through`, `doubts`,
        `maybe_unwritten` and `missing`. Can be called once.

        False means that nothing is known, so the full checker must read all of it.
        """
        fine = self._accepts_statements() and self._ends()
        self.names.release()
        early = self.names.read_before_written
        if fine and early:
            self._classify_early_reads(early)
        return fine

    def _classify_early_reads(self, early: set[str]) -> None:
        """Which of the registers that are read before they are written, in text order, are unwritten."""
        memo, file = self.memo, self.file
        if memo.uncommented is None and file.text.find("/*", *self.body) >= 0:  # a comment may look like code
            file = memo.without_comments(file)
        header = self.checked.header  # the caller writes these registers
        several = early if header.ranges else early & (self.names.block_names | header.names.keys())
        reads = early_reads(file.text, self.body, early - several)
        self.unwritten = reads.unwritten
        self.maybe_unwritten = reads.maybe_unwritten | several

    def doubtful_positions(self) -> list[int]:
        """Where the full checker must look in an accepted body; empty if all of it is correct."""
        if not (self.doubts or self.maybe_unwritten or self.missing):
            return []
        text, body = self.file.text, self.body
        found = {*self.doubts, *landmarks(text, body)}
        if self.maybe_unwritten:
            found.update(control_transfers(text, body))
        if names := self.maybe_unwritten | self.missing:
            found.update(match.start() for match in mentions(text, body, names))
        return sorted(found)

    def _accepts_statements(self) -> bool:
        text, (offset, end) = self.file.text, self.body
        while offset < end:
            stop = chunk_end(text, offset, end)
            while offset < stop:
                after = self._read_rows(Chunk(self.file, offset, stop), end)
                if after is None:
                    return False
                offset = after
        return True

    def _accepts_block(self, text: str) -> bool:
        """A whole block. One with the key of an accepted block is accepted."""
        memos, form = self.checked.verdicts.block_memos, form_of(text, self.names, self.memo)
        known = memos.get(form[0]) if form is not None else None
        if known is not None and form is not None and apply(known, form[1], self.names):
            self.reader.last = known.last_instruction or self.reader.last
            return True
        self.names.open()
        offset: int | None = 1
        while offset is not None and offset < len(text):
            offset = self._read_rows(Chunk(File("", text), offset, len(text), inner=True), len(text))
        if offset is None:
            return False
        if self.doubt_in_block:
            self.doubt_in_block, self.reader.doubt = False, True
            return False
        if form is not None and form[0] not in memos and len(memos) < _MAX_BLOCK_MEMOS:
            memos[form[0]] = block_memo(text, *form, self.names)
        return True

    def _note_doubtful_row(self, chunk: Chunk, number: int) -> bool:
        """If instructions of a row may be wrong, and nothing else: notes that, and returns True."""
        if not self.reader.doubt:
            return False
        match = chunk.match(number)
        self._note_doubt(chunk, match.start(OPCODE) if match[OPCODE] else match.start(OTHER), match.end())
        return True

    def _note_doubt(self, chunk: Chunk, start: int, end: int) -> None:
        """Instructions between two positions may be wrong. The full checker reads them later."""
        self.reader.doubt = False
        if chunk.inner:
            self.doubt_in_block = True
            return
        text = self.file.text
        while (start := text.find(";", start, end) + 1) > 0:
            self.doubts.append(start - 1)

    def _ends(self) -> bool:
        """Whether the end of the body is certainly understood: all labels exist, and `falls_through` is known."""
        last, blocks = self.reader.last, self.names.blocks
        if len(blocks) > 1:
            return False
        self.falls_through = last is None or bool(last[0]) or not ends(last[1].partition(".")[0])
        if self.falls_through and self.doubts:  # the last instruction may be a doubtful one
            return False
        self.missing = blocks[0].undefined_labels - blocks[0].labels
        return tables.has_known_callees(blocks[0], self.names)

    def _read_rows(self, chunk: Chunk, end: int) -> int | None:
        """Reads the statements of a chunk. Returns where to continue; None if something may be wrong."""
        rows, names, definitions = chunk.rows, self.names, self.names.definitions
        guards, opcodes, a, b, c, d, e, labels, others = zip(*rows, strict=True)
        # Lazily, a row at a time, because another statement's declarations change the meaning of names after it. First
        # operands come last, and become known as written.
        look = names.__getitem__
        written = map(names.setdefault, a, map(definitions.__getitem__, a))
        keys = zip(
            opcodes, map(look, guards), map(look, b), map(look, c), map(look, d), map(look, e), written, strict=True
        )
        found = map(self.checked.verdicts.rows.__getitem__, keys)
        begin = 0
        flat = {"{", "}"}.isdisjoint(filter(None, others))  # if all labels belong to this block
        if flat and not names.labels(list(filter(None, labels))):
            return None
        marks = iter((*(() if flat else compress(count(), labels)), len(rows)))
        mark = next(marks)
        for i in (*compress(count(), others), len(rows)):
            if begin == i:
                next(found, None)
            else:  # together with that of the other statement, which passes because it has no opcode
                before = len(names)
                verdicts = list(islice(found, i - begin + 1))
                if verdicts.count(FINE) != len(verdicts) and not self._look_closer(chunk, verdicts, begin, before):
                    return None
                while mark < i:
                    if not names.label(labels[mark]):
                        return None
                    mark = next(marks)
            if i < len(rows):
                other = others[i]
                fine = (
                    self._accepts_block(other) if other[0] == "{" and len(other) > 1 else self.reader.statement(other)
                )
                if not fine and not self._note_doubtful_row(chunk, i):
                    self._note_passed(chunk, i, known=False, more=True)
                    if flat:
                        names.withdraw(filter(None, labels[i:]))
                    return None if fine is False else self._read_other(chunk, i, end)
            begin = i + 1
        self._note_passed(chunk, len(rows), known=True, more=chunk.end < end)
        return chunk.end

    def _read_other(self, chunk: Chunk, number: int, end: int) -> int | None:
        """A statement that is not a row: it and the rest of the text are one row. Returns where to continue."""
        start = chunk.match(number).start(OTHER)
        if self._hides_comments(chunk, start, end):
            return start
        after = self.reader.other(chunk.file, start, end)
        if self.reader.doubt and after is not None:
            self._note_doubt(chunk, start, after)
        return after

    def _hides_comments(self, chunk: Chunk, start: int, end: int) -> bool:
        """Whether a comment in a statement was blanked out, so that it may be a row now: for this body and later
        ones."""
        memo, text, stop = self.memo, chunk.file.text, min(start + _COMMENT_DISTANCE, end)
        if chunk.inner or memo.uncommented is not None or text.find("/", start, text.find(";", start, stop)) < 0:
            return False
        self.file = memo.without_comments(chunk.file)
        self.barriers.text = self.file.text
        return True

    def _note_passed(self, chunk: Chunk, number: int, *, known: bool, more: bool) -> None:
        """All rows before this one are correct. `more` follows them, which is a row if `known`."""
        rows = chunk.rows
        if more and not chunk.inner:
            self.barriers.note_passed(rows, number, known=known)
        while number:
            number -= 1
            row = rows[number]
            if row[OPCODE - 1]:
                self.reader.last = row[GUARD - 1], row[OPCODE - 1]
                return
            other = row[OTHER - 1]
            if len(other) > 1 and other[0] != "." and not tables.TABLE.match(other):
                return  # an instruction or a block, which the reader has recorded

    def _look_closer(self, chunk: Chunk, verdicts: list[str], begin: int, before: int) -> bool:
        """Rows that are not all accepted, from `begin` on: some read their first operand, or need a second look."""
        rows = chunk.rows
        first = FirstOperands(self.names, rows, begin, before)
        for number, verdict in enumerate(verdicts, begin):
            if verdict is FINE:
                continue
            row = rows[number]
            if not assigns(row[OPCODE - 1]) and (read := words(row[FIRST - 1])):
                first.note_read(read, number)
            if verdict is READS_FIRST:
                continue
            if verdict is BARRIER:
                if not self.barriers.never_splits if chunk.inner else self.barriers.diverges(rows, number):
                    return False
                continue
            right = self._is_correct(row)
            if right is False and not chunk.inner and self._has_only_warnings(chunk, number):
                continue
            if right is None and not self._as_statement(chunk, number):
                return False
            self.reader.doubt = self.reader.doubt or right is False
            self._note_doubtful_row(chunk, number)
        return True

    def _has_only_warnings(self, chunk: Chunk, number: int) -> bool:
        """Whether a row has only warnings that its kinds decide. They are recorded."""
        row, names, verdicts = chunk.rows[number], self.names, self.checked.verdicts
        given = [names[text] for text in row[FIRST - 1 : LABEL - 1] if text]
        if row[GUARD - 1] and (names[row[GUARD - 1]] is not PREDICATE_KIND or guarded_parameter(given) is not None):
            return False
        plain = verdicts.plain_warnings((row[OPCODE - 1], *given))
        if not plain:
            return False
        match, file = chunk.match(number), self.checked.tree.file
        for problem in plain:
            span = match.span(FIRST + problem.where[0] if problem.where else OPCODE)
            self.warnings.append(stated(problem, file, span))
        return True

    def _as_statement(self, chunk: Chunk, number: int) -> bool:
        """Reads a row as a statement: its address was cut after the base, which may not be a register."""
        match, text = chunk.match(number), chunk.file.text
        start = match.start(OPCODE) if not match[GUARD] else text.rfind("@", 0, match.start(GUARD))
        if self.reader.statement(text[start : match.end()]) or self.reader.doubt:
            return True
        return self.reader.parse(chunk.file, match.start(), match.end(), match.end()) is not None

    def _is_correct(self, row: Row) -> bool | None:
        """Whether an instruction is correct: False if it may be wrong, None if more than its constants decides."""
        names, verdicts = self.names, self.checked.verdicts
        texts = [text for text in row[FIRST - 1 : LABEL - 1] if text]
        given = [names[text] for text in texts]
        if row[GUARD - 1] and (names[row[GUARD - 1]] is not PREDICATE_KIND or guarded_parameter(given) is not None):
            return False
        key = row[OPCODE - 1], *given
        return not verdicts[key] and (verdicts.constants(key, texts) in verdicts.valued or None)
