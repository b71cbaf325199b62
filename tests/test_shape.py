"""The shape of the code: layers, sizes, names and docstrings, read from the source."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest

TESTS = Path(__file__).parent
SOURCE = TESTS.parent / "src"
PACKAGE = SOURCE / "notewell"

# From the top; a room imports only what stands on a lower line.
LINES = (
    ("serve",),
    ("chat", "curate", "measure", "session"),
    ("vault",),
    ("freshness", "memory"),
    ("domains",),
    ("config",),
    ("index", "search", "graph", "entities"),
    ("names",),
    ("redact", "embed", "llm", "store", "extract"),
    ("types", "files", "terms", "remote"),
    ("errors", "frozen", "patterns"),
)
HEIGHTS = {room: len(LINES) - number for number, line in enumerate(LINES) for room in line}
FORBIDDEN_NAMES = {"core", "utils", "common", "helpers", "services", "manager"}
IMPORTS_INSIDE = 114
# Spelled in halves, so that this file does not hold what it forbids.
FORBIDDEN_WORDS = ("Magic" + "Mock", "TO" + "DO", "FIX" + "ME", "pragma: no" + " cover")

SENTENCE = re.compile(r"[`\w](?:[^.]|\.(?! ))*\.")

Function = ast.FunctionDef | ast.AsyncFunctionDef
Public = Function | ast.ClassDef


def module_name(file: Path) -> str:
    name = ".".join(file.relative_to(SOURCE).with_suffix("").parts)
    return name.removesuffix(".__init__")


MODULES = {module_name(file): file for file in sorted(PACKAGE.rglob("*.py"))}


@cache
def trees() -> dict[str, ast.Module]:
    """Return the syntax tree of each module; only the worker that runs these tests parses them."""
    return {name: ast.parse(file.read_text(encoding="utf-8")) for name, file in MODULES.items()}


def imports(module: str) -> Iterator[tuple[str, str]]:
    """Yield each module of ours that a module imports, anywhere in it, and the name it takes from it."""
    for node in ast.walk(trees()[module]):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names if alias.name.split(".")[0] == "notewell")
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module}:{node.lineno} imports by a relative path"
            if (node.module or "").split(".")[0] == "notewell":
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    yield (inner, "") if inner in MODULES else (str(node.module), alias.name)


def room(module: str) -> str:
    """Return a module's room; the package itself, and what `python -m` runs, stand above all."""
    return module.split(".")[1] if "." in module and not module.endswith("__main__") else ""


def public_definitions(node: ast.AST, prefix: str) -> Iterator[tuple[str, Public]]:
    """Yield the public classes, functions and methods; what is inside a function is its own business."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Public) and not child.name.startswith("_"):
            name = f"{prefix}.{child.name}"
            yield name, child
            if isinstance(child, ast.ClassDef):
                yield from public_definitions(child, name)


def functions(module: str) -> Iterator[Function]:
    return (node for node in ast.walk(trees()[module]) if isinstance(node, Function))


def test_every_module_stands_in_a_room_of_the_design() -> None:
    assert {room(module) for module in MODULES} - {""} <= HEIGHTS.keys()


def test_imports_point_down_and_rooms_on_one_line_do_not_know_each_other() -> None:
    wrong = [
        f"{module} imports {target}"
        for module in MODULES
        if room(module)
        for target, _ in imports(module)
        if room(target) != room(module) and HEIGHTS.get(room(target), len(LINES) + 1) >= HEIGHTS[room(module)]
    ]
    assert wrong == []


def test_modules_that_are_loaded_by_name_stay_in_their_room() -> None:
    loaded = {
        (module, node.value)
        for module in MODULES
        for node in ast.walk(trees()[module])
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in MODULES
    }
    # The package itself stands above all rooms, and names its public homes.
    strays = [pair for pair in loaded if room(pair[0]) and room(pair[0]) != room(pair[1]) and "." in pair[1]]
    assert strays == []


def test_there_is_no_import_cycle() -> None:
    graph = {module: {target for target, _ in imports(module)} - {module} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail("imports run in a circle: " + " → ".join(error.args[1]))


def test_every_import_names_something_that_exists() -> None:
    unknown = [(module, target) for module in MODULES for target, _ in imports(module) if target not in MODULES]
    assert unknown == []


def test_no_private_name_is_imported_from_another_module() -> None:
    taken = [
        f"{module} takes {name} from {target}"
        for module in MODULES
        for target, name in imports(module)
        if name.startswith("_") and not name.startswith("__")
    ]
    assert taken == []


def lines(file: Path) -> int:
    return len(file.read_text(encoding="utf-8").splitlines())


def test_a_module_has_at_most_400_lines() -> None:
    every = [*MODULES.values(), *TESTS.rglob("*.py")]
    assert {file.name: length for file in every if (length := lines(file)) > 400} == {}


def test_tests_are_about_as_long_as_what_they_test() -> None:
    assert 0.8 < sum(map(lines, TESTS.rglob("*.py"))) / sum(map(lines, MODULES.values())) < 1.5


def test_the_architecture_is_one_page() -> None:
    assert len((TESTS.parent / "ARCHITECTURE.md").read_bytes()) <= 9_000


def test_a_vault_is_made_of_parts_and_inherits_nothing() -> None:
    (vault,) = (node for node in trees()["notewell.vault"].body if getattr(node, "name", "") == "Vault")
    assert isinstance(vault, ast.ClassDef)
    assert vault.bases == []


def test_every_seam_of_the_store_has_at_most_twelve_members() -> None:
    seams = {
        node.name: {member.name for member in node.body if isinstance(member, Function)}
        for node in trees()["notewell.store"].body
        if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases)
    }
    assert {"Matching", "Linked", "Writing", "Keeping"} <= seams.keys()
    assert {name: len(members) for name, members in seams.items() if len(members) > 12} == {}


def test_no_value_travels_through_a_cache_of_one() -> None:
    held = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for node in ast.walk(trees()[module])
        if isinstance(node, ast.Call) and ast.unparse(node).removeprefix("functools.") == "lru_cache(maxsize=1)"
    ]
    assert held == []


def test_imports_inside_functions_become_no_more() -> None:
    # Each loads what a cold command line does not pay for. A lower number is welcome, a higher one needs a reason.
    inside = [
        f"{module}:{node.lineno}"
        for module in MODULES
        for function in functions(module)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert len(set(inside)) <= IMPORTS_INSIDE


def test_a_module_begins_with_a_sentence_that_says_what_it_owns() -> None:
    first = {module: (ast.get_docstring(tree) or "").partition("\n")[0] for module, tree in trees().items()}
    assert {module: line for module, line in first.items() if not SENTENCE.fullmatch(line)} == {}


def test_every_public_name_has_a_docstring() -> None:
    bare = [
        name
        for module, tree in trees().items()
        for name, node in public_definitions(tree, module)
        if not ast.get_docstring(node)
    ]
    assert bare == []


def test_the_package_exports_exactly_its_public_names() -> None:
    import notewell  # noqa: PLC0415

    (typed,) = [node for node in trees()["notewell"].body if isinstance(node, ast.If)]
    seen_by_types = {
        (node.module, alias.asname or alias.name)
        for node in typed.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    loaded = {(home, name) for home, names in notewell._HOMES.items() for name in names}
    assert loaded == seen_by_types
    assert notewell.__all__ == sorted({name for _, name in loaded} | {"__version__"})
    for home, name in loaded:
        assert getattr(notewell, name).__module__ == home
    with pytest.raises(AttributeError, match="nonsense"):
        _ = notewell.nonsense


def test_the_package_loads_nothing_before_it_is_asked_for() -> None:
    program = "import sys, notewell; print(*(name for name in sys.modules if name.startswith(('notewell', 'numpy'))))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["notewell"]


def test_a_function_has_at_most_six_parameters() -> None:
    wide = []
    for module in MODULES:
        for function in functions(module):
            arguments = function.args
            names = [arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
            called = [ast.unparse(one) for one in function.decorator_list]
            is_command = module.startswith("notewell.serve.cli.") and any(".command(" in one for one in called)
            if len([name for name in names if name not in ("self", "cls")]) > 6 and not is_command:
                wide.append(f"{module}.{function.name}")
    assert wide == []


# Keywords that a type names: those of a `TypedDict`, or those of the function that a decorator wraps.
NAMED = re.compile(r"Unpack\[|\w+\.kwargs$")


def test_no_function_takes_keywords_it_does_not_name() -> None:
    unnamed = [
        f"{module}.{function.name}"
        for module in MODULES
        for function in functions(module)
        if function.args.kwarg and not NAMED.match(ast.unparse(function.args.kwarg.annotation or function))
    ]
    assert unnamed == []


def test_every_function_says_what_it_returns() -> None:
    assert [f"{module}.{f.name}" for module in MODULES for f in functions(module) if f.returns is None] == []


def test_nothing_is_mocked_put_off_or_hidden_from_coverage() -> None:
    held = [
        f"{file}: {word}"
        for folder in (PACKAGE, TESTS)
        for file in sorted(folder.rglob("*.py"))
        for word in FORBIDDEN_WORDS
        if word in file.read_text(encoding="utf-8")
    ]
    assert held == []


def test_no_module_is_named_after_nothing() -> None:
    assert {part for module in MODULES for part in module.split(".")} & FORBIDDEN_NAMES == set()


def test_the_tree_of_errors_is_drawn_as_it_is() -> None:
    drawn = {}
    above = {-1: "NotewellError"}
    for line in (ast.get_docstring(trees()["notewell.errors"]) or "").splitlines():
        if found := re.match(r"([│├└─ ]*)([A-Z]\w+)(?:\s{2,}|$)", line):
            depth = len(found[1])
            drawn[found[2]] = next((above[at] for at in sorted(above, reverse=True) if at < depth), "")
            above = {at: name for at, name in above.items() if at < depth} | {depth: found[2]}
    drawn["NotewellError"] = "Exception"
    defined = {
        node.name: ast.unparse(node.bases[0])
        for node in trees()["notewell.errors"].body
        if isinstance(node, ast.ClassDef)
    }
    assert drawn == defined


def test_every_error_is_defined_in_the_tree() -> None:
    known = {node.name for node in trees()["notewell.errors"].body if isinstance(node, ast.ClassDef)}
    elsewhere = [
        f"{module}.{node.name}"
        for module, tree in trees().items()
        if module != "notewell.errors"
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for base in node.bases
        if ast.unparse(base) in known or ast.unparse(base).endswith(("Exception", "Error"))
    ]
    # A run that its user stopped is not an error: it has nothing to explain, and an exit code of its own. Nor is a hook
    # that has nothing to say, a command that the daemon leaves to its client, or a store that another one stands for.
    assert elsewhere == [
        "notewell.serve.cli.Stopped",
        "notewell.serve.daemon.wire.Declined",
        "notewell.serve.hooks.payload.NothingToSay",
        "notewell.store.tables.seal.StoreOfAnother",
    ]


def test_every_order_by_ends_in_a_unique_column() -> None:
    from notewell.store.sqlite import check_queries, link_queries, queries  # noqa: PLC0415

    # What a statement groups by is unique in it.
    unique = {
        "note",
        "note.id",
        "chunk.id",
        "chunk.body",
        "length(data)",
        "id",
        "block",
        "path",
        "chunk",
        "rowid",
        "term",
    }
    orders = [
        (name, found)
        for name, value in (*vars(queries).items(), *vars(link_queries).items(), *vars(check_queries).items())
        for statement in (value if isinstance(value, tuple) else (value,))
        if isinstance(statement, str) and name.isupper()
        for found in re.findall(r"order by ([^\n]+)", statement)
    ]
    assert orders
    assert [name for name, order in orders if order.split(",")[-1].split(" limit")[0].strip() not in unique] == []


def test_statements_are_named_once_and_used() -> None:
    from notewell.store.tables.reader import Name  # noqa: PLC0415

    names = [
        target.id
        for module in ("queries", "link_queries", "check_queries")
        for node in trees()[f"notewell.store.sqlite.{module}"].body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    others = "\n".join(
        MODULES[module].read_text(encoding="utf-8")
        for module in MODULES
        if module.startswith(("notewell.store.sqlite", "notewell.store.tables")) and not module.endswith("queries")
    )
    assert [name for name in names if f"queries.{name}" not in others and f'"{name}"' not in others] == []
    assert {*get_args(Name)} <= {*names}
    assert [name for name, again in pairwise(sorted(names)) if name == again] == []


def test_no_pattern_repeats_a_group_possessively() -> None:
    # `(?:ab|a)*+` matches wrongly before Python 3.11.5; `(?>(?:ab|a)*)` means the same everywhere.
    files = [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]
    repeated = re.compile(r"(?<![\[(])\)(?:[*+?]|\{\d*,?\d*\})\+")
    assert [file.name for file in files if repeated.search(file.read_text(encoding="utf-8"))] == []
