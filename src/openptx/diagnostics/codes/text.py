"""Reads the Markdown of a code: takes its indentation off, finds its blocks of PTX."""

from __future__ import annotations

from textwrap import dedent as _dedent


def dedent(text: str) -> str:
    """The text without the indentation that it has in the source file."""
    return _dedent(text).strip()


def blocks(doc: str) -> list[str]:
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
