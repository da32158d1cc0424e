"""LLVM text that a fork of this process compiles, like `compile_in_subprocess`: a new process takes 0.1 s to start."""

from __future__ import annotations

import signal
from collections.abc import Callable
from queue import Empty, SimpleQueue

from openptx.engines.tiers.forked_compile import ForkedCompile
from openptx.engines.tiers.messages import Reply
from openptx.errors import Bug
from openptx.llvm.codegen import compile
from openptx.llvm.subprocess_compile import ABORTED, INTERVAL, LOG, cause, compile_in_subprocess


def compile_in_fork(text: str, check: Callable[[], None], promotes: bool, fast: bool) -> bytes:
    """An object file of LLVM text. `check` is called meanwhile, and ends the fork by an exception. If LLVM aborts or
    the fork makes no progress, a new process compiles the text. OSError if the system cannot create a process."""

    def make() -> Reply:
        try:
            return Reply("", {"": compile(text, promotes, fast)}, "", "", 0.0)
        except Bug as bug:
            return Reply("", {}, "", str(bug.args[0]), 0.0)

    outcome = SimpleQueue[tuple[Reply | None, str]]()

    def ended(_: ForkedCompile, reply: Reply | None, reason: str) -> None:
        outcome.put((reply, reason))

    fork = ForkedCompile(make, ended)
    try:
        fork.watch()
        while True:
            try:
                reply, reason = outcome.get(timeout=INTERVAL)
                break
            except Empty:
                check()
    except BaseException:
        fork.close()
        raise
    if reply is not None and reply.made:
        return reply.codes[""]
    aborted = reply is None and reason == f"ended {cause(-signal.SIGABRT)}"
    if not (aborted or fork.hung):
        raise Bug(reply.problem if reply is not None else f"the process that compiles {reason}")
    LOG.warning(ABORTED, len(text), reason)
    return compile_in_subprocess(text, check, None, promotes, fast, lasting=aborted)
