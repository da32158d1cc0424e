"""Facts for tools: each diagnostic cites a rule, and one about a type states the expected and the actual type."""

from __future__ import annotations

import ast
from pathlib import Path

from findings import FOUND_BY_CHECK, findings

import openptx

TYPE_ERRORS = frozenset((
    "address-form", "address-register", "argument-count", "argument-type", "branch-target", "destination",
    "immediate-range", "immediate-truncated", "immediate-type", "missing-type", "negation", "no-such-conversion",
    "no-such-form", "not-an-array", "operand-count", "operand-kind", "operand-size", "operand-type", "register-type",
    "sink", "special-register-place", "state-space", "vector-element", "vector-length", "vector-selector",
))  # fmt: skip


def test_a_code_cites_a_rule() -> None:
    assert [row.code for row in FOUND_BY_CHECK if not row.rule] == []


def test_rule_expected_actual() -> None:
    found = [(finding.origin, diagnostic) for finding in findings() for diagnostic in finding.found]
    assert len(found) > 300
    for origin, diagnostic in found:
        assert diagnostic.rule, (origin, diagnostic)
        if diagnostic.name in TYPE_ERRORS:
            assert diagnostic.expected, (origin, diagnostic)
            assert diagnostic.actual, (origin, diagnostic)


def test_type_errors_are_made_with_both_facts() -> None:
    """The same of those that no file here provokes, read from the sources."""
    lacking: list[str] = []
    calls = 0
    for path in Path(openptx.__file__).parent.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if any(f'"{name}"' in text for name in TYPE_ERRORS) else ():
            if isinstance(node, ast.Call) and node.args and ast.unparse(node.func).endswith(MAKERS):
                names = {each.value for each in ast.walk(node.args[0]) if isinstance(each, ast.Constant)}
                keywords = {each.arg for each in node.keywords}
                if names & TYPE_ERRORS:
                    calls += 1
                    if not {"expected", "actual"} <= keywords:
                        lacking.append(f"{path.name}:{node.lineno}")
    assert lacking == []
    assert calls > 50


MAKERS = ("Problem", "place.problem", "Diagnostic", "add")


def test_the_form_whose_version_is_nearest_is_explained() -> None:
    text = (
        ".version 7.0\n.target sm_80\n.address_size 64\n.entry k() {\n.reg .b64 %rd<2>;\nmov.b64 %rd1, 0;\n"
        "mbarrier.arrive.b64 _, [%rd1];\nret; }\n"
    )
    (found,) = openptx.check(text)
    assert (found.name, found.expected) == ("needs-version", "PTX ISA 7.1")
