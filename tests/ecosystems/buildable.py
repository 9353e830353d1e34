import importlib, pkgutil, inspect, json, warnings, contextlib, os

warnings.simplefilter("ignore")
import langchain_community.tools as T
from langchain_core.tools import BaseTool

found = {}
for m in pkgutil.walk_packages(T.__path__, "langchain_community.tools."):
    try:
        mod = importlib.import_module(m.name)
    except Exception as e:
        continue
    for n, c in vars(mod).items():
        if (
            inspect.isclass(c)
            and issubclass(c, BaseTool)
            and c.__module__ == mod.__name__
            and not inspect.isabstract(c)
        ):
            try:
                c()
                found[f"{mod.__name__}:{n}"] = c().name
            except BaseException:
                pass
print(json.dumps(found, indent=1))
