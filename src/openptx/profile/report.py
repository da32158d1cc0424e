"""The result of `openptx.profile`: a counted launch that can be shown."""

from __future__ import annotations

from typing import Any

from openptx.profile.counted_launch import CountedLaunch
from openptx.profile.render import html, nsight, text
from openptx.profile.render.as_json import as_json as json_of


class Profile(CountedLaunch):
    """The profile of a launch. `str()` is the report for a terminal, `to_html()` for a browser, `as_json()` for
    programs.

    `ended` is "finished", "fault" (see `fault`) or "interrupted": then the counters cover what came before. `notes` say
    what was omitted.
    """

    __slots__ = ()

    @property
    def totals(self) -> dict[str, int]:
        """The launch's counters under the names of Nsight Compute."""
        return nsight.totals(self)

    def as_json(self) -> dict[str, Any]:
        """The whole profile as objects for `json.dumps`; docs/profile.md describes them."""
        return json_of(self)

    def to_html(self) -> str:
        """The report as one HTML file, which needs no network: source beside PTX, pictures of accesses, tables."""
        return html.page(self)

    def _repr_html_(self) -> str:
        return html.in_notebook(self)

    def __str__(self) -> str:
        return text.text(self)

    def __repr__(self) -> str:
        return f"<profile of {self.kernel}: {self.counters.warps} warp instructions, {self.ended}>"
