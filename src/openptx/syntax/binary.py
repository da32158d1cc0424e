"""Tells what is no text at all, so that a cubin gets one diagnostic and not thousands."""

from __future__ import annotations

from openptx.diagnostics import Diagnostic
from openptx.patterns import pattern
from openptx.source import File

_CONTROL = pattern(r"[\x00-\x08\x0b\x0e-\x19\x1b-\x1f\x7f-\x9f\ufffd]")
_SAMPLE = 4096  # characters; a stray control character is an ordinary mistake, one in fifty is another kind of file

# fmt: off
_KINDS = (
    ("\x7fELF",         "an ELF file, perhaps a cubin: `openptx extract` takes out the PTX that it may hold"),
    ("\x1f\x8b",        "compressed by gzip"),
    ("PK\x03\x04",      "a zip archive"),
    ("BC\xc0\xde",      "LLVM bitcode"),
)
# fmt: on


def not_text(file: File) -> Diagnostic | None:
    """Why a file can't be PTX, or None."""
    head = file.text[:_SAMPLE].rstrip("\0") or file.text[:_SAMPLE]
    kind = next((kind for magic, kind in _KINDS if head.startswith(magic)), None)
    if kind is None and len(_CONTROL.findall(head)) * 50 <= len(head):
        return None
    message = f"this is {kind.partition(':')[0]}, not PTX" if kind else "this is binary data, not PTX"
    help = kind.partition(": ")[2] or None if kind else None
    return Diagnostic("not-text", message, file, (0, min(len(head), 1)), help=help)
