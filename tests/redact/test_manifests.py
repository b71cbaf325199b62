"""Manifests of Kubernetes in any shape: drawn block by block, in a note, a list, a file."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.redact.made_up import ALNUM, some

from notewell.index.readers import json_values, yaml_values
from notewell.redact import redact_text

SEEDS = st.integers(0, 10**6)
# How a value is written; `«»` is the secret.
VALUES = [
    *(
        "«»",
        '"«»"',
        "'«»'",
        "|\n  first line\n\n  «»",
        "|-\n\n  x\n\n\n  «»\n",
        ">\n  x\n  «»",
        "|\n  a: 1\n  ---\n  b: «»",
    ),
    *("|\n  -----BEGIN THING-----\n  «»\n  -----END THING-----", "\n  «»", "|\n  x=1\n  # remark\n\n  y=«»"),
]
HEADS = ["data:", "stringData:", "stringData: # plain", "data: &all", '"stringData":', "data:\n"]
OTHERS = ["apiVersion: v1", "type: Opaque", "metadata:\n  name: db\n  labels:\n    app: x", "immutable: true"]
KINDS = ["kind: Secret", 'kind: "Secret"', "kind:   Secret", "kind: Secret # of the db"]
PLAIN = "apiVersion: v1\nkind: ConfigMap\ndata:\n  a: keep-this-one\n"
NOTES = ["{}\n", "# k\n\n```yaml\n{}\n```\n", "Text before.\n\n{}\n\nText after.\n", "1. item\n\n{}\n"]


@dataclass(frozen=True)
class Manifest:
    """A manifest, its secrets filled in."""

    text: str
    secrets: list[str]


@st.composite
def manifests(draw: st.DrawFn) -> Manifest:
    chance = Random(draw(SEEDS))
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=3))
    secrets = [some(chance, ALNUM, 18) + "7a" for _ in values]
    filled = [value.replace("«»", secret) for value, secret in zip(values, secrets, strict=True)]
    fields = "\n".join(f"key{number}: {value}" for number, value in enumerate(filled))
    parts = [f"{draw(st.sampled_from(HEADS))}\n{textwrap.indent(fields, '  ')}", draw(st.sampled_from(KINDS))]
    parts += draw(st.lists(st.sampled_from(OTHERS), unique=True))
    return Manifest("\n".join(draw(st.permutations(parts))), secrets)


def item(text: str, indent: str) -> str:
    """Return a manifest as an item of a list."""
    return f"{indent}- {textwrap.indent(text, f'{indent}  ').lstrip()}"


def left(text: str, secrets: list[str]) -> list[str]:
    redacted = redact_text(text)[0]
    assert redacted.count("\n") == text.count("\n")
    return [secret for secret in secrets if secret in redacted]


@given(manifests(), st.sampled_from(NOTES), st.sampled_from(["", "> ", "    "]))
def test_no_value_of_a_secret_survives_in_a_note(made: Manifest, note: str, before: str) -> None:
    text = "\n".join(before + line for line in note.replace("{}", made.text).split("\n"))
    assert left(text, made.secrets) == []


@given(manifests(), st.booleans())
def test_a_secret_among_documents_is_found_and_its_neighbours_stay(made: Manifest, first: bool) -> None:
    documents = [made.text, PLAIN, made.text] if first else [PLAIN, made.text, PLAIN]
    text = "\n---\n".join(documents)
    assert left(text, made.secrets) == []
    assert redact_text(text)[0].count("keep-this-one") == text.count("keep-this-one")


@given(manifests(), st.sampled_from(["", "  ", "    "]))
def test_a_secret_in_a_list_is_found_and_its_neighbours_stay(made: Manifest, indent: str) -> None:
    items = "\n".join(item(text.rstrip(), indent) for text in (PLAIN, made.text, PLAIN))
    text = f"apiVersion: v1\nkind: List\nitems:\n{items}\n"
    assert left(text, made.secrets) == []
    assert redact_text(text)[0].count("keep-this-one") == 2


@given(manifests())
def test_a_secret_in_a_file_loses_its_values(made: Manifest) -> None:
    for text in (made.text, f"kind: List\nitems:\n{item(PLAIN.rstrip(), '')}\n{item(made.text, '')}\n"):
        assert left(yaml_values.extract(text.encode()).text, made.secrets) == []


JSON_TEXTS = st.lists(st.sampled_from(["\n", "«»", "}", "{", '"', "a: ", " ", "x", "\\"]), max_size=6).map("".join)


@given(SEEDS, JSON_TEXTS, st.sampled_from([None, 2]), st.sampled_from(["{}\n", "```json\n{}\n```\n", "Pasted: {}\n"]))
def test_a_value_in_json_may_have_lines_and_braces(seed: int, form: str, indent: int | None, note: str) -> None:
    secret = some(Random(seed), ALNUM, 18) + "7a"
    value = f"{form.replace('«»', secret)} {secret}"
    plain = {"kind": "ConfigMap", "data": {"a": "keep-this-one"}}
    items = [plain, {"kind": "Secret", "stringData": {"a": value, "b": "x"}, "type": "Opaque"}, plain]
    for made in (items[1], {"kind": "List", "items": items}):
        text = json.dumps(made, indent=indent)
        assert left(note.replace("{}", text), [secret]) == []
        assert left(json_values.extract(text.encode()).text, [secret]) == []
