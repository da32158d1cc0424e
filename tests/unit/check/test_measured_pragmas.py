"""Pragmas in bodies, headers and modules, with the verdicts of ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx

# fmt: off
FREQUENCIES = (  # in the body of a kernel
    ("frequency 3",                     True),
    ("frequency  +0x10",                True),
    ("frequency 010",                   True),
    ("frequency,3",                     True),
    ("frequency 18446744073709551616",  True),
    ("frequency",                       False),
    ("frequency 0",                     False),
    ("frequency -1",                    False),
    ("frequency 08",                    False),
    ("frequency 1.5",                   False),
    ("frequency 3 ",                    False),
    ("frequency 3 4",                   False),
    ("frequency 0x",                    False),
)
PLACES = (  # the string, in the body of a kernel, of a function, in the header of a kernel, in a module
    ("nounroll",                True,   True,   True,   True),
    ("used_bytes_mask 1",       True,   True,   False,  False),
    ("used_bytes_masks",        True,   True,   False,  False),
    (" used_bytes_mask 1",      True,   True,   True,   True),
    ("enable_smem_spilling",    True,   False,  False,  False),
    (" enable_smem_spilling",   True,   True,   True,   True),
    ("frequency 1",             True,   True,   False,  False),
    ("frequencyx1",             True,   True,   False,  False),
)
# fmt: on


def is_accepted(text: str, version: str = "9.0") -> bool:
    found = openptx.check(f".version {version}\n.target sm_90\n.address_size 64\n{text}")
    return not any(each.severity == "error" for each in found)


@pytest.mark.parametrize(("string", "accepted"), FREQUENCIES)
def test_a_frequency_is_a_positive_integer(string: str, accepted: bool) -> None:
    assert is_accepted(f'.entry k() {{ .pragma "{string}"; ret; }}') == accepted


@pytest.mark.parametrize(("string", "kernel", "function", "header", "module"), PLACES)
def test_places(string: str, kernel: bool, function: bool, header: bool, module: bool) -> None:
    pragma = f'.pragma "{string}";'
    assert is_accepted(f".entry k() {{ {pragma} ret; }}") == kernel
    assert is_accepted(f".func f() {{ {pragma} ret; }}") == function
    assert is_accepted(f".entry k() {pragma} {{ ret; }}") == header
    assert is_accepted(f"{pragma} .entry k() {{ ret; }}") == module


def test_spilling_to_shared_memory_needs_8_7() -> None:
    text = '.entry k() { .pragma "enable_smem_spilling"; ret; }'
    assert [is_accepted(text, version) for version in ("8.6", "8.7")] == [False, True]
