"""What one board holds alone: its address and its data folder."""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


class CannotStart(Exception):
    """The board cannot start; the message is the one line that says why."""


@dataclass(frozen=True)
class Address:
    """Where the web server listens: a socket that is ours from the first moment."""

    host: str
    port: int
    socket: socket.socket

    @property
    def local(self) -> str:
        """The host by which this machine reaches it."""
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - compared
        return everywhere.get(self.host, self.host)

    @property
    def url(self) -> str:
        host = f"[{self.local}]" if ":" in self.local else self.local
        return f"http://{host}:{self.port}"

    def allowed_hosts(self) -> str:
        """Names that requests may bear when the board is open to other machines."""
        names = {"localhost", "127.0.0.1", "[::1]", self.host, socket.gethostname()}
        for *_, address in socket.getaddrinfo(socket.gethostname(), None):
            names.add(str(address[0]))
        return ",".join(sorted(names))


def listen(host: str, port: int) -> Address:
    """Take the address, or raise CannotStart in one clear line."""
    if not 0 <= port <= 65535:
        raise CannotStart(f"PORT must be 0 to 65535, not {port}.")
    try:
        family, kind, proto, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        sock = socket.socket(family, kind, proto)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(2048)
    except OSError as fault:
        raise CannotStart(
            f"Cannot listen on {host}:{port}: {fault.strerror}. "
            f"Choose another address with PORT and HOST."
        ) from fault
    return Address(host, sock.getsockname()[1], sock)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the data folder: one board per folder."""
    with (folder / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as fault:
            lock.seek(0)
            raise CannotStart(
                f"Another Pegboard is running in {folder} ({lock.read().strip()}). "
                f"Stop it, or name another folder with PEGBOARD_DATA."
            ) from fault
        lock.truncate(0)
        lock.write(f"process {os.getpid()}")
        lock.flush()
        yield
