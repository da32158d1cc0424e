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


_DECLARED = re.compile(r"\.extern\s+\.func\b[^;{]*?\b((?:__cudaCDP2|cuda)([A-Z]\w*?)(?:_ptsz)?)\s*(?=[(;])", re.A)
"""A name by which a program calls a function, and what all names of that function have in common: NVVM IR and PTX use
`cuda...`, nvcc `__cudaCDP2...`, and with `--default-stream per-thread` nvcc appends `_ptsz`."""


def device_runtime(files: list[File]) -> list[File]:
    """The libraries of which a file declares functions. A program's own definitions take precedence over their weak
    ones."""
    texts = [file.text for file in files if "cuda" in file.text]
    return [
        File(name, _with_names((_FOLDER / name).read_text(encoding="ascii"), texts))
        for name, declared in _LIBRARIES.items()
        if any(declared.search(text) for text in texts)
    ]


def _with_names(library: str, texts: list[str]) -> str:
    """The library, with its functions also under the other names by which the texts call them."""
    copies: list[str] = []
    for name, common in sorted({(found[1], found[2]) for text in texts for found in _DECLARED.finditer(text)}):
        definition = re.search(rf"^\.weak [^{{}}]*\b__cudaCDP2{common}\([^{{}}]*{{[^{{}}]*}}\n", library, re.M)
        if definition is not None and f" {name}(" not in library:
            copies.append("\n" + definition[0].replace(f" __cudaCDP2{common}(", f" {name}(", 1))
    return library + "".join(copies)


_DEFINED = re.compile(r"^\.(?:visible|weak)\s+\.(?:func|entry)\s*(?:\([^)]*\)\s*)?(\w+)", re.A | re.M)
_LAUNCHES = {"cudaLaunchDeviceV2", "__cudaCDP2LaunchDeviceV2"}
_OWN = re.compile(r"cuda[A-Z]|__cuda", re.A)


def is_device_runtime(text: str) -> bool:
    """Whether a text is NVIDIA's library itself: it defines launches for kernels, and no function with another's name.

    CUDA reserves these names, so that a program's part has at least one of its own.
    """
    names = _DEFINED.findall(text)
    return not _LAUNCHES.isdisjoint(names) and all(map(_OWN.match, names))
