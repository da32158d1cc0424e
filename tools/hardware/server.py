"""Runs launches on a GPU for another process, which survives if a launch breaks this one.

Requests come as pickles through the standard input, answers go through the standard output: what a kernel prints goes
to a file in between.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from hardware.driver import Driver
from hardware.images import Fetched, Image, tensor_map
from hardware.requests import Request, fitted

PTX = {13: (9, 0), 12: (8, 0)}
"""The PTX version of a driver's first release, which all of its others know."""


class Server:
    def __init__(self) -> None:
        self.driver = Driver()
        self.driver.deep_stacks()
        major, minor = self.driver.version
        first = PTX.get(major, (8, 0))
        self.ptx = first[0], first[1] + minor
        self.which: tuple[str, int] | None = None
        self.module: Any = None

    def loaded(self, text: str, serial: int) -> Any:
        """A module. The last one stays, for its variables keep their values from launch to launch."""
        if self.which != (text, serial):
            if self.which:
                self.driver.unload(self.module)
            self.which = None
            self.module = self.driver.load(fitted(text, self.driver.capability, self.ptx))
            self.which = text, serial
        return self.module

    def answer(self, request: Request) -> list[np.ndarray[Any, Any]]:
        """The arrays after the launch."""
        driver = self.driver
        kernel = driver.function(self.loaded(request.text, request.serial), request.kernel)
        arrays = [np.array(a, order="C", copy=True) for a in request.arrays]
        pointers, images, arguments = dict[int, Any](), dict[int, Image](), list[bytes]()
        for given in request.arguments:
            if isinstance(given, bytes):
                arguments.append(given)
                continue
            kind, i, facts = given
            if kind == "texture":
                arguments.append(Fetched(driver, arrays, facts).handle.value.to_bytes(8, "little"))
                continue
            if kind == "image":
                images[i] = Image(driver, arrays[i], *facts)
                arguments.append(images[i].handle.value.to_bytes(8, "little"))
                continue
            if i not in pointers:
                pointers[i] = driver.upload(arrays[i])
            address = pointers[i].value
            arguments.append(address.to_bytes(8, "little") if kind == "array" else tensor_map(driver, facts, address))
        driver.launch(kernel, request.grid, request.block, arguments, request.shared, request.cluster)
        for i, pointer in pointers.items():
            driver.download(arrays[i], pointer)
            driver.free(pointer)
        for i, image in images.items():
            image.copy(arrays[i], False)
        return arrays


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    with tempfile.TemporaryFile() as printed:
        os.dup2(printed.fileno(), 1)
        server = Server()
        pickle.dump((server.driver.name, server.driver.capability, server.driver.driver), answers)
        answers.flush()
        while True:
            try:
                request = pickle.load(sys.stdin.buffer)
            except EOFError:
                return
            os.ftruncate(1, 0)
            os.lseek(1, 0, os.SEEK_SET)
            try:
                answer: tuple[str, Any, str] = ("arrays", server.answer(request), "")
            except OSError as error:
                answer = ("error", str(error), "")
            ctypes.CDLL(None).fflush(None)
            os.lseek(1, 0, os.SEEK_SET)
            text = os.read(1, 1 << 20).decode(errors="replace")
            pickle.dump((*answer[:2], text), answers)
            answers.flush()


if __name__ == "__main__":
    main()
