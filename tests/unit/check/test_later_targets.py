"""A second `.target`, in the header or in a body, and lists of several targets: verdicts of ptxas 13.5."""

from __future__ import annotations

import pytest

import openptx

# fmt: off
TARGETS = (  # version, the file's target, another one, whether it is taken in the header and in a body
    ("9.0", "sm_90",                        "sm_80",                        True,   True),
    ("9.0", "sm_90",                        "sm_10",                        True,   True),
    ("9.0", "sm_90",                        "sm_90, texmode_unified",       True,   True),
    ("9.0", "sm_90",                        "texmode_independent",          True,   False),
    ("9.0", "sm_90",                        "sm_90a",                       False,  False),
    ("9.0", "sm_90",                        "sm_100",                       False,  False),
    ("9.0", "sm_90",                        "foo",                          False,  False),
    ("9.0", "sm_90",                        "sm_90, debug",                 False,  False),
    ("9.0", "sm_90",                        "map_f64_to_f32",               False,  False),
    ("9.0", "sm_90",                        "sm_12, map_f64_to_f32",        True,   True),
    ("8.0", "sm_90",                        "sm_88",                        False,  False),
    ("9.0", "sm_100a",                      "sm_100f",                      True,   True),
    ("9.0", "sm_100a",                      "sm_90a",                       False,  False),
    ("8.0", "sm_90, texmode_independent",   "texmode_unified",              False,  False),
    ("8.0", "sm_90, texmode_independent",   "texmode_independent",          True,   True),
    ("7.5", "sm_80, texmode_unified",       "sm_80, texmode_independent",   False,  False),
)
LISTS = (  # version, one list of targets and options, whether it is taken
    ("1.4", "sm_10, sm_13",                     True),
    ("1.4", "sm_80, sm_10",                     False),
    ("1.4", "sm_10, sm_20, sm_13",              False),
    ("7.0", "sm_90, sm_80",                     False),
    ("7.8", "sm_90, sm_80",                     True),
    ("9.0", "sm_80, texmode_unified, sm_75",    True),
    ("9.0", "texmode_unified, sm_80",           False),
    ("9.0", "texmode_unified",                  False),
    ("1.5", "sm_10, texmode_independent",       True),
    ("1.4", "sm_10, texmode_independent",       False),
    ("1.0", "sm_10, texmode_unified",           True),
    ("1.0", "map_f64_to_f32, sm_10",            False),
)
# fmt: on


@pytest.mark.parametrize(("version", "targets", "taken"), LISTS)
def test_several_targets_and_options(version: str, targets: str, taken: bool) -> None:
    text = f".version {version}\n.target {targets}\n.entry k {{ exit; }}\n"
    assert taken is not any(found.severity == "error" for found in openptx.check(text))


@pytest.mark.parametrize(("version", "first", "second", "header", "body"), TARGETS)
def test_a_second_target(version: str, first: str, second: str, header: bool, body: bool) -> None:
    above = f".version {version}\n.target {first}\n"
    size = ".address_size 64\n"
    texts = (
        f"{above}.target {second}\n{size}.entry k() {{ ret; }}\n",
        f"{above}{size}.entry k()\n{{\n.target {second}\nret; }}\n",
    )
    taken = [not any(found.severity == "error" for found in openptx.check(text)) for text in texts]
    assert taken == [header, body]
