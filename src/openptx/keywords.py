"""Names that were probably meant instead of unknown ones: of keyword arguments that a function lacks, and others."""

from __future__ import annotations

from functools import wraps

from openptx.errors import ArgumentError

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")


def hints(too_many: str = "", /, **meant: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: a keyword that the function lacks is an ArgumentError with a hint.

    `meant` maps names of other libraries to ours; misspelt names are recognised. `too_many` is the error for more
    positional arguments than the function has.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        code = function.__code__
        names = frozenset(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) - {"self"}

        name = "kernel" if function.__name__ == "__call__" else function.__name__

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except TypeError:
                if kwargs.keys() <= names:
                    if too_many and len(args) > code.co_argcount:
                        raise ArgumentError(too_many) from None
                    raise
            raise unknown(name, next(each for each in kwargs if each not in names), names, meant)

        return call

    return decorate


def unknown(function: str, given: str, names: frozenset[str], meant: dict[str, str]) -> ArgumentError:
    """The message for an unknown keyword."""
    near = nearest(given, names)
    hint = meant.get(given) or (f"did you mean `{near}=`?" if near else f"it takes {', '.join(sorted(names))}")
    return ArgumentError(f"`{function}` takes no `{given}=`: {hint}")


def nearest(given: str, names: Iterable[str]) -> str | None:
    """The most similar name, if one is similar enough: one that differs in case alone before all others."""
    from difflib import get_close_matches  # which only errors need

    known = list(names)
    same = (name for name in known if name.casefold() == given.casefold())
    return next(same, None) or next(iter(get_close_matches(given, known, n=1)), None)


def did_you_mean(given: str, names: Iterable[str]) -> str:
    """The end of a message about an unknown name: `; did you mean `x`?`, or nothing."""
    near = nearest(given, names)
    return f"; did you mean `{near}`?" if near else ""
