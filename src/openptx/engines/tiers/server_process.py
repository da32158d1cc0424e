"""A compile server as its client process sees it: two pipes and the threads that serve them."""

from __future__ import annotations

import contextlib
import os
import select
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from openptx.engines.tiers.messages import Reply, Request, Unpacker, packed, write
from openptx.llvm.subprocess_compile import cause, start

if TYPE_CHECKING:
    from subprocess import Popen

SERVER = "import os; getattr(os, 'nice', int)(5); from openptx.compile_server.server import main; main()"
"""Launches take precedence over code for later ones, and over the server's imports, if processors are few."""

SILENCE = 20.0
"""Seconds without a message from a server that has work, after which it counts as hung. It sends one each second, from
its start on, which takes 0.5 s."""

PIECE = 1 << 20


class ServerProcess:
    """Started on a thread, because that takes some milliseconds. `replied` gets each reply, `ended` the reason once."""

    def __init__(
        self, replied: Callable[[Reply], None], ended: Callable[[ServerProcess, str], None], busy: Callable[[], bool]
    ) -> None:
        self._requests: SimpleQueue[Request | None] = SimpleQueue()
        self._replied, self._ended, self._busy = replied, ended, busy
        self.process: Popen[bytes] | None = None
        self._closed = False
        self._pipes: tuple[int, ...] = ()
        threading.Thread(target=self._serve, name="openptx-tiers", daemon=True).start()

    def send(self, request: Request) -> None:
        self._requests.put(request)

    def close(self) -> None:
        """Ends the server immediately. Its own processes notice."""
        self._closed = True
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def forget(self) -> None:
        """Called in the child of a fork: closes its copies of the parent's pipes; otherwise the parent's server would
        not end."""
        self._closed = True
        for pipe in self._pipes:
            os.close(pipe)
        if self.process is not None:
            self.process.returncode = 0  # it is not a child of this process

    def _serve(self) -> None:
        try:
            process = start(SERVER, detached=True)
        except (OSError, RuntimeError) as error:
            self._ended(self, f"could not be started: {error}")
            return
        assert process.stdin is not None
        assert process.stdout is not None
        requests, replies = self._pipes = os.dup(process.stdin.fileno()), os.dup(process.stdout.fileno())
        process.stdin.close()
        process.stdout.close()
        self.process = process
        if self._closed:
            self.close()
            return
        threading.Thread(target=self._write, args=(requests,), name="openptx-tiers-requests", daemon=True).start()
        said = self._read(replies)
        process.kill()
        self._requests.put(None)
        status = process.wait()
        with contextlib.suppress(OSError):
            os.close(replies)
        self._ended(self, said or f"ended {cause(status)}")

    def _write(self, pipe: int) -> None:
        """Writes requests until there are no more, or the pipe has no reader."""
        with contextlib.suppress(OSError):
            while (request := self._requests.get()) is not None:
                write(pipe, packed(request))
        os.close(pipe)

    def _read(self, pipe: int) -> str:
        """Reads replies to the end of the pipe; reports if there was none."""
        unpacker = Unpacker()
        with contextlib.suppress(OSError):
            while True:
                if hasattr(select, "poll"):  # Windows has none, nor heartbeats
                    waits = select.poll()
                    waits.register(pipe, select.POLLIN)
                    if not waits.poll(SILENCE * 1000):
                        if self._busy():
                            return f"said nothing for {SILENCE:.0f} s"
                        continue
                piece = os.read(pipe, PIECE)
                if not piece:
                    break
                for reply in unpacker.feed(piece):
                    self._replied(reply)
        return ""
