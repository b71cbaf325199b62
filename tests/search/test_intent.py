from __future__ import annotations

from tests.cases import cases

from notewell.search.intent import KEPT_WEIGHT, read_intent, weigh
from notewell.search.plan import MAX_CHARS, make_plan
from notewell.search.rules import SearchRules
from notewell.types.query import Intent

RULES = SearchRules(vector_weight=1.0, fine_weight=1.0)
LABELLED: dict[Intent, tuple[str, ...]] = {
    "identifier": (
        "getTenantId",
        "_rrf_fuse",
        "HTTPServer",
        "requestAnimationFrame",
        "MAX_CHARS",
        "os.path.join",
        "std::vector",
        "main()",
        "--max-tokens",
        "$HOME",
        "@types/node",
        "CVE-2024-3094",
        "PROJ-1482",
        "v1.14.2",
        "9f86d081",
    ),
    "path": (
        "/etc/hosts",
        "~/notes/garden",
        "./deploy.sh",
        "C:\\Users\\ada\\notes.txt",
        "src/notewell/search/fuse.py",
        "src/notewell/search",
        "Garden/Old bees.md",
        "notewell.toml",
        "notes/",
    ),
    "code": (
        "for (i = 0; i < n; i++) {",
        "const total = items.length;",
        "x => x + 1",
        "if a == b:",
        "df.groupby('tenant').sum()",
        "SELECT name FROM tenants WHERE id = 4",
        "select * from orders",
        "git commit --amend --no-edit",
        "docker run -p 8080:80 nginx",
        "import numpy as np",
        "def fuse(rankings):",
        'raise TenantMissing("E1042")',
        '<div class="note">',
    ),
    "error text": (
        "KeyError: 'tenant'",
        "TypeError",
        "error: could not compile `serde`",
        "fatal: not a git repository",
        "ENOENT: no such file or directory, open 'a.json'",
        "Traceback (most recent call last)",
        "bash: notewell: command not found",
        "process exited with code 137 exit status 137",
        "0x80070005",
        "Permission denied (publickey)",
        "ERR_CONN_REFUSED",
        "Segmentation fault (core dumped)",
    ),
    "quoted": ('"formic acid"', "“a warm evening”", '"to be or not to be".', "„eine Woche im Dunkeln“"),
    "question": (
        "How do I reset the hive scale?",
        "why does my loaf collapse",
        "What's the best time to prune a fig",
        "is the staging database backed up",
        "the hive smells sour, is that normal?",
        "Wie oft soll ich die Bienen füttern?",
        "welcher Apfelbaum trägt im August",
        "can two sessions share one token",
    ),
    "reference": (
        "§164 Absatz 4 SGB 5",
        "§96 MarkenG",
        "BGB § 434",
        "Art. 6 Abs. 1 lit. f DSGVO",
        "RFC 2119 section 3",
        "ISO/IEC 27001:2013",
        "ESP8266 GPIO16",
        "2024-05-03",
        "chapitre 3",
        "§ 5",
    ),
    "one word": ("hive", "the hive", "Hive?", "where is the hive", "北京", "Kubernetes"),
    "keywords": (
        "bee hive",
        "sourdough hydration 75 percent",
        "to be or not to be",
        "and/or",
        "well-known plants for shade",
        "errors in my tax return",
        "25(OH)D levels above 75 nmol",
        "select the right yeast from a shop",
        "import duties on honey",
        "class reunion 2019 in Basel",
        "return of the swallows (late)",
        "node of a graph",
        "3.5 kg flour",
        "top 10 notes",
        "Windows 11 update",
        "3.5",
        "",
    ),
}
TABLE = [(text, intent) for intent, texts in LABELLED.items() for text in texts]


@cases(("text", "intent"), TABLE)
def test_a_query_is_of_a_kind(text: str, intent: Intent) -> None:
    assert read_intent(text) == make_plan(text).intent == intent


def test_the_table_is_worth_something() -> None:
    assert len({text for text, _ in TABLE}) == len(TABLE) > 60


def test_space_around_it_and_filters_beside_it_change_nothing() -> None:
    assert read_intent("  getTenantId\n") == "identifier"
    assert make_plan("getTenantId tag:code -test").intent == "identifier"
    assert make_plan('"warm evening" path:Garden').intent == "quoted"


@cases("signs", ["_", "a_", "/a", "a=", "<a", "a.", "(", '"', "a b/", "--a", "A", "0a", "\\"])
def test_no_text_is_hard_to_read(signs: str) -> None:
    # With two ways to match a run, this would take minutes.
    assert read_intent(signs * MAX_CHARS) in LABELLED


@cases("text", ["hive", "the hive", "Hive?", "where is the hive", "北京"])
def test_a_single_word_leans_on_words(text: str) -> None:
    found = weigh(make_plan(text), RULES)
    assert (found.vector_weight, found.fine_weight) == (1.0, KEPT_WEIGHT)


@cases("text", ["_rrf_fuse", "getTenantId", "if a == b:", "fatal: not a git repository", "ISO 27001"])
def test_what_a_program_wrote_and_references_lean_on_words_alone_nearly(text: str) -> None:
    found = weigh(make_plan(text), RULES)
    assert (found.vector_weight, found.fine_weight) == (KEPT_WEIGHT, KEPT_WEIGHT)


@cases("text", ["bee hive", "why does my loaf collapse", "to be or not to be", "", 'vec:"warm hive"', "src/a/b.py"])
def test_anything_else_is_as_the_rules_say(text: str) -> None:
    assert weigh(make_plan(text), RULES) == RULES


def test_the_weights_can_be_fixed() -> None:
    fixed = SearchRules(intent=False)
    assert weigh(make_plan("getTenantId"), fixed) == fixed


def test_the_kind_is_reported() -> None:
    told = [make_plan(text).read_as[-1] for text in ("getTenantId", "how do bees winter?", "hive", "KeyError: 3")]
    assert told == ["an identifier", "a question", "one word", "an error text"]
    assert make_plan("bee hive").read_as == ('words and meaning "bee hive"',)
