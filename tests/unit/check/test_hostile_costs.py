"""Hostile texts take time in proportion to their size and cause no traceback, however they nest."""

from __future__ import annotations

import time

import pytest
from hostile import HEAD, PROGRAMS, body

import openptx
from openptx.check import spelling
from openptx.diagnostics import Diagnostic
from openptx.syntax.body_parser import BLOCKS
from openptx.syntax.format import formatted


@pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.sweep)])
@pytest.mark.parametrize("what", PROGRAMS)
def test_hostile_programs_end_in_diagnostics_in_linear_time(
    what: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four times the text takes about four times as long, not sixteen. Measured relative to itself, with much room.

    Python's stack ends before the longer text does, and its integers and the assembler's blocks where there are such.
    `large`: quadratic work would take minutes.
    """
    monkeypatch.setattr(spelling, "WORK", 100_000)  # else the shorter text would not exhaust it, nor the longer one
    n = 4500 if large or "number" in what or "blocks" in what else 1800
    if PROGRAMS[what](99).count("\n") >= 99:  # statements, of which each costs more
        n //= 3
    found: list[Diagnostic] = []

    def seconds(n: int) -> float:
        text = PROGRAMS[what](n)
        start = time.process_time()
        found[:] = openptx.check(text)
        return time.process_time() - start

    seconds(10)  # what is imported and remembered once
    short, long = seconds(n // 4), seconds(n)
    assert_diagnostics(found)
    for _ in range(5):
        if long <= 9 * short + 0.05:
            break
        # Noise, of other processes perhaps? Then the least of a few measurements says no.
        short, long = min(seconds(n // 4), short), min(seconds(n), long)
    assert long <= 9 * short + 0.05, (short, long)


@pytest.mark.sweep
@pytest.mark.parametrize("what", PROGRAMS)
def test_large_hostile_programs_end_in_diagnostics(what: str) -> None:
    assert_diagnostics(openptx.check(PROGRAMS[what](4500)))


def assert_diagnostics(found: list[Diagnostic]) -> None:
    for each in found:
        assert isinstance(each, Diagnostic)
        assert str(each)


def test_the_first_misspelt_names_get_a_suggestion_and_all_of_them_an_error() -> None:
    found = openptx.check(PROGRAMS["misspelt names"](2000))
    guessed = [diagnostic.fix is not None for diagnostic in found]
    assert len(found) == 2000
    assert guessed[:5] == [True] * 5
    assert sum(guessed) < 200


def test_a_missing_declaration_is_one_error() -> None:
    (found,) = openptx.check(PROGRAMS["no declaration"](3000))
    assert found.name == "unknown-name"
    assert len(found.also) == 5999
    (found,) = openptx.check(body("mov.b32 %r1, 1;") + ".func f() { mov.b32 %r2, 1; ret; }", max_errors=1)
    assert found.also == ()  # another function would have another declaration


def test_names_beyond_a_range_are_one_error() -> None:
    """It says the length that all of them need."""
    (found,) = openptx.check(body(".reg .b32 %r<2>; mov.b32 %r7, 1; mov.b32 %r9, 1;"))
    assert found.help == "declare more of them: `%r<10>`"
    assert len(found.also) == 1


def test_an_unknown_name_makes_every_function_wrong_that_has_it() -> None:
    """What is folded is an error of its function all the same."""
    call = "{ .reg .b32 a; call nowhere, (a); ret; }"
    (found,) = openptx.check(f"{HEAD}.func f() {call}\n.func g() {call}\n")
    assert (found.name, len(found.also)) == ("unknown-function", 1)


@pytest.mark.parametrize(("levels", "right"), [(1000, True), (BLOCKS, True), (BLOCKS + 2, False), (5000, False)])
def test_blocks_may_nest_as_deep_as_the_assembler_reads(levels: int, right: bool) -> None:
    """Measured: ptxas 13.3 takes 1663 levels, and ends with `memory exhausted` from then on."""
    for inner in ("", ".reg .b32 a; mov.b32 a, 1;"):
        text = body("{ .reg .b32 b;" * levels + inner + "}" * levels)
        assert [diagnostic.name for diagnostic in openptx.check(text)] == ([] if right else ["nesting-too-deep"])
        assert len(openptx.check(text, select=["unreachable", "uninitialized-register"])) == 0
        if right:
            assert "".join(formatted(openptx.parse(text)).split()) == "".join(text.split())


@pytest.mark.parametrize("declaration", [
    ".local .b8 q<4000000000>;", ".param .b8 q<4000000000>;", ".local .v4 .b8 q<4000000000>;", ".shared .b8 q<65537>;",
    "t: .branchtargets L<4000000000>;", "t: .calltargets f<4000000000>;",
])  # fmt: skip
def test_ranges_of_things_that_are_made_one_by_one_are_limited(declaration: str) -> None:
    (found,) = openptx.check(body(declaration))
    assert "names are too many" in found.message
    assert found.help == "at most 65536 names can be declared at once"


def test_registers_are_not_made_one_by_one() -> None:
    assert openptx.check(body(".reg .b32 %r<4294967295>; mov.b32 %r4294967294, 1;")) == []


@pytest.mark.parametrize(
    "number", ["9" * 4301, "-" + "9" * 4301, "0" + "7" * 5000, "0b" + "1" * 20_000, "0x" + "f" * 5000]
)
@pytest.mark.parametrize("place", [
    "mov.b32 a, {};", ".local .b8 q[{}];", ".local .align {} .b8 q;", ".reg .b32 q<{}>;", ".loc {} 1 1", "bar.sync {};",
    "ld.local.b32 a, [q+{}];", "mov.b32 a, (1 + {});", "bra L{};", "mov.b32 a{}, 1;", ".maxntid {}",
    '.pragma "unroll {}";',
])  # fmt: skip
def test_integers_of_any_length_are_diagnostics(place: str, number: str) -> None:
    """Python reads integers of 4,300 digits at most."""
    assert openptx.check(body(".reg .b32 a; .local .b8 q[4];\n" + place.format(number)))


@pytest.mark.parametrize(
    "text", [".version {0}.0", ".version 8.{0}", ".version 8.0\n.target sm_{0}", ".version 8.0\n.address_size {0}"]
)
def test_headers_of_any_length_are_diagnostics(text: str) -> None:
    assert openptx.check(text.format("9" * 5000))


@pytest.mark.parametrize(("declaration", "error"), [
    (".global .b8 x[4294967296][4294967296][4294967296];", openptx.Unsupported),
    (".global .b8 x[4294967296][4294967296][4294967296] = {{{1}}};", openptx.Unsupported),
    (".global .b8 x[18446744073709551615];", openptx.Unsupported),
    (".shared .b8 x[99999999999999];", openptx.CheckError),
    (".const .b8 x[99999999999999];", openptx.CheckError),
    (".global .align 8589934592 .b8 x[4];", openptx.CheckError),
])  # fmt: skip
def test_sizes_that_no_memory_has(declaration: str, error: type[Exception]) -> None:
    kernel = body("") if "shared" not in declaration else body(declaration)
    with pytest.raises(error):
        openptx.load(kernel if "shared" in declaration else kernel + declaration)


def test_an_array_of_rows_without_elements() -> None:
    openptx.check(HEAD + ".global .b8 x[][0] = {1};")  # divided by zero


# fmt: off
@pytest.mark.parametrize(("number", "names"), [
    (0, 0), (5, 5), (2**32 + 5, None), (2**63 - 1, None), (2**63, 0), (2**63 + 5, 5), (2**63 + 2**32 + 5, 5),
    (2**64 - 2**32 + 5, 5), (2**64 + 5, 5),
])  # fmt: skip
def test_numbers_of_names_and_of_elements_above_32_bits(number: int, names: int | None) -> None:
    """Measured with ptxas 13.5: from 2^32 on `Constant overflow`, and the low 32 bits of what is negative as `.s64`."""
    wrong = ["array-size"] if names is None else []
    undeclared = ["unknown-name"] if names == 0 else []
    assert [d.name for d in openptx.check(body(f".reg .b32 q<{number}>; mov.b32 q4, 1;"))] == wrong + undeclared
    assert [d.name for d in openptx.check(HEAD + f".func f(.param .b8 q[{number}]) {{ ret; }}")] == wrong
    if names:
        listed = body(f"q0: q1: q2: q3: q4: P: .branchtargets q<{number}>;")
        assert openptx.check(listed) == []
        assert openptx.check(listed.replace("q4:", ""))[0].message == "there is no label `q4` here"


def test_advice_is_searched_for_the_first_wrong_instructions_of_each_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """What another file has spent or found does not matter."""
    monkeypatch.setattr(spelling, "SEARCHES", 3)
    wrong = [f"st.{space}.{type} %r1, [%rd1];" for space in ("global", "shared") for type in ("u32", "s32", "b32")]

    def advice(lines: list[str]) -> list[tuple[str, str | None]]:
        text = body(".reg .b32 %r<4>; .reg .b64 %rd<4>;" + "\n".join(lines))
        return [(found.message, found.help) for found in openptx.check(text)]

    first, last = advice(wrong), advice(wrong[::-1])
    found = ["exchange" in (help or "") for _, help in first]
    assert found[:3] == [True] * 3
    assert len(found) > 3 == sum(found)
    assert sum("exchange" in (help or "") for _, help in last) == 3
    assert (advice(wrong), advice(wrong[::-1])) == (first, last)
    assert advice([*wrong[:3], *wrong[:3]]) == [*first[:3], *first[:3]]  # known ones cost nothing


def test_a_type_without_its_letter_is_an_error() -> None:
    """No word stands in a part of the declaration whose order is looked at."""
    (found,) = openptx.check(f"{HEAD}.entry k(.param .u64 p, .param .32 n) {{ ret; }}\n")
    assert found.severity == "error"
