"""Dependencies point one way: what each part of the package may import, and that the core needs no package at all."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[3] / "src" / "openptx"

# fmt: off
#    part            what it may import, besides itself
ALLOWED = {
    "array_types":  set[str](),
    "source":       set[str](),
    "forks":        set[str](),
    "locks":        {"forks"},
    "logging":      {"errors", "forks"},
    "progress":     set[str](),
    "keywords":     {"errors"},
    "launch_options": {"errors"},
    "float_environment": {"errors"},
    "garbage":      set[str](),
    "llvm":         {"errors", "late", "locks"},
    "patterns":     set[str](),
    "late":         set[str](),
    "cache_folder": set[str](),
    "digests":      set[str](),
    "diagnostics":  {"source", "patterns", "__init__"},
    "errors":       {"source", "diagnostics", "__init__"},
    "reading":      {"source", "errors"},
    "numerics":     {"array_types", "errors", "float_environment", "keywords", "locks", "llvm"},
    "isa":          {"errors", "numerics", "patterns"},
    "syntax":       {"source", "diagnostics", "errors", "isa", "late", "patterns"},
    "explanations": {"diagnostics", "errors", "keywords", "numerics", "isa", "syntax"},
    "program":      {"source", "float_environment", "garbage", "isa"},
    "dwarf":        set[str](),
    "line_table":   {"source", "program", "dwarf"},
    "control_flow": {"isa", "program"},
    "call_graph":   {"errors", "program", "control_flow"},
    "dataflow":     set[str](),
    "rewrite":      {"numerics", "isa", "program", "control_flow", "dataflow"},
    "check":        {"source", "diagnostics", "errors", "numerics", "isa", "syntax", "program", "control_flow",
                     "dataflow", "patterns", "late"},
    "device":       {"array_types", "source", "errors", "locks", "isa", "program", "call_graph"},
    "memory":       {"array_types", "errors", "locks", "device"},
    "engines":      {"array_types", "source", "diagnostics", "errors", "cache_folder", "digests", "float_environment",
                     "garbage", "late", "locks", "logging", "progress", "llvm", "numerics", "isa", "program",
                     "call_graph", "control_flow", "dataflow", "device"},
    "sanitize":     {"array_types", "source", "diagnostics", "errors", "keywords", "launch_options", "numerics",
                     "isa", "program", "call_graph", "control_flow", "line_table", "device", "engines", "runtime"},
    "profile":      {"array_types", "source", "diagnostics", "errors", "keywords", "launch_options", "numerics",
                     "isa", "program", "control_flow", "line_table", "dataflow", "device", "engines", "runtime"},
    "prove":        {"errors", "launch_options", "numerics", "isa", "program", "progress", "control_flow", "device",
                     "engines", "runtime"},
    "trace":        {"array_types", "source", "errors", "keywords", "launch_options", "numerics", "isa", "program",
                     "control_flow", "line_table", "device", "engines", "runtime"},
    "runtime":      {"array_types", "source", "errors", "float_environment", "garbage", "keywords", "late",
                     "launch_options", "locks", "progress", "reading", "numerics", "isa", "program", "call_graph",
                     "check", "linking", "rewrite", "device", "engines", "api"},
    "recording":    {"array_types", "source", "diagnostics", "errors", "keywords", "launch_options", "reading",
                     "numerics", "isa", "program", "control_flow", "line_table", "rewrite", "api", "device", "memory",
                     "engines", "sanitize", "trace", "runtime", "__init__"},
    "fatbin":       {"errors", "reading"},
    "linking":      {"source", "diagnostics", "errors", "keywords", "isa", "syntax", "check", "api"},
    "api":          {"source", "diagnostics", "errors", "keywords", "late", "reading", "isa", "syntax", "check"},
    "compile_server": {"source", "engines", "llvm", "program", "device", "runtime"},
    "testing":      {"array_types", "source", "diagnostics", "errors", "reading", "numerics", "isa", "api", "check",
                     "syntax", "device", "runtime", "sanitize"},
}
# Parts of check: each may import itself and those before it; neither the fast path nor lowering the other.
LAYERS = (
    "context", "accepted_bodies", "function_findings", "problems", "sizes", "spelling", "foreign_spellings",
    "foreign_languages", "merge_conflicts", "selection", "unknown_targets",
    "operand", "availability", "attributes", "explain", "names", "proof", "flow", "forms", "header", "debug_info",
    "directive_availability", "checked", "repairs", "fast", "lowering", "body_directives", "function_checker",
    "module", "symbols", "__init__",
)
NOT_OF_EACH_OTHER = {"fast", "lowering"}
#    part            what only its annotations may name, besides: classes of callers, which are given to it
FOR_TYPES_ALONE = {
    "diagnostics":  {"errors"},         # faults are rendered as diagnostics are
}
# fmt: on
ANYTHING = {
    "__init__",
    "__main__",
    "cli",
    "demo",
    "compat",
    "debug",
    "driver",
    "lsp",
    "numba",
    "tinygrad",
    "torch",
    "triton",
}
STANDARD_LIBRARY_ONLY = {
    "patterns",
    "float_environment",
    "garbage",
    "late",
    "keywords",
    "source",
    "forks",
    "locks",
    "diagnostics",
    "errors",
    "reading",
    "isa",
    "syntax",
    "check",
    "program",
    "control_flow",
    "call_graph",
    "dataflow",
    "rewrite",
    "linking",
    "api",
}


def parts() -> list[str]:
    return sorted({path.stem if path.is_file() else path.name for path in PACKAGE.iterdir()} - {"py", "__pycache__"})


def files_of(part: str) -> list[Path]:
    single = PACKAGE / f"{part}.py"
    return [single] if single.exists() else sorted((PACKAGE / part).rglob("*.py"))


@cache
def imports(path: Path, *, types: bool = False) -> tuple[tuple[str, int], ...]:
    """Every module that a file imports when it runs, at its top, in a function or by `late`; with `types`, for
    annotations too."""
    return (*imported(path, types),)


def imported(path: Path, types: bool) -> Iterator[tuple[str, int]]:
    tree = ast.parse(path.read_text("utf-8"))
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }
    for node in ast.walk(tree):
        if node in for_types and not types:
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            assert node.module
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield (inner if inner in MODULES else node.module), node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "late":
            yield ast.literal_eval(node.args[0]), node.lineno


def name_of(path: Path) -> str:
    return ".".join(("openptx", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


MODULES = {name_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def cycles(graph: dict[str, set[str]]) -> list[set[str]]:
    """The sets of nodes that all reach each other, of more than one node each."""

    def reached(start: str) -> set[str]:
        found: set[str] = set()
        ahead = [start]
        while ahead:
            for node in graph[ahead.pop()] - found:
                found.add(node)
                ahead.append(node)
        return found

    every = {name: reached(name) for name in graph}
    found = {frozenset({name, *(other for other in every[name] if name in every[other])}) for name in graph}
    return [set(cycle) for cycle in found if len(cycle) > 1]


def part_of(module: str) -> str:
    return module.split(".")[1] if "." in module else "__init__"


def test_every_part_has_a_rule() -> None:
    assert set(parts()) <= set(ALLOWED) | ANYTHING


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_dependencies_point_one_way(part: str) -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {module}"
        for path in files_of(part)
        for module, line in imports(path)
        if module.split(".")[0] == "openptx" and part_of(module) not in ALLOWED[part] | {part}
    ]
    assert wrong == []


@pytest.mark.parametrize("part", sorted(ALLOWED))
def test_annotations_point_the_same_way(part: str) -> None:
    allowed = ALLOWED[part] | FOR_TYPES_ALONE.get(part, set[str]()) | {part}
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} names {module}"
        for path in files_of(part)
        for module, line in imports(path, types=True)
        if module.split(".")[0] == "openptx" and part_of(module) not in allowed
    ]
    assert wrong == []


@pytest.mark.parametrize("part", sorted(STANDARD_LIBRARY_ONLY))
def test_the_core_needs_the_standard_library_alone(part: str) -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {module}"
        for path in files_of(part)
        for module, line in imports(path)
        if module.split(".")[0] not in sys.stdlib_module_names | {"openptx"}
    ]
    assert wrong == []


def test_cycles_are_found() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set[str](), "e": {"a"}}
    assert cycles(graph) == [{"b", "c"}]


def test_imports_have_no_cycle() -> None:
    """Imports within functions count: one hides a cycle from Python, not from a reader."""
    graph = {
        name: {module for module, _ in imports(path) if module in MODULES and module != name}
        for name, path in MODULES.items()
    }
    assert [sorted(cycle) for cycle in cycles(graph)] == []


def test_annotations_have_no_cycles_but_pairs() -> None:
    """A module that names its user's class can only be read together with it."""
    graph = {
        name: {module for module, _ in imports(path, types=True) if module in MODULES and module != name}
        for name, path in MODULES.items()
        if name != "openptx"  # it lists everybody's public names
    }
    for modules in graph.values():
        modules.discard("openptx")
    assert [sorted(cycle) for cycle in cycles(graph) if len(cycle) > 2] == []


PROTOCOL = ("openptx.engines.common.engine",)


def test_launches_know_engines_by_their_protocol_alone() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line} imports {module}"
        for path in files_of("runtime")
        for module, line in imports(path)
        if part_of(module) == "engines" and module not in PROTOCOL
    ]
    assert wrong == []


def test_parts_of_check_point_one_way() -> None:
    """The sub-packages of check are layers: each imports only those before it in the list."""
    wrong: list[str] = []
    for name, path in MODULES.items():
        if not (name + ".").startswith("openptx.check."):
            continue
        own = [*name.split("."), "__init__"][2]
        for module, line in imports(path):
            if not (module + ".").startswith("openptx.check."):
                continue
            other = [*module.split("."), "__init__"][2]
            late = LAYERS.index(other) > LAYERS.index(own)
            if late or (own != other and {own, other} == NOT_OF_EACH_OTHER):
                wrong.append(f"{name}:{line} imports {module}")
    assert wrong == []
