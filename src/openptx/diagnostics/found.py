"""What `check` gives: a list of diagnostics, which a notebook shows as a terminal does."""

from __future__ import annotations

from openptx.diagnostics.diagnostic import Diagnostic, in_notebook


class Diagnostics(list[Diagnostic]):
    """A list of diagnostics, in the order of the text."""

    def _repr_html_(self) -> str:
        return in_notebook(self)
