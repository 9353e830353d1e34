"""Start a host: `python catalog/host FD`."""

from pegboard_host.loop import main

main()
