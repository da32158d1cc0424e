"""Attributes that are computed when first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class lazy(Generic[T]):
    """`functools.cached_property` without the lock that it has up to Python 3.11, for all instances of a class: in a
    process that was forked while another thread held it, it is never free again."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute, self.__doc__ = compute, compute.__doc__

    def __get__(self, instance: object, owner: type | None = None) -> T:
        value = instance.__dict__[self._compute.__name__] = self._compute(instance)
        return value
