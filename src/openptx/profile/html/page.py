"""Assembles the page: template, style, script, and the data that the script draws.

The data is compressed, so that a report of thousands of lines is small, and base64-encoded, so that its text cannot be
markup. The policy in the template's head allows only this style and this script, and forbids loading anything.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from openptx.profile.as_json import as_json
from openptx.profile.html.sources import ptx_parts, sources

if TYPE_CHECKING:
    from openptx.profile.report import Profile

SCRIPTS = (
    "elements", "sortable", "counters", "overview", "picture", "code", "graph", "roofline", "tables", "main",
)  # fmt: skip
"""In the order in which the browser reads them."""


def page(profile: Profile) -> str:
    """The whole document."""
    folder = files("openptx.profile.html")
    style = folder.joinpath("report.css").read_text("utf-8")
    scripts = "\n".join(folder.joinpath("script", f"{name}.js").read_text("utf-8") for name in SCRIPTS)
    data = {"profile": as_json(profile), "ptx": ptx_parts(profile), "sources": sources(profile)}
    return Template(folder.joinpath("template.html").read_text("utf-8")).substitute(
        title=escape(f"profile of {profile.kernel}"),
        style=style,
        style_hash=digest(style),
        script=scripts,
        script_hash=digest(scripts),
        data=compressed_json(data),
    )


def digest(text: str) -> str:
    """The digest by which a content security policy identifies the text of an element."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def compressed_json(data: object) -> str:
    """JSON, gzip, base64; the same for the same data."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return base64.b64encode(gzip.compress(text.encode("utf-8", "replace"), mtime=0)).decode()
