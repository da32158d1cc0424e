"""The functions that CUDA's device runtime library defines, written in PTX: for cooperative groups and graphs, and for
kernels that launch kernels."""

from __future__ import annotations

import re
from pathlib import Path

from openptx.source import File

_FOLDER = Path(__file__).parent
_LIBRARIES = {
    "device_runtime.ptx": re.compile(r"\.extern\s+\.func\b[^;{]*\bcuda(CG|GraphSet)\w", re.A),
    "nested_launches.ptx": re.compile(r"\.extern\s+\.func\b[^;{]*\b(__cudaCDP2|cuda(GetParameter|LaunchDev))\w", re.A),
}
"""By file: how a declaration of its functions begins."""


def device_runtime(files: list[File]) -> list[File]:
    """The libraries of which a file declares functions. A program's own definitions take precedence over their weak
    ones."""
    texts = [file.text for file in files if "cuda" in file.text]
    return [
        File(name, (_FOLDER / name).read_text(encoding="ascii"))
        for name, declared in _LIBRARIES.items()
        if any(declared.search(text) for text in texts)
    ]


_DEFINED = re.compile(r"^\.(?:visible|weak)\s+\.(?:func|entry)\s*(?:\([^)]*\)\s*)?(\w+)", re.A | re.M)
_LAUNCHES = {"cudaLaunchDeviceV2", "__cudaCDP2LaunchDeviceV2"}
_OWN = re.compile(r"cuda[A-Z]|__cuda", re.A)


def is_device_runtime(text: str) -> bool:
    """Whether a text is NVIDIA's library itself: it defines launches for kernels, and no function with another's name.

    CUDA reserves these names, so that a program's part has at least one of its own.
    """
    names = _DEFINED.findall(text)
    return not _LAUNCHES.isdisjoint(names) and all(map(_OWN.match, names))
