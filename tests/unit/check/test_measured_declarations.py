"""Declarations of a module: verdicts of ptxas 13.5 on sm_80."""

from __future__ import annotations

import pytest

import openptx

# fmt: off
ARRAYS = (  # of types that only instructions have; whether they are taken
    (".global .e4m3 x[2];",                       True),
    (".global .e4m3 x[];",                        False),
    (".global .e4m3 x[0];",                       False),
    (".extern .global .e4m3 x[];",                True),
    # An external array's first length alone may be open or zero.
    (".extern .global .b32 x[0][2];",             True),
    (".extern .global .b32 x[2][0];",             False),
    (".extern .shared .b32 x[][0];",              False),
    (".global .align 3 .e4m3 x[2];",              False),
    # What is listed for an element is not looked at.
    (".global .e4m3x2 x[2] = {{1, 1}};",          True),
    (".global .u16x2 x[2] = {{1, 1, 1}};",        True),
    (".global .e4m3x2 x[2] = {1};",               False),
    (".global .e4m3x2 x[2][2] = {{1, 1}};",       False),
    (".global .e4m3x2 x[2][2] = {{{1, 1}}};",     True),
    (".global .u16x2 x[2] = {{}, {}, {}};",       False),
    (".global .e4m3 x[] = {};",                   False),
    (".extern .global .u16x2 x[2] = {};",         False),
    (".shared .u16x2 x[2] = {};",                 False),
)
KERNELS = (  # parameters of kernels: whether a kernel without a body is taken, and one with a body
    (".param .b128 p",                            True,  False),
    (".param .f16x2 p",                           True,  False),
    (".param .pred p",                            True,  False),
    (".param .v2 .b32 p",                         True,  False),
    (".param .e4m3 p",                            True,  False),
    (".param .b32 p, .param .b64 p",              True,  False),
    (".param .b32 %tid",                          True,  True),
    (".param .b8 p[40000]",                       True,  False),
    (".param .b32 WARP_SZ",                       False, False),
    (".param .texref p[]",                        False, False),
    (".param .align 3 .b32 p",                    False, False),
    (".reg .b32 p",                               False, False),
    # Textures take no room among the parameters.
    (".param .texref p[40000]",                   True,  True),
    (".param .b8 p[4352], .param .surfref s",     True,  True),
    (".param .b8 p[4352], .param .b8 s",          True,  False),
)
FUNCTIONS = (  # parameters of functions, in the same way
    (".param .b32 p, .param .b32 p",              True,  False),
    (".reg .b32 p, .reg .b64 p",                  True,  False),
    (".param .b32 _, .param .b32 _",              False, False),
)
# fmt: on


def is_accepted(text: str) -> bool:
    found = openptx.check(f".version 7.0\n.target sm_80\n.address_size 64\n{text}\n")
    return not any(each.severity == "error" for each in found)


@pytest.mark.parametrize(("declaration", "taken"), ARRAYS)
def test_arrays_of_types_of_instructions(declaration: str, taken: bool) -> None:
    assert is_accepted(declaration) is taken


@pytest.mark.parametrize(("head", "parameters", "declared", "defined"), [
    *((".entry", *row) for row in KERNELS), *((".func", *row) for row in FUNCTIONS),
])  # fmt: skip
def test_parameters(head: str, parameters: str, declared: bool, defined: bool) -> None:
    assert is_accepted(f"{head} f({parameters});") is declared
    assert is_accepted(f"{head} f({parameters}) {{ ret; }}") is defined
