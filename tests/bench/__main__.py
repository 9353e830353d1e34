"""All benchmarks: each a ratio to a baseline measured in the same run."""

import importlib
import sys

ALL = ("runs", "sockets", "search")


def main() -> None:
    for name in sys.argv[1:] or ALL:
        print(f"\n== {name}")
        importlib.import_module(f"tests.bench.{name}").main()


if __name__ == "__main__":
    main()
