"""Arguments of calls, with the verdicts of ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx

MODULE = """
.version 8.0
.target sm_80
.address_size 64
.global .b32 gv;
.func (.reg .b32 r) f(.reg .b32 a) { mov.b32 r, a; ret; }
.func number(.param .b32 a) { ret; }
.func address(.param .b64 a) { ret; }
.func bytes(.param .align 8 .b8 a[8]) { ret; }
.entry k()
{
    .reg .b32 %r<2>; .reg .v2 .b32 v;
    .param .b32 q;
"""

# fmt: off
CALLS = (
    ("call (%r0), f, (%r1);",   True),
    ("call (%r0), f, (-7);",    True),
    ("call number, (%r1);",     True),
    ("call number, (q);",       True),
    ("call number, (1.5);",     True),
    ("call (%r0), f, (gv);",    False),
    # Names alone stand here, and neither those of special registers nor those of functions.
    ("call (%r0), f, (%tid.x);",   False),
    ("call (%r0), f, (%laneid);",  False),
    ("call (%r0), f, (v.x);",      False),
    ("call (v.x), f, (%r0);",      False),
    ("call number, (%laneid);",    False),
    ("call address, (number);",    False),
    # An array is no number.
    ("call bytes, (5);",        False),
    ("call bytes, (0d3FF0000000000000);", False),
)
# fmt: on


@pytest.mark.parametrize(("statement", "taken"), CALLS)
def test_lists_of_calls(statement: str, taken: bool) -> None:
    found = [d.name for d in openptx.check(f"{MODULE}    {statement}\n    ret;\n}}\n") if d.severity == "error"]
    assert found == ([] if taken else ["argument-type"])
