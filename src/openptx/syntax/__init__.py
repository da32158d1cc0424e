"""From text to a lossless tree, with recovery: one file, all its mistakes."""

from __future__ import annotations

from openptx.syntax.parser import parse
from openptx.syntax.tree import SyntaxTree

__all__ = ["SyntaxTree", "parse"]
