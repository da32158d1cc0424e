"""The table of mnemonics in `isa/mnemonics.py`, from the declarations of all modules."""

from __future__ import annotations

from collections.abc import Iterable

from openptx.isa.notation import load

HEAD = '''\
"""Where each mnemonic is declared, its effect on control flow, and the mnemonics of a kind of algebra, so that a lookup
need not import all modules.

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
NEXT = '''\
}
"""The effect of a mnemonic on control flow (`control` of `notation.instruction`); others have none."""

ALGEBRA = {
'''
TAIL = '''\
}
"""The mnemonics of instructions whose `algebra` is this one, whatever their modifiers."""
'''


def module() -> str:
    """The text of the module."""
    known = load()
    places = {name: joined(each.module for each in found) for name, found in known.items()}
    control = {name: joined(each.control or "" for each in found) for name, found in known.items()}
    algebra = dict[str, list[str]]()
    for name, found in known.items():
        for each in found:
            if isinstance(each.algebra, str) and each.algebra:
                algebra.setdefault(each.algebra, []).append(name)
    parts = HEAD, rows(places), MIDDLE, rows({name: said for name, said in control.items() if said}), NEXT
    return "".join(parts) + rows({kind: joined(names) for kind, names in algebra.items()}) + TAIL


def joined(words: Iterable[str]) -> str:
    """Different words, in order."""
    return " ".join(dict.fromkeys(word for word in words if word))


def rows(table: dict[str, str]) -> str:
    """The rows of a table, laid out as the formatter does."""
    return "".join(f'    "{name}": "{said}",\n' for name, said in table.items())
