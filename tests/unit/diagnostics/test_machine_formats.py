"""The renderers for tools: json, sarif, github, concise."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from sarif_schema import SCHEMA

from openptx.diagnostics import SUGGESTION, Diagnostic, Fix, Label
from openptx.diagnostics.render import FORMATS, render
from openptx.source import File

jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is a development dependency (make test installs it)")

SAXPY = File("a dir/saxpy.ptx", ".version 8.0\r\n    .reg .b64 %rd<2>;\r\n    fma.rn.f32 %f1, %rd1, 100%;\r\n")
FULL = Diagnostic(
    "operand-type",
    "operand `a` must be 100% float",
    SAXPY,
    (SAXPY.text.index("%rd1"), SAXPY.text.index("%rd1") + 4),
    "this is `.b64`",
    labels=(Label((18, 28), "declared here"),),
    operand="a",
    expected=".f32 or .b32",
    actual=".b64",
    rule="Table 26",
    help="convert it",
    fix=Fix((0, 0), "//\n", "comment it out"),
    also=((0, 8), (9, 12)),
)
BARE = Diagnostic("unused", "`x` is never used", File("caf\udce9.ptx", ".reg .b32 x;"), (10, 11))
BOTH = [FULL, BARE]


EDIT = {"content": "//\n", "location": {"row": 1, "column": 1}, "end_location": {"row": 1, "column": 1}}


def test_json_has_exactly_the_keys_of_the_contract() -> None:
    first, second = json.loads(render(BOTH, "json"))
    assert first == {
        "code": "PTX0312",
        "name": "operand-type",
        "severity": "error",
        "message": "operand `a` must be 100% float",
        "filename": "a dir/saxpy.ptx",
        "location": {"row": 3, "column": 21},
        "end_location": {"row": 3, "column": 25},
        "operand": "a",
        "expected": ".f32 or .b32",
        "actual": ".b64",
        "rule": "Table 26",
        "help": "convert it",
        "fix": {"applicability": SUGGESTION, "message": "comment it out", "edits": [EDIT]},
        "also": [{"row": 1, "column": 1}, {"row": 1, "column": 10}],
    }
    assert second["also"] == []
    assert list(first) == list(second)
    assert [second[key] for key in ("operand", "expected", "actual", "help", "fix")] == [None] * 5
    assert second["rule"] == "PTX ISA, Variable Declarations (5.4.1)"
    assert second["severity"] == "warning"


def test_nothing_is_an_empty_list() -> None:
    assert json.loads(render([], "json")) == []
    assert render([], "github") == render([], "concise") == ""


def test_sarif_fits_the_schema() -> None:
    for diagnostics in (BOTH, [BARE], []):
        jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(render(diagnostics, "sarif")))


def test_the_schema_can_say_no() -> None:
    log = json.loads(render(BOTH, "sarif"))
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(log)


def test_sarif_fits_the_official_schema() -> None:
    path = os.environ.get("OPENPTX_SARIF_SCHEMA")
    if not path:
        pytest.skip("OPENPTX_SARIF_SCHEMA names no copy of the official sarif-schema-2.1.0.json")
    schema = json.loads(Path(path).read_text("utf-8"))
    jsonschema.validators.validator_for(schema)(schema).validate(json.loads(render(BOTH, "sarif")))


def test_sarif_names_rules_places_and_fixes() -> None:
    (run,) = json.loads(render(BOTH, "sarif"))["runs"]
    rules = run["tool"]["driver"]["rules"]
    first, second = run["results"]
    assert [rule["id"] for rule in rules] == ["PTX0312", "PTX1013"]
    assert [rules[result["ruleIndex"]]["id"] for result in (first, second)] == [first["ruleId"], second["ruleId"]]
    place = first["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20dir/saxpy.ptx"
    assert place["region"] == {"startLine": 3, "startColumn": 21, "endLine": 3, "endColumn": 25}
    assert second["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "caf%E9.ptx"
    assert [each["message"]["text"] for each in first["relatedLocations"]] == ["declared here", *["the same again"] * 2]
    assert first["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"] == "//\n"


def test_github_escapes_what_would_end_a_command() -> None:
    file = File("a,b:c.ptx", "x")
    first, second = render([FULL, Diagnostic("unused", "m", file, (0, 1))], "github").splitlines()
    assert first == (
        "::error title=openptx (PTX0312),file=a dir/saxpy.ptx,line=3,col=21,endLine=3,endColumn=25"
        "::a dir/saxpy.ptx:3:21: PTX0312 operand `a` must be 100%25 float%0Aconvert it"
    )
    assert second.startswith("::warning title=openptx (PTX1013),file=a%2Cb%3Ac.ptx,")


def test_concise_is_a_line_each() -> None:
    assert render(BOTH, "concise").splitlines() == [
        "a dir/saxpy.ptx:3:21: error[PTX0312] operand `a` must be 100% float (and 2 more)",
        "caf\ufffd.ptx:1:11: warning[PTX1013] `x` is never used",
        "Found 1 error and 1 warning in 2 files.",
    ]


@pytest.mark.parametrize("format", ["json", "sarif"])
def test_bytes_that_are_not_utf8_leave_json_that_every_parser_takes(format: str) -> None:
    """A lone surrogate is refused by the parsers of most languages; those of a pair are one character."""
    text = render([Diagnostic("unused", "`\udce9` and `\U0001f600`", File("\udce9.ptx", "x"), (0, 1))], format)
    assert "\\udce9" not in text
    assert "`\\ufffd` and `\\ud83d\\ude00`" in text
    json.dumps(json.loads(text), ensure_ascii=False).encode("utf-8")  # raises where a surrogate is left


@pytest.mark.parametrize("format", ["full", "concise"])
def test_a_file_name_cannot_move_the_cursor(format: str) -> None:
    text = render([Diagnostic("unused", "m", File("a\x1b[2J\n.ptx", "x"), (0, 1))], format)
    assert "\x1b" not in text
    assert "a\u241b[2J\u240a.ptx:1:1" in text


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_ends_with_a_line_end(format: str) -> None:
    assert render(BOTH, format).endswith("\n")


def test_unknown_format() -> None:
    with pytest.raises(ValueError, match="no output format `xml`"):
        render([], "xml")
