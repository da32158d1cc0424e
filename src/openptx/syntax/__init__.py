"""From text to a lossless tree, with error recovery: all syntax errors of a file."""

from __future__ import annotations

from openptx.syntax.parser import parse
from openptx.syntax.tree import SyntaxTree

__all__ = ["SyntaxTree", "parse"]
