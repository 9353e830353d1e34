"""Print which tools of LangChain community can be built from nothing, by name.

Run by the interpreter of that environment; asks each class of each module.
"""

import contextlib
import importlib
import inspect
import json
import pkgutil
import sys
import warnings

PACKAGE = "langchain_community.tools"


def modules():
    package = importlib.import_module(PACKAGE)
    for found in pkgutil.walk_packages(package.__path__, f"{PACKAGE}."):
        with contextlib.suppress(Exception):  # some want a package that is not here
            yield importlib.import_module(found.name)


def classes(module):
    base = importlib.import_module("langchain_core.tools").BaseTool
    for name, value in vars(module).items():
        is_tool = inspect.isclass(value) and issubclass(value, base)
        if is_tool and value.__module__ == module.__name__:
            yield name, value


def main():
    warnings.simplefilter("ignore")
    names = {}
    for module in modules():
        for name, kind in classes(module):
            with contextlib.suppress(Exception):
                names[f"{module.__name__}:{name}"] = kind().name
    sys.stdout.write(json.dumps(names))


if __name__ == "__main__":
    main()
