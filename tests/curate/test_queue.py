"""The review queue: read and written anew, and nothing that a person wrote is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notewell.curate.queue import NO_BASE, Base, Proposal, Renewed, check_ids, id_of, marked, read_queue, renew
from notewell.errors import CurateError

A, B, C = (Proposal("tag", id_of("tag", name), f"`#{name}` for [[{name}]]: because") for name in "abc")
L = Proposal("link", id_of("link", "l"), "[[n]] line 3: …")


def renewed(text: str, proposals: list[Proposal], base: Base = NO_BASE, done: tuple[str, ...] = ()) -> Renewed:
    return renew(text, "q.md", proposals, base, done)


def ids(text: str) -> list[tuple[str, str]]:
    return [(item.id, item.box) for item in read_queue(text, "q.md")]


def test_a_new_queue_has_a_heading_for_each_kind_and_a_box_for_each_proposal() -> None:
    made = renewed("", [A, L, B])
    assert made.text.startswith("# Review queue\n\nTick what you want")
    assert f"\n## Tags\n\n{A.line}\n{B.line}\n\n## Broken links\n\n{L.line}\n" in made.text
    assert [*made.base.open] == [A.id, L.id, B.id] or {*made.base.open} == {A.id, B.id, L.id}


def test_writing_it_twice_changes_nothing() -> None:
    first = renewed("", [A, L])
    assert renewed(first.text, [A, L], first.base) == first


def test_a_deleted_or_crossed_out_line_is_declined_for_good() -> None:
    first = renewed("", [A, B, C])
    text = first.text.replace(A.line + "\n", "").replace(B.line, B.line.replace("[ ]", "[-]"))
    second = renewed(text, [A, B, C], first.base)
    assert second.base.declined == {A.id, B.id}
    assert dict(ids(second.text)) == {A.id: "-", B.id: "-", C.id: " "}
    assert second.text.index("## Declined") > second.text.index(C.line)
    third = renewed(second.text, [A, B, C], second.base)
    assert third == second


def test_a_line_deleted_below_declined_may_be_proposed_again() -> None:
    first = renewed("", [A])
    second = renewed(first.text.replace(A.line, ""), [A], first.base)
    third = renewed(second.text.replace(f"- [-] {A.text} ^nw-{A.id}", ""), [A], second.base)
    assert ids(third.text) == [(A.id, " ")] and "Declined" not in third.text


@pytest.mark.parametrize("left", ["", "\n \r\n"])
def test_a_queue_that_is_gone_or_emptied_starts_anew(left: str) -> None:
    first = renewed("", [A, B])
    second = renewed(first.text.replace(A.line, A.line.replace("[ ]", "[-]")), [A, B], first.base)
    third = renewed(left, [A, B, C], second.base)
    assert dict(ids(third.text)) == {A.id: "-", B.id: " ", C.id: " "}


def test_a_line_without_its_id_is_an_error_and_not_declined() -> None:
    first = renewed("", [A, B])
    check_ids(first.text, "q.md", first.base)
    text = first.text.replace(B.line, f"* [x] {B.text}\r")
    with pytest.raises(CurateError, match=rf"q\.md:8: this proposal has lost its id, \^nw-{B.id}"):
        check_ids(text, "q.md", first.base)
    check_ids(first.text.replace(B.line, "- [x] my own task"), "q.md", first.base)


def test_what_was_done_or_is_no_longer_proposed_goes_and_is_not_declined() -> None:
    first = renewed("", [A, B, C])
    second = renewed(first.text, [C], first.base, (A.id,))
    assert ids(second.text) == [(C.id, " ")] and not second.base.declined


def test_an_untouched_line_follows_its_proposal_and_an_edited_one_stays() -> None:
    first = renewed("", [A, B])
    text = first.text.replace(B.text, B.text + " (ask Kim)")
    later = [Proposal("tag", one.id, one.text.replace("because", "since")) for one in (A, B)]
    second = renewed(text, later, first.base)
    assert later[0].line in second.text and "because (ask Kim)" in second.text
    third = renewed(second.text, [], second.base)
    assert later[0].line not in third.text and "because (ask Kim)" in third.text


def test_a_tick_made_meanwhile_stays() -> None:
    first = renewed("", [A])
    assert ids(renewed(first.text.replace("[ ]", "[x]"), [A], first.base).text) == [(A.id, "x")]


@pytest.mark.parametrize("change", [("[ ]", "[x]"), ("because", "as Kim said")])
def test_without_a_record_a_tick_and_an_edit_stay_in_every_later_run(change: tuple[str, str]) -> None:
    """As on a second machine that shares the vault."""
    text, base = renewed("", [A, B]).text.replace(*change), NO_BASE
    for proposals in ([A, B], [A, B], [B], [A, B]):
        text, base = (made := renewed(text, proposals, base)).text, made.base
    assert text.count(change[1]) == 2 and not any(item.declined for item in read_queue(text, "q.md"))


def test_a_long_line_of_a_person_is_left_in_linear_time() -> None:
    text = "\n".join((renewed("", [A]).text, " " * 500_000 + "x", "- [ ] a" + " " * 500_000 + "b"))
    assert text in renewed(marked(text, {A.id: "x"}).replace("[x]", "[ ]"), [A], Base({A.id: A.line})).text
    check_ids(text, "q.md", Base({A.id: A.line, B.id: B.line}))


def test_windows_line_ends_stay() -> None:
    first = renewed("", [A])
    text = first.text.replace("\n", "\r\n")
    second = renewed(text, [A, B], first.base)
    assert "\n" not in second.text.replace("\r\n", "")


@pytest.mark.parametrize(
    ("edit", "fact"),
    [
        (lambda line: line.replace("- [ ] ", ""), "q.md:1: this proposal is no longer a check box"),
        (lambda line: line.replace("[ ]", "[?]"), r"q.md:1: '\[\?\]' is not a known mark"),
        (lambda line: f"{line}\n{line.replace('[ ]', '[x]')}", "q.md:2: this proposal is in line 1, too"),
        (lambda line: f"<<<<<<< ours\n{line}\n=======\n>>>>>>> theirs", "two versions"),
    ],
)
def test_nonsense_is_an_error_with_its_line(edit: object, fact: str) -> None:
    with pytest.raises(CurateError, match=fact):
        renewed(edit(A.line), [A])  # type: ignore[operator]


OWN = st.text(alphabet="ab #-[]x^\r\t", max_size=20).filter(lambda line: "^nw-" not in line)


@given(st.lists(OWN, max_size=8), st.sets(st.sampled_from("abc")), st.sets(st.sampled_from("abc")), st.data())
def test_no_line_of_a_person_is_ever_lost(own: list[str], before: set[str], now: set[str], data: st.DataObject) -> None:
    by_name = {"a": A, "b": B, "c": C}
    first = renewed("", [by_name[name] for name in sorted(before)])
    lines = first.text.split("\n")
    for line in own:
        lines.insert(data.draw(st.integers(0, len(lines))), line)
    second = renewed("\n".join(lines), [by_name[name] for name in sorted(now)], first.base)
    left = second.text.split("\n")
    for line in own:
        bare = line.strip()
        if bare and bare not in ("## Tags", "## Declined"):
            assert any(other.strip() == bare for other in left)
            left.remove(next(other for other in left if other.strip() == bare))
    assert {item.id for item in read_queue(second.text, "q.md")} == {by_name[name].id for name in now}
