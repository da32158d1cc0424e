"""The table of mnemonics in `isa/mnemonics.py`, from the declarations of all modules."""

from __future__ import annotations

from collections.abc import Iterable

from openptx.isa.notation import load

HEAD = '''\
"""Where each mnemonic is declared, and its effect on control flow, so that a lookup need not import all modules.

Generated from `isa/instructions/` by tools/generate_docs.py (make docs). Do not edit.
"""

from __future__ import annotations

MODULES = {
'''
MIDDLE = '''\
}
"""The modules of `isa/instructions/` that declare a mnemonic, separated by blanks, in the manual's order."""

CONTROL = {
'''
TAIL = '''\
}
"""The effect of a mnemonic on control flow (`control` of `notation.instruction`); others have none."""
'''


def module() -> str:
    """The text of the module."""
    known = load()
    places = {name: joined(each.module for each in found) for name, found in known.items()}
    control = {name: joined(each.control or "" for each in found) for name, found in known.items()}
    return HEAD + rows(places) + MIDDLE + rows({name: said for name, said in control.items() if said}) + TAIL


def joined(words: Iterable[str]) -> str:
    """Different words, in order."""
    return " ".join(dict.fromkeys(word for word in words if word))


def rows(table: dict[str, str]) -> str:
    """The rows of a table, laid out as the formatter does."""
    return "".join(f'    "{name}": "{said}",\n' for name, said in table.items())
