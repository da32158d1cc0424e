"""The error that a launch with findings raises."""

from __future__ import annotations

from openptx.diagnostics.render import render
from openptx.errors import Error
from openptx.sanitize.findings import Finding


class SanitizerError(Error):
    """A launch with `sanitize=` has findings. `findings` are all of them; as text, the first in full."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__(findings)
        self.findings = findings

    def __str__(self) -> str:
        more = len(self.findings) - 1
        text = render([*self.findings[:1]], "full").rstrip("\n")
        return text + (f"\nand {more} more" if more else "")
