"""Arguments that are paths and switches alone, read without `argparse`, which would take a tenth of a small check.

    openptx check a.ptx b.ptx --no-cache

A command's own declarations are read, so nothing stands twice. Everything else, every mistake and `--help` included, is
left to `argparse`.
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing would cost 7 ms
if TYPE_CHECKING:
    from typing import Any


class PlainArguments:
    """The arguments of a command: declared as for `argparse.ArgumentParser`, which this stands in for.

    Once read, they are its attributes, as they are those of an `argparse.Namespace`.
    """

    def __init__(self) -> None:
        self._paths: list[str] = []  # names of the argument that takes all paths, if there is one
        self._switches: dict[str, str] = {}  # the attribute of each option that takes no value
        self._others = False  # whether there is an argument of another kind

    def add_argument(
        self, *names: str, action: str = "store", nargs: Any = None, default: Any = None, **more: Any
    ) -> None:
        """Declare an argument; what has no default and is not given is None, a list of it is a new one."""
        option = names[-1].startswith("--")
        name = names[-1].lstrip("-").replace("-", "_")
        if option and action == "store_true":
            self._switches |= dict.fromkeys(names, name)
            default = False
        elif not option and nargs == "+":
            self._paths.append(name)
        elif not option or "dest" in more or action not in ("store", "append"):
            self._others = True
        setattr(self, name, default.copy() if hasattr(default, "copy") else default)

    def read(self, argv: list[str]) -> bool:
        """Whether these are paths, at least one, before or after some switches. If not, nothing is known of them."""
        given = [text for text in argv if text == "-" or not text.startswith("-")]
        first = argv.index(given[0]) if given else 0
        switches = argv[:first] + argv[first + len(given) :]
        if not given or argv[first : first + len(given)] != given or not self._switches.keys() >= {*switches}:
            return False
        if self._others or len(self._paths) != 1 or "" in given:
            return False
        setattr(self, self._paths[0], given)
        for switch in switches:
            setattr(self, self._switches[switch], True)
        return True
