"""Loaded before Django's settings (`-p tests.environment`): a board of its own.

The suite never touches the data folder, the database or the Redis of a board
that happens to be there; `make test-services` names others by variable.
"""

import os
import secrets
import socket
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
SERVICES = os.environ.get("PEGBOARD_TEST_SERVICES") == "1"


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


(ROOT / "var").mkdir(exist_ok=True)
FOLDER = Path(tempfile.mkdtemp(prefix="test-", dir=ROOT / "var"))
(FOLDER / "static").mkdir()
PASSWORD = secrets.token_hex()
PORT = free_port()

os.environ["PEGBOARD_DATA"] = str(FOLDER)
os.environ["PEGBOARD_SOURCES"] = str(ROOT / "tests" / "sources.toml")
os.environ.pop("DEBUG", None)
if not SERVICES:
    os.environ.pop("DATABASE_URL", None)
    os.environ["REDIS_URL"] = f"redis://:{PASSWORD}@127.0.0.1:{PORT}/0"
