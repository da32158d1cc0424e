# ruff: noqa: E501 - PTX in one line reads better here
"""Programs that are as expensive to check as their size allows: generators of text of size `n`."""

from __future__ import annotations

from collections.abc import Callable

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"


def body(text: str) -> str:
    return f"{HEAD}.visible .entry k() {{\n{text}\nret;\n}}\n"


def each(n: int, text: str) -> str:
    """The text for each number; `#` is the number, in five digits."""
    return "".join(text.replace("#", f"{i:05}") for i in range(n))


# fmt: off
PROGRAMS: dict[str, Callable[[int], str]] = {
    "misspelt names":        lambda n: body(each(n, ".reg .b32 name#x;\n") + each(n, "mov.b32 nmae#y, 1;\n")),
    "misspelt labels":       lambda n: body(each(n, "label#x:\n") + each(n, "bra lebal#y;\n")),
    "misspelt functions":    lambda n: HEAD + each(n, ".func f#x() {ret;}\n") + f".entry k() {{{each(n, 'call fnu#y;')} ret;}}",
    "one misspelt name":     lambda n: body(each(n, ".reg .b32 name#x;\n") + "mov.b32 nmae, 1;\n" * n),
    "no declaration":        lambda n: body(each(n, "add.u32 %r#, %r#, 1;\n")),
    "unknown mnemonics":     lambda n: body(each(n, "foo# a, b;\n")),
    "unknown modifiers":     lambda n: body(each(n, "add.qx# a, b, c;\n")),
    "unknown types":         lambda n: body(each(n, ".reg .q# a#;\n")),
    "unknown special":       lambda n: body(each(n, "mov.u32 %tidd#x, %ntd.x#;\n")),
    "unknown labels":        lambda n: body(each(n, "bra L#;\n")),
    "unknown targets":       lambda n: ".version 8.0\n.target sm_80" + each(n, ", sm_#") + "\n",
    "modifiers":             lambda n: body("add" + ".u32" * n + " a, b, c;"),
    "fields":                lambda n: body("mov.u32 a, %tid" + ".x" * n + ";"),
    "a long name":           lambda n: body(f".reg .b32 {'a' * n}; mov.b32 {'b' * n}, 1;"),
    "a long mnemonic":       lambda n: body("f" * n + " a, b;"),
    "a long modifier":       lambda n: body(f"add.{'u' * 20 * n} a, b, c;"),
    "a long type":           lambda n: f"{HEAD}.global .{'b' * 20 * n} a;",
    "a long number":         lambda n: body(f".reg .b32 a; mov.b32 a, {'9' * n}; .local .b8 x[{'9' * n}];"),
    "a long zero":           lambda n: body(f".reg .b32 a; mov.b32 a, {'0' * 20 * n}1;"),
    "longer numbers":        lambda n: body(f".reg .b32 a; mov.b32 a, {'9' * 20 * n}; mov.f32 a, {'9' * 20 * n}f;"),
    "a long hex number":     lambda n: body(f".reg .b32 a; mov.b32 a, 0x{'9' * n};"),
    "a long register":       lambda n: body(f".reg .b32 %r<4>; mov.b32 %r{'3' * n}, 1;"),
    "a long name to another": lambda n: body(f".reg .b32 {'a' * 4 * n}-%r1;"),
    "names with dots":       lambda n: HEAD + each(n, ".func f.#(.param .b32 f.#_param_0) {ret;}\n"),
    "a long range":          lambda n: body(f".reg .b32 %r<{'4' * n}>;"),
    "unclosed blocks":       lambda n: body("{" * n),
    "blocks":                lambda n: body("{" * 2 * n + "}" * 2 * n),
    "blocks with registers": lambda n: body("{ .reg .b32 a;" * n + "mov.b32 a, b;" + "}" * n),
    "blocks that read":      lambda n: body(".reg .b32 a;" + "{ add.u32 a, a, 1;" * n + "}" * n),
    "closing braces":        lambda n: body("}" * n),
    "closing braces in a line": lambda n: body("}" * 8 * n),
    "nested addresses":      lambda n: body(f".reg .b32 a; ld.u32 a, {'[' * 12 * n};"),
    "parentheses":           lambda n: body(f".reg .b32 a; mov.b32 a, {'(' * n}1{')' * n};"),
    "signs":                 lambda n: body(f".reg .b32 a; mov.b32 a, {'-' * n}1;"),
    "conditions":            lambda n: body(f".reg .b32 a; mov.b32 a, {'1?' * n}1{':1' * n};"),
    "a sum":                 lambda n: body(f".reg .b32 a; mov.b32 a, {'1+' * n}1;"),
    "nested vectors":        lambda n: body(f".reg .b32 a; mov.b32 {'{' * n}a{'}' * n}, a;"),
    "a long vector":         lambda n: body(f".reg .b32 a;\nmov.b32 {{{'a,' * n}a}}, a;\nadd.u32 a, a, 1;"),
    "operands":              lambda n: body(f".reg .b32 a;\nadd.u32 {'a, ' * 2 * n}a;"),
    "nested values":         lambda n: f"{HEAD}.global .b8 x[] = {'{' * n}1{'}' * n};",
    "values":                lambda n: f"{HEAD}.global .b32 x[{n + 1}] = {{{'1,' * n}1}};",
    "dimensions":            lambda n: f"{HEAD}.global .b8 x{'[4]' * n};",
    "sizes":                 lambda n: HEAD + each(n, ".global .b8 x#[4294967296][4294967296][4294967296];\n"),
    "source lines":          lambda n: HEAD + each(n, '.file 1# "a.cu"\n') + body(each(n, ".loc 1# 1 1\n")),
    "a section":             lambda n: HEAD + ".section .debug_info {\n" + ".b8 1,2,3\n" * n + "}\n",
    "branch targets":        lambda n: body(f".reg .b32 a; t: .branchtargets L{each(n, ', L#')}; brx.idx a, t;" + each(n, "L#:\n")),
    "jumps":                 lambda n: body(".reg .pred p;\n" + "".join(f"L{i}: @p bra L{i * 7919 % n};\n" for i in range(n))),
    "a chain of calls":      lambda n: HEAD + ".func f0() {ret;}\n" + "".join(f".func f{i}() {{call f{i - 1}; ret;}}\n" for i in range(1, n)),
    "unwritten registers":   lambda n: body(".reg .b32 a<9>;\n" + "".join(f"add.u32 a{1 + i % 8}, a0, 1;\n" for i in range(n))),
    "wrong types":           lambda n: body(".reg .f32 f; .reg .b64 d;\n" + "add.f32 f, f, d;\n" * n),
    "wrong types in a line": lambda n: body(".reg .f32 f; .reg .b64 d;" + "add.f32 f, f, d; " * n),
    "no commas":             lambda n: body("add.u32 a b c;\n" * n),
    "registers of one name": lambda n: body(f".reg .b32 {'a, ' * n}a;"),
    "parameters of one name": lambda n: f"{HEAD}.func f({'.param .b32 a, ' * n}.param .b32 a) {{ret;}}",
    "declared again":        lambda n: body(".reg .b32 a;\n" * n),
    "ranges again":          lambda n: body(".reg .b32 a<10>;\n" * n),
    "functions again":       lambda n: HEAD + ".func f() {ret;}\n" * n,
    "parameters":            lambda n: f"{HEAD}.entry k({each(n, '.param .u32 p#,')} .param .u32 q) {{ret;}}",
    "arguments":             lambda n: f"{HEAD}.func f(.reg .b32 a) {{ret;}}\n.entry k() {{.reg .b32 a; call f, ({'a,' * n}a); ret;}}",
    "wrong calls":           lambda n: f"{HEAD}.func f(.reg .b32 a) {{ret;}}\n.entry k() {{.reg .b32 a; {'call f, (a, a);' * n} ret;}}",
    "pragmas":               lambda n: HEAD + each(n, '.pragma "#";\n'),
    "guards":                lambda n: body("@p " * n + "ret;"),
    "comments in statements": lambda n: body(".reg .b32 a; mov.b32 a, 1;\n" + f"add.u32 a, /*{'b' * 2000}*/ a, 1;\n" * 2 * n),
    "divergent barriers":    lambda n: body(".reg .b32 a; .reg .pred p; mov.u32 a, %tid.x; setp.lt.u32 p, a, 5;\n" + "@p bra L;\nbar.sync 0;\n" * n + "L: bar.sync 0;"),
    "large ranges":          lambda n: body(each(n, ".reg .b32 r#x<60000>;\n")),
    "large ranges again":    lambda n: HEAD + each(n, ".func f#() {.reg .b32 r<60000>; ret;}\n"),
    "versions":              lambda n: ".version 8.0\n" * n,
}
# fmt: on
