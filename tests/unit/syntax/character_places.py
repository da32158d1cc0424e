"""Positions of characters in a module, marked `@`, and ptxas 13.5's verdicts by kind of character."""

from __future__ import annotations

from collections.abc import Iterator

_HEAD = ".version 8.5\n.target sm_90\n.address_size 64\n"


def _body(text: str) -> str:
    return f"{_HEAD}.visible .entry k()\n{{\n{text}\nret;\n}}\n"


_PLAIN = _body("")

PLACES = {
    "at the beginning": "@" + _PLAIN,
    "in a line comment": _body("// a @ b"),
    "in a block comment": _body("/* a @ b */"),
    "in a comment before the header": "// @\n" + _PLAIN,
    "in the last comment": _PLAIN + "// @",
    "in the string of .file": _HEAD + '.file 1 "a@.cu"\n.visible .entry k() { ret; }\n',
    "in the string of .pragma": _HEAD + '.pragma "a@";\n.visible .entry k() { ret; }\n',
    "in a comment mark's rest in a string": _HEAD + '.file 1 "a//@.cu"\n.visible .entry k() { ret; }\n',
    "in a comment in a string": _body('.pragma "a/*@*/";'),
    "in a string of a body": _body('.pragma "a@";'),
    "in a section": _PLAIN + ".section .debug_str {\n.b8 @1\n}\n",
    "in an identifier": _body(".reg .b32 a@b;"),
    "in a number": _body(".reg .b32 a; mov.b32 a, 1@2;"),
    "between tokens": _body(".reg @ .b32 ab;"),
    "in an opcode": _body(".reg .b32 a; mov.b32 a, 1; prmt@.b32 a, a, a, 1;"),
    "between operands": _body(".reg .b32 ab; mov.b32 ab,@1;"),
    "between statements": _body(".reg .b32 ab; @ .reg .b32 cc;"),
    "between directives": _HEAD + "@\n.visible .entry k() { ret; }\n",
    "in an initialiser": _HEAD + ".global .b8 a[2] = {1,@2};\n",
    "at the end": _PLAIN + "@",
    "before a last comment": _PLAIN + "@// x\n",
    "before another kernel": _PLAIN + "@.visible .entry k2() { ret; }\n",
}

COMMENTS = frozenset(place for place in PLACES if "comment" in place and place != "before a last comment")
STRINGS = frozenset(place for place in PLACES if "string" in place)
JOINED = ("in an identifier", "in a number")
BLANKS = ("\x1a", "\f", "\r", "\t")

CHARACTERS = ("\ufeff", "\xe9", "\xa0", "\0", "\x1a", "\v", "\f", "\r", "\t", "\x7f", "\x01", "\x1b", "\x1f")

TEXT = """.version 8.5
.target sm_90
.address_size 64
.file 1 "a.cu"
.global .align 4 .b8 t[4] = {1, 2, 3, 4};
.extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
.visible .entry k(.param .u64 p, .param .align 8 .b8 q[16])
.maxntid 32, 1, 1
{
.reg .pred %p<3>;
.reg .b32 %r<5>, x, y;
.reg .v2 .f32 v;
.reg .b64 %rd<4>;
.local .align 4 .b8 l[8];
.loc 1 2 3
ld.param.u64 %rd1, [p+0];
mov.u32 %r2, %tid.x;
mov.u32 x, 1;
setp.lt.s32 %p1|%p2, %r2, x;
add.u32 %r1, x, -3;
mov.b64 {%r2, y}, %rd1;
@!%p1 bra L1;
st.global.v2.u32 [%rd1+8], {x, y};
L1:
{ .param .b64 a0; .param .b64 a1; .param .b32 r0;
st.param.b64 [a0], %rd1;
st.param.b64 [a1], 0;
call.uni (r0), vprintf, (a0, a1);
ld.param.b32 %r1, [r0];
}
bar.sync 0;
.pragma "nounroll";
ret;
}
"""


def refused(place: str, character: str) -> bool:
    """Whether ptxas 13.5 refuses a character at a place."""
    if character == "\0":
        return True
    if place in COMMENTS:
        return False
    if place in STRINGS:
        return character > "\x7f"
    return character not in BLANKS or place in JOINED


def at_every_place(character: str) -> Iterator[str]:
    """`TEXT` with the character before each of its other characters, strings left out."""
    for offset in range(1, len(TEXT)):
        if TEXT.count('"', 0, offset) % 2 == 0:
            yield TEXT[:offset] + character + TEXT[offset:]
