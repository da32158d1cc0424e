"""Compiles in a separate process, which can be ended at any time, and isolates crashes of LLVM caused by our text."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from openptx.errors import Bug
from openptx.late import late

if TYPE_CHECKING:
    from subprocess import Popen
else:
    Popen = late("subprocess", "Popen")  # 10 ms that a launch does not need which starts no process

INTERVAL = 0.05
"""Seconds between two checks whether to continue."""

CHILD = "from openptx.llvm.subprocess_compile import main; main()"

LOG = logging.getLogger("openptx")
ABORTED = "LLVM could not make code of a text of %d characters (%s): it is compiled again, by all of LLVM's passes"


def available() -> bool:
    """Whether a Python executable can be started: in programs that embed Python, `sys.executable` may be the
    program."""
    return os.path.basename(sys.executable or "").startswith(("python", "pypy"))


def is_library(place: str, library: str) -> bool:
    """Whether a folder of the path is the standard library's: itself, or that of its compiled modules."""
    return place in (library, os.path.join(library, "lib-dynload"))


def start(child: str | None = None, *, detached: bool = False) -> Popen[bytes]:
    """A process that compiles the texts it receives. `detached`: it gets no signals of our terminal, and prints
    nothing."""
    from subprocess import DEVNULL, PIPE

    # The standard library comes first, so PYTHONPATH does not do: a script's folder is in the path, and may have a file
    # named like a module of the library that this process has imported before, and the new one has not.
    library = os.path.dirname(os.__file__)
    path = sorted((str(place) for place in sys.path if place), key=lambda place: not is_library(place, library))
    return Popen(
        [sys.executable, "-P", "-c", f"import sys; sys.path[:] = {path!r}; {child or CHILD}"], stdin=PIPE, stdout=PIPE,
        stderr=DEVNULL if detached else PIPE, start_new_session=detached,
    )  # fmt: skip


def compile_in_subprocess(
    text: str, check: Callable[[], None] = lambda: None, process: Popen[bytes] | None = None, promotes: bool = True,
    fast: bool = False, lasting: bool = False,
) -> bytes:  # fmt: skip
    """An object file of LLVM text, like `compile`; Bug, with the known details, if the process ends without a result.

    `check` is called meanwhile. An exception of `check`, or of a signal handler, ends the process, which was started
    now or before. If LLVM aborts, the text is compiled again by all of LLVM's passes (`lasting`).
    """
    with process or start() as child:
        try:
            image, words = wait_for(child, bytes([promotes, fast, lasting]) + text.encode(), check)
        except BaseException:
            child.kill()
            raise
    if not child.returncode:
        return image
    said = words.decode(errors="replace").strip().splitlines()
    reason = cause(child.returncode) + (": " + said[-1] if said else "")
    if lasting or child.returncode != -signal.SIGABRT:
        raise Bug(f"the process that compiles ended {reason}")
    LOG.warning(ABORTED, len(text), reason)
    return compile_in_subprocess(text, check, None, promotes, fast, True)


def wait_for(child: Popen[bytes], data: bytes, check: Callable[[], None]) -> tuple[bytes, bytes]:
    """The output of the process.

    The text is written first, because `communicate` does not send the rest of it after a timeout. The process reads all
    of it before it does anything else, so this does not block for long.
    """
    from subprocess import TimeoutExpired

    assert child.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it has ended: its status gives the reason
        child.stdin.write(data)
        child.stdin.close()
    child.stdin = None
    while True:
        try:
            return child.communicate(timeout=INTERVAL)
        except TimeoutExpired:
            check()


def cause(status: int) -> str:
    """`by SIGABRT`, `with status 1`."""
    if status >= 0:
        return f"with status {status}"
    try:
        return f"by {signal.Signals(-status).name}"
    except ValueError:
        return f"by signal {-status}"


def end_with_reader(pipe: int = 1) -> None:
    """Ends this process when nobody can read the object any more, because the reader may be killed."""
    if hasattr(select, "poll"):  # Windows has none
        waits = select.poll()
        waits.register(pipe, 0)  # waits only for the end of the pipe
        waits.poll()
        os._exit(1)


def main() -> None:
    """The body of the process: text comes in, an object goes out."""
    from openptx.llvm.codegen import compile

    threading.Thread(target=end_with_reader, daemon=True).start()
    try:
        promotes, fast, lasting = sys.stdin.buffer.read(3)
        image = compile(sys.stdin.buffer.read().decode(), bool(promotes), bool(fast), bool(lasting))
    except Bug as bug:
        sys.exit(" ".join(str(bug.args[0]).split()))
    sys.stdout.buffer.write(image)
