"""An edit of a text, and helpers that several rules use."""

from __future__ import annotations

import random
import re

Edit = tuple[int, int, str]
"""A part of the text, and what stands there instead."""

NUMBER = re.compile(r"\d[\w.]*$")


def other(dice: random.Random, choices: tuple[str, ...] | list[str], than: str) -> str:
    return dice.choice([each for each in choices if each != than] or [than])
