"""What a verdict depends on beside the instruction: target, PTX version, profile."""

from __future__ import annotations


class Context:
    """The surroundings of an instruction. Equal contexts share their remembered verdicts."""

    __slots__ = ("entry", "profile", "target", "version")

    def __init__(self, version: tuple[int, int], target: str, profile: str, entry: bool = True) -> None:
        self.version = version
        self.target = target
        self.profile = profile
        self.entry = entry  # whether the function is a kernel

    @property
    def precedent(self) -> bool:
        """Whether to answer as the assembler does where it differs from the document."""
        return self.profile == "ptxas"

    def key(self) -> tuple[object, ...]:
        """What makes two contexts equal."""
        return self.version, self.target, self.profile, self.entry
