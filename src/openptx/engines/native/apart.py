"""Compiles in a process of its own, when asked to: LLVM ends the process that it runs in where text of ours breaks it.

OPENPTX_COMPILE_APART=1 asks for it. It costs the start of a Python process for each kernel that is not on disk.
"""

from __future__ import annotations

import os
import signal
import sys
from subprocess import PIPE, Popen

from openptx.errors import Bug

CHILD = "from openptx.engines.native.apart import main; main()"


def compile_apart(text: str) -> bytes:
    """An object file of LLVM text; Bug, with what is known, where the process that makes it ends before it is made."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    with Popen([sys.executable, "-P", "-c", CHILD], stdin=PIPE, stdout=PIPE, stderr=PIPE, env=environment) as child:
        try:
            image, words = child.communicate(text.encode())
        except BaseException:
            child.kill()
            raise
    if child.returncode:
        said = words.decode(errors="replace").strip().splitlines()
        raise Bug(f"the process that compiles ended {cause(child.returncode)}{': ' + said[-1] if said else ''}")
    return image


def cause(status: int) -> str:
    """`by SIGABRT`, `with status 1`."""
    if status >= 0:
        return f"with status {status}"
    try:
        return f"by {signal.Signals(-status).name}"
    except ValueError:
        return f"by signal {-status}"


def main() -> None:
    """What the process does: text comes in, an object goes out."""
    from openptx.llvm.codegen import compile

    try:
        image = compile(sys.stdin.buffer.read().decode())
    except Bug as bug:
        sys.exit(" ".join(str(bug.args[0]).split()))
    sys.stdout.buffer.write(image)
