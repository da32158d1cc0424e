"""The fast path accepts nothing that the full checker reports."""

from __future__ import annotations

from pathlib import Path
from typing import NoReturn

import pytest
from fast_and_full import AROUND, BLOCKS, HEAD, both, kernel

from openptx.check import check
from openptx.check.fast import file_memo
from openptx.check.fast.rows import FastPath
from openptx.check.fast.statements import StatementReader
from openptx.source import File
from openptx.syntax.row_lexer import ROWS

ROOT = Path(__file__).parents[3]
REAL = sorted({*(ROOT / "tests").glob("kernels/*/kernel.ptx"), *(ROOT / "tests" / "corpus" / "ptx").glob("*.ptx")})[::7]


@pytest.mark.parametrize("path", REAL, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_both_find_nothing_in_what_compilers_write(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, full = both(path.read_text(), monkeypatch)
    assert fast == full == []


CALL = (
    ".reg .b64 a; mov.u64 a, g; { P: .callprototype _ (.param .b64 _); .param .b64 x; call a, (x), P; }"
    "{ P: .callprototype _ (.param .b64 _); .param .b64 x; call a, (x), P; }"
)

MOVED = "{ .reg .b32 t; mov.b64 {t, %r2}, %a1; }"
HANDED = "{ .param .b64 x; st.param.b64 [x], %a1; call g, (x); }"

FAULTY_AGAIN = {
    "with a register of another type": f"{MOVED} {MOVED} {{ .reg .b32 t; mov.b64 {{t, %r3}}, %r1; }}",
    "with a register of its own that nothing wrote": "{ .reg .b32 t; mov.b32 %r2, t; }",
    "with a register that is none": f"{MOVED} {MOVED} {{ .reg .b32 t; mov.b64 {{t, %r4}}, %a1; }}",
    "with a register that nothing wrote": f"{MOVED} {MOVED} {{ .reg .b32 t; mov.b64 {{t, %r3}}, %a2; }}",
    "with a register that is written later": f"{MOVED} {MOVED} {{ .reg .b32 t; mov.b64 {{t, %r3}}, %a2; }}"
    "mov.u64 %a2, 1;",
    "with one register twice": "{ .reg .b32 t; mov.b64 {%r2, %r3}, %a1; } { .reg .b32 t; mov.b64 {%r2, %r2}, %a1; }",
    "with a guard that is none": "{ .reg .b32 t; @%p1 mov.b32 t, %r1; } { .reg .b32 t; @%r1 mov.b32 t, %r1; }",
    "with a callee of another type": f"{HANDED} {HANDED} {{ .param .b64 x; st.param.b64 [x], %a1; call h, (x); }}",
    "with a callee that is a label": f"{HANDED} {HANDED} {{ .param .b64 x; st.param.b64 [x], %a1; call L, (x); }} L:",
    "with a callee that is none": f"{HANDED} {HANDED} {{ .param .b64 x; st.param.b64 [x], %a1; call f, (x); }}",
    "with a callee that is hidden": f"{HANDED} {HANDED} .reg .b64 g; {HANDED}",
    "with what a shadow hides": f"{MOVED} {MOVED} {{ .reg .f32 %r1; {{ .reg .b32 t; mov.b64 {{t, %r2}}, %r1; }} }}",
    "with a free name of another type": ".reg .b32 u; { mov.b32 u, %r1; } { mov.b32 u, %r1; }"
    "{ .reg .b64 u; { mov.b32 u, %r1; } }",
    "with a free name that nothing wrote": ".reg .b32 u; { add.u32 %r2, u, %r1; } { add.u32 %r2, u, %r1; }",
    "with a free name read after": "{ .reg .b32 u; { mov.b32 u, %r1; } { mov.b32 u, %r1; } } { mov.b32 u, %r1; }",
    "that declares a parameter's name": "{ .reg .f32 p; mov.f32 p, 1.0; }"
    "{ .reg .f32 p; mov.f32 p, 1.0; add.u32 %r2, p, 1; }",
    "with another constant": "{ .reg .b32 t; mov.b32 t, 0; } { .reg .b32 t; mov.b32 t, ; }",
    "with a barrier after a split": "{ bar.sync 0; } { bar.sync 0; } @%p1 bra L; { bar.sync 0; } L: bar.sync 0;",
    "with a branch before a barrier": "{ @%p1 bra L; } bar.sync 0; L: bar.sync 0;",
    "with a branch to nothing": "{ bra L; } { bra L; }",
    "with a branch into a block": "{ bra L; } { L: } { bra L; }",
    "with a label that is a register": "{ mov.b32 %r2, %r1; } { mov.b32 %r2, %r1; } { bra %r1; }",
    "at the end": "} .visible .entry l(.param .u64 p) { .reg .b32 %r<4>; ret; L: { mov.b32 %r1, 1; } } .entry m() {",
    "at the end again": "{ mov.b32 %r2, 1; } } .visible .entry l(.param .u64 p) { .reg .b32 %r<4>; ret; L:"
    "{ mov.b32 %r2, 1; } } .entry m() {",
    "that isn't closed": "{ mov.b32 %r2, %r1; } { mov.b32 %r2, %r1;",
    "with a line that is none": "{ mov.b32 %r2, %r1; } { .loc 1 2 x\n mov.b32 %r2, %r1; }",
}

LABELS = {
    "twice, with a statement between": "L: mov.u32 %r2, 1; L: bra L;",
    "twice, with an odd one between": "L: mov.u32 %r2, (1); add.u32 %r2, %r2, (2 * 3); L: bra L;",
    "after an odd statement, in a block": "bra M; mov.u32 %r2, (1 + 2) * 3; { M: } bra M;",
    "that a register has after it": "L: bra L; .reg .b32 L;",
    "that a register has before it": ".reg .b32 L; mov.b32 L, 1; L: bra L;",
    "that a variable has": "L: bra L; .shared .b32 L; { .shared .b32 M; M: bra M; }",
    "that a parameter has": "p: bra p;",
    "that is `_`": "_: bra _;",
    "that is WARP_SZ": "WARP_SZ: bra WARP_SZ;",
    "of a block, from outside": "{ L: bra L; } bra L;",
    "as a number": "L: add.u32 %r2, %r1, L;",
    "of a function's name": "g: mov.u64 %a2, g; bra g; call g, (%a2);",
    "of a global variable's name": "y: ld.global.b32 %r2, [y]; add.u32 %r2, %r1, y;",
}

FAULTY = {
    **{f"a block {name}": BLOCKS + body for name, body in FAULTY_AGAIN.items()},
    **{f"a label {name}": BLOCKS + body for name, body in LABELS.items()},
    "a register that is read and never written": ".reg .b32 a, b; add.u32 a, b, 1;",
    "a register that is only read, in a block": ".reg .b32 a; { .reg .b32 b; add.u32 a, b, 1; }",
    "a name that a block declared": ".reg .b32 a; { .reg .b32 b; mov.u32 b, 1; } mov.u32 a, b;",
    "a label of an inner block": "{ INNER: } bra INNER;",
    "a label twice": "L: bra L; L: bra L;",
    "a name twice": ".reg .b32 a; .reg .b32 a;",
    "a range twice": ".reg .b32 %r<4>; .reg .b32 %r<4>;",
    "a blank operand": ".reg .b32 a; mov.u32 a, ;",
    "a trailing comma": ".reg .b32 a; mov.u32 a, 1,;",
    "a bracket too few": ".reg .b32 a; ld.shared.u32 a, [16;",
    "octal that is none": ".reg .b32 a; mov.u32 a, 08;",
    "a guard that is a number": ".reg .b32 a; mov.u32 a, 1; @a mov.u32 a, 2;",
    "a double negation": ".reg .pred p; .reg .b32 a; setp.eq.u32 p, 1, 2; @!!p mov.u32 a, 2;",
    "an offset that is subtracted": ".reg .b64 a; .reg .b32 b; mov.u64 a, 0; ld.global.u32 b, [a-4];",
    "a register of a shadowed type": ".reg .b32 a; { .reg .f32 a; mov.f32 a, 1.0; add.u32 a, a, 1; } mov.u32 a, 1;",
    "a register shadowed after its use": ".reg .s32 a; { .reg .f32 a; mov.f32 a, 1.0; } add.f32 a, a, 1.0;",
    "twice in a list": ".reg .b64 a; .reg .b32 b; mov.u64 a, 0; ld.global.v2.u32 {b, b}, [a];",
    "past the end of a variable": ".shared .u32 x[4]; .reg .b32 b; ld.shared.u32 b, [x+16];",
    "a call of a label": "L: call L;",
    "a line that is none": ".reg .b32 a; .loc 1 2 x\n mov.u32 a, 1;",
    "a line of the preprocessor that is none": ".reg .b32 a;\n#x\nmov.u32 a, 1;",
    "debug data": ".reg .b32 a;\n.b8 1\n.b8 2\nmov.u32 a, 1;",
    "registers without a name": ".reg .b32 a, 2; mov.u32 a, 1;",
    "an address that isn't opened": ".reg .b64 a; .reg .b32 b; mov.u64 a, 0; ld.global.u32 b, a];",
    "an address that isn't closed": ".reg .b64 %a; .reg .b32 b; mov.u64 %a, 0; ld.global.u32 b, [%a;",
    "a list that isn't opened": ".reg .b64 a; .reg .b32 b, c; mov.b64 a, 0; mov.b64 {b, c}], a;",
    "a variable with % past its end": ".shared .u32 %x[4]; .reg .b32 b; ld.shared.u32 b, [%x+16];",
    "a guarded statement that is no row": ".reg .pred p; .reg .b32 a; @p mov.u32 a, {1, 2};",
    "a label that is a first operand": ".reg .b32 a; L: add.u32 L, a, 1;",
    "a read by what writes nothing": ".reg .b32 a; nanosleep.u32 a; mov.u32 a, 1;",
    "a read in an address on no path": ".reg .b64 %a; .reg .b32 b; ld.global.u32 b, [%a]; mov.u64 %a, 1; L: bra L;",
    "a call with another argument": "{ .param .b64 x; call g, (x); } { .param .b32 x; call g, (x); }",
    "registers a line each, one of them twice": ".reg .b32 %a;\n.reg .b64 %b;\n.reg .b32 %a;",
    "registers a line each, with a line that is none": ".reg .u\n.reg .b32 %a;\n.reg .b32 %b;",
    "a special register's name, declared": ".reg .b32 %a;\n.reg .b32 %tid;",
    "registers a line each, one of no type": ".reg .b32 %a;\n.reg.b33 %b;",
    "a guard apart from its sign that is none": ".reg .b32 a; mov.u32 a, 1; @ a mov.u32 a, 2;",
    "a double negation with blanks": ".reg .pred p; .reg .b32 a; setp.eq.u32 p, 1, 2; @ ! ! p mov.u32 a, 2;",
    "a parameter with % past its end": "{ .param .b64 %x; st.param.b64 [%x+8], 1; }",
    "a range of parameters, one of them again": "{ .param .b64 %x<3>; .param .b32 %x1; }",
    "a parameter beyond its range": "{ .param .b64 %x<2>; st.param.b64 [%x2], 1; }",
    "a range of more shared memory than there is": ".shared .b64 x<60>[1000];",
    "a variable with a special register's name": ".shared .u32 %tid;",
    "a vector that nothing wrote": ".reg .v2 .u32 %v; .shared .v2 .u32 x; st.shared.v2.u32 [x], %v;",
    "an unwritten first element of a stored list": ".reg .b32 a, b; .shared .v2 .u32 x; st.shared.v2.u32 [x], {a, b};",
    "a variable that hides a parameter": ".reg .b32 a; ld.param.u32 a, [p]; { .local .b32 p; ld.param.u32 a, [p]; }",
    "a variable that hides a global one": ".reg .b32 a; ld.global.u32 a, [y]; { .local .b32 y; ld.global.u32 a, [y]; }",
    "a register that hides a global one": ".reg .b32 a; ld.global.u32 a, [y]; .reg .b32 y; ld.global.u32 a, [y];",
    "the same in a block": ".reg .b32 a; ld.global.u32 a, [y]; { .reg .b32 y; ld.global.u32 a, [y]; }",
    "an address that a block declared": ".reg .b32 a; { .reg .b64 b; mov.b64 b, 0; ld.u32 a, [b]; } ld.u32 a, [b];",
    "a list that a block declared": ".reg .b64 a; { .reg .b32 b, c; mov.b64 {b, c}, 0; } mov.b64 a, {b, c};",
    "components of what a block declared": ".reg .b64 a; { .reg .v2 .b32 v; mov.b64 {v.x, v.y}, 0;"
    "mov.b64 a, {v.x, v.y}; } mov.b64 a, {v.x, v.y};",
    "a place in a parameter of another call": "{ .param .b64 x; st.param.b64 [x], 1; call g, (x); }"
    "{ .param .b32 x; st.param.b64 [x], 1; }",
    "a parameter of an earlier call": "{ .param .b64 x; st.param.b64 [x], 1; call g, (x); } st.param.b64 [x], 1;",
    "a table again, with a label that is none": ".reg .b32 a; mov.u32 a, 0; T: .branchtargets A, A; brx.idx a, T; A:"
    "{ U: .branchtargets A, B; brx.idx a, U; }",
    "a label of a table again": "T: .branchtargets A; A: { U: .branchtargets A; U: .branchtargets A; }",
    "a call through another prototype": f"{CALL} {{ P: .callprototype _ (.param .b64 _); .param .b32 x;"
    "call a, (x), P; }",
    "a call through a prototype of another block": f"{CALL} {{ .param .b64 x; call a, (x), P; }}",
    "a constant that is wrong after one that is right": ".reg .b64 a; .reg .b32 b; mov.b64 a, 0; mov.b32 b, 0;"
    "cp.async.ca.shared.global [b], [a], 16; cp.async.ca.shared.global [b], [a], 8;"
    "cp.async.ca.shared.global [b], [a], 5;",
    "the same after a guard that is none": ".reg .b64 a; .reg .b32 b; mov.b64 a, 0; mov.b32 b, 0;"
    "cp.async.ca.shared.global [b], [a], 16; @b cp.async.ca.shared.global [b], [a], 16;",
    "a barrier that nothing wrote": ".reg .b32 a; bar.sync a, 64; mov.b32 a, 1;",
    "a pair of what nothing declared": ".reg .b32 a; mov.b32 a, 1; shfl.sync.idx.b32 a|q, a, 0, 31, -1;",
    "an integer with a suffix that is none": ".reg .b32 a; mov.b32 a, 0x1L; mov.b32 a, 1U;",
    "half of a constant in a comment": ".reg .b32 a; mov.u32 a, 1/* */2;",
    "an open comment in a string": '.reg .b32 a; .pragma "/* nounroll"; mov.u32 a, a; /* */',
    "a comment over two lines, and a wrong type": ".reg .b32 a; .reg .b64 b; mov.b32 a, /* ;\n; */ 1; mov.b64 b, a;",
    "a wrong type after a comment in a statement": '.reg .b32 a; .reg .b64 b; mov.b32 a, // ; "\n 1;'
    "mov.b64 b, // a\n a;",
    "a comment that ends a line with a comma": ".reg .b32 a;\n# 1, // a\n mov.b64 a, 1;\n mov.b32 a, // b\n 1;",
    "hexadecimal offsets that are none": ".reg .b32 a; .reg .b64 b; mov.b64 b, 0; ld.global.u32 a, [b+0x];"
    "ld.global.u32 a, [b+0x1g]; ld.global.u32 a, [b+0x123456789]; .reg .b64 %b; mov.b64 %b, 0;"
    "ld.global.u32 a, [%b+0x1g]; ld.global.u32 a, [%b+0x123456789abcdef01];",
    "a pragma that is none, again": '.pragma "nounroll"; .pragma "nounroll"; .pragma "unroll"; .pragma "unroll";',
    "a pragma that is none": '.pragma "nounrol";',
    "no end, but a call and a table": "T: .branchtargets A; A: ret; } .visible .entry l() { .reg .b32 a; "
    "{ .param .b64 x; call g, (x); } A: mov.u32 a, 1; T: .branchtargets A; } .entry m() {",
    "registers that a caller writes": "ret;\n}\n.func (.reg .u32 d) sum(.reg .u32 i, .reg .u32 j)\n{\n.reg .b32 a;\n"
    "nanosleep.u32 i;\nadd.u32 d, j, a;\nret;\n}\n"
    ".func (.reg .u32 d) copy(.reg .u32 i)\n{\n{ .reg .u32 i;\nmov.u32 d, i; }\nret;\n}\n"
    ".entry m() {",
    "a wrong line of the preprocessor": '.reg .b32 a;\n# 1 "a"\nmov.u32 a, 1;\n# lines 1 "a"\nmov.u32 a, 1;',
    "a line of the preprocessor with more": '.reg .b32 a;\n# 1 "a"\nmov.u32 a, 1;\n# 1 "a" mov.u32 a, 1;\n',
    "an error between lines of the preprocessor": '.reg .b32 a;\n# 1 "a"\nmov.f64 a, 1;\n# 2 "a"\nmov.u32 b, 1;\n',
    "a barrier among lines of the preprocessor": ".reg .b32 a; .reg .pred q;\nmov.u32 a, %tid.x;\n"
    'setp.lt.s32 q, a, 7;\n# 1 "setp.lt.s32 q, a, 7;"\n@q bra L;\n# 2 "a"\nbar.sync 0;\nL: bar.sync 0;',
    "no end": ".reg .b32 a; mov.u32 a, 1; } .visible .entry l() { .reg .b32 a; mov.u32 a, 1; } .entry m() {",
}


@pytest.mark.parametrize("body", FAULTY.values(), ids=FAULTY.keys())
def test_both_ways_find_the_same(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, full = both(kernel(body), monkeypatch)
    assert fast == full
    assert fast


FINE = {
    "comments in statements, to the ends of lines": BLOCKS
    + 'add.u32 // ; one\n %r1, // "two\n // three\n %r1, 1; { // four\n mov.b32 // }\n %r2, %r1; } .reg // {\n .b32 a;'
    "@%p1 // five\n bra // six\n L; L: // seven\n bar.sync // eight\n 0;",
    "blanks and comments": ".reg .b32 a , b;\n mov.u32   a ,\t/* one */ 1 ; // two\n add.u32 b,a,  a;",
    "comments that hold all kinds of things": ".reg .b32 a /* b; */, c; mov.u32 /* } */ a, /* { */ 1; /* mov.u32\n a, ;"
    " */"
    'mov.u32 c,/**/a /*/*/;// /* \n .loc 1 2 /* a\n*/ 3\n add.u32/* " */a,a,c/***/;',
    "hexadecimal offsets": ".reg .b32 a; .reg .b64 %b; mov.b64 %b, 0; ld.global.u32 a, [%b+0x10];"
    "ld.global.u32 a, [y+0x0];"
    "ld.global.u32 a, [ %b + 0XfF ]; st.global.u32 [%b+0x7fffffff], a; ld.global.u32 a, [%b+0x0];",
    "a pragma again": '.pragma "nounroll"; .pragma "nounroll"; .pragma "nounroll"; ',
    "expressions": ".reg .b32 a; mov.u32 a, (1 << 4) | 3; mov.u32 a, -1; mov.u32 a, ~0; mov.u32 a, WARP_SZ;",
    "the same names in two blocks": "{ .reg .b32 a; L: mov.u32 a, 1; bra L; } { .reg .f32 a; L: mov.f32 a, 1.0; }",
    "a shadow and its end": ".reg .b32 a; mov.u32 a, 1; { .reg .f32 a; mov.f32 a, 1.0; } add.u32 a, a, 1;",
    "a label further on": ".reg .pred q; setp.eq.u32 q, 1, 2; @q bra END; { bra END; } END:",
    "a table of targets": ".reg .b32 a; mov.u32 a, 0; T: .branchtargets A, B; brx.idx a, T; A: B:",
    "registers by name and range": ".reg .b32 %a10, %a<4>; mov.u32 %a10, 1; mov.u32 %a3, %a10;",
    "parameters of calls whose names look like registers": ".reg .b64 %r<2>; mov.b64 %r1, 1;"
    "{ .param .b64 %out_arg1; st.param.b64 [%out_arg1], %r1; call g, (%out_arg1); }"
    "{ .param .b64 %out_arg1; st.param.b64 [%out_arg1+0], %r1; call g, (%out_arg1); }",
    "a table after a comment": ".reg .b32 a; mov.u32 a, 0; T: /* . */ .branchtargets A, B; brx.idx a, T; A: B:",
    "a prototype after a comment": "P: // f\n.callprototype (.param .b32 _) _ ();",
    "tables again": ".reg .b32 a; mov.u32 a, 0; T: .branchtargets A, B; brx.idx a, T; A: B:"
    "U: .branchtargets A,\n B; brx.idx a, U;",
    "prototypes again": CALL,
    "constants": ".reg .b64 a; .reg .b32 b; mov.u32 b, 0x1U; mov.b64 a, {b, 5}; mov.b64 a, {0,0}; mov.b64 a, { 0, b };"
    "mov.u64 a, 18446744073709551615;",
    "pairs": ".reg .b32 a; .reg .pred q; mov.b32 a, 1; shfl.sync.idx.b32 a|q, a, 0, 31, -1; @q mov.b32 a, 1;",
    "constants with limits": ".reg .b64 a; .reg .b32 b; .reg .pred q; mov.b64 a, 0; mov.b32 b, 0; setp.eq.u32 q, b, 1;"
    "cp.async.ca.shared.global [b], [a], 16; @q cp.async.ca.shared.global [ b + 4 ], [a], 16;",
    "barriers by number": ".reg .b32 a; mov.b32 a, 1; bar.sync a, 64; barrier.sync a;",
    "vectors": ".reg .v4 .f32 v; .reg .b64 a; mov.u64 a, 0; ld.global.v4.f32 v, [a]; st.global.f32 [a+16], v.y;",
    "lines and pragmas": ".reg .b32 a; .loc 1 2 3\n .loc 1 2 3, function_name L, inlined_at 1 2 3 // x\n mov.u32 a, 1;"
    '.pragma "nounroll";',
    "a line of the preprocessor": '.reg .b32 a;\n#line 1 "x.cu"\nmov.u32 a, 1;',
    "lines of the preprocessor": '.reg .b32 a;\n# 1 "b; {.cu" 3 4\nmov.u32 a, 1; # 2 "c"\n#line 2 "c"\n{\n# 9 "d"\nL:'
    '# 10 "mov.u32 a, a;"\n}\n# 7 ""\n',
    "calls": "{ .param .b64 x; call g, (x); } { .param .b64 x; call.uni g,\n (x)\n; }",
    "memory without a name": ".reg .b32 a; { .param .b32 ; mov.u32 a, 1; } mov.u32 a, a;",
    "an offset below": ".reg .b64 %a; .reg .b32 b; mov.u64 %a, 8; ld.global.u32 b, [%a+-8];",
    "a shadow in a shadow": ".reg .b32 a; mov.u32 a, 1; { .reg .f32 a; { .reg .b64 a; mov.b64 a, 1; } mov.f32 a, 1.0; }"
    "add.u32 a, a, 1;",
    "blocks again": f"{BLOCKS} {MOVED} {{ .reg .b32 t; mov.b64 {{t, %r3}}, %a1; }} {HANDED} {HANDED}"
    "add.u32 %r2, %r2, %r3;",
    "blocks that other blocks hold": BLOCKS
    + "{ .reg .b32 u; { mov.b32 u, %r1; } { add.u32 u, u, %r1; } { add.u32 u, u, %r1; } }"
    "{ .reg .b32 u; { mov.b32 u, %r1; } { add.u32 u, u, %r1; } mov.b32 %r2, u; }",
    "blocks that declare numbered names": BLOCKS + "{ .reg .b32 %r1, %r2; mov.b32 %r1, 1; mov.b32 %r2, %r1; }"
    "{ .reg .b32 %r1, %r2; mov.b32 %r1, 1; mov.b32 %r2, %r1; } mov.b32 %r3, %r1;",
    "ranges of parameters in blocks": BLOCKS + "{ .param .b64 %P<2>; st.param.b64 [%P1], %a1; call g, (%P1); }"
    "{ .param .b64 %P<2>; st.param.b64 [%P1], %a1; call g, (%P1); }",
    "ranges in blocks whose names stand in types": BLOCKS + "{ .reg .b32 b<3>; mov.b32 b1, %r1; mov.b32 %r2, b1; }"
    "{ .reg .b32 b<3>; mov.b32 b1, %r2; mov.b32 %r3, b1; } .reg .b64 b1; mov.b64 b1, 1;",
    "large ranges in blocks": BLOCKS
    + "{ .reg .b32 b<90000>; mov.b32 b1, %r1; } { .reg .b32 b<90000>; mov.b32 b1, %r1; }",
    "blocks with lines": BLOCKS
    + "{ // a }\n .loc 1 2 3\n mov.b32 %r2, %r1; } { // b {\n .loc 1 3 3\n mov.b32 %r2, %r1; }",
    "barriers in blocks": "{ bar.sync 0; } { bar.sync 0; }",
    "a block at the end": BLOCKS + "{ mov.b32 %r2, 1; ret; } { mov.b32 %r3, 1; ret; } { mov.b32 %r2, 1; ret; }",
    "labels ahead": "bra M; .reg .b32 a; mov.u32 a, (1 + 2) * 3; { bra M; } M: bra N; { N: bra N; } N:",
    "old ways to order modifiers": ".reg .b64 a; .reg .b32 b; mov.u64 a, 0; atom.global.sys.add.u32 b, [a+-4], 1;",
}


@pytest.mark.parametrize("body", FINE.values(), ids=FINE.keys())
def test_both_ways_accept(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert both(kernel(body), monkeypatch) == ([], [])


@pytest.mark.parametrize("comment", ["/* ; */", "// ;\n", "// ;\r\n"])
def test_statements_with_comments_are_rows(comment: str, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[int] = []
    parse = StatementReader.parse

    def counting(self: StatementReader, file: File, start: int, until: int, end: int) -> int | None:
        parsed.append(start)
        return parse(self, file, start, until, end)

    monkeypatch.setattr(StatementReader, "parse", counting)
    assert check(File("k.ptx", kernel(BLOCKS + f"add.u32 %r1, {comment} %r1, 1;\n" * 50))) == []
    assert not parsed


def test_a_range_of_registers_costs_the_same_after_many_others(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kept(dict[str, list[str]]):
        def values(self) -> NoReturn:
            raise AssertionError("each range walks all kept ones")

    monkeypatch.setattr(file_memo, "_POOL", Kept())
    ranges = "".join(f".reg .b32 q{i}_<3>;\nmov.b32 q{i}_1, 1;\n" for i in range(9))
    assert check(File("k.ptx", kernel(ranges))) == []


@pytest.mark.parametrize("text", [".reg .b32 %q<9", ".reg\n.b32 a;\nreturn"])
def test_registers_are_declared_by_whole_statements(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fast, full = both(f"{HEAD}.entry k()\n{{\nret;\n{text}}}\n", monkeypatch)
    assert fast == full != []


def test_a_sink_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "mapa.shared::cluster.u32 %r2, %r1, 0;\nmbarrier.arrive.relaxed.cluster.shared::cluster.b64 _,[%r2];"
    assert both(kernel(f"{BLOCKS}\n{body}"), monkeypatch) == ([], [])


@pytest.mark.parametrize(
    ("spaced", "plain"),
    [
        ("@%p1 add.s32 %r2 , %r1 , 7 ;", "@%p1 add.s32 %r2, %r1, 7;"),
        ("@  !  %p1\tadd.s32\t%r2,\t%r1,\t7;", "@!%p1 add.s32 %r2, %r1, 7;"),
        ("@%p1\n\tadd.s32 %r2, %r1, 7;", "@%p1 add.s32 %r2, %r1, 7;"),
        ("mov.b64 {%r1, %r2}  , %rd1;", "mov.b64 {%r1, %r2}, %rd1;"),
        ("L0 \t:", "L0:"),
    ],
)
def test_unusual_blanks_are_rows(spaced: str, plain: str) -> None:
    assert ROWS.findall(spaced) == ROWS.findall(plain)


@pytest.mark.parametrize("operands", ["%r2, %r1 ];", "%r2, %r1 +4];", "%r2 , , %r1;", "%r2 %r1;", "%r2, {%r1} ];"])
def test_wrong_operands_are_no_rows(operands: str) -> None:
    assert len(ROWS.findall(f"mov.b32 {operands} ret;")[0][-1]) > len(operands)


@pytest.mark.parametrize(
    "statement",
    ["add.u32 %r2 %r1;", "add.u32 %r2, (%r1;", "add.u32 %r2,, %r1;", "@%p1 add.u32 %r2, );", "add.u32 %r2, %r1, 7\n"],
)
def test_a_syntax_error_in_an_instruction_is_doubtful_alone(statement: str, monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts: list[bool] = []
    accepts = FastPath.accepts

    def noted(path: FastPath) -> bool:
        verdicts.append(accepts(path))
        return verdicts[-1]

    monkeypatch.setattr(FastPath, "accepts", noted)
    text = kernel(f"{AROUND}{statement}\n{'add.u32 %r1, %r1, 1;' * 3}")
    assert check(File("k.ptx", text))
    assert verdicts[0]  # then excerpts are checked, which may have too few statements for that
    fast, full = both(text, monkeypatch)
    assert fast == full
