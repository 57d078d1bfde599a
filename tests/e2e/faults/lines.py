"""The line between one program and the API server: bytes pass, late, half, not at all.

TLS goes through untouched, so nothing is known of requests here; `answers.py` knows them.
"""

import asyncio
import contextlib
import random
import socket
import struct
import threading

CHUNK = 1 << 16
# A program that connects while its line is refused is told so at once; one that is stalled waits.
PASS, REFUSE, STALL = "pass", "refuse", "stall"


class Loop:
    """One event loop in a thread, for all lines of a session."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()

    def run(self, coroutine):
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(30)

    def close(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(10)


class Line:
    """Listens on `port` for one program, and connects each of its connections with `target`.

    What happens to bytes is set by the methods, from any thread; `mend` ends all of it. Thread: the
    loop's.
    """

    def __init__(self, loop, port, target):
        self.port, self.target = port, target
        self._loop = loop
        self._server = None
        self._pairs = set()
        self._up = self._down = PASS
        self._delay_s = 0
        self._left = None  # Bytes of answers that still pass, before nothing does.
        self._cutter = None
        self._opened = asyncio.Event()
        self.connections = 0
        self.bytes = 0
        loop.run(self._listen())

    # --- what happens to it -----------------------------------------------------------------

    def delay(self, seconds):
        """Each piece comes so much later, in both directions."""
        self._delay_s = seconds

    def cut(self):
        """Every connection ends at once, as when a machine on the way is restarted."""
        self._loop.run(self._cut())

    def cut_often(self, seed, shortest_s=0.05, longest_s=1.5):
        """Again and again, at moments that the seed gives."""
        self._cutter = asyncio.run_coroutine_threadsafe(
            self._cut_often(random.Random(seed), shortest_s, longest_s), self._loop.loop
        )

    def refuse(self):
        """Nobody listens any more."""
        self._loop.run(self._refuse())

    def stall(self):
        """Connections stay, and nothing goes through: neither what is asked nor what is answered.
        What was held back is lost when the line is mended."""
        self._up = self._down = STALL

    def stall_after(self, count):
        """So many bytes of answers still pass, which is in the middle of one."""
        self._left = count

    def lose_answers(self):
        """What is asked goes through and is carried out; nothing comes back."""
        self._down = STALL

    def mend(self):
        self._loop.run(self._mend())

    def close(self):
        self._loop.run(self._refuse())

    # --- how --------------------------------------------------------------------------------

    async def _listen(self):
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)

    async def _cut(self):
        for pair in list(self._pairs):
            for writer in pair:
                _reset(writer)

    async def _cut_often(self, rng, shortest_s, longest_s):
        while True:
            await asyncio.sleep(rng.uniform(shortest_s, longest_s))
            await self._cut()

    async def _refuse(self):
        if self._server is not None:
            self._server.close()
            self._server = None
        await self._cut()

    async def _mend(self):
        held = STALL in (self._up, self._down) or self._left is not None
        if self._cutter is not None:
            self._cutter.cancel()
            self._cutter = None
        self._up = self._down = PASS
        self._left, self._delay_s = None, 0
        if held:
            await self._cut()
        self._opened.set()
        self._opened = asyncio.Event()
        if self._server is None:
            await self._listen()

    async def _accept(self, reader, writer):
        self.connections += 1
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.target)
        except OSError:
            _reset(writer)
            return
        pair = (writer, far_writer)
        self._pairs.add(pair)
        ways = [
            asyncio.ensure_future(self._carry(reader, far_writer, True)),
            asyncio.ensure_future(self._carry(far_reader, writer, False)),
        ]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        with contextlib.suppress(Exception):
            await asyncio.gather(*ways, return_exceptions=True)
        self._pairs.discard(pair)
        for end in pair:
            end.close()

    async def _carry(self, reader, writer, up):
        """One way of a connection, until it ends."""
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            while data := await reader.read(CHUNK):
                if self._delay_s:
                    await asyncio.sleep(self._delay_s)
                if not up and self._left is not None:
                    data, self._left = data[: self._left], max(0, self._left - len(data))
                    if self._left == 0:
                        self._up = self._down = STALL
                elif (self._up if up else self._down) == STALL:
                    data = b""
                    await self._opened.wait()
                self.bytes += len(data)
                writer.write(data)
                await writer.drain()


def _reset(writer):
    """Ends a connection with a reset, and drops what has not been sent."""
    with contextlib.suppress(Exception):
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        writer.transport.abort()
