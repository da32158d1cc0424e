"""The exit statuses of all commands."""

from __future__ import annotations

CLEAN, FINDINGS, ABNORMAL, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141
