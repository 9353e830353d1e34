"""The web server of `make up`: uvicorn on a socket that its parent already holds."""

import socket
import sys

import uvicorn


def serve(fd: int) -> None:
    """Serve until asked to stop; open websockets are closed, not waited for."""
    config = uvicorn.Config(
        "config.asgi:application",
        log_config=None,
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=3,
        ws_max_size=1_000_000,
        # A small frame gains nothing by it, a thousand readers cost a lot.
        ws_per_message_deflate=False,
        server_header=False,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=fd)])


if __name__ == "__main__":
    serve(int(sys.argv[1]))
