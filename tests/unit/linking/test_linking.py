"""Linked modules: which definition is used, what is renamed, what is refused, and the locations in faults."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import openptx
from openptx.cli import main
from openptx.device.shared_layout import shared_layout
from openptx.diagnostics.codes import Code, every_code
from openptx.engines.interp.builtins import EXTERNALS
from openptx.linking.link import SYSTEM

HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
ROWS = [row for row in every_code() if row.code.startswith("PTX7")]
ENGINES = pytest.mark.parametrize("engine", ["interp", "native"])

CALLER = """.file 1 "caller.cu"
.extern .func (.param .b32 r) scale(.param .b32 a);
.extern .global .u32 offset;
.extern .shared .align 16 .b8 dynamic[];
.global .u32 hidden = 3;
.func bump() {
    .reg .b32 r;
    ld.global.u32 r, [hidden];
    add.u32 r, r, 1;
    st.global.u32 [hidden], r;
    ret;
}
.visible .entry k(.param .u64 x) {
    .reg .b64 p; .reg .b32 a, b;
    ld.param.u64 p, [x];
    .loc 1 7 1
    call bump;
    ld.global.u32 a, [hidden];
    { .param .b32 p0; .param .b32 r0; st.param.b32 [p0], a; call.uni (r0), scale, (p0); ld.param.b32 b, [r0]; }
    ld.global.u32 a, [offset];
    add.u32 b, b, a;
    st.global.u32 [p], b;
    ret;
}
"""
CALLEE = """.file 1 "callee.cu"
.visible .global .u32 offset = 100;
.extern .shared .align 8 .b64 dynamic[];
.global .u32 hidden = 50;
.func bump() { ret; }
.visible .func (.param .b32 r) scale(.param .b32 value) {
    .reg .b32 a, h;
    ld.param.b32 a, [value];
    .loc 1 9 1
    call bump;
    ld.global.u32 h, [hidden];
    mul.lo.u32 a, a, h;
    st.param.b32 [r], a;
    ret;
}
"""
READ = """.visible .entry %s(.param .u64 o) {
    .reg .b64 p; .reg .b32 r;
    ld.param.u64 p, [o];
    ld.global.u32 r, [x];
    st.global.u32 [p], r;
    ret;
}
"""


def value(modules: list[str], kernel: str = "k", engine: str = "interp") -> int:
    """What a kernel writes that takes one pointer."""
    out = np.zeros(1, np.uint32)
    openptx.load([HEAD + module for module in modules])[kernel](1, 1, (out,), engine=engine)
    return int(out[0])


def problems(modules: list[str]) -> list[str]:
    with pytest.raises(openptx.CheckError) as caught:
        openptx.link([HEAD + module for module in modules])
    return [found.name for found in caught.value.diagnostics]


def modules_of(example: str) -> list[str]:
    return [".version" + text for text in example.split(".version")[1:]]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.code)
def test_examples_of_the_codes(row: Code) -> None:
    with pytest.raises(openptx.CheckError) as caught:
        openptx.link(modules_of(row.example))
    assert {found.name for found in caught.value.diagnostics} == {row.name}
    assert openptx.check(openptx.link(modules_of(row.instead)) + "\n") == []


@ENGINES
@pytest.mark.parametrize("order", [(CALLER, CALLEE), (CALLEE, CALLER)])
def test_functions_variables_and_static_names(order: tuple[str, str], engine: str) -> None:
    assert value([*order], engine=engine) == 4 * 50 + 100


def test_the_text_is_clean_and_has_one_header() -> None:
    text = openptx.link([HEAD + CALLER, HEAD.replace("8.0", "8.3").replace("80", "90") + CALLEE])
    assert openptx.check(text) == []
    assert re.findall(r"^\.(?:version|target|address_size).*", text, re.M) == [
        ".version 8.3", ".target sm_90", ".address_size 64",
    ]  # fmt: skip
    assert re.findall(r"^\.file.*", text, re.M) == ['.file 1 "caller.cu"', '.file 2 "callee.cu"']
    assert ".loc 1 7 1" in text
    assert ".loc 2 9 1" in text


def test_a_file_that_both_name_has_one_number() -> None:
    text = openptx.link([HEAD + CALLER, HEAD + CALLEE.replace("callee.cu", "caller.cu")])
    assert text.count(".file") == 1
    assert ".loc 1 9 1" in text


@pytest.mark.parametrize(
    ("first", "second", "wanted"),
    [
        (".visible .global .u32 x = 1;", ".weak .global .u32 x = 2;", 1),
        (".weak .global .u32 x = 1;", ".visible .global .u32 x = 2;", 2),
        (".weak .global .u32 x = 1;", ".weak .global .u32 x = 2;", 1),
        (".common .global .u32 x;", ".visible .global .u32 x = 2;", 2),
        (".common .global .u32 x;", ".weak .global .u32 x = 2;", 2),
        (".extern .global .u32 x;", ".visible .global .u32 x = 2;", 2),
        (".global .u32 x = 1;", ".visible .global .u32 x = 2;", 1),
        (".extern .global .b32 x;", ".visible .global .u32 y = 1, x = 2;", 2),
        (".visible .global .u32 x = 1, y = 7;", ".weak .global .u32 y = 8, z = 9;", 1),
        (".extern .global .f32 x;", ".visible .global .align 4 .b8 x[4] = {2, 0, 0, 0};", 2),
    ],
)
def test_which_variable_stands(first: str, second: str, wanted: int) -> None:
    assert value([first + READ % "k", second]) == wanted
    assert value([second, first + READ % "k"]) == (wanted if wanted == 2 or ".weak" not in first else 2)


def test_the_larger_common_variable_stands() -> None:
    small, large = ".common .global .align 4 .b8 x[4];", ".common .global .align 4 .b8 x[12];"
    for modules in ([small, large], [large, small]):
        module = openptx.load([HEAD + one + READ % f"k{i}" for i, one in enumerate(modules)])
        assert module.get_global("x").size == 12


@pytest.mark.parametrize("linkage", [".visible", ".weak"])
def test_a_common_variable_may_be_smaller_than_an_initialised_one(linkage: str) -> None:
    definition, common = f"{linkage} .global .align 4 .b8 x[8]", ".common .global .align 4 .b8 x[{}];"
    for order in (1, -1):
        openptx.link([HEAD + module for module in (definition + " = {1};", common.format(4))[::order]])
        assert problems([definition + " = {1};", common.format(16)][::order]) == ["mismatched-declaration"]
        assert problems([definition + ";", common.format(4)][::order]) == ["mismatched-declaration"]


def test_a_weak_function_gives_way() -> None:
    use = """.visible .entry k(.param .u64 o) {
        .reg .b64 p; .reg .b32 r;
        ld.param.u64 p, [o];
        call.uni (r), f, ();
        st.global.u32 [p], r;
        ret;
    }"""
    one = "%s .func (.reg .b32 r) f() { mov.b32 r, %d; ret; }\n"
    assert value([one % (".weak", 1) + use, one % (".visible", 2)]) == 2
    assert value([one % (".visible", 2), one % (".weak", 1) + use]) == 2
    assert value([one % (".weak", 1) + use, one % (".weak", 2)]) == 1
    assert value([".extern .func (.reg .b32 r) f();\n" + use, one % (".weak", 1), one % (".visible", 2)]) == 2
    assert value([one % ("", 1) + use, one % (".visible", 2)]) == 1


def test_a_static_name_does_not_take_the_place_of_a_local_one() -> None:
    """`x` is a static variable of both, and a register of a function in the second."""
    local = """.global .u32 x = 5;
    .func (.reg .b32 r) own() { .reg .b32 x; mov.b32 x, 11; mov.b32 r, x; ret; }
    .visible .entry k(.param .u64 o) {
        .reg .b64 p; .reg .b32 r, s;
        ld.param.u64 p, [o];
        call.uni (r), own, ();
        ld.global.u32 s, [x];
        add.u32 r, r, s;
        st.global.u32 [p], r;
        ret;
    }"""
    assert value([".global .u32 x = 1;\n" + READ % "other", local]) == 16
    assert value([".global .u32 x = 1;\n" + READ % "other", local], "other") == 1


def test_addresses_in_initial_values_follow_their_names() -> None:
    table = ".global .u32 x = 9;\n.visible .global .u64 table[1] = {generic(x)};"
    use = """.extern .global .u64 table[1];
    .global .u32 x = 1;
    .visible .entry k(.param .u64 o) {
        .reg .b64 p, q; .reg .b32 r, s;
        ld.param.u64 p, [o];
        ld.global.u64 q, [table];
        ld.u32 r, [q];
        ld.global.u32 s, [x];
        add.u32 r, r, s;
        st.global.u32 [p], r;
        ret;
    }"""
    assert value([use, table]) == value([table, use]) == 10


def test_kernels_of_two_modules() -> None:
    assert problems([READ.replace("[x]", "[p]") % "k"] * 2) == ["multiple-definition"]
    one = ".global .u32 x = %d;\n"
    assert value([one % 1 + READ % "a", one % 2 + READ % "b"], "b") == 2


ADDRESS = """
.extern .entry other(.param .u32 a);
.visible .entry k(.param .u64 x) {
    .reg .b64 p, q;
    ld.param.u64 p, [x];
    mov.u64 q, other;
    st.global.u64 [p], q;
    ret;
}
"""


@ENGINES
def test_an_address_of_a_kernel_of_a_later_module(engine: str) -> None:
    module = openptx.load([HEAD + ADDRESS, HEAD + ".visible .entry other(.param .u32 a) { ret; }\n"])
    assert {*module.kernels} == {"k", "other"}
    address = np.zeros(1, np.uint64)
    module["k"](1, 1, (address,), engine=engine)
    assert address[0] == module.image.address("other")


def test_aliases_are_definitions() -> None:
    alias = """.visible .func (.reg .b32 r) real() { mov.b32 r, 4; ret; }
    .visible .func (.reg .b32 r) other();
    .alias other, real;"""
    use = """.extern .func (.reg .b32 r) other();
    .visible .entry k(.param .u64 o) {
        .reg .b64 p; .reg .b32 r;
        ld.param.u64 p, [o];
        call.uni (r), other, ();
        st.global.u32 [p], r;
        ret;
    }"""
    assert value([alias, use]) == value([use, alias]) == 4


def test_what_the_system_defines_is_no_undefined_reference() -> None:
    assert frozenset(EXTERNALS) == SYSTEM
    use = """.extern .func (.param .b64 r) malloc(.param .b64 size);
    .visible .entry k() {
        .param .b64 n; .param .b64 r;
        st.param.b64 [n], 8;
        call.uni (r), malloc, (n);
        ret;
    }"""
    openptx.load([HEAD + use, HEAD])["k"](1, 1)


STACKS = """.extern .shared .u64 stacks[32];
.visible .entry k(.param .u64 x) {
    .reg .b64 p; .reg .b32 a;
    ld.param.u64 p, [x];
    st.shared.u32 [stacks+252], 5;
    ld.shared.u32 a, [stacks+252];
    st.global.u32 [p], a;
    ret;
}
"""


@ENGINES
@pytest.mark.parametrize("linkage", [".visible", ".weak"])
def test_shared_arrays_with_a_length_are_the_ones_another_module_defines(linkage: str, engine: str) -> None:
    """As nvlink does it; GCC's runtime for OpenMP declares its stacks in this way."""
    out = np.zeros(1, np.uint32)
    module = openptx.load([HEAD + STACKS, f"{HEAD}{linkage} .shared .align 8 .u64 stacks[32];\n"])
    module["k"](1, 1, (out,), engine=engine)
    assert out.tolist() == [5]
    assert shared_layout(module.program, "k").static == 256


@pytest.mark.parametrize(
    ("other", "wanted"),
    [
        (".visible .shared .u64 stacks[64];", "mismatched-declaration"),
        (".shared .u64 stacks[32];", "undefined-reference"),
        ("", "undefined-reference"),
    ],
)
def test_shared_arrays_with_a_length_that_no_module_defines(other: str, wanted: str) -> None:
    assert problems([STACKS, other]) == [wanted]


def test_a_function_that_nobody_uses_may_stay_undefined_a_variable_may_not() -> None:
    openptx.link([HEAD + ".extern .func f();\n.extern .global .texref t;", HEAD])
    assert problems([".extern .global .u32 x;", ""]) == ["undefined-reference"]


def test_undefined_names_are_named_once_a_module() -> None:
    used = ".extern .global .u32 x;\n" + READ % "k0" + READ % "k1"
    assert problems([used, used.replace("k", "m")]) == ["undefined-reference"] * 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (".extern .global .align 8 .b64 x;", ".visible .global .u32 x = 1;"),
        (".extern .const .u32 x;", ".visible .global .u32 x = 1;"),
        (".extern .func x();", ".visible .global .u32 x = 1;"),
        (".extern .func x(.param .b32 a);", ".visible .func x(.param .b64 a) { ret; }"),
        (".extern .func x(.param .b32 a);", ".visible .func x() { ret; }"),
    ],
)
def test_declarations_that_differ(first: str, second: str) -> None:
    assert problems([first, second]) == problems([second, first]) == ["mismatched-declaration"]


def test_errors_in_modules_are_those_of_the_files() -> None:
    with pytest.raises(openptx.CheckError) as caught:
        openptx.link([HEAD + "nonsense;", HEAD + ".visible .entry k() { add.s32 a; }"])
    assert {found.file.name for found in caught.value.diagnostics} == {"<string 0>", "<string 1>"}


@ENGINES
def test_a_fault_points_into_the_file_of_the_statement(tmp_path: Path, engine: str) -> None:
    for name, text in (("caller", CALLER.replace("[p], b", "[p+4096], b")), ("callee", CALLEE)):
        (tmp_path / f"{name}.ptx").write_text(HEAD + text)
    kernel = openptx.load([tmp_path / "callee.ptx", tmp_path / "caller.ptx"])["k"]
    with pytest.raises(openptx.Fault) as caught:
        kernel(1, 1, (np.zeros(1, np.uint32),), engine=engine)
    fault = caught.value
    assert fault.file is not None
    assert fault.span is not None
    assert fault.file.name == str(tmp_path / "caller.ptx")
    assert fault.file.text[slice(*fault.span)] == "st.global.u32 [p+4096], b;"


def test_findings_point_into_the_file_of_the_statement() -> None:
    racy = """.extern .global .u32 x;
    .visible .entry k() { .reg .b32 r; mov.u32 r, %tid.x; st.global.u32 [x], r; ret; }"""
    module = openptx.load([HEAD + ".visible .global .u32 x = 0;", HEAD + racy])
    found = openptx.sanitize(module["k"], 1, 64, ())
    assert [(one.file.name, one.file.text[slice(*one.span)]) for one in found] == [
        ("<string 1>", "st.global.u32 [x], r;")
    ]


def test_strings_of_debug_information_stay_apart() -> None:
    one = """.file 1 "a.cu"
    .visible .entry k%d() {
        .loc 1 9 2
        .loc 1 3 1, function_name $L__info_string0, inlined_at 1 9 2
        ret;
    }
    .section .debug_str {
    $L__info_string0:
    .b8 %d,0
    }
    .section .debug_info { .b32 1 }
    """
    text = openptx.link([HEAD + one % (0, 65), HEAD + one % (1, 66)])
    assert openptx.check(text) == []
    assert text.count("function_name $L__info_string0,") == text.count("function_name $L__info_string0$1,") == 1
    assert ".debug_info" not in text


def test_bad_calls() -> None:
    with pytest.raises(openptx.ArgumentError, match="takes a list"):
        openptx.link(HEAD)  # type: ignore[arg-type]
    with pytest.raises(openptx.ArgumentError, match="nothing to link"):
        openptx.link([])
    with pytest.raises(openptx.ArgumentError, match="PTX is a path"):
        openptx.link([HEAD, 3])  # type: ignore[list-item]
    with pytest.raises(FileNotFoundError):
        openptx.load([HEAD, "no-such-file.ptx"])


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two, out = (str(tmp_path / name) for name in ("a.ptx", "b.ptx", "out.ptx"))
    Path(one).write_text(HEAD + CALLER)
    Path(two).write_text(HEAD + CALLEE)
    assert main(["link", one, two, "-o", out]) == 0
    assert main(["link", one, two]) == 0
    assert capsys.readouterr().out == Path(out).read_text()
    assert main(["run", out, "--kernel", "k", "--grid", "1", "--block", "1", "--arg", "zeros:u32:1"]) == 0
    assert "300" in capsys.readouterr().out
    assert main(["link", one]) == 1
    assert "undefined-reference" not in (found := capsys.readouterr().out) or "`scale`" in found
    assert main(["link", one, "missing.ptx"]) == 2
    assert main(["link", one, two, "--target", "sm_1"]) == 2
