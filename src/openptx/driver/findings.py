"""Findings of a launch under `openptx exec --sanitize`: errors fail it, warnings are logged once."""

from __future__ import annotations

from openptx.diagnostics.render import render
from openptx.driver.calls import LOG, Failure
from openptx.driver.contexts import Context
from openptx.driver.results import Result
from openptx.errors import SanitizerError

_warned = set[str]()


def report(context: Context, found: SanitizerError) -> Failure | None:
    """All findings in full. The launch has run to its end; None where all that was found are warnings."""
    text = render([*found.findings], "full", color=False)
    if any(one.severity == "error" for one in found.findings):
        return context.fail(Result.LAUNCH_FAILED, text)
    if text not in _warned:
        _warned.add(text)
        LOG.warning("%s", text.rstrip())
    return None
