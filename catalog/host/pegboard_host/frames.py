"""One framing for every socket: four bytes of length, then that much JSON."""

from __future__ import annotations

import json
import math
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

Message = dict[str, Any]
LIMIT = 64 * 1024 * 1024


class BadFrame(ValueError):
    """What came is not a frame."""


def encode(message: Message) -> bytes:
    """Write a frame; ValueError if the message is not strict JSON."""
    body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode("ascii")
    return len(body).to_bytes(4, "big") + body


def _refuse(constant: str) -> NoReturn:
    raise BadFrame(f"{constant} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse(text)


def _decode(body: bytes | bytearray) -> Message:
    try:
        message = json.loads(body, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise BadFrame(f"no JSON: {error}") from None
    if not isinstance(message, dict):
        raise BadFrame("no JSON object")
    return message


class Channel:
    """Frames, and descriptors with them, over a Unix stream socket."""

    def __init__(self, sock: socket.socket, limit: int = LIMIT) -> None:
        self.sock, self._limit = sock, limit
        self._sending, self._buffer = threading.Lock(), bytearray()

    def send(self, message: Message, fds: Sequence[int] = ()) -> None:
        """Send one frame whole; OSError when the other end is gone."""
        data = encode(message)
        with self._sending:
            sent = socket.send_fds(self.sock, [data], fds) if fds else 0
            self.sock.sendall(data[sent:])

    def receive(self) -> Message | None:
        """Wait for one frame; None when the other end is gone."""
        message, fds = self.receive_with_fds()
        for fd in fds:
            os.close(fd)
        return message

    def receive_with_fds(self) -> tuple[Message | None, list[int]]:
        """As `receive`, with the descriptors that came along."""
        flags = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
        try:
            head, fds, _, _ = socket.recv_fds(self.sock, 4, 8, flags)
            header = self._read(head, 4) if head else b""
            length = self._length(header) if len(header) == 4 else 0
            body = self._read(b"", length)
        except ConnectionError:
            return None, []
        return (_decode(body) if length and len(body) == length else None), list(fds)

    def arrived(self) -> Iterator[Message]:
        """Yield what frames lie there, from a non-blocking socket; EOFError at its end.

        Not to be mixed with `receive`: what comes after a frame is kept here.
        """
        while data := self.sock.recv(1 << 20):
            self._buffer += data
            while len(self._buffer) >= 4:
                end = 4 + self._length(self._buffer)
                if len(self._buffer) < end:
                    break
                body = self._buffer[4:end]
                del self._buffer[:end]
                yield _decode(body)
        raise EOFError

    def _length(self, header: bytes | bytearray) -> int:
        length = int.from_bytes(header[:4], "big")
        if length > self._limit:
            raise BadFrame(f"a frame of {length} bytes, more than {self._limit}")
        return length

    def _read(self, data: bytes, count: int) -> bytes:
        parts, missing = [data], count - len(data)
        while missing and (part := self.sock.recv(min(missing, 1 << 20))):
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def fileno(self) -> int:
        return self.sock.fileno()

    def close(self) -> None:
        self.sock.close()
