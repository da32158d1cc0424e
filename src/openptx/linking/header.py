"""The header of linked modules: the newest version, a target that has the features of all (manual 11.1)."""

from __future__ import annotations

from typing import TypeVar

from openptx.diagnostics import Diagnostic
from openptx.isa.targets import covers, target
from openptx.linking.modules import Module
from openptx.syntax.directives import AddressSize, Directive, Target, Version

D = TypeVar("D", bound=Directive)


def common_header(modules: list[Module], override: str | None) -> tuple[str, list[Diagnostic]]:
    """The directives of the linked module, or why some modules cannot share any."""
    problems: list[Diagnostic] = []
    version = max((find_directive(module, Version) for module in modules), key=lambda v: (v.major, v.minor))
    machines = [machine for module in modules if (machine := module.checker.header.target) is not None]
    best = target(override) if override else None
    if best is None:
        best = next((one for one in machines if all(covers(str(other), one) for other in machines)), None)
    if best is None:
        newest = max(range(len(modules)), key=lambda i: (machines[i].number, machines[i].suffix))
        other = next(i for i, machine in enumerate(machines) if not covers(str(machine), machines[newest]))
        problems.append(
            _problem(
                find_directive(modules[other], Target), modules[newest],
                f"no processor has the features of `{machines[other]}` and of `{machines[newest]}`",
                "compile both for the same target",
            )
        )  # fmt: skip
        best = machines[newest]
    options = _options(modules[0])
    for module in modules[1:]:
        if module.checker.header.short_addresses != modules[0].checker.header.short_addresses:
            where = next(
                (item for item in module.items if isinstance(item, AddressSize)), find_directive(module, Target)
            )
            problems.append(_problem(where, modules[0], "the modules have addresses of different sizes"))
        if _options(module) - {"debug"} != options - {"debug"}:
            problems.append(_problem(find_directive(module, Target), modules[0], "the modules have different modes"))
        options &= _options(module)  # which differ in `debug` only
    size = 32 if modules[0].checker.header.short_addresses else 64
    listed = ", ".join([str(best), *sorted(options)])
    lines = [f".version {version.major}.{version.minor}", f".target {listed}"]
    lines += [f".address_size {size}"] if (version.major, version.minor) >= (2, 3) else []
    return "\n".join(lines) + "\n", problems


def find_directive(module: Module, kind: type[D]) -> D:
    """The directive of this kind; a module without errors has one."""
    return next(item for item in module.items if isinstance(item, kind))


def _options(module: Module) -> set[str]:
    names = {name.text for name in find_directive(module, Target).targets if target(name.text) is None}
    return names - {"texmode_unified"}  # the default


def _problem(where: Directive, other: Module, message: str, help: str | None = None) -> Diagnostic:
    return Diagnostic(
        "incompatible-modules", message, where.file, where.span, f"not as in {other.file.name}", help=help
    )
