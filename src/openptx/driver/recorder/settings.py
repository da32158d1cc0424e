"""Recording settings, passed from the command line to the program's processes by environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

PREFIX = "OPENPTX_RECORD_"
REAL = "OPENPTX_REAL_LIBCUDA"
MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Settings:
    """`folder` gets the files. For kernels whose names match `kernels`, the first `launches` are recorded, or every
    `every`th until there are that many. A launch that can access more than `limit` MiB is not recorded; a process
    writes at most `total` MiB. `ptx` lists files for images without PTX, separated as in a PATH."""

    folder: str
    kernels: str = "*"
    launches: int = 3
    every: int = 1
    limit: int = 256
    total: int = 4096
    ptx: str = ""

    def variables(self) -> dict[str, str]:
        """The settings as variables for the program's environment."""
        return {PREFIX + each.name.upper(): str(getattr(self, each.name)) for each in fields(self)}


def from_environment(variables: Mapping[str, str] = os.environ) -> Settings:
    """The settings of this process."""
    texts = {each.name: variables.get(PREFIX + each.name.upper(), "") for each in fields(Settings)}
    made = Settings(texts["folder"] or "recordings", texts["kernels"] or "*", ptx=texts["ptx"])
    numbers = {name: int(texts[name]) for name in ("launches", "every", "limit", "total") if texts[name].isdigit()}
    return replace(made, **numbers)
