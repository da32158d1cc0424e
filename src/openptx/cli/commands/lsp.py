"""Run the language server, which an editor starts and talks to over stdin and stdout.

It reports errors as you type and offers fixes, shows documentation for opcodes, modifiers, registers and literals,
completes, finds references, renames and formats. docs/editors.md describes how to configure editors.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

from openptx.api import require_options
from openptx.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace


def add_arguments(parser: ArgumentParser) -> None:
    """The options of `openptx lsp`."""
    parser.add_argument(
        "--stdio", action="store_true", help="accepted for editors that pass it; stdin and stdout are always used"
    )
    parser.add_argument("--target", metavar="SM", help="check for this target (default: each file's .target)")


def run(args: Namespace) -> int:
    """Serves until the editor exits or disconnects."""
    require_options(args.target)
    try:
        from openptx.lsp.server import serve
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise InputError("the language server needs pygls: pip install 'openptx[lsp]'") from error
    os.environ["NO_COLOR"] = "1"  # explanations go to an editor
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # the thread that waits for the editor would keep the process
    with open(os.dup(sys.stdout.fileno()), "wb") as stdout:
        return serve(sys.stdin.fileno(), stdout, args.target)
