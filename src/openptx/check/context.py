"""What a verdict depends on besides the instruction: target, PTX version, profile, kind of function."""

from __future__ import annotations

from openptx.isa.notation.gates import Version
from openptx.isa.targets import Target


class Context:
    """The context of an instruction. Verdicts are memoised per context; equal contexts share them.

    `target` is None if the file's target is unknown; gates are not checked then. `short_addresses`: addresses have 32
    bits, as in a file without `.address_size` (11.1.3). `independent_textures`: `texmode_independent`, textures and
    samplers are separate objects (5.3).
    """

    __slots__ = ("_inside", "entry", "independent_textures", "profile", "short_addresses", "target", "version")

    def __init__(
        self, version: Version, target: Target | None, profile: str, entry: bool = True, short_addresses: bool = False,
        independent_textures: bool = False,
    ) -> None:  # fmt: skip
        self.version = version
        self.target = target
        self.profile = profile
        self.entry = entry  # whether the function is a kernel
        self.short_addresses = short_addresses
        self.independent_textures = independent_textures
        self._inside: dict[bool, Context] = {}

    def inside(self, entry: bool) -> Context:
        """The context inside a kernel (`entry`) or a device function of the same file."""
        found = self._inside.get(entry)
        if found is None:
            found = Context(
                self.version, self.target, self.profile, entry, self.short_addresses, self.independent_textures
            )
            self._inside[entry] = found
        return found

    @property
    def target_name(self) -> str | None:
        """The target as the file calls it."""
        return self.target and self.target.name

    @property
    def follows_ptxas(self) -> bool:
        """Whether the assembler's verdict applies where it differs from the document."""
        return self.profile == "ptxas"

    @property
    def crashes_measured(self) -> bool:
        """Whether crashes of the assembler's code generator were measured for this target and version."""
        return self.target is not None and self.target.name == "sm_100a" and self.version == (9, 0)

    def key(self) -> tuple[object, ...]:
        """The key for equality of contexts."""
        return self.version, self.target_name, self.profile, self.entry, self.short_addresses, self.independent_textures
