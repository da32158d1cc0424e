"""The registry of codes: what each is called, and the text that `openptx explain` prints for it.

The hundreds of a code number identify the phase that finds it, and each phase is one module of rows. A code is never
reused for another meaning. The modules are imported on the first diagnostic, so that a clean file does not pay for
them.
"""

from __future__ import annotations

from importlib import import_module

PHASES = (
    "lexing", "grammar", "names", "forms", "targets", "flow", "memory", "warnings", "linking", "sanitizing",
    "sanitizing_asynchronous", "sanitizing_warnings", "faults",
)  # fmt: skip


class Code:
    """One row of the registry: `Code("PTX0312", "operand-type", text)`.

    The text is Markdown: a first sentence, the reason, an example of the error as an indented block, after the line
    `Instead:` a correct indented block, and a line `Rule: ` that cites the document. Tests run both blocks. A block
    without `.entry` or `.func` is the body of a kernel that has registers `%p %h %r %rd %f %fd` (`.pred .b16 .b32 .b64
    .f32 .f64`) numbered from 0 to 9.
    """

    __slots__ = ("_text", "code", "name", "rule", "severity")

    def __init__(self, code: str, name: str, text: str) -> None:
        self.code = code
        self.name = name
        self._text = text
        self.severity = "warning" if code.startswith(("PTX1", "PTX85")) else "error"
        _, found, cited = text.rpartition("\n        Rule: ")
        self.rule = cited.strip() if found else None
        """The section of the document that a diagnostic of this code cites, unless it knows a more specific one."""

    def __repr__(self) -> str:
        return f"<{self.code} {self.name}>"

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return code, (self.code,)  # a row remains one object when diagnostics are received from another process

    @property
    def doc(self) -> str:
        """The Markdown text."""
        return _dedent(self._text)

    @property
    def summary(self) -> str:
        """The first sentence."""
        return self.doc.split("\n\n", 1)[0].replace("\n", " ")

    @property
    def example(self) -> str:
        """PTX with the error."""
        return _blocks(self.doc)[0]

    @property
    def instead(self) -> str:
        """The corrected PTX."""
        return _blocks(self.doc)[1]


_registry: dict[str, Code] = {}


def _read() -> dict[str, Code]:
    if not _registry:
        for phase in PHASES:
            for row in import_module(f"openptx.diagnostics.codes.{phase}").CODES:
                for key in (row.code, row.name):
                    if key in _registry:
                        raise ValueError(f"`{key}` is registered twice")
                    _registry[key] = row
    return _registry


def code(key: str) -> Code:
    """The row of a code or of its name; `KeyError` if there is none."""
    return (_registry or _read())[key]


def every_code() -> list[Code]:
    """All rows, in code order."""
    return sorted(set(_read().values()), key=lambda row: row.code)


def _dedent(text: str) -> str:
    """The text without the indentation that it has in the source file; importing textwrap would cost 1 ms."""
    lines = [line if line.strip() else "" for line in text.split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join([line[margin:] for line in lines]).strip()


def _blocks(doc: str) -> list[str]:
    """The indented blocks of a Markdown text, without their indentation."""
    found: list[list[str]] = []
    inside = False
    for line in doc.splitlines():
        if line.startswith("    "):
            if not inside:
                found.append([])
            inside = True
            found[-1].append(line[4:])
        elif line:
            inside = False
        elif inside:
            found[-1].append("")
    return ["\n".join(block).strip("\n") for block in found]
