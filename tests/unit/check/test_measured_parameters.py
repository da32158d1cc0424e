"""Parameters and results of functions with and without a body, and of prototypes: verdicts of ptxas 13.5 on sm_90."""

from __future__ import annotations

import pytest

import openptx

# fmt: off
DECLARED = (  # taken (1) or refused (0): for a parameter and for a result, with a body, without one, in a prototype
    (".param .v2 .b32 a",               "011 011"),
    (".param .v2 .f32 a[4]",            "111 111"),
    (".param .v4 .b64 a",               "000 000"),
    (".param .v8 .b32 a",               "000 000"),
    (".reg .v2 .b32 a",                 "111 111"),
    (".reg .v4 .b64 a",                 "000 000"),
    (".reg .v2 .pred a",                "000 000"),
    (".reg .b32 a[2]",                  "011 011"),
    (".reg .b32 a[]",                   "000 000"),
    (".param .pred a",                  "011 011"),
    (".param .pred a[2]",               "000 000"),
    (".reg .pred a[2]",                 "000 000"),
    (".param .texref a[2]",             "111 111"),
    (".param .f16x2 a",                 "011 011"),
    (".param .texref a",                "011 011"),
    (".param .v2 .texref a",            "000 000"),
    (".param .e4m3x2 a[4]",             "111 111"),
    (".param .v2 .u16x2 a",             "000 000"),
    (".param .b8 a[]",                  "111 000"),
    (".param .b8 a[0]",                 "111 000"),
    (".param .align 3 .b8 a[4]",        "000 000"),
    (".param .align 256 .b8 a[4]",      "011 011"),
    (".param .align 0 .b32 a",          "000 000"),
)
# fmt: on


def is_accepted(text: str, version: str = "9.0", target: str = "sm_90") -> bool:
    found = openptx.check(f".version {version}\n.target {target}\n.address_size 64\n{text}\n")
    return not any(each.severity == "error" for each in found)


def verdicts(texts: list[str], version: str = "9.0", target: str = "sm_90") -> str:
    return "".join(str(int(is_accepted(text, version, target))) for text in texts)


@pytest.mark.parametrize(("declared", "taken"), DECLARED)
def test_parameters_and_results(declared: str, taken: str) -> None:
    given = [f".func f({declared}) {{ ret; }}", f".func f({declared});"]
    returned = [f".func ({declared}) f() {{ ret; }}", f".func ({declared}) f();"]
    given.append(f".entry k() {{ t: .callprototype _ ({declared}); ret; }}")
    returned.append(f".entry k() {{ t: .callprototype ({declared}) _ (); ret; }}")
    assert f"{verdicts(given)} {verdicts(returned)}" == taken


@pytest.mark.parametrize(
    ("declared", "version", "target", "taken"),
    [
        ("(.param .b8 a[], .param .b32 b)", "9.0", "sm_90", "000"),
        ("(.param .b32 b, .param .b8 a[])", "9.0", "sm_90", "111"),
        ("(.param .b32 b, .param .b8 a[])", "5.0", "sm_50", "000"),
    ],
)
def test_the_last_parameter_alone_may_have_no_length(declared: str, version: str, target: str, taken: str) -> None:
    texts = [f".func f{declared} {{ ret; }}", f".func f{declared};"]
    texts.append(f".entry k() {{ t: .callprototype _ {declared}; ret; }}")
    assert verdicts(texts, version, target) == taken


def test_a_prototype_with_a_result_returns() -> None:
    assert is_accepted(".entry k() { t: .callprototype _ (.reg .b32 a) .noreturn; ret; }")
    assert not is_accepted(".entry k() { t: .callprototype (.reg .b32 a) _ () .noreturn; ret; }")


def test_declared_types_of_another_place_are_warnings() -> None:
    found = openptx.check(".version 9.0\n.target sm_90\n.func f(.param .v2 .b32 a);\n")
    assert [(each.severity, each.name) for each in found] == [("warning", "document-disagrees")]
