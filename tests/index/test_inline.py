"""Tags and fields in the text of a note, as people with Obsidian and Dataview write them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.bounded import run_within

from notewell import Filters, Vault
from notewell.index.inline import MOST_FIELDS
from notewell.index.shapes.markdown import parse
from notewell.types.note import Note, Stamp


def parsed(text: str) -> Note:
    return parse(Note("a.md", text, Stamp(0, 0)))


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#daily, (#work/idea) and *#bold* #über-mich", ("daily", "work/idea", "bold", "über-mich")),
        ("- #list item\n> #quoted\n\n## Heading #inhead", ("list", "quoted", "inhead")),
        ("#1a and #y2024 but #123 and #2024/05", ("1a", "y2024")),
        ("text#no &#39; \\#escaped C# # heading", ()),
        ("[x](#anchor) [[#Heading]] [[Bees#Swarm]] https://a.example/#part <https://a.example/x#y>", ()),
        ("`#code` <!-- #hidden --> %%#comment%%\n\n```\n#fenced\n```\n\n    #indented", ()),
        ("> [!tip]\n> ```css\n> a { color: #ff0000; }\n> ```\n> #quoted", ("quoted",)),
        ("> ```code``` inline\n> #real", ("real",)),
        ("> - ```\n>   #bad\n>   ```\n> #real", ("real",)),
        ("> ```\n> ```js\n> #bad\n> ```\n> #real", ("real",)),
        ("---\ntags: [Garden, bees]\n---\n#garden #GARDEN #honey", ("Garden", "bees", "honey")),
        ("#trailing/ #a.b #c;", ("trailing", "a", "c")),
        ('<a href="#part" title="1 > 2"> <img alt=\'#x\'> <b>#bold</b> a < b #less', ("bold", "less")),
        ("<pre>\n#one\n</pre> <CODE>#two</code > <script>\n#three</script>\n#real", ("real",)),
        ("#before the <pre> element #behind", ("before", "behind")),
        ("#before\n<pre>\n#behind", ("before",)),
        ("#before\n```sh\n#behind\n", ("before",)),
        ("- one\n    ```sh\n    #bad\n    ```\n- #real\n", ("real",)),
        ("1. ```sh\n   #bad\n\nText #real\n", ("real",)),
        ("> ~~~\n> #bad\n\n#real\n", ("real",)),
        ('[x](#a "#b") [y]( <#c> )\n\n[z]: #d\n[^1]: #noted', ("noted",)),
    ],
)
def test_a_tag_in_the_text_is_a_tag_and_what_only_looks_like_one_is_not(text: str, tags: tuple[str, ...]) -> None:
    assert parsed(text).tags == tags


def test_fields_in_the_text_stand_beside_those_of_the_front_matter() -> None:
    note = parsed(
        "---\ncompany: Stadtwerke\n---\ncompany:: [[Nordwind]]\n- [ ] **status**:: open\nSee [rating:: 5], "
        "(due:: 2025-03-01).\n\nstd::vector a::b\n`key:: code`\nempty:: \n"
    )
    assert note.fields == {
        "company": ["Stadtwerke", "[[Nordwind]]"],
        "status": "open",
        "rating": "5",
        "due": "2025-03-01",
    }
    # The link in a field is one link.
    assert [link.written for link in note.links] == ["[[Nordwind]]"]


def test_tags_and_fields_in_the_text_are_filtered_by(make_vault: Callable[..., Vault]) -> None:
    vault = make_vault({"a.md": "# Plan\n\nSow rye. #work/idea\n", "b.md": "# Call\n\nrye, rating:: 4\n\nrating:: 4\n"})
    vault.index()
    assert [hit.path for hit in vault.search("rye", filters=Filters(tag="work"))] == ["a.md"]
    assert [hit.path for hit in vault.search("rye rating:3..5")] == ["b.md"]
    assert not vault.search("tag:work/ideas").hits


def test_very_many_tags_and_signs_come_to_an_end() -> None:
    assert len(parsed("#a" + " #tag" * 100_000 + "#" * 100_000 + " k::" * 50_000).tags) == 2
    assert len(parsed(" ".join(f"#t{number}" for number in range(500))).tags) == 100


def test_hundreds_of_thousands_of_tags_fences_and_elements_take_a_moment() -> None:
    run_within(
        20,
        """
from notewell.index.tags import tag_spans
from notewell.types.note import Note, Stamp
for name, text in {
    "tags": "#tag " * 200_000, "indented": "\\n    #tag " * 100_000, "one line": "    #tag" * 200_000,
    "quoted fences": "\\n> ```" * 50_000, "fences": "\\n```x" * 50_000, "in lists": "\\n- ```\\n  #x" * 50_000,
    "elements": "<pre> #a " * 100_000, "open": "<a \\"" * 50_000, "quotes": "<a b='" + "'c'" * 100_000,
    "links": "](" * 100_000 + "[a]: " * 50_000, "signs": "#" * 200_000,
}.items():
    go_on(name)
    assert tag_spans(Note("a.md", f"#first {text}", Stamp(0, 0)))[0] == (1, 6)
""",
    )


def test_many_values_of_one_key_are_data_and_come_to_an_end() -> None:
    values = parsed("\n".join(f"key:: value {number}" for number in range(50_000))).fields["key"]
    assert len(values) == MOST_FIELDS
