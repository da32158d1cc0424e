"""CU_JIT_MAX_REGISTERS, an option of the assembler, written into the PTX as `.maxnreg` (11.4.1)."""

from __future__ import annotations

from openptx.source import File
from openptx.syntax.parser import parse
from openptx.syntax.tree import Function


def with_register_limit(text: str, most: int) -> str:
    """The PTX with `.maxnreg` at each kernel that has none."""
    parts, done = list[str](), 0
    for item in parse(File("<module>", text)).items:
        if not isinstance(item, Function) or item.kind != "entry" or item.body is None:
            continue
        if all(directive.name != "maxnreg" for directive in item.directives):
            brace = text.rindex("{", 0, item.body[0])
            parts += text[done:brace], f".maxnreg {most}\n"
            done = brace
    return "".join((*parts, text[done:]))
