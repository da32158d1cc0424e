# ruff: noqa: E501 - PTX in one line reads better here
"""Random kernels whose threads wait for each other: in turns, with tickets and locks, at barriers of their own."""

from __future__ import annotations

import random
from dataclasses import dataclass

PEEK = """.func (.param .b32 o) peek(.param .b64 a) {
    .reg .b32 r; .reg .b64 p; ld.param.b64 p, [a]; ld.u32 r, [p]; st.param.b32 [o], r; ret; }"""

HEAD = """.version 8.8
.target sm_90
.address_size 64
"""

BEGIN = """
    .reg .pred wait, more, again; .reg .b32 me, all, t, turn, next, seen, value, i, n, junk; .reg .b64 x, w, d, a;
    .shared .align 8 .b32 s[32]; .local .u32 v;
    ld.param.u64 x, [out]; mov.u32 me, %tid.x; mov.u32 all, %ntid.x; mov.u32 t, %ctaid.x;
"""
# Words of memory, by their offsets: whose turn it is, the next ticket, the result, and one for stores.
TURN, TICKET, RESULT, OTHER = 0, 4, 8, 12


@dataclass(frozen=True, slots=True)
class WaitingKernel:
    text: str
    blocks: int
    threads: int


class Writer:
    """Writes a kernel with the choices of a seed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.space = self.dice.choice(("shared", "global"))
        self.base = "s" if self.space == "shared" else "x"
        self.loops = 0

    def kernel(self) -> WaitingKernel:
        blocks = self.dice.choice((1, 2)) if self.space == "shared" else self.dice.choice((1, 2, 4))
        how = self.dice.choice((self.in_turns, self.by_tickets, self.by_lock, self.at_barrier))
        in_order = how in (self.in_turns, self.by_tickets)  # one thread after the other takes the reference engine long
        threads = self.dice.choice((1, 3, 8) if in_order else (3, 32, 40))
        ids = (
            "" if self.space == "shared" else "mad.lo.u32 me, t, all, me; mov.u32 t, %nctaid.x; mul.lo.u32 all, all, t;"
        )
        address = "cvta.global.u64 a, x;" if self.space == "global" else "mov.u64 a, s; cvta.shared.u64 a, a;"
        body = (
            f"{ids} {address} mov.u32 n, 0; AGAIN: {how()} add.u32 n, n, 1; setp.lt.u32 again, n, 2; @again bra AGAIN;"
        )
        end = ""
        if self.space == "shared":
            end = f"bar.sync 0; ld.shared.u32 value, [s+{RESULT}]; st.global.u32 [x+{RESULT}], value;"
        text = f"{HEAD}{PEEK}\n.visible .entry k(.param .u64 out) {{{BEGIN}{body} {end} ret;\n}}\n"
        return WaitingKernel(text, blocks, threads)

    def in_turns(self) -> str:
        return f"mad.lo.u32 turn, n, all, me; {self.poll('setp.ne.u32 wait, seen, turn;', TURN)} {self.work()} {self.pass_on()}"

    def by_tickets(self) -> str:
        take = f"atom.{self.space}.add.u32 turn, {self.at(TICKET)}, 1;"
        return f"{take} {self.poll('setp.ne.u32 wait, seen, turn;', TURN)} {self.work()} {self.pass_on()}"

    def by_lock(self) -> str:
        """The critical section is in the loop, so that lanes of a warp do not wait for each other at its end."""
        self.loops += 1
        take = self.dice.choice(("exch.b32 seen, {}, 1;", "cas.b32 seen, {}, 0, 1;")).format(self.at(TURN))
        give = f"atom.{self.space}.exch.b32 junk, {self.at(TURN)}, 0;"
        return f"L{self.loops}: {self.junk()} atom.{self.space}.{take} setp.ne.u32 wait, seen, 0; @wait bra L{self.loops}; {self.work()} {give}"

    def at_barrier(self) -> str:
        come = f"atom.{self.space}.add.u32 junk, {self.at(TURN)}, 1; add.u32 turn, n, 1; mul.lo.u32 turn, turn, all;"
        return f"{come} {self.poll('setp.lt.u32 wait, seen, turn;', TURN)} atom.{self.space}.add.u32 junk, {self.at(RESULT)}, 5;"

    def work(self) -> str:
        """Depends on how often it is done, and loses one if two threads do it at once."""
        place = self.at(RESULT)
        load, store = f"ld.volatile.{self.space}.u32 value, {place};", f"st.volatile.{self.space}.u32 {place}, value;"
        return f"{load} mad.lo.u32 value, value, 3, 1; {store} membar.gl;"

    def pass_on(self) -> str:
        kind = self.dice.choice(("st", "st.volatile", "st.release.gpu"))
        return f"add.u32 next, turn, 1; {kind}.{self.space}.u32 {self.at(TURN)}, next;"

    def poll(self, condition: str, offset: int) -> str:
        """Waits while `condition` sets the predicate, from what is seen at an offset."""
        self.loops += 1
        i, load = self.loops, self.load(offset)
        match self.dice.choice(("plain", "exit", "nested")):
            case "plain":
                return f"L{i}: {self.junk()} {load} {condition} @wait bra L{i};"
            case "exit":
                return f"L{i}: {load} {condition} @!wait bra E{i}; {self.junk()} bra L{i}; E{i}:"
            case _:
                some = f"add.u32 i, i, 1; setp.lt.u32 more, i, {self.dice.choice((1, 3, 50))}; @more bra M{i};"
                return f"L{i}: mov.u32 i, 0; M{i}: {load} {condition} @!wait bra E{i}; {some} {self.junk()} bra L{i}; E{i}:"

    def load(self, offset: int) -> str:
        place = self.at(offset)
        local = f"ld.{self.space}.u32 seen, {place}; st.local.u32 [v], seen; ld.local.u32 seen, [v];"
        call = f"{{ .param .b64 p; .param .b32 o; add.u64 d, a, {offset}; st.param.b64 [p], d; call (o), peek, (p); ld.param.b32 seen, [o]; }}"
        marked = [f"ld.{kind}.{self.space}.u32 seen, {place};" for kind in ("volatile", "relaxed.gpu", "acquire.sys")]
        atomics = [
            f"atom.{self.space}.add.u32 seen, {place}, 0;",
            f"atom.{self.space}.cas.b32 seen, {place}, 9999, 9999;",
        ]
        weak = f"ld.{self.space}.u32 seen, {place};"
        return self.dice.choice((weak, weak, local, call, *marked, *atomics))

    def junk(self) -> str:
        """What a loop may do while it waits."""
        store = f"st.{self.space}.u32 {self.at(OTHER)}, junk;"
        return self.dice.choice(("", "add.u32 junk, junk, 1;", "nanosleep.u32 20;", f"add.u32 junk, junk, 1; {store}"))

    def at(self, offset: int) -> str:
        return f"[{self.base}+{offset}]"
