"""Secrets that a mark elsewhere in the same text gives away: `kind: Secret` in a manifest of Kubernetes."""

from __future__ import annotations

import json
from base64 import b64encode
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.redact.made_up import ALNUM, some

from notewell.index.readers import json_values, yaml_values
from notewell.redact import redact_text

SEEDS = st.integers(0, 10**6)
MANIFESTS = [
    *("kind: Secret\nmetadata:\n  name: db\ndata:\n  admin: «»\n", "data:\n  admin: «»\nkind: Secret\n"),
    *('kind: "Secret"\nstringData:\n  a: b\n  c: "«»"\n', "data:\n  .dockercfg: |\n    «»\ntype: x\nkind: 'Secret'\n"),
    *("kind: Secret\ndata: {one: «», two: eA==}\n", "stringData:\n  a.ini: |\n    [a]\n    b = «»\nkind: Secret\n"),
    "kind: List\nitems:\n- kind: ConfigMap\n  data:\n    a: keep-this-one\n- data:\n    b: «»\n  kind: Secret\n",
    "kind: SecretList\nitems:\n- metadata:\n    name: x\n  data:\n    kind: eA==\n    b: «»\n",
    "a: 1\n---\nkind: Secret\nmetadata:\n  labels:\n"
    + "    a: b\n" * 50
    + "stringData:\n  a: x\n\n  b: «»\n---\nb: 2\n",
]
OBJECTS = [
    {"apiVersion": "v1", "kind": "Secret", "data": {"db": "«»"}},
    {"stringData": {"a.json": '{"b": 1}', "db": "«»"}, "kind": "Secret"},
    {
        "kind": "List",
        "items": [{"kind": "ConfigMap", "data": {"a": "keep-this-one"}}, {"data": {"b": "«»"}, "kind": "Secret"}],
    },
]


def base64(chance: Random) -> str:
    return b64encode(some(chance, ALNUM, 20).encode()).decode("ascii")


@given(
    SEEDS,
    st.sampled_from(MANIFESTS),
    st.sampled_from(["{}", "# k\n\n```yaml\n{}```\n", "Text before.\n\n{}\nText after.\n"]),
)
def test_a_manifest_loses_its_values_in_a_note_and_in_a_file(seed: int, form: str, around: str) -> None:
    secret = base64(Random(seed))
    note = around.replace("{}", form.replace("«»", secret))
    out = redact_text(note)[0]
    assert secret not in out and out.count("\n") == note.count("\n")
    assert all(kept in out for kept in ("keep-this-one", "Text after.") if kept in note)
    assert secret not in redact_text(yaml_values.extract(form.replace("«»", secret).encode()).text)[0]


@given(
    SEEDS,
    st.sampled_from(OBJECTS),
    st.sampled_from([None, 2]),
    st.sampled_from(["{}", "Pasted: {}\n", "```json\n{}\n```\n"]),
)
def test_a_manifest_in_json_loses_its_values_too(seed: int, form: object, indent: int | None, around: str) -> None:
    secret = base64(Random(seed))
    text = json.dumps(form, indent=indent, ensure_ascii=False).replace("«»", secret)
    out = redact_text(around.replace("{}", text))[0]
    assert secret not in out and ("keep-this-one" in out) == ("keep-this-one" in text)
    assert secret not in redact_text(json_values.extract(text.encode()).text)[0]


@pytest.mark.parametrize("kind", ["ConfigMap", "SecretStore", "Deployment"])
def test_other_manifests_stay(kind: str) -> None:
    texts = [f"kind: {kind}\ndata:\n  a: keep-this-one\n", f'{{"kind": "{kind}", "data": {{"a": "keep-this-one"}}}}']
    assert [text for text in texts if redact_text(text) != (text, ())] == []
    template = "kind: Secret\ndata:\n  a: <base64>\n  b: ${TOKEN}\n"
    assert redact_text(template) == (template, ())
