"""Puts compiled libraries into a wheel for one platform; without OPENPTX_WHEEL a wheel has their sources alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

INTO = "openptx/driver/lib"


class LibrariesHook(BuildHookInterface):
    """OPENPTX_WHEEL is a platform's tag, such as manylinux_2_17_x86_64, OPENPTX_WHEEL_LIBRARIES a folder."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        platform = os.environ.get("OPENPTX_WHEEL")
        if not platform or self.target_name != "wheel" or version == "editable":
            return
        folder = Path(os.environ["OPENPTX_WHEEL_LIBRARIES"])
        build_data["tag"] = f"py3-none-{platform}"
        build_data["pure_python"] = False
        for file in sorted(one for one in folder.rglob("*.so*") if one.suffix != ".map"):
            build_data["force_include"][str(file.resolve())] = f"{INTO}/{file.relative_to(folder)}"
