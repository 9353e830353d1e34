"""Build environments under `var/ecosystems`, each re-used while its pins stay.

`python -m tests.ecosystems.build [NAME …]`. The pins are `NAME.txt` beside this
file (`python -m uv pip compile --universal --python-version 3.12 NAME.in`), for
node `package.json` with its lock. GAIA's own requirements want a model server's
worth of packages: what its tools need is listed instead, and nothing is resolved.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = Path(os.environ.get("PEGBOARD_ECOSYSTEMS", ROOT / "var" / "ecosystems"))
PYTHONS = ("lye", "gaia", "langchain", "mcp", "frames")  # the largest first
NODE = "node"
# Imported once, so that no host has to compile it all within its time.
WARM = {
    "lye": "lye.files, lye.web, lye.image, lye.audio, lye.browser, lye.slack, "
    "lye.notion, lye.command_line, lye.wandb_workspaces",
    "gaia": "gaia.agents.registry, gaia.agents.base.agent, gaia.llm.vlm_client",
    "langchain": "langchain_community.agent_toolkits.json.toolkit, "
    "langchain_community.agent_toolkits.file_management.toolkit, "
    "langchain_community.utilities.sql_database",
    "mcp": "mcp, mcp.server, mcp_server_time, mcp_server_git, mcp_server_fetch",
    "frames": "numpy, pandas, polars, PIL.Image, matplotlib.pyplot",
}
QUIET = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "WANDB_ERROR_REPORTING": "false"}
NODE_FILES = ("package.json", "package-lock.json")


class BuildFailed(Exception):
    """An environment could not be built."""


def python_of(name: str) -> Path:
    """The interpreter of an ecosystem's environment."""
    return FOLDER / name / "bin" / "python"


def command_of(name: str) -> Path:
    """A command that the node packages brought."""
    return FOLDER / NODE / "node_modules" / ".bin" / name


def build(names: tuple[str, ...] = (*PYTHONS, NODE)) -> int:
    """Build what is missing or has other pins than before; return an exit code."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(2) as pool:
        told = list(pool.map(_reported, names))
    return 1 if any(told) else 0


def _reported(name: str) -> bool:
    """Build one environment and say how it went; whether it failed."""
    began = time.monotonic()
    try:
        done = _build_node() if name == NODE else _build_python(name)
    except (BuildFailed, OSError) as error:
        print(f"{name}: NOT BUILT: {error}", file=sys.stderr, flush=True)
        return True
    took = f"built in {time.monotonic() - began:.0f} s" if done else "as it was"
    print(f"{name}: {took}", flush=True)
    return False


def _build_python(name: str) -> bool:
    pins = HERE / f"{name}.txt"
    stamp = f"{sys.version}\n{_digest(pins)}"

    def work(folder: Path) -> None:
        _run(*UV, "venv", "--quiet", "--python", sys.executable, str(folder))
        python = str(folder / "bin" / "python")
        install = ("pip", "install", "--quiet", "--no-deps", "--python", python)
        _run(*UV, *install, "-r", str(pins))
        home = folder / "home"
        home.mkdir()
        quiet = os.environ | QUIET | {"HOME": str(home)}
        _run(python, "-c", f"import {WARM[name]}", env=quiet)

    return _anew(FOLDER / name, stamp, work)


def _build_node() -> bool:
    npm = shutil.which("npm")
    if npm is None:
        raise BuildFailed("npm is missing, so no server written for node can be tried")
    files = [HERE / file for file in NODE_FILES]

    def work(folder: Path) -> None:
        folder.mkdir()
        for file in files:
            shutil.copy(file, folder)
        _run(npm, "ci", "--silent", "--ignore-scripts", "--no-audit", cwd=folder)

    return _anew(FOLDER / NODE, _digest(*files), work)


def _anew(folder: Path, stamp: str, work: Callable[[Path], None]) -> bool:
    """Do the work in an empty folder unless it was done with the same stamp."""
    seal = folder / "built-with"
    if seal.exists() and seal.read_text() == stamp:
        return False
    shutil.rmtree(folder, ignore_errors=True)
    work(folder)
    seal.write_text(stamp)
    return True


def _digest(*files: Path) -> str:
    content = b"".join(file.read_bytes() for file in files)
    return hashlib.sha256(content).hexdigest()


def _run(
    *command: str, cwd: Path | None = None, env: dict[str, str] | None = None
) -> None:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr or done.stdout).strip()
        raise BuildFailed(f"{' '.join(command[:4])} … said: {said[-2000:]}")


UV = (
    sys.executable,
    "-m",
    "uv",
    "--no-python-downloads",
    "--no-progress",
    "--system-certs",
)

if __name__ == "__main__":
    sys.exit(build(tuple(sys.argv[1:]) or (*PYTHONS, NODE)))
