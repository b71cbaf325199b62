"""Properties that every rule has. A failing test lists each rule that lacks the property."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random

from tests.redact.made_up import HeldOut, Made, made_up

from notewell.redact import all_rules, names_secret, redact_path, redact_text
from notewell.redact.rules import vendor_rules

RULES = all_rules()
KINDS = tuple(rule.name for rule in RULES)
TOKENS = tuple(rule.name for rule in RULES if rule.certain)

Plant = Callable[..., Made]


def redacted(text: str) -> str:
    return redact_text(text)[0]


def test_every_rule_has_a_name_of_its_own() -> None:
    assert len(set(KINDS)) == len(KINDS)
    assert len(vendor_rules()) > 100


def test_every_rule_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs" / "concepts" / "redaction.md").read_text(encoding="utf-8")
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []
    assert f"{len(RULES)} rules" in page


def test_every_example_contains_a_keyword_of_its_rule() -> None:
    lacking = []
    for rule in (rule for rule in RULES if rule.keywords):
        chance = Random(1)
        for text, secret in (made_up(rule, chance) for _ in range(20)):
            known = any(keyword in (text.lower() if rule.any_case else text) for keyword in rule.keywords)
            if secret not in text or not known:
                lacking.append((rule.name, text))
    assert lacking == []


def test_the_scan_can_find_every_keyword() -> None:
    unfindable = [
        (rule.name, keyword)
        for rule in RULES
        for keyword in rule.keywords
        if (rule.any_case and keyword != keyword.lower()) or (len(keyword) < 3 and keyword.isascii())
    ]
    assert unfindable == []


def test_every_rule_redacts_its_secrets_and_leaves_the_lines_around(plant: Plant) -> None:
    wrong = []
    for kind in KINDS:
        for seed in range(20):
            planted = plant(kind, seed)
            out, redactions = redact_text(f"Before it.\n\n{planted.text}\n\nAfter it.")
            found = kind in {redaction.rule for redaction in redactions}
            framed = out.startswith("Before it.\n") and out.endswith("\nAfter it.")
            if not found or not framed or any(line in out for line in planted.secret.split("\n")):
                wrong.append((kind, seed, out))
    assert wrong == []


AROUND = [
    "`{}`",
    *('"{}"', "'{}'", "> {}", "- {}", "| a | {} |", "({})", "<{}>", "**{}**", "_{}_", "{},", "It is {}.", "X={}"),
    *('{{"k": "{}"}}', '{{\\"k\\": \\"{}\\"}}', "x\\n{}\\ny", "k: {}", "https://a.org/?q={}&p=1", "a%3D{}"),
    "[a](https://a.org/{})",
]


def test_every_token_is_recognised_whatever_surrounds_it(plant: Plant) -> None:
    left = []
    for kind in TOKENS:
        for seed in range(3):
            text, secret = plant(kind, seed)
            escaped = text.replace("_", r"\_")
            forms = [*((around.format(text), secret) for around in AROUND), (f"It is {escaped} now", escaped)]
            left += [(kind, form) for form, held in forms if held[len(held) // 2 :] in redacted(form)]
    assert left == []


def test_a_file_name_contains_a_secret_if_redaction_would_change_its_path_or_title() -> None:
    wrong = []
    for rule in RULES:
        for seed in range(5):
            text = made_up(rule, Random(seed)).text.replace("\n", " ").replace("/", "")
            path = f"a/{text}.md"
            changes = redact_text(text, alone=False)[1] or redact_text(path, alone=False)[1]
            if changes and (not names_secret(path) or names_secret(redact_path(path))):
                wrong.append((rule.name, path))
    assert wrong == []


def test_secrets_as_people_write_them_down_are_redacted() -> None:
    held_out = HeldOut()
    wrong = []
    for form in held_out.positives:
        drawn = [held_out.made(form, Random(seed)) for seed in range(5)]
        caught = all(made.secret not in redacted(made.text) for made in drawn)
        # Known slips are listed, so that the list stays true in both directions.
        if caught == any(slip in form for slip in held_out.slips):
            wrong.append(form)
    assert wrong == []


def test_texts_that_only_look_like_secrets_stay() -> None:
    assert [text for text in HeldOut().negatives if redact_text(text) != (text, ())] == []
