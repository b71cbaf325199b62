"""The docs tell the truth: every command, setting and error is in them. `make docs-check` runs their console blocks."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
ROOMS = ("docs", "bench", "training", "plugins", "src")
PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
SOURCE = re.compile(r"`([\w/]+/\w+\.py)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.DOTALL | re.MULTILINE)
# Pages for people: neither notes that tests read nor what is installed.
FOUND = [*ROOT.glob("*.md"), *(page for folder in ROOMS for page in sorted((ROOT / folder).rglob("*.md")))]
EVERY_PAGE = [page for page in FOUND if "node_modules" not in page.parts]


@pytest.mark.parametrize("page", [page for page in PAGES if "```python\n" in page.read_text(encoding="utf-8")], ids=str)
def test_every_python_block_runs(
    page: Path, indexed_sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(indexed_sample, tmp_path / "examples" / "vault")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "off")
    for block in PYTHON.findall(page.read_text(encoding="utf-8")):
        exec(compile(block, page.name, "exec"), {"__name__": "__main__"})


def test_every_link_leads_to_a_file_and_a_heading_that_exist() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {link}" for page in EVERY_PAGE for link in _links(page) if not _leads(page, link)
    ]
    assert not broken


def test_every_source_file_that_a_page_names_exists() -> None:
    package = ROOT / "src/notewell"
    roots = {folder.name: ROOT for folder in ROOT.iterdir()} | {folder.name: package for folder in package.iterdir()}
    named = [(page, path) for page in EVERY_PAGE for path in SOURCE.findall(page.read_text(encoding="utf-8"))]
    known = [(page, path, roots[path.partition("/")[0]]) for page, path in named if path.partition("/")[0] in roots]
    missing = [f"{page.relative_to(ROOT)}: {path}" for page, path, root in known if not (root / path).exists()]
    assert known
    assert not missing


def _links(page: Path) -> list[str]:
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    return [link for link in LINK.findall(text) if not re.match(r"\w+:", link)]


def _leads(page: Path, link: str) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or target.suffix != ".md" or anchor in _anchors(target))


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_command_and_option_is_in_the_reference() -> None:
    from notewell.serve.cli import COMMANDS, cli  # noqa: PLC0415

    reference = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    for name in COMMANDS:
        command = cli.commands.get(name) or cli.get_command(None, name)  # type: ignore[arg-type]
        assert command is not None
        assert f"## notewell {name}" in reference
        options = [option for parameter in command.params for option in parameter.opts if option.startswith("--")]
        assert all(option in reference for option in options), name


def test_every_setting_and_error_is_in_the_reference() -> None:
    from notewell import errors  # noqa: PLC0415
    from notewell.config.settings import setting_names  # noqa: PLC0415

    settings = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    tree = (ROOT / "docs/reference/errors.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in settings for name in setting_names())
    classes = [name for name, thing in vars(errors).items() if isinstance(thing, type)]
    assert all(name in tree for name in classes)


def test_the_readme_fits_on_a_screen_or_two() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 100
