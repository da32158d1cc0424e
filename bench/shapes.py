# ruff: noqa: E501 - a shape a line
"""Large files of one shape, which hardly any compiler emits, but a code generator may."""

from __future__ import annotations

from collections.abc import Callable

_HEADER = ".version 9.0\n.target sm_80\n.address_size 64\n"
_REGISTERS = """.reg .b32 %r<9>;
.reg .b64 %rd<9>;
.reg .f32 %f<9>;
.reg .pred %p<9>;
mov.b32 %r1, 1;
mov.b64 %rd1, 0;
mov.f32 %f1, 0f00000000;
setp.eq.s32 %p1, %r1, 2;
"""
_ADD = "add.s32 %r2, %r1, 7;\n"


def arithmetic(instructions: int) -> str:
    """One kernel of this many plain instructions."""
    lines = [
        ".version 8.5\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p)\n{",
        ".reg .b32 %r<3990>;\n.reg .f32 %f<3990>;\n.reg .b64 %rd<3990>;",
    ]
    lines += (f"\tmov.b32 \t%r{i}, {i};\n\tmov.b32 \t%f{i}, {i};\n\tmov.b64 \t%rd{i}, {8 * i};" for i in range(3990))
    for i in range((instructions - 3 * 3990) // 5):
        a, b, c = i % 3990, (i * 7) % 3990, (i * 13) % 3990
        lines += (
            f"\tadd.s32 \t%r{a}, %r{b}, {i % 97};",
            f"\tfma.rn.f32 \t%f{a}, %f{b}, %f{c}, %f{a};",
            f"\tmul.wide.s32 \t%rd{a}, %r{b}, 4;",
            f"\tld.global.f32 \t%f{c}, [%rd{a}+{4 * (i % 64)}];",
            f"\tst.global.u32 \t[%rd{b}], %r{c};",
        )
    return "\n".join((*lines, "\tret;\n}\n"))


def _each(count: int, text: str) -> str:
    return "".join(text.replace("#", str(number)) for number in range(count))


def _kernel(text: str, before: str = "") -> str:
    return f"{_HEADER}{before}.entry k()\n{{\n{_REGISTERS}{text}ret;\n}}\n"


def _lines(text: str, last: str = "") -> Callable[[int], str]:
    """A kernel that repeats a text this many times, with the number in place of `#`, and an end."""
    return lambda count: _kernel(_each(count, text) + last)


def _items(text: str, before: str = "", after: str = "") -> Callable[[int], str]:
    """This many items outside of functions."""
    return lambda count: _HEADER + before + _each(count, text) + after


def _values(declared: str, value: str) -> Callable[[int], str]:
    """An array of this many values."""

    def text(count: int) -> str:
        values = _each(count, f"{value}, ")[:-2]
        return f"{_HEADER}{declared.replace('#', str(count))} = {{{values}}};\n"

    return text


_TRUNCATED = "shl.b32 %r2, %r1, 4294967299;\n"
_SCOPE = "{\n.reg .b32 t;\nadd.s32 t, %r1, 7;\nadd.s32 %r2, t, 1;\n}\n"
_SPLIT = "mov.u32 %r3, %tid.x;\nsetp.lt.s32 %p2, %r3, 7;\n@%p2 bra L#;\n"

# fmt: off
SHAPES: dict[str, tuple[int, Callable[[int], str]]] = {
    "plain arithmetic": (300_000, arithmetic),
    "100,001 registers": (100_000, lambda count: _kernel(
        f".reg .b32 %q<{count + 1}>;\nmov.b32 %q{count}, 1;\n" + _each(count, f"add.s32 %q#, %q{count}, 1;\n")
    )),
    "one warning": (100_000, _lines(_ADD, _TRUNCATED)),
    "one wrong type": (100_000, _lines(_ADD, "add.f32 %r2, %r1, %rd1;\n")),
    "one unknown name": (100_000, _lines(_ADD, "mov.b32 %r2, %q2;\n")),
    "a warning on each line": (20_000, _lines(_TRUNCATED)),
    "a guarded warning on each line": (20_000, _lines("@%p1 " + _TRUNCATED)),
    "a truncated constant on each line": (20_000, _lines("mov.b32 %r2, 4294967299;\n")),
    "another constant on each line": (20_000, _lines("mov.b32 %r2, 5000000#;\n")),
    "another truncated constant on each line": (20_000, _lines("add.s32 %r2, %r1, 500000000#;\n")),
    "a destination twice": (20_000, _lines("mov.b64 {%r1, %r1}, %rd1;\n")),
    "registers never written": (20_000, lambda count: _kernel(
        f".reg .b32 %q<{count}>;\n" + _each(count, "add.s32 %r2, %q#, 1;\n"))),
    "a register never written": (20_000, _lines("add.s32 %r2, %r7, 1;\n")),
    "a warning in each kernel": (5_000, _items(f".entry k#()\n{{\n{_REGISTERS}{_TRUNCATED}ret;\n}}\n")),
    "a wrong type in each kernel": (5_000, _items(f".entry k#()\n{{\n{_REGISTERS}add.f32 %r2, %r1, %rd1;\nret;\n}}\n")),
    "an unwritten register in each kernel": (5_000, _items(f".entry k#()\n{{\n{_REGISTERS}add.s32 %r2, %r7, 1;\nret;\n}}\n")),
    "a wrong type on each line": (20_000, _lines("add.f32 %r2, %r1, %rd1;\n")),
    "an unknown name on each line": (20_000, _lines("mov.b32 %r2, %q#;\n")),
    "an unknown instruction on each line": (20_000, _lines("foo.b32 %r2, %r1;\n")),
    "one line": (200_000, lambda count: _kernel(_each(count, _ADD)).replace("\n", " ")),
    "a chain of calls": (50_000, _items(".func f#()\n{\ncall g;\nret;\n}\n", ".func g()\n{\nret;\n}\n")),
    "calls of the last": (50_000, lambda count: _HEADER + ".func f0()\n{\nret;\n}\n" + "".join(
        f".func f{i}()\n{{\ncall f{i - 1};\nret;\n}}\n" for i in range(1, count))),
    "calls of many": (20_000, lambda count: _HEADER + _each(count, ".func f#()\n{\nret;\n}\n") + _kernel(
        _each(count, "call f#;\n"))[len(_HEADER):]),
    "calls of many with parameters": (10_000, lambda count: _HEADER + _each(
        count, ".func (.param .b32 r) f#(.param .b32 a, .param .b64 b)\n{\nret;\n}\n") + _kernel(
        _each(count, "{\n.param .b32 x;\n.param .b64 y;\n.param .b32 z;\nst.param.b32 [x], %r1;\nst.param.b64 [y], %rd1;\ncall.uni (z), f#, (x, y);\nld.param.b32 %r2, [z];\n}\n"))[len(_HEADER):]),
    "extern calls of many": (10_000, lambda count: _HEADER + _each(
        count, ".extern .func (.param .b32 r) f#(.param .b32 a, .param .b64 b);\n") + _kernel(
        _each(count, "{\n.param .b32 x;\n.param .b64 y;\n.param .b32 z;\nst.param.b32 [x], %r1;\nst.param.b64 [y], %rd1;\ncall.uni (z), f#, (x, y);\nld.param.b32 %r2, [z];\n}\n"))[len(_HEADER):]),
    "comments in statements": (20_000, _lines("add.s32 %r2, /* 1 */ %r1, 7;\n")),
    "line comments in statements": (20_000, _lines("add.s32 %r2, // #\n  %r1, 7;\n")),
    "comments after statements": (40_000, _lines("add.s32 %r2, %r1, 7; // comment #\n")),
    "comments on lines": (40_000, _lines("// comment #\nadd.s32 %r2, %r1, 7;\n")),
    "comments alone": (100_000, _lines("// comment #\n")),
    "block comments alone": (100_000, _lines("/* comment # */\n")),
    "comments of the module": (100_000, _items("// comment #\n", after=_kernel("")[len(_HEADER):])),
    "comments in UTF-8": (40_000, _lines("add.s32 %r2, %r1, 7; // Größe #\n")),
    "comments in declarations": (20_000, _items(".global .b32 /* it */ x#; // one\n")),
    "line comments in declarations": (20_000, _items(".global .b32 // it\n x#; // one\n")),
    "labels": (50_000, _lines(f"L#:\n{_ADD}@%p1 bra L#;\n")),
    "labels alone": (100_000, _lines("L#:\n")),
    "labels on lines": (100_000, _lines(f"L#: {_ADD}")),
    "labels not used": (100_000, _lines(f"L#:\n{_ADD}")),
    "branches ahead": (50_000, lambda count: _kernel(_each(count, "@%p1 bra L#;\n") + _each(count, "L#:\n"))),
    "scopes": (50_000, _lines(_SCOPE)),
    "scopes with comments": (20_000, _lines("{ // #\n.reg .b32 t;\nadd.s32 t, %r1, 7; // a\nadd.s32 %r2, t, 1;\n}\n")),
    "scopes with labels": (20_000, _lines("{\n.reg .pred p;\nsetp.eq.s32 p, %r1, 7;\n@p bra L#;\nadd.s32 %r2, %r1, 1;\nL#:\n}\n")),
    "scopes with one label": (20_000, _lines("{\n.reg .pred p;\nsetp.eq.s32 p, %r1, 7;\n@p bra L;\nadd.s32 %r2, %r1, 1;\nL:\n}\n")),
    "scopes nested": (20_000, _lines("{\n{\n{\n{\n{\n.reg .b32 t;\nmov.b32 t, %r1;\n}\n}\n}\n}\n}\n")),
    "scopes deep": (90, lambda count: _kernel("{\n.reg .b32 t;\nmov.b32 t, 1;\n" * count + _each(20_000, "add.s32 %r2, t, 7;\n") + "}\n" * count)),
    "scopes that hide": (20_000, _lines("{\n.reg .b32 %r1;\nmov.b32 %r1, 1;\nadd.s32 %r2, %r1, 7;\n}\n")),
    "long scopes": (500, _lines("{\n.reg .b32 t;\nmov.b32 t, %r1;\n" + "add.s32 t, t, 1;\n" * 60 + "}\n")),
    "kernels": (10_000, _items(".entry k#(.param .u64 k#_p)\n{\nret;\n}\n")),
    "kernels with other parameters": (10_000, _items(".entry k#(.param .u64 p, .param .u32 n)\n{\nret;\n}\n")),
    "kernels with numbered parameters": (10_000, _items(".entry k#(.param .u64 p#, .param .u32 n#)\n{\nret;\n}\n")),
    "kernels with bodies": (5_000, _items(
        f".visible .entry k#(.param .u64 p#, .param .u32 n#)\n{{\n{_REGISTERS}ld.param.b64 %rd2, [p#];\nld.param.b32 %r3, [n#];\n{_ADD * 10}ret;\n}}\n")),
    "kernels with bodies and own names": (5_000, _items(
        f".visible .entry k#(.param .u64 k#_p, .param .u32 k#_n)\n{{\n{_REGISTERS}ld.param.b64 %rd2, [k#_p];\nld.param.b32 %r3, [k#_n];\n{_ADD * 10}ret;\n}}\n")),
    "functions": (50_000, _items(".func f#()\n{\nret;\n}\n")),
    "functions with comments before them": (20_000, _items("/**\n * The function # of them.\n */\n.func f#()\n{\nret;\n}\n")),
    "functions with registers": (20_000, _items(".func (.reg .b32 r#) f#(.reg .b32 a#)\n{\nadd.s32 r#, a#, 1;\nret;\n}\n")),
    "functions declared": (50_000, _items(".extern .func f#(.param .b32 a);\n")),
    "functions that GCC declares": (20_000, _items("// BEGIN GLOBAL FUNCTION DECL: f#\n.extern .func (.param .u32 %value_out) f# (.param .u64 %in_ar0, .param .u32 %in_ar1);\n")),
    "functions that CUDA declares": (10_000, _items(".extern .func  (.param .b32 func_retval0) f#\n(\n\t.param .b64 f#_param_0,\n\t.param .b64 f#_param_1\n)\n;\n")),
    "functions of clang": (8_000, _items(
        "\t// .globl\tf#                    // -- Begin function f#\n.visible .func  (.param .b32 func_retval0) f#( // @f#\n\t.param .b32 f#_param_0\n)\n{\n\t.reg .b32 \t%r<3>;\n\n// %bb.0:\n"
        "\tld.param.b32 \t%r1, [f#_param_0];\n\tadd.s32 \t%r2, %r1, #;\n\tst.param.b32 \t[func_retval0], %r2;\n\tret;\n                                        // -- End function\n}\n")),
    "functions with variables of their own": (5_000, _items(
        ".visible .entry k#(.param .u64 k#_p)\n{\n.reg .b32 %r<3>;\n.shared .align 4 .b8 _ZZ2k#E1s[1024];\nmov.u32 %r1, _ZZ2k#E1s;\nst.shared.b32 [%r1], 1;\nret;\n}\n")),
    "functions on a line": (20_000, _items(".func f#() { ret; }\n")),
    "functions declared and defined": (20_000, _items(".func f#(.param .b32 a);\n.func f#(.param .b32 a)\n{\nret;\n}\n")),
    "kernels with bounds": (10_000, _items(".entry k#()\n.maxntid 256, 1, 1\n.minnctapersm 2\n{\nret;\n}\n")),
    "kernels with reqntid": (10_000, _items(".entry k#()\n.reqntid #, 1, 1\n{\nret;\n}\n".replace(" #,", " 128,"))),
    "kernels with limits that differ": (10_000, _items(".entry k#()\n.maxntid 1#, 1, 1\n.minnctapersm 2\n{\nret;\n}\n")),
    "values": (200_000, _values(".global .b32 x[#]", "#")),
    "values in lines": (200_000, _values(".global .b32 x[#]", "\n#")),
    "hexadecimal values": (100_000, _values(".global .b32 x[#]", "0x1#")),
    "unsigned values": (100_000, _values(".global .u32 x[#]", "#U")),
    "negative values": (100_000, _values(".global .s32 x[#]", "-#")),
    "bytes": (300_000, _values(".global .b8 x[#]", "7")),
    "bytes as hexadecimals": (300_000, _values(".global .b8 x[#]", "0x1f")),
    "signed bytes": (300_000, _values(".global .s8 x[#]", "-7")),
    "64-bit values": (60_000, _values(".global .u64 x[#]", "1234567890123#")),
    "float values": (100_000, _values(".global .f32 x[#]", "0f3F800000")),
    "double values": (60_000, _values(".global .f64 x[#]", "0d3FF0000000000000")),
    "decimal values": (100_000, _values(".global .f32 x[#]", "#.5")),
    "decimal values with exponents": (100_000, _values(".global .f32 x[#]", "#.5e-3")),
    "nested values": (40_000, _values(".global .b32 x[#][4]", "{1, 2, #, 4}")),
    "nested float values": (40_000, _values(".global .f32 x[#][2]", "{0f00000000, 1.5}")),
    "nested twice": (20_000, _values(".global .b32 x[#][2][2]", "{{1, 2}, {#, 4}}")),
    "vector values": (40_000, _values(".global .v4 .b32 x[#]", "{1, 2, #, 4}")),
    "addresses": (60_000, _values(".global .b32 y;\n.global .u64 x[#]", "y")),
    "generic addresses": (60_000, _values(".global .b32 y;\n.global .u64 x[#]", "generic(y)")),
    "many addresses": (30_000, lambda count: _HEADER + _each(count, ".global .b32 y#;\n") + _values(".global .u64 x[#]", "y#")(count)[len(_HEADER):]),
    "addresses of functions": (30_000, _values(".func y()\n{\nret;\n}\n.global .u64 x[#]", "y")),
    "addresses with offsets": (60_000, _values(".global .b32 y[9];\n.global .u64 x[#]", "y+4")),
    "tables of functions": (6_000, _items(".global .align 8 .u64 vt#[6] = {0, 0, f, g, f, g};\n", ".func f()\n{\nret;\n}\n.func g()\n{\nret;\n}\n")),
    "masked addresses": (30_000, _values(".global .b32 y[9];\n.global .u8 x[#]", "0xFF(y)")),
    "expressions as values": (60_000, _values(".global .b32 x[#]", "1+2")),
    "variables with a value": (30_000, _items(".global .b32 x# = #;\n")),
    "variables with a float": (30_000, _items(".global .f32 x# = 0f3F800000;\n")),
    "variables with a decimal": (30_000, _items(".global .f32 x# = #.5;\n")),
    "arrays of floats": (10_000, _items(".global .f32 x#[4] = {0f3F800000, 0f00000000, 0f3F80000#, 1.5};\n".replace("0#", "00"))),
    "arrays of arrays": (10_000, _items(".global .b32 x#[2][2] = {{1, 2}, {3, 4}};\n")),
    "variables with an address": (30_000, _items(".global .u64 x# = y;\n", ".global .b32 y;\n")),
    "variables with addresses": (30_000, _items(".global .u64 x#[1] = {y};\n", ".global .b32 y;\n")),
    "variables": (50_000, _items(".global .align 4 .b32 x#;\n")),
    "variables of several names": (20_000, _items(".global .align 4 .b32 x#, y#, z#;\n")),
    "variables of GCC": (20_000, _items("// BEGIN VAR DEF: v#\n.visible .global .align 4 .u32 v#[1] = { # };\n")),
    "constants": (10_000, _items(".const .align 4 .b32 x# = 7;\n")),
    "shared variables": (10_000, _items(".shared .align 4 .b32 x#;\n")),
    "extern variables": (30_000, _items(".extern .global .align 4 .b32 x#;\n")),
    "arrays of differing size": (30_000, _items(".global .align 4 .b8 x#[1#];\n")),
    "arrays of differing size and values": (10_000, _items(".global .align 4 .b8 x#[1#] = {1, 2, 3};\n")),
    "strings of differing size": (6_000, lambda count: _HEADER + "".join(
        f".global .align 1 .b8 s{i}[{i % 97 + 1}] = {{{', '.join(str((i + j) % 128) for j in range(i % 97 + 1))}}};\n" for i in range(count))),
    "local arrays of differing size": (20_000, _lines("{\n.local .align 4 .b8 x[1#];\nmov.u64 %rd2, x;\n}\n")),
    "parameters of differing size": (10_000, _items(".entry k#(.param .align 8 .b8 k#_p[1#])\n{\nret;\n}\n".replace("1#", "#").replace("p[#", "p[1000") )),
    "call parameters of differing size": (10_000, _lines("{\n.param .align 4 .b8 x[1#];\n}\n".replace("1#", "1000"))),
    "textures": (10_000, _items(".global .texref t#;\n")),
    "registers one by one": (100_000, lambda count: _kernel(_each(count, ".reg .b32 q#;\n"))),
    "percent registers one by one": (100_000, lambda count: _kernel(_each(count, ".reg .b32 %q#;\n"))),
    "registers one by one, comments": (50_000, lambda count: _kernel(_each(count, ".reg .b32 %q#; // a\n"))),
    "registers in one declaration": (100_000, lambda count: _kernel(".reg .b32 " + _each(count, "q#, ")[:-2] + ";\n")),
    "registers in between": (30_000, _lines(".reg .b32 q#;\nmov.b32 q#, 1;\n")),
    "registers of ranges": (20_000, _lines(".reg .b32 q#_<3>;\nmov.b32 q#_1, 1;\n")),
    "names not numbered": (30_000, lambda count: _kernel(_each(count, ".reg .b32 alpha_#_beta;\n") + _each(count, "mov.b32 alpha_#_beta, 1;\n"))),
    "long names": (2_000, lambda count: _kernel(_each(count, f".reg .b32 {'a' * 200}#;\n") + _each(count, f"mov.b32 {'a' * 200}#, 1;\nadd.s32 %r2, {'a' * 200}#, 1;\n"))),
    "long names of functions": (2_000, _items(f".entry k{'a' * 500}#(.param .u64 k{'a' * 500}#_p)\n{{\n{_REGISTERS}ld.param.b64 %rd2, [k{'a' * 500}#_p];\nret;\n}}\n")),
    "lists": (30_000, _lines("mov.b64 %rd2, {%r1, %r2};\nmov.b64 {%r3, %r4}, %rd1;\nld.global.v4.b32 {%r2, %r3, %r4, %r5}, [%rd1];\n")),
    "long lists": (10_000, lambda count: _kernel(_each(count, "mov.b32 {" + ", ".join(f"%h{i}" for i in range(2)) + "}, %r1;\n"), ).replace(".reg .pred", ".reg .b16 %h<9>;\n.reg .pred")),
    "lines of .loc": (50_000, lambda count: _HEADER + '.file 1 "a.cu"\n' + _kernel(_each(count, f".loc 1 # 3\n{_ADD}"))[len(_HEADER):]),
    "lines of inlined .loc": (20_000, lambda count: _HEADER + '.file 1 "a.cu"\n' + _kernel(".loc 1 7 3\n" + _each(count, f".loc 1 # 3, function_name $L__info_string0, inlined_at 1 7 3\n{_ADD}"))[len(_HEADER):] + '.section .debug_str\n{\n$L__info_string0:\n.b8 1\n}\n'),
    "lines of the preprocessor": (50_000, lambda count: _kernel(f'# 7 "a.cu"\n{_ADD}' * count)),
    "source files": (50_000, _items('.file # "a#.cu"\n')),
    "source files with times": (30_000, _items('.file # "/usr/include/a#.cu", 1700000000, 12345\n')),
    "a debug section": (60_000, lambda count: _HEADER + _kernel("")[len(_HEADER):] + ".section .debug_info\n{\n" + _each(count, ".b8 1, 2, 3, 4\n.b32 #\n") + "}\n"),
    "a debug section with labels": (30_000, lambda count: _HEADER + _kernel("")[len(_HEADER):] + ".section .debug_info\n{\n" + _each(count, "L#:\n.b32 .debug_info+#\n.b64 L#\n") + "}\n"),
    "a debug section of bytes": (100_000, lambda count: _HEADER + _kernel("")[len(_HEADER):] + ".section .debug_info\n{\n" + _each(count, ".b8 #\n".replace("#", "77")) + "}\n"),
    "a debug section of hexadecimals": (20_000, lambda count: _HEADER + _kernel("")[len(_HEADER):] + ".section .debug_info\n{\n" + _each(count, ".b8 0x1f, 0x12\n.b32 0x#\n") + "}\n"),
    "a debug section of shorts": (50_000, lambda count: _HEADER + _kernel("")[len(_HEADER):] + ".section .debug_info\n{\n" + _each(count, ".b16 1#\n".replace("1#", "65432")) + "}\n"),
    "many debug sections": (10_000, _items(".section .debug_a#\n{\n.b8 1\n}\n")),
    "branch targets": (30_000, lambda count: _kernel(_each(count, "L#:\n") + "t: .branchtargets " + _each(count, "L#, ")[:-2] + ";\nbrx.idx %r1, t;\n")),
    "branch targets in lines": (30_000, lambda count: _kernel(_each(count, "L#:\n") + "t: .branchtargets\n" + _each(count, "L#,\n")[:-2] + ";\nbrx.idx %r1, t;\n")),
    "many branch targets": (10_000, _lines("t#: .branchtargets A#, B#;\n@%p1 brx.idx %r1, t#;\nA#:\nB#:\n")),
    "call targets": (10_000, lambda count: _HEADER + _each(count, ".func f#()\n{\nret;\n}\n") + _kernel("t: .calltargets " + _each(count, "f#, ")[:-2] + ";\nmov.b64 %rd2, f0;\ncall %rd2, t;\n")[len(_HEADER):]),
    "many call targets": (10_000, lambda count: _HEADER + ".func f()\n{\nret;\n}\n" + _kernel("mov.b64 %rd2, f;\n" + _each(count, "t#: .calltargets f;\ncall %rd2, t#;\n"))[len(_HEADER):]),
    "prototypes": (10_000, lambda count: _HEADER + ".func f(.param .b32 a)\n{\nret;\n}\n" + _kernel("mov.b64 %rd2, f;\n" + _each(count, "{\n.param .b32 x;\nst.param.b32 [x], %r1;\nt#: .callprototype ()_ (.param .b32 _);\ncall %rd2, (x), t#;\n}\n"))[len(_HEADER):]),
    "pragmas": (30_000, _lines('.pragma "nounroll";\n')),
    "pragmas of the module": (30_000, _items('.pragma "nounroll";\n')),
    "barriers after branches": (10_000, _lines(_SPLIT + "bar.sync 0;\nL#:\n")),
    "barriers after tid branches, not reached": (10_000, _lines(_SPLIT + f"{_ADD}L#:\nbar.sync 0;\n")),
    "barriers": (30_000, _lines("bar.sync 0;\n" + _ADD)),
    "guards": (50_000, _lines("@%p1 add.s32 %r2, %r1, 7;\n@!%p1 mov.b32 %r3, 1;\n")),
    "guards with blanks": (20_000, _lines("@ %p1 add.s32 %r2, %r1, 7;\n@ ! %p1 mov.b32 %r3, 1;\n")),
    "no blanks": (50_000, _lines("add.s32 %r2,%r1,7;add.s32 %r3,%r2,1;\n")),
    "many blanks": (50_000, _lines("  add.s32      %r2  ,  %r1  ,  7  ;\n")),
    "tabs": (50_000, _lines("\tadd.s32\t%r2,\t%r1,\t7;\n")),
    "carriage returns": (50_000, lambda count: _kernel(_each(count, _ADD)).replace("\n", "\r\n")),
    "carriage returns and comments": (20_000, lambda count: _kernel(_each(count, "add.s32 %r2, // #\n%r1, 7; // a\n")).replace("\n", "\r\n")),
    "operands on lines": (20_000, _lines("add.s32\n%r2,\n%r1,\n7;\n")),
    "empty lines": (20_000, _lines("\n\n\n\n\n" + _ADD)),
    "float constants": (40_000, _lines("add.f32 %f2, %f1, 0f3F800000;\nmul.f32 %f3, %f2, 0f3F00000#;\n".replace("0#", "00"))),
    "float constants of many values": (30_000, lambda count: _kernel("".join(f"add.f32 %f2, %f1, 0f{i:08X};\n" for i in range(count)))),
    "decimal constants": (30_000, _lines("add.f32 %f2, %f1, #.5;\n")),
    "integers of many values": (40_000, _lines("add.s32 %r2, %r1, #;\nmov.b32 %r3, #;\n")),
    "hexadecimals of many values": (40_000, _lines("and.b32 %r2, %r1, 0x#;\n")),
    "constant expressions": (20_000, _lines("add.s32 %r2, %r1, 1+#;\n")),
    "constant expressions in parentheses": (20_000, _lines("add.s32 %r2, %r1, (#*4);\n")),
    "addresses of many offsets": (40_000, _lines("ld.global.b32 %r2, [%rd1+#];\n".replace("+#", "+4#"))),
    "addresses of variables": (20_000, lambda count: _HEADER + _each(count, ".global .b32 x#;\n") + _kernel(_each(count, "ld.global.b32 %r2, [x#];\nmov.u64 %rd2, x#;\n"))[len(_HEADER):]),
    "addresses of parameters": (20_000, lambda count: _HEADER + f".entry k({_each(1000, '.param .b32 p#, ')[:-2]})\n{{\n{_REGISTERS}" + "".join(f"ld.param.b32 %r2, [p{i % 1000}];\n" for i in range(count)) + "ret;\n}\n"),
    "parameters": (2_000, lambda count: _HEADER + "".join(f".func f{i}({', '.join(f'.param .b32 f{i}_p{j}' for j in range(20))})\n{{\nret;\n}}\n" for i in range(count))),
    "special registers": (40_000, _lines("mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.y;\n")),
    "pairs": (30_000, _lines("setp.eq.s32 %p2|%p3, %r1, 7;\n")),
    "local variables": (30_000, _lines(".local .b32 x#;\n")),
    "shared variables in bodies": (10_000, _lines(".shared .b32 x#;\n")),
    "exits": (40_000, _lines("@%p1 exit;\n@%p1 ret;\n")),
    "textures read": (20_000, lambda count: _HEADER + ".global .texref t;\n" + _kernel(_each(count, "tex.2d.v4.f32.s32 {%f2, %f3, %f4, %f5}, [t, {%r1, %r1}];\n"))[len(_HEADER):]),
    "vectors selected": (20_000, lambda count: _kernel(".reg .v4 .b32 %v;\nmov.v4.b32 %v, {%r1, %r1, %r1, %r1};\n" + _each(count, "mov.b32 %r2, %v.x;\n"))),
    "matrix products": (10_000, lambda count: _kernel(_each(count, "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r1, %r1, %r1}, {%r1, %r1}, {%f1, %f1, %f1, %f1};\n"))),
    "atomics": (20_000, _lines("atom.global.add.u32 %r2, [%rd1], %r1;\nred.global.add.u32 [%rd1+4], 1;\n")),
    "weak functions": (20_000, _items(".weak .func f#()\n{\nret;\n}\n")),
    "noreturn functions": (20_000, _items(".func f#()\n.noreturn\n{\nexit;\n}\n")),
}
# fmt: on
"""How many times each shape is repeated, so that it takes a measurable time, and what makes it."""
