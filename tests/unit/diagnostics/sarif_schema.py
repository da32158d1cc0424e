"""The part of SARIF 2.1.0 that the renderer uses, as a closed schema: nothing else may be written.

Written after the OASIS standard: 3.13 (log), 3.14 (run), 3.19 (driver), 3.27 (result), 3.29 and 3.30 (locations
and regions), 3.49 (rules), 3.55 (fixes). `OPENPTX_SARIF_SCHEMA` may name a copy of the official schema to be tried too.
"""

from __future__ import annotations

Json = dict[str, object]


def closed(required: Json, **optional: object) -> Json:
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": list(required),
        "additionalProperties": False,
    }


def array(items: Json, **more: object) -> Json:
    return {"type": "array", "items": items, **more}


TEXT: Json = {"type": "string", "minLength": 1}
COUNT: Json = {"type": "integer", "minimum": 1}
LEVEL: Json = {"enum": ["none", "note", "warning", "error"]}
MESSAGE = closed({"text": TEXT})
REGION = closed({"startLine": COUNT, "startColumn": COUNT, "endLine": COUNT, "endColumn": COUNT})
ARTIFACT = closed({"uri": {"type": "string", "pattern": r"^[!#$%&'()*+,./0-9:;=?@A-Z_a-z~\[\]-]+$"}})
PHYSICAL = closed({"artifactLocation": ARTIFACT, "region": REGION})
REPLACEMENT = closed({"deletedRegion": REGION, "insertedContent": closed({"text": {"type": "string"}})})
CHANGE = closed({"artifactLocation": ARTIFACT, "replacements": array(REPLACEMENT, minItems=1)})
RESULT = closed(
    {
        "ruleId": {"type": "string", "pattern": "^PTX[0-9]{4}$"},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": LEVEL,
        "message": MESSAGE,
        "locations": array(closed({"physicalLocation": PHYSICAL}), minItems=1, maxItems=1),
    },
    relatedLocations=array(closed({"physicalLocation": PHYSICAL, "message": MESSAGE}), minItems=1),
    fixes=array(
        closed(
            {"description": MESSAGE, "artifactChanges": array(CHANGE, minItems=1), "properties": {"type": "object"}}
        ),
        minItems=1,
    ),
)
RULE = closed(
    {
        "id": TEXT,
        "name": TEXT,
        "shortDescription": MESSAGE,
        "help": closed({"text": TEXT, "markdown": TEXT}),
        "defaultConfiguration": closed({"level": LEVEL}),
    }
)
DRIVER = closed({"name": TEXT, "version": TEXT, "rules": array(RULE, uniqueItems=True)})
RUN = closed(
    {
        "tool": closed({"driver": DRIVER}),
        "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
        "results": array(RESULT),
    }
)
SCHEMA = closed(
    {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"const": "2.1.0"},
        "runs": array(RUN, minItems=1, maxItems=1),
    }
)
