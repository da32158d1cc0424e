"""Parses the Markdown of a code: removes its indentation, finds its blocks of PTX."""

from __future__ import annotations


def dedent(text: str) -> str:
    """The text without the indentation that it has in the source file; importing textwrap would cost 1 ms."""
    lines = [line if line.strip() else "" for line in text.split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join([line[margin:] for line in lines]).strip()


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
