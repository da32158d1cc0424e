"""Initial values of textures, samplers and surfaces (5.3): the verdicts are those of ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx
from openptx.check.names.opaque_values import FIELDS
from openptx.isa.sampler_state import VALUES

HEAD = ".version 8.0\n.target sm_80, texmode_independent\n.address_size 64\n.global .u32 a;\n"

ACCEPTED = [
    ".texref t = {}", ".texref t = {width = 1, width = 2}", ".texref t = {width = -1, height = 1.5}",
    ".texref t = {addr_mode_0 = wrap, filter_mode = linear}", ".texref t = {channel_order = mirror}",
    ".samplerref t = {addr_mode_2 = 99}", ".samplerref t = {force_unnormalized_coords = 1 < 2}",
    ".surfref t = {memory_layout = 0xFFFFFFFFF}", ".texref t[2] = {{width = 1}, {height = 2}}",
    ".texref t[2] = {nothing = 1}", ".surfref t[2] = {}",
]  # fmt: skip
REJECTED = [
    (".texref t = 0", "0"), (".surfref t = 1.0", "1.0"), (".samplerref t = a", "a"), (".texref t = {1}", "1"),
    (".texref t = {a}", "a"), (".texref t[2] = {1}", "1"), (".texref t = {x = 1}", "x"),
    (".texref t = {memory_layout = 1}", "memory_layout"), (".surfref t = {num_samples = 1}", "num_samples"),
    (".samplerref t = {width = 1}", "width"), (".samplerref t = {normalized_coords = 1}", "normalized_coords"),
    (".samplerref t = {filter_mode = a}", "a"), (".texref t = {channel_data_type = CL_UNORM_INT8}", "CL_UNORM_INT8"),
    (".surfref t[2] = {{width = 1}, {addr_mode_0 = wrap}}", "addr_mode_0"),
]  # fmt: skip


@pytest.mark.parametrize("declaration", ACCEPTED)
def test_fields_in_braces(declaration: str) -> None:
    assert openptx.check(f"{HEAD}.global {declaration};\n") == []


@pytest.mark.parametrize(("declaration", "marked"), REJECTED)
def test_what_is_no_field(declaration: str, marked: str) -> None:
    text = f"{HEAD}.global .texref first = {{}};\n.global {declaration};\n"
    (found,) = openptx.check(text)
    assert (found.name, text[slice(*found.span)]) == ("initializer", marked)
    assert found.help is not None


@pytest.mark.parametrize(("type", "field", "meant"), [
    ("samplerref", "filter_mod = linear", "filter_mode"), ("texref", "widht = 1", "width"),
    ("samplerref", "addr_mode_0 = WRAP", "wrap"), ("surfref", "addr_mode_0 = wrap", None),
])  # fmt: skip
def test_a_misspelt_word_has_a_fix(type: str, field: str, meant: str | None) -> None:
    (found,) = openptx.check(f"{HEAD}.global .{type} t = {{{field}}};\n")
    assert (found.fix and found.fix.replacement) == meant
    if meant is not None:
        assert meant in (*FIELDS[type], *VALUES)
        assert found.help == f"did you mean `{meant}`?"
