"""Bound forms: the selected form of an instruction with its modifiers and the types of its operands."""

from __future__ import annotations

from openptx.check.forms.select_form import place
from openptx.check.operand import kinds
from openptx.check.problems import Problem
from openptx.isa.notation.operand_rules import operand_rule
from openptx.isa.types import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from openptx.check.forms.verdicts import Verdicts
    from openptx.check.operand.kinds import Kind
    from openptx.check.problems import Candidate, Key, Path
    from openptx.isa.notation import Form, Modifiers
    from openptx.isa.types import Type

    Placed = tuple[Kind, Path] | None

_PLACED_IN = {"argument": "frame", "result": "frame", "tex": "global"}
"""State spaces of a Program, by those that kinds distinguish: parameters and results of functions are in frames."""


class BoundForm:
    """A form, and for each of its templates the path of the operand and its type; None if it is absent."""

    __slots__ = ("form", "m", "paths", "types")

    def __init__(
        self, form: Form, m: Modifiers, paths: tuple[Path | None, ...], types: tuple[Type | None, ...]
    ) -> None:
        self.form, self.m, self.paths, self.types = form, m, paths, types


def bound_form(verdicts: Verdicts, key: Key) -> BoundForm | None:
    """The bound form of an instruction with these operands, memoised; None if it does not exist."""
    if key not in verdicts.bound:
        candidate = verdicts.candidate(key)
        verdicts.bound[key] = None if candidate is None else _bind(candidate, key, verdicts.context.entry)
    return verdicts.bound[key]


def _bind(candidate: Candidate, key: Key, entry: bool) -> BoundForm | None:
    form, m, operands = candidate.form, candidate.m, key[1:]
    layout = next((layout for layout in form.layouts(m) if len(layout) == len(operands)), None)
    if layout is None:
        return None
    placed = place(form, layout, operands)
    if isinstance(placed, Problem):
        return None
    packs = bool(form.operands) and operand_rule(form.instruction, form.operands[0].name).says("packed")
    said: dict[str, str | int] = dict(_implied_modifiers(form, placed))
    if packs and placed[0] is not None and (length := _length(placed[0][0])):
        said["elements"] = length
    if (space := _space(form, m, placed, entry)) is not None:
        said["space"] = space
    types = tuple(
        None if given is None else _element_type(type, given[0]) if packs else type
        for type, given in zip(form.types(m), placed, strict=True)
    )
    paths = tuple(None if given is None else given[1] for given in placed)
    return BoundForm(form, m.with_(**said) if said else m, paths, types)


def _implied_modifiers(form: Form, placed: list[Placed]) -> Iterator[tuple[str, str | int]]:
    """Modifiers that operands imply: `a_part` is "b0" for `a.b0`, `a_minus` is True for `-a`."""
    for template, given in zip(form.operands, placed, strict=True):
        if given is None:
            continue
        kind, _ = given
        if kind.sort == kinds.MINUS:
            kind = kind.parts[0]
            if template.minus:
                yield f"{template.name}_minus", True
        if template.selectors and kind.sort == kinds.SELECTED:
            yield f"{template.name}_part", kind.space


def _length(kind: Kind) -> int:
    """The number of elements of a list or a whole vector register; 0 for anything else."""
    return len(kind.parts) if kind.sort == kinds.LIST else kind.count if kind.sort == kinds.VECTOR else 0


def _element_type(type: Type | None, kind: Kind) -> Type | None:
    """The type of an element, if a list packs or unpacks a wider register."""
    length = _length(kind)
    return TYPES[f"b{type.width // length}"] if type is not None and length else type


def _space(form: Form, m: Modifiers, placed: list[Placed], entry: bool) -> str | None:
    """The space that holds the variable, if the opcode does not name it: parameters of calls are in the frame.

    Instructions that read no memory, such as isspacep and cvta, refer to the kernel's parameters in any function
    (9.7.9.19).
    """
    space = m.values.get("space")
    if space not in ("param", "generic", None) or "space" not in m.values or "param::entry" in m.written:
        return None
    addresses = [
        given[0]
        for given, template in zip(placed, form.operands, strict=True)
        if template.role == "address" and given is not None
    ]
    if not addresses:
        return None
    base = addresses[0]
    while base.sort in (kinds.ADDRESS, kinds.SELECTED, kinds.SUM) or (base.sort == kinds.ELEMENT and not base.space):
        base = base.parts[0]
    if base.sort in (kinds.VARIABLE, kinds.ELEMENT):
        held = _PLACED_IN.get(base.space, base.space)
        return held if held != space else None
    return "frame" if space == "param" and not entry else None
