"""The test that executes each form, from `tested.txt`, which tools/record_tested.py writes while it runs the tests."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from openptx.isa.notation import INSTRUCTIONS, load
from openptx.isa.notation.forms import Form

RECORD = Path(__file__).with_name("tested.txt")


def labels() -> dict[Form, str]:
    """A stable name for each form, unaffected by new forms: its module and text, numbered if a text occurs twice."""
    load()
    found: dict[Form, str] = {}
    times: dict[str, int] = {}
    for instruction in INSTRUCTIONS:
        for form in instruction.forms:
            text = f"{instruction.module}: {form.text}"
            times[text] = number = times.get(text, 0) + 1
            found[form] = text if number == 1 else f"{text} ({number})"
    return found


@lru_cache(maxsize=1)
def witnesses() -> dict[Form, str]:
    """The test that executes each form, as a path in the repository; forms without a test are absent."""
    lines = (line.partition("\t") for line in RECORD.read_text("utf-8").splitlines() if not line.startswith("#"))
    recorded = {label: path for path, _, label in lines}
    return {form: recorded[label] for form, label in labels().items() if label in recorded}
