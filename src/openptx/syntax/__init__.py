"""From text to a lossless tree, with recovery: one file, all its mistakes."""

from __future__ import annotations

from openptx.syntax.parser import parse
from openptx.syntax.tree import Module

__all__ = ["Module", "parse"]
