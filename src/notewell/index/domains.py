"""Domains: named parts of a vault, each with its own store; which of them a path belongs to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from notewell.errors import QueryError
from notewell.frozen import frozen
from notewell.names.suggest import did_you_mean, suggest

# The domain that is there if the registry names none that takes what no other claims.
LEGACY = "legacy"


@frozen
class Domain:
    """One domain, as the registry has it, with what was derived."""

    name: str
    """Its name, which is also part of the name of its store."""
    folders: tuple[str, ...] = ()
    """The folders in it, from the vault's root; none for the legacy domain, which takes what no other claims."""
    exclude: tuple[str, ...] = ()
    """The folders below these that are not in it: those of other domains, and those that the registry names."""
    legacy: bool = False
    """Whether it takes what no other domain claims."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Its own settings by their full names, as they were written."""
    problems: tuple[str, ...] = ()
    """What in the registry has no effect, one sentence each."""

    @property
    def home(self) -> str:
        """Return its first folder, in which its own files are; empty for the root."""
        return self.folders[0] if self.folders else ""


@dataclass(frozen=True)
class Domains:
    """All domains of a vault, the legacy one last; empty for a vault without domains."""

    all: tuple[Domain, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.all)

    def __iter__(self) -> Iterator[Domain]:
        return iter(self.all)

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all domains."""
        return tuple(domain.name for domain in self.all)

    def named(self, name: str) -> Domain | None:
        """Return the domain of a name, whatever its case; None if there is none.

        >>> Domains((Domain("fitness", ("Gym",)),)).named("Fitness").folders
        ('Gym',)
        """
        return next((domain for domain in self.all if domain.name.casefold() == name.casefold()), None)

    def of(self, path: str) -> str:
        """Return the name of the domain that a path from the root belongs to; nothing without domains.

        >>> domains = Domains((Domain("gym", ("Sport",), ("Sport/Old",)), Domain("rest", legacy=True)))
        >>> [domains.of(path) for path in ("Sport/Squats.md", "Sport/Old/a.md", "Sports.md", "Sport")]
        ['gym', 'rest', 'rest', 'gym']
        """
        owners = self._owners
        while path not in owners and path:
            path = path.rpartition("/")[0]
        return owners.get(path, "")

    def chosen(self, wanted: str | Sequence[str]) -> tuple[str, ...]:
        """Return the domains that are asked for, in the order of the registry; none for all of them.

        One that does not exist is an error.
        """
        asked = [name for name in ([wanted] if isinstance(wanted, str) else wanted) if name]
        if asked and not self:
            raise QueryError("This vault has no domains", "Name them in notewell.toml, such as [domains.fitness]")
        for name in asked:
            if self.named(name) is None:
                near = suggest(name, self.names, limit=1)
                raise QueryError(
                    f"There is no domain '{name}'", did_you_mean(near, f"The domains are {', '.join(self.names)}")
                )
        folded = {name.casefold() for name in asked}
        found = tuple(name for name in self.names if name.casefold() in folded)
        return () if len(found) == len(self.names) else found

    def part(self, names: Collection[str]) -> Territory | None:
        """Return the territory of some domains; None if these are all."""
        return None if {*names} >= {*self.names} else Territory(self, tuple(sorted(names)))

    @cached_property
    def _owners(self) -> dict[str, str]:
        """Return the domain of each folder that any of them names, and of the root."""
        rest = next((domain.name for domain in self.all if domain.legacy), "")
        owners = {folder: rest for domain in self.all for folder in domain.exclude} | {"": rest}
        return owners | {folder: domain.name for domain in self.all for folder in domain.folders}

    @cached_property
    def claims(self) -> tuple[tuple[str, str], ...]:
        """Return each folder that changes hands, with the name of its domain."""
        return tuple(self._owners.items())


@frozen
class Territory:
    """The part of a vault that belongs to some of its domains."""

    domains: Domains
    names: tuple[str, ...]

    def covers(self, path: str) -> bool:
        """Tell whether a file belongs to one of these domains."""
        return self.domains.of(path) in self.names

    def enters(self, folder: str) -> bool:
        """Tell whether a folder has to be walked: it, or a folder below it, belongs to one of these domains."""
        below = f"{folder}/"
        return self.covers(folder) or any(
            name in self.names and claimed.startswith(below) for claimed, name in self.domains.claims
        )


def derive(claimed: Iterable[Domain]) -> Domains:
    """Return the domains with what follows from the others: a legacy domain, and what each leaves to others.

    >>> [(domain.name, domain.exclude) for domain in derive([Domain("gym", ("Sport",))])]
    [('gym', ()), ('legacy', ('Sport',))]
    """
    given = [*claimed]
    if given and not any(domain.legacy for domain in given):
        given.append(Domain(LEGACY, legacy=True))
    named = [folder for domain in given for folder in domain.folders]
    # The legacy domain last: a reader sees what is claimed before what is left.
    return Domains(tuple(_with_rest(domain, named) for domain in sorted(given, key=lambda domain: domain.legacy)))


def _with_rest(domain: Domain, named: Iterable[str]) -> Domain:
    """Return a domain with the folders in its own that others claim among those that it excludes."""
    others = (folder for folder in named if folder not in domain.folders)
    inside = [folder for folder in others if domain.legacy or is_below(folder, domain.folders)]
    exclude = tuple(sorted({*domain.exclude, *inside}))
    return Domain(domain.name, domain.folders, exclude, domain.legacy, domain.settings, domain.problems)


def is_below(folder: str, above: Iterable[str]) -> bool:
    """Tell whether a folder lies below one of others.

    >>> is_below("Sport/Old", ["Sport"]), is_below("Sports", ["Sport"])
    (True, False)
    """
    return any(folder.startswith(f"{other}/") for other in above)
