"""The formats Notewell reads, a row each: suffixes, reader, the shape that cuts its text, and how that text runs.

A new format is one row of `FORMATS` and one reader: a module in `index/readers` with a function `extract(data) ->
Content`. It needs a new shape, a module in `index/shapes`, only if none of these fits: `markdown` and `document`
(headings), `plain` (paragraphs), `parted` (pages, rows or turns), `values` (keys), `code` (definitions).
"""

from __future__ import annotations

from notewell.frozen import frozen

# How the text of a format runs, which decides where an excerpt may cut it: into lines broken at some column, into one
# line for each paragraph, into keys with values, into rows of cells, or into source code.
WRAPPED, FLOWING, VALUES, TABLE, SOURCE = "wrapped", "flowing", "values", "table", "source"

# The suffixes of each family in `index/shapes/languages.toml`.
FAMILIES = {
    "python": ".py .pyi .pyw .pyx .gd",
    "javascript": ".js .mjs .cjs .jsx .ts .mts .cts .tsx .vue .svelte",
    "go": ".go",
    "rust": ".rs .zig",
    "java": ".java .kt .kts .scala .swift .cs .groovy .gradle .dart",
    "c": ".c .h .cc .cpp .cxx .hh .hpp .hxx .ino .cu",
    "ruby": ".rb .rake .cr",
    "php": ".php",
    "shell": ".sh .bash .zsh .fish .ksh",
    "powershell": ".ps1 .psm1",
    "sql": ".sql",
    "lua": ".lua",
    "r": ".r",
    "perl": ".pl .pm",
    "css": ".css .scss .less",
    "sections": ".toml .ini .cfg .conf .properties",
    "ended": ".ex .exs .jl",
    "blocks": ".tf .hcl .proto .graphql",
    "lisp": ".clj .cljs .cljc .lisp .el .scm",
    "haskell": ".hs",
}
WORKBOOKS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
FAMILY_OF = {suffix: family for family, suffixes in FAMILIES.items() for suffix in suffixes.split()}


@frozen
class Format:
    """One kind of file. A `sandboxed` reader runs in a process of its own, since it may hang or crash."""

    name: str
    suffixes: tuple[str, ...]
    reader: str
    shape: str
    text: str = WRAPPED
    sandboxed: bool = False
    extra: str = ""


# Any file can be read as text.
TEXT = Format("text", (".txt", ".text"), "text", "plain")
FORMATS = (
    Format("Markdown", (".md", ".markdown"), "text", "markdown"),
    TEXT,
    Format("source code", tuple(FAMILY_OF), "source", "code", SOURCE),
    Format("Org", (".org",), "text", "org"),
    Format("reStructuredText", (".rst",), "text", "restructured"),
    Format("AsciiDoc", (".adoc", ".asciidoc"), "text", "asciidoc"),
    Format("CSV", (".csv", ".tsv"), "csv_rows", "parted", TABLE, sandboxed=True),
    Format("PDF", (".pdf",), "pdf", "plain", sandboxed=True, extra="docs"),
    Format("Word", (".docx",), "docx", "document", FLOWING, sandboxed=True, extra="docs"),
    Format("PowerPoint", (".pptx",), "slides", "parted", FLOWING, sandboxed=True, extra="docs"),
    Format("HTML", (".html", ".htm", ".xhtml"), "html", "document", FLOWING, sandboxed=True, extra="docs"),
    Format("EPUB", (".epub",), "epub", "document", FLOWING, sandboxed=True, extra="docs"),
    Format("workbook", WORKBOOKS, "workbook", "parted", TABLE, sandboxed=True, extra="docs"),
    Format("JSON", (".json",), "json_values", "values", VALUES, sandboxed=True),
    Format("JSON Lines", (".jsonl", ".ndjson"), "json_lines", "values", VALUES, sandboxed=True),
    Format("YAML", (".yaml", ".yml"), "yaml_values", "values", VALUES, sandboxed=True),
    Format("canvas", (".canvas", ".excalidraw"), "canvas", "document", FLOWING, sandboxed=True),
    Format("Jupyter notebook", (".ipynb",), "notebook", "parted", sandboxed=True),
)
BY_SUFFIX = {suffix: format for format in FORMATS for suffix in format.suffixes}


def suffix_of(path: str) -> str:
    """Return the suffix of a path, or of a file's name, in lower case and with its dot; empty if it has none.

    >>> suffix_of("Garden/Bees.MD"), suffix_of("v1.2/Makefile")
    ('.md', '')
    """
    _, dot, suffix = path.rpartition(".")
    return dot + suffix.lower() if dot and "/" not in suffix else ""


def format_of(path: str) -> Format | None:
    """Return the format of the file at a path, by its suffix; None if Notewell does not read it."""
    return BY_SUFFIX.get(suffix_of(path))


def is_sandboxed(path: str) -> bool:
    """Tell whether the file at a path is read in the sandbox."""
    format = format_of(path)
    return format is not None and format.sandboxed
