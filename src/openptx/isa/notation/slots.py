"""The parts of a form: slots for modifiers, templates for operands."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from openptx.isa.types import TYPES

SEQUENCES = {
    **dict.fromkeys(("dst", "src"), "spaces"),
    **dict.fromkeys(("alayout", "blayout", "row", "col"), "layouts"),
    **dict.fromkeys(("dst_fmt", "src_fmt"), "formats"),
    **dict.fromkeys(("op", "popc"), "operations"),
}
"""Names of slots, besides types, that keep their order among themselves."""


class Slot:
    """A place for one modifier (or one dotted sequence of them): a literal, or a choice; optional or not.

    Modifiers are spelled without their leading dot. `group` is nonzero for slots of one option that must appear
    together, as in `{.sem.scope}`. Slots of one `sequence` keep their order among themselves: types, source and
    destination spaces of a copy, layouts of a and b, formats of an unpacking, a bit operation and what is applied to
    its result.
    """

    __slots__ = ("choices", "group", "literal", "name", "optional", "sequence", "typed")

    def __init__(self, name: str, choices: Mapping[str, None], optional: bool, literal: bool, group: int = 0) -> None:
        self.name = name
        self.choices = choices
        self.optional = optional
        self.literal = literal
        self.group = group
        self.typed = all(choice in TYPES for choice in choices)
        self.sequence = "types" if self.typed else SEQUENCES.get(name, "")

    def __repr__(self) -> str:
        text = f".{self.name}" if self.literal else f".{self.name} = {{{', '.join(self.choices)}}}"
        return f"{{{text}}}" if self.optional else text


class Template:
    """An operand as the manual writes it.

    `role` is one of: write, sink (only `_`), read, address, immediate, label, targets, function, prototype, returns,
    arguments. `optional` is 0, or the number of the option it belongs to: templates of one option are present or absent
    together, and if `when` names a slot, exactly with that modifier. `pair` marks the `p` of `d|p`. `elements` are the
    names inside a written vector `{a, b, e, f}`; `parts` those inside brackets `[a, {b, c}]`. `negatable` is the `{!}`
    of a predicate, `suffix` a modifier that may follow the operand (`[a].unified`). `selectors` are the patterns of the
    sub-words that it may name (`a.b0`): an option unless `selected`. `minus` is the `{-}` of an operand. `bits` is the
    width that an address must have, 0 where any will do: tensor memory and the fabric have 32-bit ones.
    """

    __slots__ = (
        "bits",
        "elements",
        "minus",
        "name",
        "negatable",
        "optional",
        "pair",
        "parts",
        "role",
        "selected",
        "selectors",
        "suffix",
        "vector",
        "when",
    )

    def __init__(self, name: str, role: str = "read", optional: int = 0) -> None:
        self.name = name
        self.role = role
        self.optional = optional
        self.pair = False
        self.negatable = False
        self.minus = False
        self.bits = 0
        self.vector = False
        self.elements: tuple[str, ...] = ()
        self.parts: tuple[str, ...] = ()
        self.suffix: str | None = None
        self.selectors: tuple[str, ...] = ()
        self.selected = False
        self.when: str | None = None

    def __repr__(self) -> str:
        text = f"[{', '.join(self.parts)}]" if self.role == "address" else self.name
        return f"{{{text}}}" if self.optional else text


# The roles of operands with these names, wherever they occur.
_ROLES = {
    "tgt": "label",
    "tlist": "targets",
    "flist": "targets",
    "func": "function",
    "fproto": "prototype",
}
_DESTINATIONS = frozenset(("d", "p", "r", "dst"))
_WHEN = {"cache-policy": "level_cache_hint"}


def give_roles(
    templates: tuple[Template, ...], writes: Collection[str], immediates: Collection[str], vectors: Collection[str],
    when: Mapping[str, str],
) -> None:  # fmt: skip
    """Completes the templates of a form by what its instruction says of operands with these names."""
    for i, template in enumerate(templates):
        name = template.name
        if template.role == "read":
            if name in writes or (not writes and i == 0 and name in _DESTINATIONS):
                template.role = "write"
            elif name in immediates or name.startswith("imm"):
                template.role = "immediate"
            else:
                template.role = _ROLES.get(name, "read")
        template.when = when.get(name, _WHEN.get(name))
        template.vector = template.vector or name in vectors
