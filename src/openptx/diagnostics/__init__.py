"""A diagnostic is data: what is wrong, where, why, and what to write instead. Renderers only turn it into text."""

from __future__ import annotations

from openptx.diagnostics.diagnostic import SAFE, SUGGESTION, Collector, Diagnostic, Fix, Label

__all__ = ["SAFE", "SUGGESTION", "Collector", "Diagnostic", "Fix", "Label"]
