"""The public function `link`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openptx.api import SOURCE, TARGET, file_of, require_options
from openptx.errors import ArgumentError
from openptx.keywords import hints
from openptx.linking.link import link_files
from openptx.source import File

if TYPE_CHECKING:
    from openptx.api import Source


@hints(arch=TARGET, path=SOURCE, file=SOURCE)
def link(sources: Sequence[Source], *, target: str | None = None, profile: str = "ptxas") -> str:
    """Several PTX modules as the text of one, by the rules of `.extern`, `.visible`, `.weak` and `.common`.

    `sources` are as for `check`, `target` and `profile` too. Of the definitions of a name the one that is neither
    `.weak` nor `.common` stands, else the first `.weak` or the largest `.common` one. Static names that occur in two
    modules get a new name in the later one. The header is the newest `.version` and a `.target` that has the features
    of all. Debug information is left out, except for lines. `openptx.load` takes several sources, too, and its faults
    then name the file that a statement came from.

    Raises CheckError for what is wrong in a module or between them: names that nobody or more than one module defines,
    declarations that differ, targets that no processor has at once; ArgumentError, OSError and InputError as `check`.
    """
    require_options(target, profile)
    if isinstance(sources, (str, bytes, bytearray, File)) or hasattr(sources, "__fspath__"):
        raise ArgumentError("`link` takes a list of modules")
    return link_files([file_of(source, f"<string {i}>") for i, source in enumerate(sources)], target, profile).text
