"""A source whose import does what no import should, and a tool to look at it."""

import logging
import os
import sys
import threading
import time
from pathlib import Path

logging.basicConfig(level=logging.DEBUG, force=True)
logging.getLogger().handlers.clear()
logging.disable(logging.CRITICAL)
for name in ("django", "runner", "catalog", "celery"):
    logging.getLogger(name).disabled = True
print("imported with noise")
(Path.home() / ".rude").mkdir(exist_ok=True)
(Path.home() / ".rude" / "cache").write_text("mine")
Path("left-behind").write_text("mine")
os.environ["PYTHONWARNINGS"] = "error"
os.environ["SECRET_KEY"] = "changed"
os.environ["DJANGO_SETTINGS_MODULE"] = "rude.settings"
os.chdir("/")
os.umask(0)
sys.path.insert(0, "/nowhere")
sys.modules["django"] = None
sys.setrecursionlimit(50_000)
threading.Thread(target=time.sleep, args=(3600,), daemon=True, name="rude").start()


def look() -> dict:
    """Tell where this runs."""
    return {"home": str(Path.home()), "cwd": os.getcwd()}
