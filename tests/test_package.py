"""What the wheel and the sdist hold; `make package` builds them and installs the wheel into a clean environment."""

from __future__ import annotations

from pathlib import Path

from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "notewell"
# An index takes 100 MB for a file without asking, and compression saves a third of ours.
LARGEST = 100_000_000

Builder = WheelBuilder | SdistBuilder


def included(builder: type[Builder]) -> dict[str, Path]:
    """Return the files of a package, by their place in it."""
    made = builder(str(ROOT))
    with made.config.set_build_data({"artifacts": [], "force_include": {}, "build_hooks": ()}):
        return {Path(one.distribution_path).as_posix(): Path(one.path) for one in made.recurse_included_files()}


def test_the_wheel_holds_the_package_and_nothing_else() -> None:
    files = included(WheelBuilder)
    ours = {
        f"notewell/{file.relative_to(PACKAGE).as_posix()}"
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert files.keys() == ours
    assert {"notewell/py.typed", "notewell/redact/vendors.json"} <= files.keys()
    assert sum(file.stat().st_size for file in files.values()) < LARGEST


def test_the_sdist_holds_what_a_wheel_is_built_from() -> None:
    files = included(SdistBuilder)
    tops = {name.partition("/")[0] for name in files}
    assert tops == {"src", "README.md", "LICENSE", "CHANGELOG.md"}
    assert {name.removeprefix("src/") for name in files if name.startswith("src/")} == included(WheelBuilder).keys()
