"""One form of an instruction: slots for its modifiers, templates for its operands, and the interpretation of an
opcode."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from openptx.isa.types import TYPES, WIDE, Type

TYPE_CHECKING = False  # what `typing` names it; importing `typing` would cost a tenth of a start
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from openptx.isa.notation.declaration import Instruction
    from openptx.isa.notation.gates import Gate, Version
    from openptx.isa.notation.slots import Slot, Template

    Value = Any  # a spelling, a flag, a type, or None
    TypeExpression = str | Callable[["Modifiers"], Type | None]
    Count = str | int | Callable[["Modifiers"], int]

# Sub-qualified spaces that denote the same place as a plain one (5.1.6, 5.1.7): meanings see the plain name.
SAME_SPACE = {"shared::cta": "shared", "param::entry": "param", "param::func": "frame"}

# The slots that give an operand of this name its type; the first that the form has applies (9.4, 9.7.3.1).
_SLOTS_OF = {
    "d": ("dtype", "type"),
    "a": ("atype", "abtype", "type", "dtype"),
    "b": ("btype", "abtype", "atype", "type", "dtype"),
    "c": ("ctype", "type", "dtype"),
}


class Modifiers:
    """The modifiers of one opcode, by the names of the slots that they fill.

    A choice is its spelling without the dot, or None; a literal flag is True or False; types are `Type` objects. The
    types of a form are also available by position: `type` if it has one, else `dtype atype btype ctype`. Spaces lose
    sub-qualifiers that change nothing (`shared::cta` is `shared`); defaults of the instruction are filled in. A name
    without a slot in this form is None.
    """

    __slots__ = ("__dict__", "_hash", "form", "values", "written")

    def __init__(self, form: Form, written: tuple[str, ...], values: dict[str, Value]) -> None:
        self.form = form
        self.written = written  # as in the text, without dots
        self.values = values
        self._hash = hash((id(form), *values.values()))

    def with_(self, **changes: Value) -> Modifiers:
        """A copy with some values replaced: `m.with_(space="frame")`."""
        return Modifiers(self.form, self.written, {**self.values, **changes})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Modifiers) and self.form is other.form and self.values == other.values

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return ".".join((self.form.instruction.name, *self.written))

    if TYPE_CHECKING:  # the attributes that meanings use most; any other slot name works as well
        type: Type
        dtype: Type
        atype: Type
        btype: Type
        ctype: Type
        stype: Type
        space: str
        rnd: str
        op: str
        mode: str
        geom: str
        clamp: str
        query: str
        comp: str
        vec: str | None
        ftz: bool
        sat: bool
        satfinite: bool
        relu: bool
        cc: bool

        def __getattr__(self, name: str) -> str | None: ...

    else:

        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            value = self.__dict__[name] = self.values.get(name)  # later reads bypass this: a meaning reads about five
            return value


class Form:
    """One line of a syntax block. `profiles` are those that accept it: isa (the manual), ptxas (the assembler)."""

    __slots__ = (
        "_keys",
        "_ordered",
        "_sequences",
        "_typed",
        "gate",
        "instruction",
        "operands",
        "profiles",
        "slots",
        "text",
    )

    def __init__(
        self, instruction: Instruction, slots: tuple[Slot, ...], operands: tuple[Template, ...], gate: Gate, text: str,
        profiles: tuple[str, ...],
    ) -> None:  # fmt: skip
        self.instruction = instruction
        self.profiles = profiles
        self.slots = slots
        self.operands = operands
        self.gate = gate
        self.text = text  # as declared, with blanks collapsed
        self._sequences = {c for slot in slots for c in slot.choices if "." in c}
        self._keys = tuple(_key(slot) for slot in slots)
        first = instruction.ordered_prefix
        self._ordered = first if isinstance(first, int) else _leading(slots, first.split())
        self._typed = _type_names(slots)

    def __repr__(self) -> str:
        return self.text

    @property
    def since(self) -> tuple[Version, str | None]:
        """The PTX version that introduced this form, and the target it then required."""
        first = self.gate.alternatives[0]
        return first.since, first.targets[0] if first.targets else None

    def match(self, modifiers: tuple[str, ...], strict: bool = False) -> Modifiers | None:
        """The interpretation of `modifiers` (after the parts of the name) in this form; None if they do not fit.

        As in the assembler, order is free after the first `ordered_prefix` modifiers, except for slots of one sequence.
        Some flags may be repeated, as the assembler allows; not if `strict`.
        """
        if self._sequences:
            modifiers = self._join_sequences(modifiers, strict)
        slots = self.slots
        taken: list[str | None] = [None] * len(slots)
        position = 0
        ordered = self._ordered
        for i in range(min(ordered, len(slots))):
            if position < len(modifiers) and modifiers[position] in slots[i].choices:
                taken[i] = modifiers[position]
                position += 1
        last: dict[str, int] = {}
        for modifier in modifiers[position:]:
            for i in range(ordered, len(slots)):
                if taken[i] is None and modifier in slots[i].choices:
                    if sequence := slots[i].sequence:
                        if i < last.get(sequence, -1):
                            return None
                        last[sequence] = i
                    taken[i] = modifier
                    break
            else:
                if strict or modifier not in _REPEATED or modifier not in (*taken, *self.instruction.parts):
                    return None
        for i, slot in enumerate(slots):
            if taken[i] is None and (not slot.optional or self._incomplete(slot.group, taken)):
                return None
        return Modifiers(self, modifiers, self._values(taken))

    def prefix(self, modifiers: tuple[str, ...]) -> int:
        """How many of the modifiers that this form has belong to the name: they come first and in order."""
        position = 0
        for slot in self.slots[: self._ordered]:
            position += position < len(modifiers) and modifiers[position] in slot.choices
        return position

    def words_of_name(self, m: Modifiers) -> int:
        """How many words of an opcode are one token of the assembler's: the name, and the modifiers that are part of
        it."""
        return len(self.instruction.parts) + self.prefix(m.written)

    def least(self) -> Modifiers:
        """The modifiers of the shortest opcode of this form: the first choice of every mandatory slot."""
        taken = [None if slot.optional else next(iter(slot.choices)) for slot in self.slots]
        return Modifiers(self, tuple(choice for choice in taken if choice is not None), self._values(taken))

    def _join_sequences(self, modifiers: tuple[str, ...], strict: bool) -> tuple[str, ...]:
        """The modifiers with each choice of two words, such as `.async.global`, as one. The assembler takes them in
        either order (measured)."""
        joined: list[str] = []
        for modifier in modifiers:
            if joined and f"{joined[-1]}.{modifier}" in self._sequences:
                joined[-1] = f"{joined[-1]}.{modifier}"
            elif joined and not strict and f"{modifier}.{joined[-1]}" in self._sequences:
                joined[-1] = f"{modifier}.{joined[-1]}"
            else:
                joined.append(modifier)
        return tuple(joined)

    def _incomplete(self, group: int, taken: list[str | None]) -> bool:
        return group != 0 and any(t is not None and s.group == group for t, s in zip(taken, self.slots, strict=True))

    def _values(self, taken: list[str | None]) -> dict[str, Value]:
        values: dict[str, Value] = {}
        for key, slot, choice in zip(self._keys, self.slots, taken, strict=True):
            if slot.literal:
                values[attribute(slot.name)] = choice is not None
            if key is not None and (choice is not None or not slot.literal):
                values[key] = TYPES[choice] if slot.typed and choice is not None else choice
        for name, i in self._typed.items():
            choice = taken[i]
            values.setdefault(name, TYPES[choice] if choice is not None else None)
        for name in ("space", "dst", "src"):
            space = values.get(name)
            if space in SAME_SPACE:
                values[name] = SAME_SPACE[space]
        for name, value in self.instruction.defaults.items():
            if values.get(name) is None:
                values[name] = value
        return values

    def types(self, m: Modifiers) -> tuple[Type | None, ...]:
        """The instruction's type of each operand (of its elements, for vectors); None for addresses and names."""
        return tuple(
            TYPES["pred"]
            if t.pair and t.name not in self.instruction.types
            else self.type_of(t.name, m)
            if t.role in ("read", "write", "immediate")
            else None
            for t in self.operands
        )

    def type_of(self, name: str, m: Modifiers) -> Type | None:
        """The type of what the form calls `name`: an operand, an element of one, or a part of an address."""
        rule = self.instruction.types.get(name) or FIXED.get(name)
        if rule is not None:
            return rule(m) if callable(rule) else evaluate(rule, m)
        for slot in _SLOTS_OF.get(name, ("type", "dtype")):
            value = m.values.get(slot)
            if value is not None:
                return value
        return None

    def space_of(self, name: str, m: Modifiers) -> str | None:
        """The space of the address operand `name`; None if the opcode names none."""
        if name == "mbar":
            return m.values.get("space", "shared")
        slot = _SPACES.get(name, "space")
        return m.values.get(slot if slot in m.values else "space")

    def count(self, template: Template, m: Modifiers) -> int:
        """The number of elements of the vector operand `template` under `m`; 0 for a scalar."""
        if template.elements:
            return len(template.elements)
        return self.count_of(template.name, m)

    def count_of(self, name: str, m: Modifiers) -> int:
        """The number of elements under `m` of what the form calls `name`: an operand, or a part of an address."""
        rule = self.instruction.vectors.get(name)
        if rule is None or isinstance(rule, int):
            return rule or 0
        if callable(rule):
            return rule(m)
        vec = m.values.get(rule)
        return int(vec.removeprefix("v").removeprefix("x")) if isinstance(vec, str) else 0

    def layouts(self, m: Modifiers) -> tuple[tuple[int, ...], ...]:
        """The operand lists that this form allows, each as positions in `operands`, without the second of a pair.

        If two of them are equally long, the one with the earlier options of the form is meant.
        """
        return _layouts(self, m)

    def options_match(self, present: dict[int, bool], m: Modifiers) -> bool:
        """Whether the chosen options are those that the modifiers require (`cache-policy` with `.L2::cache_hint`)."""
        return all(
            present[t.optional] == bool(m.values.get(t.when))
            for t in self.operands
            if t.optional and t.when is not None and not t.pair
        )


@lru_cache(maxsize=1 << 13)
def _layouts(form: Form, m: Modifiers) -> tuple[tuple[int, ...], ...]:
    """Memo of `Form.layouts`: a file uses few forms, but needs the layouts for each statement."""
    options = sorted({t.optional for t in form.operands if t.optional and not t.pair})
    found: dict[int, tuple[int, ...]] = {}
    for choice in product((True, False), repeat=len(options)):
        present = dict(zip(options, choice, strict=True))
        layout = tuple(i for i, t in enumerate(form.operands) if not t.pair and (not t.optional or present[t.optional]))
        if form.options_match(present, m):
            found.setdefault(len(layout), layout)
    return tuple(found.values())


def attribute(name: str) -> str:
    """A slot's or operand's name as a Python name: `level1::eviction_priority` is `level1_eviction_priority`."""
    return name.replace("::", "_").replace("-", "_")


def evaluate(rule: str, m: Modifiers) -> Type | None:
    """The type that a type expression denotes: the name of a slot or of a type, or `wide(slot)`."""
    if rule.startswith("wide("):
        narrow = m.values.get(rule[5:-1])
        return WIDE[str(getattr(narrow, "name", narrow))]
    value = m.values.get(rule)
    if isinstance(value, Type):
        return value
    return TYPES.get(rule)


# Operands that have the same type wherever they occur.
FIXED: Mapping[str, TypeExpression] = {
    "membermask": "b32",
    "cache-policy": "b64",
    "p": "pred",
    "q": "pred",
}

# Addresses whose space comes from a modifier other than `space`.
_SPACES = {"dst": "dst", "src": "src", "dstMem": "dst", "srcMem": "src"}

# Literal modifiers of these kinds are also found under the name of the kind: `fma.rn` has `m.rnd == "rn"`.
_KINDS = {
    **dict.fromkeys(("rn", "rna", "rz", "rm", "rp", "rs", "rni", "rzi", "rmi", "rpi"), "rnd"),
    **dict.fromkeys(
        (
            "global",
            "shared",
            "shared::cta",
            "shared::cluster",
            "local",
            "const",
            "param",
            "param::entry",
            "param::func",
        ),
        "space",
    ),
    **dict.fromkeys(("v2", "v4", "v8"), "vec"),
}


_REPEATED = frozenset(("NaN", "approx", "cc", "relu", "sat", "satfinite", "shiftamt", "sync", "uni"))
"""Flags that the assembler accepts twice (measured for all existing flags)."""


def _leading(slots: tuple[Slot, ...], names: list[str]) -> int:
    """How many slots at the beginning have one of these names."""
    return next((i for i, slot in enumerate(slots) if slot.name not in names), len(slots))


def _key(slot: Slot) -> str | None:
    return _KINDS.get(slot.name) if slot.literal else attribute(slot.name)


def _type_names(slots: tuple[Slot, ...]) -> dict[str, int]:
    """The names by position of a form's types, for types without a name of their own."""
    typed = [i for i, slot in enumerate(slots) if slot.typed]
    if len(typed) == 1:
        return {"type": typed[0]}
    names = ("dtype", "atype", "btype", "ctype")
    own = {attribute(slots[i].name) for i in typed}
    return {name: i for name, i in zip(names, typed, strict=False) if name not in own and slots[i].literal}
