"""How a function of this package wraps an entry point of the real driver.

    @around("cuMemFree_v2")
    def free(session: Session, call: Passage, address: int) -> None: ...

`call()` is the real driver's function with the program's arguments, and its result is returned to the program. Errors
in the wrapper are invisible to the program: the entry point is called exactly once in any case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openptx.driver.calls import LOG, RETURNED
from openptx.errors import Bug

Wrapper = Callable[..., None]
WRAPPERS: dict[str, Wrapper] = {}
"""Wrappers, by symbol. Other entry points call the real driver directly."""


class Passage:
    """One call by the program."""

    def __init__(self, function: Callable[..., int], arguments: tuple[Any, ...]) -> None:
        self.function, self.arguments = function, arguments
        self.result: int | None = None

    def __call__(self) -> int:
        """Calls the real driver on first use."""
        if self.result is None:
            self.result = self.function(*self.arguments)
        return self.result


def around(*symbols: str) -> Callable[[Wrapper], Wrapper]:
    def decorate(wrapper: Wrapper) -> Wrapper:
        WRAPPERS.update(dict.fromkeys(symbols, wrapper))
        return wrapper

    return decorate


def guard(session: object, wrapper: Wrapper, function: Callable[..., int], symbol: str) -> Callable[..., int]:
    """The function that the program calls."""

    def entry(*arguments: Any) -> int:
        call = Passage(function, arguments)
        try:
            wrapper(session, call, *arguments)
        except Exception as error:
            LOG.error("%s is not recorded: %s", symbol, Bug.of(error), exc_info=error)
        except BaseException:  # Ctrl-C: the program's own handler runs after this call
            LOG.warning("%s: interrupted", symbol)
        return call() | RETURNED

    return entry
