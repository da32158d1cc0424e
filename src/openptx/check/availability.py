"""Gates: the PTX version and target that an opcode, a type or a special register needs and the file lacks."""

from __future__ import annotations

from collections.abc import Iterator

from openptx.check.context import Context
from openptx.check.operand.kinds import Kind
from openptx.check.problems import Path, Problem, rewrite
from openptx.diagnostics import SAFE, SUGGESTION
from openptx.isa.conversions import ROUNDING
from openptx.isa.notation import resolve
from openptx.isa.notation.forms import Form, Modifiers
from openptx.isa.notation.gates import Gate, gate
from openptx.isa.special_registers import NOT_ENFORCED
from openptx.isa.targets import removal, satisfied, unmet, wants

_LATER = (99, 0)
B128 = gate("PTX 8.3, sm_70")
"""The gate of type `.b128` for registers and variables."""
TYPES_SINCE = {
    "f16x2": gate("sm_53"),
    "texref": gate("PTX 1.5"),
    "samplerref": gate("PTX 1.5"),
    "surfref": gate("PTX 1.5"),
}
"""Types that a declaration may have, besides those that are as old as PTX, and `.b128`."""
UNSIZED = gate("PTX 6.0, sm_30")
"""The gate of a parameter `a[]` (measured: 7.2 states no version)."""
FUNCTION_ADDRESS = gate("PTX 2.1")
"""The gate of `mov.u64 d, f` with a device function `f` (measured)."""
KERNEL_ADDRESS = gate("PTX 3.1, sm_35")
"""The gate of the address of a kernel."""
WITHDRAWN = {"cudaDeviceSynchronize": gate("sm_10 to sm_89")}
"""Functions of the device runtime that newer targets do not have, unless the file defines them before (measured)."""
INDIRECT_IMAGE = gate("PTX 3.1, sm_20")
"""The gate of the address of a texture or surface, in `mov` and in a register (measured)."""
INDIRECT_SAMPLING = gate("PTX 4.3, sm_30")
"""The gate of a texture or a sampler in a register if samplers exist (measured)."""


def require(subject: str, wanted: Gate, context: Context, where: Path = ()) -> Iterator[Problem]:
    """A problem at `where`, unless the file's version and target satisfy the gate."""
    if context.target is not None and not satisfied(wanted, context.version, context.target):
        yield gate_problem(subject, wanted, context, where)


def too_new(context: Context, kind: Kind, where: Path) -> Iterator[Problem]:
    """A special register that the file's version or target does not have."""
    if kind.gate is not None and not (context.follows_ptxas and kind.gate in NOT_ENFORCED):
        yield from require("`{}`", kind.gate, context, where)


def unmet_gates(form: Form, m: Modifiers, context: Context) -> list[Problem]:
    """The gate of a form that the file does not satisfy; one problem at most."""
    if context.target is None:
        return []
    missing = unmet(form, m, context.version, context.target)
    if not missing:
        return []
    what, gate = missing[-1]
    if what == form.instruction.name and (choices := roundings(m)):
        return [rounding_problem(m, choices)]
    subject = f"`{m}`" if what == form.instruction.name else f"`{what}` of `{m}`"
    return [gate_problem(subject, gate, context)]


def roundings(m: Modifiers) -> list[str]:
    """The opcode with each rounding modifier that it may have; empty if it already has one."""
    if not {*ROUNDING, "approx", "full"}.isdisjoint(m.written) or not ("f32" in m.written or "f64" in m.written):
        return []
    return [rounding for rounding in (*ROUNDING, "approx", "full") if resolve(_with_rounding(m, rounding))]


def _with_rounding(m: Modifiers, rounding: str) -> str:
    """The opcode with a rounding modifier directly after the mnemonic."""
    mnemonic, *modifiers = repr(m).split(".")
    return ".".join((mnemonic, rounding, *modifiers))


def rounding_problem(m: Modifiers, choices: list[str]) -> Problem:
    """The problem that an opcode lacks its rounding modifier, which is optional only in PTX 1.3."""
    fixed, legal = _with_rounding(m, choices[0]), " ".join(f".{each}" for each in choices)
    return Problem(
        "rounding-required",
        f"`{m}` needs a rounding modifier" if choices[0] in ROUNDING else f"`{m}` needs `.{choices[0]}`",
        label=f"one of {legal}" if len(choices) > 1 else f"expected {legal}",
        expected=legal, actual="none", rule="PTX ISA, Floating Point Instructions (9.7.3): required since PTX ISA 1.4",
        help=f"write `{fixed}`, or one of the others" if len(choices) > 1 else f"write `{fixed}`",
        repair=rewrite(fixed, SUGGESTION if len(choices) > 1 else SAFE),
    )  # fmt: skip


def gate_problem(subject: str, gate: Gate, context: Context, where: Path = ()) -> Problem:
    """The problem that a gate is not satisfied."""
    target = context.target
    assert target is not None
    by_target = satisfied(gate, _LATER, target)
    removed = None if by_target else removal(gate, context.version, target)
    major, minor = context.version
    file_has = f".target {target.name}, PTX ISA {major}.{minor}"
    older = not any(context.version >= a.since for a in gate.alternatives)
    words = [*([] if by_target else [target.name]), *([f"{major}.{minor}"] if by_target or older or removed else [])]
    has = f"the file says {' and '.join(words)}"
    needed = _side_by_side(gate, words) or f"{wants(gate)} ({has})"
    return Problem(
        "needs-version" if by_target else "removed" if removed else "needs-target",
        f"{subject} has been removed: {removed} ({has})" if removed else f"{subject} needs {needed}", where, has,
        expected=wants(gate), actual=file_has, rule="PTX ISA, PTX Module Directives (11.1)",
        help=_successor(subject) if removed else _help(gate, by_target),
    )  # fmt: skip


def _successor(subject: str) -> str | None:
    """The replacements of `vote` and `shfl` without `.sync`, and of a directive of old versions."""
    if subject == "`.maxnctapersm`":
        return "write `.minnctapersm`, with the number of blocks that must fit"
    mnemonic, _, tail = subject.strip("`").partition(".")
    fixed = f"{mnemonic}.sync.{tail}"
    return f"write `{fixed}`, with a mask of lanes as its last operand" if resolve(fixed) else None


def _side_by_side(gate: Gate, words: list[str]) -> str | None:
    """`.target sm_100a (the file says sm_90) and PTX ISA 8.7 (the file says 8.5)`, if it is that simple."""
    target, found, version = wants(gate).partition(" and PTX ISA ")
    if len(gate.alternatives) > 1 or not found or len(words) < 2 or not target.startswith(".target"):
        return None
    return f"{target} (the file says {words[0]}) and PTX ISA {version} (the file says {words[1]})"


def _help(gate: Gate, by_target: bool) -> str:
    first = gate.alternatives[-1]
    version = f"`.version {first.since[0]}.{first.since[1]}`"
    if by_target or not first.targets:
        return f"say {version} or newer"
    return f"say `.target {first.targets[0]}`" + (f" and {version} or newer" if first.since > (1, 0) else "")
