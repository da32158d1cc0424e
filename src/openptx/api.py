"""The functions of the front door. Each loads what it needs when it is called."""

from __future__ import annotations

from openptx.source import File

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from openptx.diagnostics import Diagnostic
    from openptx.syntax import Module


def check(
    source: str | File, *, filename: str = "<string>", target: str | None = None, profile: str = "ptxas"
) -> list[Diagnostic]:
    """Everything that is wrong with a PTX module, in the order of its text. Never raises for a bad program.

    `target` checks for another target than the file's own (`"sm_90a"`). `profile` is `"ptxas"`, which answers as
    NVIDIA's assembler does, or `"isa"`, which answers as the document says, literally.
    """
    from openptx.check import check as check_file

    return check_file(file_of(source, filename), target=target, profile=profile)


def parse(source: str | File, *, filename: str = "<string>") -> Module:
    """The lossless tree of a PTX module: `str(module)` is the text again, `module.diagnostics` the syntax errors."""
    from openptx.syntax import parse as parse_file

    return parse_file(file_of(source, filename))


def file_of(source: str | File, filename: str) -> File:
    """A source as a `File`; a `File` keeps its own name."""
    return source if isinstance(source, File) else File(filename, source)
