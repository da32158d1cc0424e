"""The server's loop: it receives a request, a forked process compiles the code, and the reply is sent.

The server itself has one thread and compiles nothing, so it always responds, and may fork. With a process for each
request it compiles several kernels at the same time, and if LLVM aborts, or the system ends the process, only that
kernel is lost. Without fork (Windows) the server compiles itself.
"""

from __future__ import annotations

import contextlib
import gc
import os
import selectors
import signal
import threading
import time
from collections import deque
from dataclasses import dataclass, field

from openptx.engines.native.cache.key import name_of
from openptx.engines.native.runtime.background_code import Codes, codes_of, reply_with
from openptx.engines.tiers.messages import HEARTBEAT, Reply, Request, Unpacker, packed, write
from openptx.llvm.codegen import OPT_DEFAULT, machine
from openptx.llvm.subprocess_compile import cause, end_with_reader
from openptx.runtime.module import load
from openptx.source import File

BEAT = 1.0
"""Seconds between two heartbeats."""

IDLE = 120.0
"""Seconds without work after which the server ends; the next request starts another."""

PIECE = 1 << 20
DESCRIPTORS = 1024


@dataclass
class Worker:
    """A process that makes the code for a request."""

    request: Request
    process: int
    pipe: int
    said: bytearray = field(default_factory=bytearray)


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, replies = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # printed output is not a reply
    for thread in threading.enumerate():  # threads that imports have started
        if thread is not threading.current_thread():
            thread.join()
    machine(OPT_DEFAULT)
    gc.collect()
    gc.freeze()
    with contextlib.suppress(BrokenPipeError):
        serve(requests, replies)


def serve(requests: int, replies: int) -> None:
    """Serves requests until they end; pending compilations are abandoned."""
    most = max(1, (os.cpu_count() or 1) - 1)
    unpacker, waiting, running = Unpacker(), deque[Request](), dict[int, Worker]()
    used = time.monotonic()
    with selectors.DefaultSelector() as ready:
        ready.register(requests, selectors.EVENT_READ)
        try:
            while running or waiting or time.monotonic() < used + IDLE:
                while waiting and len(running) < most:
                    begin(next_of(waiting), replies, ready, running)
                for key, _ in ready.select(BEAT):
                    piece = os.read(key.fd, PIECE)
                    if key.fd != requests:
                        go_on(running[key.fd], piece, replies, ready, running)
                    elif piece:
                        waiting += unpacker.feed(piece)
                    else:
                        return
                    used = time.monotonic()
                write(replies, HEARTBEAT)
        finally:
            for worker in running.values():
                os.kill(worker.process, signal.SIGKILL)


def next_of(waiting: deque[Request]) -> Request:
    """The oldest request for baseline code, for which a launch waits; else the oldest."""
    found = next((request for request in waiting if request.options.baseline), waiting[0])
    waiting.remove(found)
    return found


def begin(request: Request, replies: int, ready: selectors.BaseSelector, running: dict[int, Worker]) -> None:
    if not hasattr(os, "fork"):
        write(replies, packed(reply_to(request)))
        return
    theirs, ours = os.pipe()
    process = os.fork()
    if not process:
        work(request, ours)
    os.close(ours)
    running[theirs] = Worker(request, process, theirs)
    ready.register(theirs, selectors.EVENT_READ)


def work(request: Request, pipe: int) -> None:
    """The body of a forked process. It ends with the server, even if that was killed."""
    status = 1
    try:
        os.closerange(3, pipe)  # other ends of pipes, which would keep them open
        os.closerange(pipe + 1, DESCRIPTORS)
        threading.Thread(target=end_with_reader, args=(pipe,), daemon=True).start()
        write(pipe, packed(reply_to(request)))
        status = 0
    finally:
        os._exit(status)


def go_on(
    worker: Worker, piece: bytes, replies: int, ready: selectors.BaseSelector, running: dict[int, Worker]
) -> None:
    """A process has sent data, or has ended: then its reply is passed on as a whole."""
    worker.said += piece
    if piece:
        return
    ready.unregister(worker.pipe)
    os.close(worker.pipe)
    del running[worker.pipe]
    status = os.waitstatus_to_exitcode(os.waitpid(worker.process, 0)[1])
    if status == 0:
        write(replies, bytes(worker.said))
    else:
        ended = f"the process that compiles it ended {cause(status)}"
        write(replies, packed(Reply(worker.request.name, {}, "", ended, 0.0)))


def reply_to(request: Request) -> Reply:
    """The code, or why there is none."""
    return reply_with(request.name, lambda: codes(request))


def codes(request: Request) -> Codes:
    module = load(
        File(request.file, request.text), target=request.target, profile=request.profile, contract=request.contract
    )
    function = module.program.function(request.kernel)
    if name_of(module.program, function, request.options, "fast") != request.name:
        raise ValueError("openptx has been edited since the process that asks was started")
    return codes_of(module.program, function, module.image, request.options, request.several_workers, request.cache)
