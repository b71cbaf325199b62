"""What redaction catches, its false positives, and its cost."""

from __future__ import annotations

import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from time import process_time

from tests.redact.made_up import HeldOut, Made, made_up

from bench.child import Measured, say
from notewell.redact import Rule, all_rules, names_secret, redact_text
from notewell.redact.rules import vendor_rules

# Where people put a token; written without looking at the patterns.
AROUND_TOKEN = {
    "bare line": "{}",
    "key=value": "MY_THING={}",
    "export": 'export THING="{}"',
    "yaml": "  thing: {}",
    "json": '{{"thing": "{}", "other": 1}}',
    "json in json": '{{"body": "{{\\"thing\\": \\"{}\\"}}"}}',
    "json with line ends": '{{"text": "first\\n{}\\nlast"}}',
    "single quotes": "f('{}')",
    "prose": "Then I put {} into the settings and it worked.",
    "end of a sentence": "It wants {}.",
    "before a comma": "With {}, it works.",
    "parentheses": "the new one ({}) is valid",
    "markdown table": "| thing | {} |\n",
    "code span": "use `{}` here",
    "code fence": "```\n{}\n```",
    "bold": "**{}**",
    "italics": "_{}_",
    "list item": "- {}",
    "quotation": "> {}",
    "address": "https://example.org/path?thing={}&page=2",
    "link": "[here](https://example.org/{})",
    "angle brackets": "<{}>",
    "command": "tool --thing {} --verbose",
    "comment": "x = 1  # {}",
}
# Where people put a labelled secret, or one of many lines.
AROUND_LINES = {
    "bare": "{}\n",
    "between lines": "Before it.\n\n{}\n\nAfter it.\n",
    "code fence": "```\n{}\n```\n",
    "at the end": "Before it.\n{}",
}
EXAMPLES = 20
# The redactions in each vault when all were checked by hand, and how many were false.
JUDGED = {"docs-16894": (253, 2), "zettelkasten-13419": (12, 1)}


def measure_redaction(folder: str) -> Measured:
    """Plant made-up secrets of every rule, and redact the large vaults."""
    say("redaction: recall")
    planted, caught, contexts = Counter[str](), Counter[str](), Counter[str]()
    for rule in all_rules():
        for context, made in _planted(rule):
            planted[rule.name] += 1
            if _is_gone(made):
                caught[rule.name] += 1
            else:
                contexts[context] += 1
    vendors = {rule.name for rule in vendor_rules()}
    return {
        "rules": len(all_rules()),
        "vendors": _share(planted, caught, vendors),
        "generic": _share(planted, caught, set(planted) - vendors),
        "held_out": _held_out(),
        "by_rule": {name: [caught[name], planted[name]] for name in planted if caught[name] < planted[name]},
        "missed_in": dict(contexts),
        "vaults": {name: _on_vault(Path(folder) / f"{name}.tar.xz") for name in JUDGED},
    }


def _planted(rule: Rule) -> Iterator[tuple[str, Made]]:
    chance = Random(rule.name)
    for _ in range(EXAMPLES):
        text, secret = made_up(rule, chance)
        if text != secret:
            yield from ((name, Made(form.format(text), secret)) for name, form in AROUND_LINES.items())
            continue
        yield from ((name, Made(form.format(secret), secret)) for name, form in AROUND_TOKEN.items())
        if "_" in secret:
            escaped = secret.replace("_", r"\_")
            yield "escaped underscores", Made(f"It is {escaped} now", escaped)


def _is_gone(made: Made) -> bool:
    """Return whether not even the second half of a secret is left."""
    left = redact_text(made.text)[0]
    return made.secret not in left and made.secret[len(made.secret) // 2 :] not in left


def _share(planted: Counter[str], caught: Counter[str], names: set[str]) -> Measured:
    total, found = sum(planted[name] for name in names), sum(caught[name] for name in names)
    return {"planted": total, "caught": found, "recall": round(found / total, 4)}


def _held_out() -> Measured:
    """Score the handwritten texts; each secret is drawn ten times."""
    held_out = HeldOut()
    drawn = [held_out.made(form, Random(seed)) for form in held_out.positives for seed in range(10)]
    taken = [text for text in held_out.negatives if redact_text(text)[1]]
    found = sum(made.secret not in redact_text(made.text)[0] for made in drawn)
    return {
        "planted": len(drawn),
        "caught": found,
        "recall": round(found / len(drawn), 4),
        "innocent": len(held_out.negatives),
        "taken": len(taken),
    }


def _on_vault(archive: Path) -> Measured:
    name = archive.name.removesuffix(".tar.xz")
    say(f"redaction: {name}")
    notes = dict(_notes(archive))
    rules = Counter[str]()
    started = process_time()
    for text in notes.values():
        rules.update(redaction.rule for redaction in redact_text(text)[1])
    seconds = process_time() - started
    started = process_time()
    paths = [path for path in notes if names_secret(path)]
    path_seconds = process_time() - started
    megabytes = sum(len(text.encode("utf-8", "replace")) for text in notes.values()) / 1e6
    known, false = JUDGED[name]
    return {
        "megabytes": round(megabytes, 1),
        "seconds": round(seconds, 2),
        "path_seconds": round(path_seconds, 3),
        "paths": len(paths),
        "redactions": dict(rules.most_common()),
        # Redactions other than those checked have to be checked first.
        "false_per_10_mb": round(false / megabytes * 10, 3) if sum(rules.values()) == known else None,
    }


def _notes(archive: Path) -> Iterator[tuple[str, str]]:
    with tarfile.open(archive) as tar:
        for member in tar:
            file = tar.extractfile(member) if member.name.endswith(".md") else None
            if file:
                yield member.name, file.read().decode("utf-8", "replace")
