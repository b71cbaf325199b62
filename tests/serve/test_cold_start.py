"""What a command without the daemon does not load: it would take longer than the search."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

# Prints what was loaded after a search has printed its hits.
SEARCH = """
import os, sys
from notewell.serve.daemon.client import main
end = os._exit
os._exit = lambda code: (print("loaded", *sorted(sys.modules), file=sys.stderr, flush=True), end(code))
sys.argv = ["notewell", "search", *sys.argv[1:]]
main()
"""


def loaded_by(vault: Path, tmp_path: Path, **environment: str) -> set[str]:
    """Return the modules that a search in a process of its own loads."""
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, "why does the bread rise in the oven", "--vault", str(vault)],
        # The socket of a daemon would be here: there is none, and none is started.
        env={**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "NOTEWELL_EMBED_BACKGROUND": "no", **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout
    return set(done.stderr.rpartition("loaded ")[2].split())


@pytest.mark.parametrize("switch", ["no", "yes"])
def test_a_search_loads_neither_the_encoder_nor_parts_of_numpy_that_it_can_do_without(
    indexed_sample: Path, tmp_path: Path, switch: str
) -> None:
    # With the daemon allowed, the command runs by itself too, as none listens; a paused one is not started.
    (state := tmp_path / "state" / "notewell").mkdir(parents=True)
    (state / "key").write_bytes((Path(os.environ["XDG_STATE_HOME"]) / "notewell" / "key").read_bytes())
    (state / "paused").touch()
    loaded = loaded_by(indexed_sample, tmp_path, NOTEWELL_DAEMON=switch, XDG_STATE_HOME=str(state.parent))
    assert "notewell.search" in loaded
    assert loaded & {"onnxruntime", "numpy.ma", "concurrent.futures"} == set()
