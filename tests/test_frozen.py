"""`frozen` makes what `dataclass(frozen=True, slots=True)` makes."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, replace
from typing import Any

import pytest

from notewell.frozen import frozen, frozen_by_name


@frozen
class Loaf:
    """Has each kind of field."""

    flour: str
    grams: int = 900
    seeds: list[str] = field(default_factory=list)
    baked: str = field(default="", compare=False)
    recipe: str = field(default="a long one", repr=False)


@dataclass(frozen=True, slots=True)
class Plain:
    """The same by the standard library."""

    flour: str
    grams: int = 900
    seeds: list[str] = field(default_factory=list)
    baked: str = field(default="", compare=False)
    recipe: str = field(default="a long one", repr=False)


@frozen_by_name
class Named:
    """Has fields that are given by name."""

    rise: int
    hours: int = 4


@frozen_by_name
class Longer(Named):
    """Adds one to them."""

    nights: int


@frozen
class Single:
    """Has one field, and its own way to be shown."""

    crumb: tuple[int, ...]

    def __post_init__(self) -> None:
        if 13 in self.crumb:
            raise ValueError("unlucky")

    def __repr__(self) -> str:
        return "crumb"


def test_values_are_equal_shown_and_copied_as_those_of_a_data_class() -> None:
    for made in (Loaf, Plain):
        one, other = made("rye", seeds=["flax"]), made("rye", 900, ["flax"], baked="today")
        assert one == other
        assert one != made("rye")
        assert one != object()
        assert copy.copy(one) == pickle.loads(pickle.dumps(one)) == one
        assert replace(one, grams=500).grams == 500
        assert asdict(one)["seeds"] == ["flax"]
        assert made("a").seeds is not made("a").seeds
        assert repr(one) == f"{made.__name__}(flour='rye', grams=900, seeds=['flax'], baked='')"
        assert made.__match_args__ == ("flour", "grams", "seeds", "baked", "recipe")
    assert hash(Single((1, 2))) == hash(Single((1, 2))) != hash(Single((1,)))
    assert repr(Single(())) == "crumb"
    with pytest.raises(ValueError, match="unlucky"):
        replace(Single((1,)), crumb=(13,))


@pytest.mark.parametrize(
    "change",
    [
        lambda loaf: setattr(loaf, "grams", 1),
        lambda loaf: setattr(loaf, "price", 1),
        lambda loaf: delattr(loaf, "grams"),
    ],
)
def test_nothing_can_be_assigned_or_deleted(change: Callable[[Any], None]) -> None:
    with pytest.raises(FrozenInstanceError):
        change(Loaf("rye"))


def test_arguments_that_do_not_fit_are_refused_the_first_time_and_later() -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=r"Longer.__init__\(\) missing 1 required keyword-only argument: 'nights'"):
            Longer(rise=2)  # type: ignore[call-arg]
    assert Longer(rise=1, nights=2).hours == Named(rise=1).hours == 4
