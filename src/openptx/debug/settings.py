"""Settings of gdb and cuda-gdb, which scripts for them begin with: the debugger says that they have no effect."""

from __future__ import annotations

import re

# fmt: off
MEANT = {
    "cuda memcheck":        "every access is checked anyway; `openptx sanitize` finds more",
    "cuda break_on_launch": "the debugger stops at the first instruction of the launch anyway",
    "cuda coalescing":      "threads at one place are listed together anyway",
    "cuda launch_blocking": "there is one launch, which the debugger controls",
    "scheduler-locking":    "threads that have not diverged execute together; `stepw` follows the warp",
    "args":                 "arguments are given on the command line, as --arg",
}
# fmt: on
_SETTING = re.compile(
    r"(cuda\s+[\w-]+|print\s+[\w-]+|history\s+[\w-]+|logging(?:\s+\w+)?|debuginfod\s+\w+|style\s+\w+|auto-load\s+\S+|pagination"
    r"|confirm|height|width|language|listsize|verbose|non-stop|scheduler-locking|step-mode|args|breakpoint\s+pending"
    r"|disassemble-next-line|disassembly-flavor|max-value-size)\b(?!\s*=)"
)


def setting(text: str) -> str | None:
    """What `set TEXT` of gdb means here; None if it is no setting."""
    found = _SETTING.match(text)
    if found is None:
        return None
    name = " ".join(found[1].split())
    reason = MEANT.get(name) or MEANT.get(name.split()[0]) or "it is a setting of gdb"
    return f"`set {name}` has no effect: {reason}"
