"""What a verdict depends on beside the instruction: target, PTX version, profile, kind of function."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from openptx.isa.notation.gates import Version
    from openptx.isa.targets import Target


class Context:
    """The surroundings of an instruction. Equal contexts share their remembered verdicts.

    `target` is None where the file has none that is known; nothing is said of gates then. `narrow`: addresses have
    32 bits, as in a file without `.address_size` (11.1.3). `independent`: textures and samplers are two things (5.3).
    """

    __slots__ = ("_inside", "entry", "independent", "narrow", "profile", "target", "version")

    def __init__(
        self,
        version: Version,
        target: Target | None,
        profile: str,
        entry: bool = True,
        narrow: bool = False,
        independent: bool = False,
    ) -> None:
        self.version = version
        self.target = target
        self.profile = profile
        self.entry = entry  # whether the function is a kernel
        self.narrow = narrow
        self.independent = independent
        self._inside: dict[bool, Context] = {}

    def inside(self, entry: bool) -> Context:
        """The surroundings inside a kernel, or else a function, of the same file."""
        found = self._inside.get(entry)
        if found is None:
            found = Context(self.version, self.target, self.profile, entry, self.narrow, self.independent)
            self._inside[entry] = found
        return found

    @property
    def target_name(self) -> str | None:
        """The target as the file calls it."""
        return self.target and self.target.name

    @property
    def precedent(self) -> bool:
        """Whether to answer as the assembler does where it differs from the document."""
        return self.profile == "ptxas"

    @property
    def crashes_measured(self) -> bool:
        """Whether crashes of the assembler's code generator were measured on this target and version."""
        return self.target is not None and self.target.name == "sm_100a" and self.version == (9, 0)

    def key(self) -> tuple[object, ...]:
        """What makes two contexts equal."""
        return self.version, self.target_name, self.profile, self.entry, self.narrow, self.independent
