"""Failures of a command: one line on stderr and an exit status, never a traceback."""

from __future__ import annotations

import gc
import os
import sys
import warnings
from collections.abc import Callable

from openptx.cli.exit_status import ABNORMAL, FINDINGS, INTERRUPTED, PIPE_CLOSED
from openptx.diagnostics.terminal import has_color, paint
from openptx.errors import Bug, CheckError, Error, Fault, Unsupported, about_file


def run_and_report(command: Callable[[list[str]], int], argv: list[str], *, last: bool = False) -> int:
    """Runs `command`; reports its exceptions. `last`: the process does nothing else."""
    sys.stdout, sys.stderr = (s or open(os.devnull, "w") for s in (sys.stdout, sys.stderr))  # noqa: SIM115 - closed by `>&-`
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")
    if last:
        warnings.showwarning = show_warning
    try:
        return finished(command, argv, last)
    except KeyboardInterrupt:  # a second Ctrl-C, before `interrupted` ignores it
        return interrupted(last)


def show_warning(message: Warning | str, *where: object) -> None:
    """Prints a warning without the line of Python that caused it."""
    print(f"{paint('warning', 'warning')}: {message}", file=sys.stderr)


def finished(command: Callable[[list[str]], int], argv: list[str], last: bool) -> int:
    """The exit status of a command, or of its exception."""
    try:
        status = command(argv)
        sys.stdout.flush()
        if last:
            gc.freeze()  # or Python's exit collects garbage in all objects, a tenth of a small check
        return status
    except KeyboardInterrupt:
        return interrupted(last)
    except BrokenPipeError:
        # The rest of the buffer has no reader; Python would complain about that at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:
        return report(error)


def interrupted(last: bool) -> int:
    """The message and the status of Ctrl-C. A second one can only interrupt these and Python's exit."""
    if last:
        import signal  # it creates enumerations of all signals: half a millisecond

        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return complain("interrupted", INTERRUPTED)


def report(error: Exception) -> int:
    """The message and the status of an error that ended a command."""
    if isinstance(error, (CheckError, Fault, Unsupported)):
        print(render_failure(error), file=sys.stderr)
        return FINDINGS
    if isinstance(error, OSError):
        return complain(about_file(error))
    if isinstance(error, Error) and not isinstance(error, Bug):
        return complain(str(error))
    if isinstance(error, ModuleNotFoundError) and (lacking := missing_module(error)):
        return complain(lacking)
    if isinstance(error, MemoryError):
        return complain("not enough memory")
    return complain(str(error if isinstance(error, Bug) else Bug.of(error)))


def missing_module(error: ModuleNotFoundError) -> str:
    """What is to be installed for a module that is not OpenPTX's own; nothing if it is."""
    module = (error.name or "openptx").partition(".")[0]
    if module == "openptx":
        return ""
    if module in sys.stdlib_module_names:
        return f"Python's own module {module} is not installed with this Python, {sys.executable}"
    return f"this needs the package {module}, which is not installed: pip install {module}"


def complain(message: str, status: int = ABNORMAL) -> int:
    """One message on stderr."""
    print(f"{paint('error', 'error')}: {message}", file=sys.stderr)
    return status


def render_failure(error: Exception) -> str:
    """A failure of the user's file or kernel, in colour if stderr has colours."""
    from openptx.diagnostics.render.full import render_fault, render_unsupported

    color = has_color(sys.stderr)
    if isinstance(error, CheckError):
        return error.rendered(color=color).rstrip("\n")
    if isinstance(error, Fault):
        return render_fault(error, color=color)
    assert isinstance(error, Unsupported)
    return render_unsupported(error, color=color)
