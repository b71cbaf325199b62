"""The conditions of a measurement: machine, versions, commit."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import apsw

from bench.child import ROOT, Measured
from notewell.config import public_settings
from notewell.config.settings import Settings

PACKAGES = ("notewell", "apsw", "numpy", "tokenizers", "PyStemmer", "click", "bm25s", "tantivy", "matplotlib")

# Load of the last minute. Above it, something else is running on this machine.
QUIET_LOAD = 0.5


def describe_machine() -> Measured:
    """Return cores, memory, processor and Python, and how busy the machine is."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(memory / 1e9, 1),
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 2),
        "quiet": os.getloadavg()[0] <= QUIET_LOAD,
    }


def describe_software() -> Measured:
    """Return the versions of Notewell, its libraries and its peers."""
    versions = {name: _version(name) for name in PACKAGES}
    return {**versions, "sqlite": apsw.sqlite_lib_version(), "ripgrep": _first_line(["rg", "--version"])}


def describe_settings() -> Measured:
    """Return the default settings, which every measurement uses."""
    return public_settings(Settings())


def product_digest() -> str:
    """Return a digest of the product's source, which should be the same before and after a run."""
    files = sorted((ROOT / "src").rglob("*.py"))
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]


def label() -> str:
    """Return the short commit, or `work` when the product differs from it or git is not there."""
    git = ["git", "-C", str(ROOT)]
    commit = _first_line([*git, "rev-parse", "--short", "HEAD"])
    differs = _first_line([*git, "status", "--porcelain", "--", "src", "bench/*.py", "pyproject.toml"])
    return "work" if differs or not commit else commit


def _first_line(command: list[str]) -> str:
    if not shutil.which(command[0]):
        return ""
    # Others may be working in the same tree, so git must not take its lock.
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return (done.stdout.splitlines() or [""])[0]


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _processor() -> str:
    file = Path("/proc/cpuinfo")
    lines = file.read_text().splitlines() if file.is_file() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
