"""SARIF 2.1.0, the format that code scanning services read (OASIS standard)."""

from __future__ import annotations

import json
from urllib.parse import quote

from openptx import __version__
from openptx.diagnostics import Diagnostic
from openptx.diagnostics.codes import Code
from openptx.diagnostics.edits import edits_of
from openptx.diagnostics.render.json import scalars
from openptx.source import File, Span

Json = dict[str, object]
SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def render(diagnostics: list[Diagnostic], *, color: bool = False, width: int = 0) -> str:
    """One log with one run, whose rules are the codes that occur."""
    codes = sorted({diagnostic.about for diagnostic in diagnostics}, key=lambda code: code.code)
    index = {code: i for i, code in enumerate(codes)}
    driver = {"name": "openptx", "version": __version__, "rules": [rule(code) for code in codes]}
    results = [result(diagnostic, index[diagnostic.about]) for diagnostic in diagnostics]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps(scalars({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}), indent=2) + "\n"


def rule(code: Code) -> Json:
    """A code of the registry as a reporting descriptor."""
    return {
        "id": code.code,
        "name": code.name,
        "shortDescription": {"text": code.summary},
        "help": {"text": code.doc, "markdown": code.doc},
        "defaultConfiguration": {"level": code.severity},
    }


def result(diagnostic: Diagnostic, rule_index: int) -> Json:
    """One diagnostic."""
    message = diagnostic.message + "".join(f"\n{text}" for text in (diagnostic.rule, diagnostic.help) if text)
    found: Json = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule_index,
        "level": diagnostic.severity,
        "message": {"text": message},
        "locations": [location(diagnostic.file, diagnostic.span)],
    }
    also = [(span, "the same again") for span in diagnostic.also]
    related = [(label.span, label.text) for label in diagnostic.labels] + also
    if related:
        found["relatedLocations"] = [
            {"message": {"text": text}, **location(diagnostic.file, span)} for span, text in related
        ]
    if fix := diagnostic.fix:
        replacements = [
            {"deletedRegion": region(diagnostic.file, span), "insertedContent": {"text": text}}
            for span, text in edits_of(diagnostic)
        ]
        changes = [{"artifactLocation": artifact(diagnostic.file), "replacements": replacements}]
        properties = {"applicability": fix.applicability}
        found["fixes"] = [{"description": {"text": fix.text}, "artifactChanges": changes, "properties": properties}]
    return found


def location(file: File, span: Span) -> Json:
    """A place in a file."""
    return {"physicalLocation": {"artifactLocation": artifact(file), "region": region(file, span)}}


def artifact(file: File) -> Json:
    """A file, named as a URI."""
    return {"uri": quote(file.name.replace("\\", "/"), errors="surrogateescape")}


def region(file: File, span: Span) -> Json:
    """Rows and columns, which SARIF counts from 1 too, its end just after the last character."""
    (row, column), (end_row, end_column) = (file.location(offset) for offset in span)
    return {"startLine": row, "startColumn": column, "endLine": end_row, "endColumn": end_column}
