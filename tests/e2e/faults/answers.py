"""A line on which requests are known: some are answered here instead of by the API server, some are
carried out and their answers lost.

It ends TLS with a certificate of its own, and begins it anew towards the server. Programs under test
send one request after the other on a connection, so that an answer of its own is in its place there.
"""

import asyncio
import contextlib
import json
import random
import ssl

from faults.lines import CHUNK, _reset
from support.hook_server import certificate

HEAD_MOST = 1 << 16
LOST = "lost"


class Answers:
    """Listens on `port` and passes requests on to `target`, but for those that `fail` meets."""

    def __init__(self, loop, port, target, ca_file, folder):
        self.port, self._target, self._loop = port, target, loop
        path, private = certificate(folder)
        self.ca = path.read_bytes()
        self._near = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._near.load_cert_chain(path, private)
        self._far = ssl.create_default_context(cafile=ca_file)
        self._server = None
        self._kinds, self._share, self._rng = (), 0.0, random.Random(0)
        self.given = {}  # How often, by kind of fault.
        self.requests = 0
        loop.run(self._listen())

    def fail(self, kinds, share, seed):
        """A share of the requests is met by one of the kinds: a status such as 503, or LOST."""
        self._kinds, self._share, self._rng = tuple(kinds), share, random.Random(seed)

    def mend(self):
        self._share = 0.0

    def close(self):
        self._loop.loop.call_soon_threadsafe(self._server.close)

    # --- how --------------------------------------------------------------------------------

    async def _listen(self):
        self._server = await asyncio.start_server(
            self._accept, "127.0.0.1", self.port, ssl=self._near, limit=HEAD_MOST
        )

    async def _accept(self, reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            far_reader, far_writer = await asyncio.open_connection(
                "127.0.0.1", self._target, ssl=self._far
            )
            back = asyncio.ensure_future(_pass_on(far_reader, writer))
            try:
                await self._serve(reader, writer, far_writer, back)
            finally:
                back.cancel()
                far_writer.close()
        writer.close()

    async def _serve(self, reader, writer, far_writer, back):
        while True:
            ask = asyncio.ensure_future(_request(reader))
            await asyncio.wait([ask, back], return_when=asyncio.FIRST_COMPLETED)
            if not ask.done():
                ask.cancel()
                return  # The server has ended the connection.
            head, body = ask.result()
            self.requests += 1
            kind = self._pick(head)
            if isinstance(kind, int):
                writer.write(_refusal(kind))
                await writer.drain()
                continue
            far_writer.write(head + body)
            await far_writer.drain()
            if kind == LOST:
                # It is carried out, which may take a moment; then the connection breaks.
                back.cancel()
                await asyncio.sleep(0.05)
                _reset(writer)
                return

    def _pick(self, head):
        if not self._share or self._rng.random() >= self._share:
            return None
        kind = self._rng.choice(self._kinds)
        self.given[kind] = self.given.get(kind, 0) + 1
        return kind


async def _pass_on(reader, writer):
    while data := await reader.read(CHUNK):
        writer.write(data)
        await writer.drain()


async def _request(reader):
    """One request: its head, and the body that the head announces."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
        elif name.strip().lower() == b"transfer-encoding":
            raise ValueError("requests in pieces are not known here")
    return head, await reader.readexactly(length)


def _refusal(code):
    reason = {429: "TooManyRequests", 500: "InternalError", 503: "ServiceUnavailable"}[code]
    status = {
        "kind": "Status",
        "apiVersion": "v1",
        "status": "Failure",
        "message": "a fault of the test",
        "reason": reason,
        "code": code,
    }
    text = json.dumps(status).encode()
    head = f"HTTP/1.1 {code} {reason}\r\nContent-Type: application/json\r\n"
    if code == 429:
        head += "Retry-After: 1\r\n"
    return f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text
