"""The allowed initial values of `.texref`, `.samplerref` and `.surfref` variables (5.3, Table 11; measured)."""

from __future__ import annotations

from openptx.check.names.declared_types import Misfit
from openptx.check.spelling import nearest
from openptx.isa import sampler_state
from openptx.source import Span
from openptx.syntax.declarations import Initialiser, InitialiserList, Member
from openptx.syntax.operands import Name

_SIZES = ("width", "height", "depth", "channel_data_type", "channel_order")
_SAMPLING = ("filter_mode", "addr_mode_0", "addr_mode_1", "addr_mode_2")
FIELDS = {
    "texref": (*_SIZES, "normalized_coords", *_SAMPLING, "array_size", "num_mipmap_levels", "num_samples"),
    "samplerref": tuple(sampler_state.MEMBERS),
    "surfref": (*_SIZES, "array_size", "memory_layout"),
}
"""The assembler allows the fields of Table 11 in both texture modes, and for textures also those of samplers that
unified mode has."""


def opaque_problem(value: Initialiser, type: str, is_array: bool) -> Misfit | None:
    """The problem with an initial value: fields in braces, of an array a list of them."""
    if not isinstance(value, InitialiserList):
        help = f"write fields in braces: `{{{FIELDS[type][0]} = ...}}`"
        return _value(f"the initial value of a `.{type}` is a list of its fields", value.span, help)
    if not is_array:
        return next(filter(None, (_field_problem(each, type) for each in value.elements)), None)
    for each in value.elements:  # the assembler does not look at fields directly in an array's list
        if not isinstance(each, Member) and (found := opaque_problem(each, type, False)) is not None:
            return found
    return None


def _field_problem(field: Initialiser, type: str) -> Misfit | None:
    fields = FIELDS[type]
    if not isinstance(field, Member):
        help = f"write `name = value`; the fields are {_listed(fields)}"
        return _value(f"a field of a `.{type}` needs its name", field.span, help)
    name = field.name.text
    if name not in fields:
        return _unknown(f"a `.{type}` has no field `{name}`", name, field.name.span, fields)
    value = field.value
    if isinstance(value, Name) and value.text not in sampler_state.VALUES:
        return _unknown(f"`{value.text}` is no value of a field", value.text, value.span, tuple(sampler_state.VALUES))
    return None


def _unknown(message: str, word: str, span: Span, choices: tuple[str, ...]) -> Misfit:
    meant = nearest(word.lower(), choices)
    help = f"did you mean `{meant}`?" if meant else f"one of {_listed(choices)}"
    return _value(message, span, help, meant)


def _listed(words: tuple[str, ...]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _value(message: str, span: Span, help: str, replacement: str | None = None) -> Misfit:
    rule = "PTX ISA, Texture Sampler and Surface Types (5.3)"
    return Misfit("initializer", message, "name", span=span, rule=rule, help=help, replacement=replacement)
