"""The sanitizer: data races, uses of undefined values, misused barriers, and memory errors of one execution."""

from openptx.sanitize.entry import sanitize
from openptx.sanitize.error import SanitizerError
from openptx.sanitize.findings import Finding
from openptx.sanitize.undefined_bits.arrays import empty

__all__ = ["Finding", "SanitizerError", "empty", "sanitize"]
