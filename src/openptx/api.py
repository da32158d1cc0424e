"""The public functions `check` and `parse`."""

from __future__ import annotations

import os
from operator import index

from openptx.check import check as check_file
from openptx.diagnostics.diagnostic import Diagnostics
from openptx.errors import ArgumentError, InputError, require_choice
from openptx.isa.targets import TARGETS
from openptx.isa.targets import target as find
from openptx.keywords import hints
from openptx.late import late
from openptx.reading import decode, is_path, read
from openptx.source import File
from openptx.syntax import parse as parse_file

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from typing import Any

    from openptx.diagnostics import Diagnostic
    from openptx.syntax import SyntaxTree

    Source = str | bytes | bytearray | memoryview | PathLike[str] | File
    from openptx.check.selection import Selection
    from openptx.check.spelling import nearest
    from openptx.diagnostics.most import first
else:
    Selection = late("openptx.check.selection", "Selection")
    nearest = late("openptx.check.spelling", "nearest")
    first = late("openptx.diagnostics.most", "first")

TARGET = 'write `target=`, such as "sm_90a"'
SOURCE = "the first argument takes paths and text"
PROFILES = ("ptxas", "isa")


@hints(arch=TARGET, path=SOURCE, file=SOURCE)
def check(
    source: Source, *, filename: str | PathLike[str] = "<string>", target: str | None = None, profile: str = "ptxas",
    select: Sequence[str] = (), extend_select: Sequence[str] = (), ignore: Sequence[str] = (),
    max_errors: int | None = None,
) -> list[Diagnostic]:  # fmt: skip
    """All findings in a PTX module, in the order of its text. Never raises for errors in the module.

    `source` is a path or the text, as for `load`: a string of one line that ends in `.ptx` or names a file is a path,
    any other is text, a folder's name too; a `Path` is read; bytes, as NVRTC gives them, are text. `filename`, a
    string or a `Path`, names a text in diagnostics. `target` replaces the target of the file (`"sm_90a"`). `profile` is
    `"ptxas"`, for the verdicts of NVIDIA's assembler, or `"isa"`, for those of the document taken literally.

    `select` restricts the findings to these codes, beginnings of codes, or names: `["PTX03", "unused"]`.
    `extend_select` adds to what is reported by default, and `ignore` takes away. `unused`, `unreachable` and
    `deprecated` are reported only if one of the first two names them; `uninitialized-register`, if named, considers
    every read of a register instead of those before its first write in the text.

    `max_errors` is the maximum number of errors, and of warnings, to return; None for all. An undeclared name is one
    error however often it is used, and so are all of `%r1`, `%r2`, ... without a declaration.

    Raises ArgumentError for an unknown target, profile or code and for a source of another type, OSError for a path
    that cannot be read (FileNotFoundError, as `open` does), InputError for bytes or a file that is not text.
    """
    require_options(target, profile)
    file = file_of(source, filename)
    chosen = _as_list("select", select), _as_list("ignore", ignore), _as_list("extend_select", extend_select)
    if any(chosen):
        selection = Selection(*chosen)
        found = check_file(file, target=target, profile=profile, selected=selection.names)
        found = [diagnostic for diagnostic in found if selection.takes(diagnostic)]
    else:
        found = check_file(file, target=target, profile=profile)
    if found and isinstance(source, str) and _names_folder(source):
        help = f"`{source}` is a folder, and one file or its text is checked: write the path of the file in it"
        found = [found[0].advising(help, None), *found[1:]]
    if max_errors is None:
        return Diagnostics(found)
    return Diagnostics(first(found, _error_limit(max_errors)))


def _names_folder(text: str) -> bool:
    """Whether a text that cannot be PTX is the path of a folder."""
    return not any(part in text for part in ("\n", ";", "\0")) and os.path.isdir(text)


def _error_limit(given: Any) -> int:
    """The number in `max_errors`. Raises ArgumentError for anything but a whole number from 1."""
    try:
        number = index(given)
    except TypeError:
        number = 0
    if number < 1:
        raise ArgumentError(f"`max_errors` is a whole number from 1, or None for all, not {given!r}")
    return number


def _as_list(option: str, given: Any) -> list[str]:
    """The codes and names of an option; one alone is a list of itself."""
    if given is None:
        return []
    single = isinstance(given, str) or not hasattr(given, "__iter__") or getattr(given, "ndim", 1) == 0
    texts: list[Any] = [given] if single else [*given]
    if not all(isinstance(text, str) for text in texts):
        raise ArgumentError(f'`{option}` is a list of codes or names, such as ["PTX03", "unused"], not {given!r}')
    return texts


@hints(path=SOURCE, file=SOURCE)
def parse(source: Source, *, filename: str | PathLike[str] = "<string>") -> SyntaxTree:
    """The lossless tree of a PTX module: `str(module)` is the text again, `module.diagnostics` the syntax errors.

    `source` and `filename` are as for `check`. Raises ArgumentError, OSError and InputError for a source, as `check`.
    """
    return parse_file(file_of(source, filename))


def require_options(target: str | None, profile: str = "ptxas") -> None:
    """Raises ArgumentError for an unknown target or profile, because less would be checked than was requested."""
    require_choice("profile", profile, PROFILES)
    if target is None:
        return

    if find(str(target)) is None:
        near = nearest(f"sm_{target}" if f"sm_{target}" in TARGETS else str(target).lower(), TARGETS)
        raise ArgumentError(f"no target `{target}`" + (f": did you mean {near}?" if near else ", such as sm_90a"))


def file_of(source: Source, filename: str | PathLike[str]) -> File:
    """A source as a `File`; a `File` and a path keep their names. `OSError` if a path cannot be read."""
    if isinstance(source, File):
        return source

    try:
        name = os.fsdecode(filename)
    except TypeError:
        said = "a string, the name of the text in messages; the file to read is the first argument"
        raise ArgumentError(f"`filename` is {said}, not {filename!r}") from None
    if isinstance(source, str):
        return read(source) if is_path(source) else File(name, source)
    if isinstance(source, (bytes, bytearray, memoryview)):
        return decode(name, bytes(source).rstrip(b"\0"))  # NVRTC and the driver count the end of the C string
    if hasattr(source, "__fspath__"):
        return read(source)
    hint = ": pass what its `read()` returns" if hasattr(source, "read") else ""
    raise ArgumentError(f"PTX is a path, text or bytes, not {type(source).__name__}{hint}")


def file_to_load(source: Source, filename: str) -> File:
    """A source as a file. A string of one line without `.version` is a path, because it would contain nothing to load.

    `InputError` for an empty string, which is neither.
    """
    if isinstance(source, str) and not source.strip():
        raise InputError("an empty string is neither PTX text nor a path")
    if isinstance(source, str) and not any(part in source for part in ("\n", "\0", ".version")):
        return read(source)
    return file_of(source, filename)
