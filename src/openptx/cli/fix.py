"""`openptx check --fix` and `--diff`: applies fixes until none is left, and writes the file or shows the changes."""

from __future__ import annotations

from openptx.cli.difference import unified
from openptx.cli.failures import complain
from openptx.cli.files import STDIN, load
from openptx.cli.rewriting import print_text, replace
from openptx.cli.terminal import progress
from openptx.diagnostics.edits import applied, is_fixable
from openptx.diagnostics.render.summary import counted
from openptx.errors import InputError, about_file
from openptx.source import File

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Callable

    from openptx.diagnostics import Diagnostic

    Check = Callable[[File], list[Diagnostic]]

ROUNDS = 100
"""How often a file is checked again; each round applies fixes that the previous one made possible."""


class FixedFile:
    """A file after its fixes: the new text, the remaining findings, and the severities of what was fixed."""

    __slots__ = ("before", "diagnostics", "file", "severities")

    def __init__(self, before: File, file: File, diagnostics: list[Diagnostic], severities: list[str]) -> None:
        self.before = before
        self.file = file
        self.diagnostics = diagnostics
        self.severities = severities

    @property
    def changed(self) -> bool:
        """Whether the fixes changed the text."""
        return self.before.text != self.file.text


def fix(file: File, check: Check, unsafe: bool = False) -> FixedFile:
    """Applies the safe fixes (with `unsafe` also suggestions) of all that `check` finds, until there are none.

    A repeated text ends it, because fixes that undo each other would go on forever.
    """
    before, seen = file, {file.text}
    severities: list[str] = []
    found = check(file)
    for _ in range(ROUNDS):
        text, fixed = applied(file.text, [each for each in found if is_fixable(each, unsafe)])
        if not fixed or text in seen:
            break
        seen.add(text)
        file = File(file.name, text)
        found = check(file)
        severities += [each.severity for each in fixed for _ in range(1 + len(each.also))]
    return FixedFile(before, file, found, severities)


def fix_files(
    paths: list[str], check: Check, *, unsafe: bool, only_show: bool
) -> tuple[list[Diagnostic], list[str], bool]:
    """Fixes all files: the remaining findings, the severities of what was fixed, and whether every file could be fixed.

    Files are written, and stdin is printed. With `only_show` the changes are printed as a diff instead.
    """
    found: list[Diagnostic] = []
    severities: list[str] = []
    good = True
    for path in progress(paths, len(paths), "files"):
        try:
            fixed = fix(load(path), check, unsafe)
            if only_show:
                print_text(unified(fixed.before.text, fixed.file.text, path))
            elif path == STDIN:
                print_text(fixed.file.text)
            elif fixed.changed:
                replace(path, fixed.file.text)
        except (OSError, InputError) as error:
            complain(about_file(error))
            good = False
        else:
            found += fixed.diagnostics
            severities += fixed.severities
    return found, severities, good


def summary(severities: list[str], remaining: int, only_show: bool) -> str:
    """`Fixed 3 errors (2 remaining).`"""
    if only_show:
        return f"Would fix {counted(severities)}." if severities else "No errors would be fixed."
    return f"Fixed {counted(severities) or 'no errors'} ({remaining:,} remaining)."
