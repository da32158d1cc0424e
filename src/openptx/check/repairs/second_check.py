"""Checks a wrong file again with each fix in it: this proves fixes, finds those of syntax errors, and tells which
errors are consequences of others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from openptx.check.explain.wrong_declarations import one_cause
from openptx.check.repairs.brace_edits import move_to_fix
from openptx.check.repairs.consequences import begins_block_of_c, consequences, continued
from openptx.check.repairs.duplicate_edits import DUPLICATES
from openptx.check.repairs.errors import GATES, OF_OPCODES, Errors, count_by_key, is_syntax, key
from openptx.check.repairs.excerpt import excerpt
from openptx.check.repairs.file_errors import ELSEWHERE, OF_FUNCTIONS, FileErrors, subject
from openptx.check.repairs.fix_candidates import EDITED, fix_candidates
from openptx.check.repairs.general_advice import advised
from openptx.check.repairs.line_shapes import Rewritten
from openptx.diagnostics import SUGGESTION, Diagnostic, Fix
from openptx.diagnostics.edits import edits_of
from openptx.diagnostics.kinds import CUT_OFF, UNDECLARED
from openptx.patterns import pattern
from openptx.source import File, Span
from openptx.syntax.lexical import LETTER, STRING, words

ROOM = 400_000
"""Characters of an excerpt of the file that are checked again, all in all."""
_PER_ERROR = 200
"""How many characters an error counts as, since it takes longer to check than what is correct."""
_LONGEST = 1 << 22
"""Characters of a file that is checked again."""
_BLANKS = 16
"""How many characters of an excerpt's blanks count as one."""
_PROOFS = 1 << 21
"""Characters of whole files that are checked again, to prove what was found in an excerpt."""
_MOST = 8
"""The most fixes that one is completed by."""

_DECLARING = EDITED | {
    "misplaced-statement", "initializer", "state-space-place", "alignment", "array-size", "register-type",
    "duplicate-name", "invalid-name",
}  # fmt: skip
"""Errors of statements that may declare a name."""
_QUOTED = pattern(STRING)
_GUESS = pattern(r"did you mean `([^`]+)`\?\Z")
_IN_WORD = pattern(rf"{LETTER}|[%.]", re.A)
_BRACES = frozenset(("unclosed-brace", "unmatched-brace", "missing-semicolon"))
_REPLACED = OF_OPCODES | DUPLICATES
"""Errors whose message is replaced by the cause that was found."""
_FOREIGN = frozenset(("unknown-instruction", "missing-type"))
"""Errors of a statement that a `;` would not make an instruction."""

CheckText = Callable[[str], list[Diagnostic]]
"""The findings in another text."""


class SecondCheck:
    """The errors of one file, and what is left of them where one is fixed. `room`: another limit than `ROOM`."""

    def __init__(
        self, file: File, bodies: list[Span], found: list[Diagnostic], check_text: CheckText, room: int | None
    ) -> None:
        self.file, self.found, self.check_text = file, found, check_text
        self.errors = FileErrors(file, bodies, found)
        self.left, self.proofs = ROOM if room is None else room, _PROOFS
        self.names = frozenset[str]()
        """The names in the file, once a second check is made."""
        self.text, self.size = file.text, len(file.text)

    def settled(self) -> list[Diagnostic]:
        """The findings without those that are consequences of others, and with the fixes that were found."""
        if len(self.file.text) > _LONGEST:
            return self.found
        self.names = frozenset(words(_QUOTED.sub("", self.file.text)))
        self._take_excerpt()
        fixed: dict[int, Diagnostic] = {}
        caused = {id(each) for error in self.errors.all for each in self._consequences(error)}
        for one, misuses in self._wrong_declarations():
            fixed[id(misuses[0])] = one
            caused.update(id(each) for each in misuses[1:])
        for error in sorted(self.errors.all, key=lambda error: not is_syntax(error)):  # these are the cause of others
            if id(error) in caused or id(error) in fixed:
                continue
            fix, remaining = self._best_fix(error)
            if fix is not error.fix:
                fixed[id(error)] = _explained(error, fix)
            if remaining is None:
                vanished = self._errors_about_names(error)
            else:
                vanished = self._vanished_errors(error, remaining, fix is not error.fix)
            caused.update(map(id, vanished))
        left = [fixed.get(id(each), each) for each in self.found if id(each) not in caused]
        foreign = {each.location[0] for each in left if each.name in _FOREIGN and each.fix is None}
        return [advised(each) for each in left if each.name != "missing-semicolon" or each.location[0] not in foreign]

    def _consequences(self, error: Diagnostic) -> Iterator[Diagnostic]:
        """The errors that another one causes by its nature, whatever its fix is."""
        yield from consequences(self.errors, error)
        if begins_block_of_c(error):
            yield from self._errors_of_line(error)
            yield from continued(self.errors, error)

    def _wrong_declarations(self) -> Iterator[tuple[Diagnostic, list[Diagnostic]]]:
        """The errors of declarations with the misuses that they cause: another type cures all of these, and is wrong
        nowhere else."""
        for one, misuses in one_cause(self.errors.all, self.errors.body):
            self.proofs -= len(self.file.text)
            if self.proofs < 0:
                return
            remaining = count_by_key(self._errors(_apply_fix(self.file.text, one)))
            if remaining == self.errors.known - count_by_key(misuses):
                yield one, misuses

    def _take_excerpt(self) -> None:
        """Takes an excerpt for the text that is checked again, if it has the same errors."""
        labels = (label.span for each in self.errors.all for label in each.labels)
        fixed = (span for each in self.errors.all for span, _ in edits_of(each))
        places = {start for start, _ in (*(each.span for each in self.errors.all), *labels, *fixed)}
        short = excerpt(self.file.text, {self.file.location(start)[0] for start in places})
        if count_by_key(self._errors(short)) == self.errors.known:
            blanks = short.count(" ")
            self.text, self.size = short, len(short) - blanks + blanks // _BLANKS

    def _errors_of_line(self, error: Diagnostic) -> Iterator[Diagnostic]:
        """The errors that are gone without the line of one: of the block that it begins."""
        start, end = self.errors.line(error)
        if any(each.name in _BRACES for each in self.errors.all) and self._spend():
            left = count_by_key(self._errors(self.text[:start] + " " * (end - start) + self.text[end:]))
            yield from (each for each in self.errors.all if each is not error and not left[key(each)])

    def _best_fix(self, error: Diagnostic) -> tuple[Fix | None, Errors | None]:
        """The fix of an error with which the fewest errors remain, and these; its own, and None, if none is proven."""
        own, best = error.fix, None
        if self.left < 0 or (error.kind == CUT_OFF and own is None):
            return own, None  # edits are not even searched for
        start, end = self.errors.line(error)
        self.left -= end - start  # which the search reads
        of_calls = self._errors_about_calls(error)
        for fix in fix_candidates(self.errors, error):
            if (completed := self._proven(error, fix)) is None:
                break
            text, errors = completed
            remaining = count_by_key(errors)
            wrong_calls = not of_calls.isdisjoint(remaining)
            if wrong_calls or not self._cures(error, remaining):
                if fix is error.fix and (wrong_calls or self._spoils(error, errors)):
                    own = None
                continue
            if best is None or remaining.total() < best[1].total():
                best = self._whole(error.advising(error.help, fix), fix, text), remaining
            if not remaining or (fix is error.fix and not self._doubtful(error, errors)):
                break
        return best or (own, None)

    def _proven(self, error: Diagnostic, fix: Fix) -> tuple[str, list[Diagnostic]] | None:
        """`_completed` for the excerpt and, if the error is gone there, for the whole file; None if there is no
        room for that."""
        if not self._spend():
            return None
        completed = self._completed(self.text, error, fix)
        if self.text is self.file.text or not self._cures(error, count_by_key(completed[1])):
            return completed
        self.proofs -= len(self.file.text)
        return self._completed(self.file.text, error, fix) if self.proofs >= 0 else None

    def _cures(self, error: Diagnostic, remaining: Errors) -> bool:
        """Whether an error is gone, and no new one is there."""
        return not remaining - self.errors.known and remaining[key(error)] < self.errors.known[key(error)]

    def _doubtful(self, error: Diagnostic, left: list[Diagnostic]) -> bool:
        """Whether another edit may be better than the error's own fix: its line has still an error, or a label is
        missing, or hidden in a block that it made of what follows; or a function that stands before the brace."""
        row = error.location[0]
        if error.name == "unclosed-brace" and any(each.name == "unknown-function" for each in left):
            return True
        return any(each.name == "unknown-label" or self._is_near(each, row, inside=True) for each in left)

    def _spoils(self, error: Diagnostic, left: list[Diagnostic]) -> bool:
        """Whether the errors that are new with an error's own fix are due to it: where it makes or ends a block; and
        those of syntax in the next line, with which a comma joins the statement; and of a function that is called."""
        added = count_by_key(left) - self.errors.known
        if error.name in _BRACES and added:
            return True
        new = [each for each in left if key(each) in added]
        row = error.location[0]
        in_row = (each for each in new if each.location[0] == row)
        repeated = error.name == "invalid-character" and self.file.text.count(self.file.text[slice(*error.span)]) > 1
        return any(
            each.name not in ELSEWHERE or each.name == "unknown-function" or (self._is_made_up(each) and not repeated)
            for each in in_row
        ) or any(is_syntax(each) and each.location[0] == row + 1 for each in new)

    def _is_made_up(self, error: Diagnostic) -> bool:
        """Whether an error of a fixed line is about a name that the file does not have."""
        name = subject(error)
        return bool(name) and name not in self.names

    def _spend(self) -> bool:
        """Takes one more check of the file from what there is room for; whether there was enough."""
        self.left -= self.size + _PER_ERROR * len(self.errors.all)
        return self.left >= 0

    def _completed(self, before: str, error: Diagnostic, fix: Fix) -> tuple[str, list[Diagnostic]]:
        """A text with a fix, and with those of the next errors in its line: the other commas of a list. The errors that
        remain are its errors."""
        inside = self.errors.inside(error)
        row, text = error.location[0], _apply_fix(before, error.advising(error.help, fix))
        for _ in range(0 if isinstance(fix, Rewritten) else _MOST):
            errors = self._errors(text)
            in_line = [each for each in errors if self._is_near(each, row, inside)]
            new = next(
                (each for each in in_line if key(each) not in self.errors.known or key(each) == key(error)), None
            )
            if new is None or new.fix is None or not self._spend():
                return text, errors
            text = _apply_fix(text, new)
        return text, self._errors(text)

    def _is_near(self, error: Diagnostic, row: int, inside: bool) -> bool:
        """Whether an error is in a line, or its fix is, outside of bodies: a parameter that is missing."""
        if error.name not in ELSEWHERE:
            return error.location[0] == row
        if inside or error.fix is None or key(error) in self.errors.known:
            return False
        return abs(error.file.location(error.fix.span[0])[0] - row) <= 1

    def _errors(self, text: str) -> list[Diagnostic]:
        return [each for each in self.check_text(text) if each.severity == "error"]

    def _whole(self, error: Diagnostic, fix: Fix, text: str) -> Fix:
        """The fix of an error as one edit of the file that makes this text of it."""
        before = self.file.text
        if text == _apply_fix(before, error):
            return fix
        differing = (at for at, (a, b) in enumerate(zip(before, text, strict=False)) if a != b)
        start = next(differing, min(len(before), len(text)))
        tail = 0
        while tail < min(len(before), len(text)) - start and before[-1 - tail] == text[-1 - tail]:
            tail += 1
        start, tail = _whole_words(before, text, start, tail)
        meant = text[start : len(text) - tail]
        said = f"write `{meant.strip()}`" if meant.strip() else "remove it"
        return Fix((start, len(before) - tail), meant, said, SUGGESTION)

    def _errors_about_calls(self, error: Diagnostic) -> set[tuple[str, str]]:
        """The keys of the errors about calls that are wrong because of this one."""
        named = (each for each in self._errors_about_names(error) if each.name == "argument-count")
        caused = (each for each in consequences(self.errors, error) if each.name in OF_FUNCTIONS)
        return {key(each) for each in (*named, *caused)}

    def _errors_about_names(self, error: Diagnostic) -> list[Diagnostic]:
        """The errors about names that are in the line of an error without a proven fix, where it may declare them."""
        return self.errors.about_names_of_line(error.location[0]) if error.name in _DECLARING else []

    def _vanished_errors(self, error: Diagnostic, remaining: Errors, searched: bool) -> Iterator[Diagnostic]:
        """The errors that are gone with another one. Two errors of one correct statement are of equal rank, unless the
        fix was `searched` for."""
        left = remaining.copy()
        for each in self.errors.all:
            if left[key(each)] > 0:
                left[key(each)] -= each is not error
            elif each is not error and (
                searched or is_syntax(error) or each.location[0] != error.location[0] or each.name in GATES
            ):
                yield each


def _whole_words(before: str, after: str, start: int, tail: int) -> tuple[int, int]:
    """The edit after so many equal characters at both ends, such that it cuts no word."""
    changed = before[start : len(before) - tail], after[start : len(after) - tail]
    if any(_IN_WORD.fullmatch(each[:1]) for each in changed):
        while start and _IN_WORD.fullmatch(before[start - 1]):
            start -= 1
    if any(_IN_WORD.fullmatch(each[-1:]) for each in changed):
        while tail and _IN_WORD.fullmatch(before[-tail]):
            tail -= 1
    return start, tail


def _explained(error: Diagnostic, fix: Fix | None) -> Diagnostic:
    """An error with the fix that was found for it, and its cause where the fix tells that."""
    if not isinstance(fix, Rewritten):
        own = error.fix
        other = fix is not None and own is not None and own.replacement not in fix.replacement
        guess = _GUESS.match(error.help or "")
        other |= fix is not None and guess is not None and guess[1] not in fix.replacement
        return move_to_fix(error, fix).advising(None if other else error.help, fix)
    if not is_syntax(error) and error.name not in _REPLACED:
        disproved = error.kind == UNDECLARED or (error.help or "").startswith("write `")
        return error.advising(fix.cause if disproved or error.help is None else error.help, fix)
    name = "missing-semicolon" if fix.replacement == ";" else error.name if error.name in DUPLICATES else "syntax"
    label = f"expected `{fix.replacement}`" if fix.replacement.strip() else "remove it"
    return Diagnostic(name, fix.cause, error.file, fix.span, label, fix=fix)


def _apply_fix(text: str, error: Diagnostic) -> str:
    for (start, end), meant in sorted(edits_of(error), reverse=True):
        text = text[:start] + meant + text[end:]
    return text
