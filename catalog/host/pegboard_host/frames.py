"""One framing for every socket: four bytes of length, then that much JSON."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

Message = dict[str, Any]
LIMIT = 64 * 1024 * 1024
CLOEXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)


class BadFrame(ValueError):
    """What came is not a frame."""


def encode(message: Message) -> bytes:
    """Write a frame; ValueError if the message is not strict JSON."""
    body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    return len(body).to_bytes(4, "big") + body


def _refuse(constant: str) -> NoReturn:
    raise BadFrame(f"{constant} is not JSON")


def decode(body: bytes | bytearray) -> Message:
    """Read the JSON of one frame."""
    try:
        message = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"no JSON: {error}") from None
    if not isinstance(message, dict):
        raise BadFrame("no JSON object")
    return message


def _length(header: bytes | bytearray, limit: int) -> int:
    length = int.from_bytes(header[:4], "big")
    if length > limit:
        raise BadFrame(f"a frame of {length} bytes, more than {limit}")
    return length


class Decoder:
    """Cuts frames out of bytes as they arrive."""

    def __init__(self, limit: int = LIMIT) -> None:
        self._buffer = bytearray()
        self._limit = limit

    def feed(self, data: bytes) -> Iterator[Message]:
        """Yield each frame that is complete now; BadFrame if it is none."""
        self._buffer += data
        while len(self._buffer) >= 4:
            end = 4 + _length(self._buffer, self._limit)
            if len(self._buffer) < end:
                return
            body = self._buffer[4:end]
            del self._buffer[:end]
            yield decode(body)


class Channel:
    """Frames, and descriptors with them, over a Unix stream socket."""

    def __init__(self, sock: socket.socket, limit: int = LIMIT) -> None:
        self.sock = sock
        self._limit = limit
        self._sending = threading.Lock()

    def send(self, message: Message, fds: Sequence[int] = ()) -> None:
        """Send one frame whole; OSError when the other end is gone."""
        data = encode(message)
        with self._sending:
            sent = socket.send_fds(self.sock, [data], fds) if fds else 0
            self.sock.sendall(data[sent:])

    def receive(self) -> Message | None:
        """Wait for one frame; None when the other end is gone."""
        return self._body(self._read(b"", 4))

    def receive_with_fds(self) -> tuple[Message | None, list[int]]:
        """As `receive`, with the descriptors that came along."""
        try:
            head, fds, _, _ = socket.recv_fds(self.sock, 4, 8, CLOEXEC)
        except ConnectionError:
            return None, []
        return self._body(self._read(head, 4) if head else b""), list(fds)

    def _body(self, header: bytes) -> Message | None:
        if len(header) < 4:
            return None
        length = _length(header, self._limit)
        body = self._read(b"", length)
        return decode(body) if len(body) == length else None

    def _read(self, data: bytes, count: int) -> bytes:
        parts, missing = [data], count - len(data)
        while missing:
            try:
                part = self.sock.recv(min(missing, 1 << 20))
            except ConnectionError:
                break
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def fileno(self) -> int:
        return self.sock.fileno()

    def close(self) -> None:
        self.sock.close()
