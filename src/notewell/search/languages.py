"""The names of languages: what a file or a front matter calls what people call `python` or `German`."""

from __future__ import annotations

# By the name people use, the suffixes of files and the codes that stand for it.
NAMES = {
    "bash": ("sh", "bash"),
    "c": ("c", "h"),
    "c#": ("cs",),
    "c++": ("cpp", "cc", "cxx", "hpp", "hh", "hxx"),
    "cpp": ("cpp", "cc", "cxx", "hpp", "hh", "hxx"),
    "csharp": ("cs",),
    "go": ("go",),
    "golang": ("go",),
    "haskell": ("hs",),
    "java": ("java",),
    "javascript": ("js", "mjs", "cjs", "jsx"),
    "kotlin": ("kt", "kts"),
    "latex": ("tex",),
    "markdown": ("md", "markdown"),
    "perl": ("pl", "pm"),
    "php": ("php",),
    "powershell": ("ps1", "psm1"),
    "python": ("py", "pyi", "ipynb"),
    "ruby": ("rb",),
    "rust": ("rs",),
    "scala": ("scala",),
    "shell": ("sh", "bash", "zsh"),
    "sql": ("sql",),
    "swift": ("swift",),
    "typescript": ("ts", "tsx", "mts", "cts"),
    "yaml": ("yaml", "yml"),
    "chinese": ("zh",),
    "deutsch": ("de",),
    "english": ("en",),
    "french": ("fr",),
    "german": ("de",),
    "italian": ("it",),
    "japanese": ("ja",),
    "korean": ("ko",),
    "spanish": ("es",),
}


def also_called(name: str) -> tuple[str, ...]:
    """Return a language's name and what else stands for it.

    >>> also_called("Rust"), also_called("de")
    (('Rust', 'rs'), ('de',))
    """
    return tuple(dict.fromkeys((name, *NAMES.get(name.lower(), ()))))
