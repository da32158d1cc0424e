"""`help(openptx)`: everything public has a docstring, and every function that raises names the exceptions."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass

import pytest

import openptx


def public() -> Iterator[tuple[str, object]]:
    """Every public function, class, method and property, by its name."""
    for name in openptx.__all__:
        thing = getattr(openptx, name)
        if name.startswith("__"):
            continue
        yield name, thing
        if not inspect.isclass(thing):
            continue
        for member, value in vars(thing).items():
            shown = not member.startswith("_") or member in ("__call__", "__getitem__")
            if shown and (callable(value) or isinstance(value, property)):
                yield f"{name}.{member}", value


PUBLIC = dict(public())


def function_of(thing: object) -> Callable[..., object] | None:
    """The function whose body runs; of a class its `__init__`, but for dataclasses, whose raises nothing."""
    if isinstance(thing, property):
        return thing.fget
    if inspect.isclass(thing):
        made = vars(thing).get("__init__")
        return made if inspect.isfunction(made) and not is_dataclass(thing) else None
    return inspect.unwrap(thing) if callable(thing) else None


def raised(function: Callable[..., object]) -> set[str]:
    """The names of the errors that a function raises itself."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    calls = (node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise))
    return {ast.unparse(call.func) for call in calls if isinstance(call, ast.Call)}


def test_it_says_what_it_is() -> None:
    assert [name for name, thing in PUBLIC.items() if len((inspect.getdoc(thing) or "").split()) < 3] == []


def test_it_says_what_it_raises() -> None:
    for name, thing in PUBLIC.items():
        if function := function_of(thing):
            text = inspect.getdoc(thing) or ""
            assert [error for error in raised(function) if error not in text] == [], name


FUNCTIONS = sorted(name for name, thing in PUBLIC.items() if "." not in name and inspect.isfunction(thing))
CALLED = [*FUNCTIONS, "Kernel.__call__", "Sampler", "Surface", "TensorMap", "Texture"]
"""What a program calls first: functions of the package, the launch, and constructors of arguments."""


@pytest.mark.parametrize("name", CALLED)
def test_what_a_caller_must_know_of_errors(name: str) -> None:
    """These raise through what they call."""
    assert "Raises" in (inspect.getdoc(PUBLIC[name]) or "")


@pytest.mark.parametrize("name", CALLED)
def test_every_parameter_is_described(name: str) -> None:
    words = set(re.findall(r"\w+", inspect.getdoc(PUBLIC[name]) or ""))
    function = function_of(PUBLIC[name])
    assert function is not None
    assert [each for each in inspect.signature(function).parameters if each != "self" and each not in words] == []


def test_help_names_everything() -> None:
    text = inspect.getdoc(openptx) or ""
    assert [name for name in openptx.__all__ if not name.startswith("__") and name not in text] == []
