"""Four kinds of failure, four types: errors in a file, faults of a kernel, known gaps, and bugs of OpenPTX."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from typing import TypeGuard

    from openptx.diagnostics import Diagnostic
    from openptx.source import File, Span

Triple = tuple[int, int, int]
"""A position or an extent: x, y, z."""


class Error(Exception):
    """The base class of everything that OpenPTX raises on purpose."""


def about_file(error: OSError | Error) -> str:
    """The system's error for a file, on one line: `saxpy.ptx: No such file or directory`; of ours its text."""
    if not isinstance(error, OSError):
        return str(error)
    what = error.strerror or str(error)
    return f"{error.filename}: {what}" if error.filename is not None else what


class InputError(Error, ValueError):
    """The input cannot be read: it is not text, not a case, not a number."""


class ArgumentError(Error, TypeError, ValueError):
    """An invalid argument of a call: a grid, block, array, format or option that is not possible."""


def require_kernel(given: object) -> None:
    """Raises ArgumentError for anything but a kernel, which alone can prepare a launch."""
    if not hasattr(given, "prepare"):
        hint = ': write `module["name"]`' if hasattr(given, "kernels") else ""
        raise ArgumentError(f"the kernel of a loaded module is wanted, not {type(given).__name__}{hint}")


def is_choice(given: object, choices: Container[str]) -> TypeGuard[str]:
    """Whether it is one of these strings. Other objects are not: comparing an array gives no truth value."""
    return isinstance(given, str) and given in choices


def require_choice(what: str, given: object, choices: Sequence[str]) -> None:
    """Raises ArgumentError for anything but one of these strings."""
    if not is_choice(given, choices):
        no = f"no {what} `{given}`" if isinstance(given, str) else f"the {what} is a string, not {given!r}"
        raise ArgumentError(f"{no}: choose {', '.join(choices[:-1])} or {choices[-1]}")


def require_flags(**flags: object) -> None:
    """Raises ArgumentError for an option that is not True or False; 1, 0, None and NumPy's booleans count as these."""
    for name, given in flags.items():
        number = isinstance(given, int) and given in (0, 1)
        if not (given is None or number or type(given).__name__ in ("bool", "bool_")):
            raise ArgumentError(f"`{name}` is True or False, not {given!r}")


class ArgumentWarning(UserWarning):
    """A launch probably does not do what is intended: an array's elements have another type than the kernel
    accesses."""


class CheckError(Error):
    """A file has errors. `diagnostics` are all of them; as text, the first hundred in full."""

    def __init__(self, diagnostics: list[Diagnostic]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = diagnostics

    def __str__(self) -> str:
        return self.rendered()

    def rendered(self, *, color: bool = False) -> str:
        """The first errors in full, and how many more there are. Raises ArgumentError if `color` is not a bool."""
        from openptx.diagnostics.most import MOST, first, left_out

        require_flags(color=color)
        shown = first(self.diagnostics, MOST)
        rest = left_out(self.diagnostics, shown)
        return _rendered(shown, color=color) + (f"{rest}\n" if rest else "")


class Fault(Error):
    """A kernel did something that is an error on the GPU, too: an access outside of memory, a deadlock, a trap.

    `code` is a code of the 9000s, `name` its name. `kernel`, `block` and `thread` identify the thread, `file` and
    `span` the instruction, `address` and `space` the location; all are None if unknown. `nearest` is a sentence about
    the nearest allocation; `notes` are further facts, a line each (which threads wait at which barrier).
    """

    def __init__(
        self, code: str, message: str, *, kernel: str | None = None, block: Triple | None = None,
        thread: Triple | None = None, address: int | None = None, space: str | None = None, nearest: str | None = None,
        file: File | None = None, span: Span | None = None, notes: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        from openptx.diagnostics.codes import code as find

        super().__init__(code, message)
        row = find(code)
        self.code, self.name = row.code, row.name
        self.message = message
        self.kernel = kernel
        self.block = block
        self.thread = thread
        self.address = address
        self.space = space
        self.nearest = nearest
        self.file, self.span = _origin(file, span)
        self.notes = notes

    @property
    def facts(self) -> list[str]:
        """The thread and the location, a line each, as far as known."""
        at = [f"kernel `{self.kernel}`"] if self.kernel else []
        at += [f"block {self.block}"] if self.block is not None else []
        at += [f"thread {self.thread}"] if self.thread is not None else []
        lines = [", ".join(at)] if at else []
        if self.address is not None:
            lines.append(f"address 0x{self.address:x}" + (f" in .{self.space}" if self.space else ""))
        if self.nearest:
            lines.append(f"nearest allocation: {self.nearest}")
        return [*lines, *self.notes]

    def __str__(self) -> str:
        return _render(self)


class WorkerLost(Error, RuntimeError):
    """Processes or machines that ran blocks of a distributed launch ended before the blocks did. Nothing was written.

    As text, which blocks, and why they are not run again.
    """


class Unsupported(Error):
    """A known gap: OpenPTX cannot do this yet. `form` names it; nothing is approximated silently."""

    def __init__(
        self, form: str, *, file: File | None = None, span: Span | None = None, help: str | None = None
    ) -> None:
        super().__init__(form)
        self.form = form
        self.file, self.span = _origin(file, span)
        self.help = help

    @property
    def summary(self) -> str:
        """What is wrong, in one sentence."""
        return f"OpenPTX cannot do this yet: `{self.form}`"

    def at(self, instruction: object, file: File, span: Span) -> Unsupported:
        """The gap as one of an instruction at this place, of which it is a part."""
        return Unsupported(f"{instruction}: {self.form}", file=file, span=span, help=self.help)

    def __str__(self) -> str:
        return _render(self)


class Undefined(Unsupported):
    """A launch needs a function or variable that the module declares and does not define. On a GPU such a module
    cannot be loaded."""

    def __init__(self, use: str, name: str, *, file: File | None = None, span: Span | None = None) -> None:
        self.use, self.name = use, name
        form = f"{use} of `{name}`, which the module does not define"
        help = 'link the file that defines it: openptx.load(["this.ptx", "other.ptx"]), or `openptx link`'
        super().__init__(form, file=file, span=span, help=help)

    @property
    def summary(self) -> str:
        return self.form

    def at(self, instruction: object, file: File, span: Span) -> Undefined:
        return Undefined(self.use, self.name, file=file, span=span)


class Bug(Error):
    """A bug in OpenPTX itself. As text, with the version and how to report it."""

    @classmethod
    def of(cls, error: Exception) -> Bug:
        """An unexpected exception as a bug: its type, its message, and the innermost line of OpenPTX in its
        traceback."""
        from os import sep
        from traceback import extract_tb

        frames = [frame for frame in extract_tb(error.__traceback__) if f"{sep}openptx{sep}" in frame.filename]
        where = f"{frames[-1].filename.rpartition(f'{sep}openptx{sep}')[2]}:{frames[-1].lineno}: " if frames else ""
        return cls(f"{where}{type(error).__name__}: {error}".replace("\n", " "))

    def __str__(self) -> str:
        from openptx import __version__

        what = super().__str__() or "something that cannot happen has happened"
        return (
            f"this is a mistake in OpenPTX {__version__}, not in your program: {what}\n"
            "please report it to the OpenPTX project with this text, the PTX file and the command that you ran"
        )


def _origin(file: File | None, span: Span | None) -> tuple[File | None, Span | None]:
    """The original file of a position in a linked one."""
    return (file, span) if file is None or span is None else file.origin(span)


def _rendered(diagnostics: list[Diagnostic], *, color: bool = False) -> str:
    """Diagnostics in full. Imported when errors are printed, because every launch imports this module."""
    from openptx.diagnostics.render import render

    return render(diagnostics, "full", color=color)


def _render(error: Fault | Unsupported) -> str:
    """The report of a launch's error in full; imported late for the same reason."""
    from openptx.diagnostics.render.full import render_fault, render_unsupported

    return render_fault(error) if isinstance(error, Fault) else render_unsupported(error)
