"""Every notice about results: a vault where it is true, and one where the same query may not say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import pytest

from notewell import Filters, Query, Vault
from notewell.serve.wording import WORDING

MakeVault = Callable[..., Vault]
Notes = Mapping[str, str]

BEES = "---\ntags: [bees]\ntype: log\nstatus: open\nlang: de\ndate: 2024-05-01\n---\n# Bees\n\nA hive of honey bees.\n"
GARDEN = {"Garden/a.md": "i phone"}
DOMAINS = {"notewell.toml": '[domains.fitness]\nfolders = ["Gym"]\n'}


class Case(NamedTuple):
    """A query, notes of which its notice is true, and notes of which it would be false."""

    query: Query | str
    true: Notes
    false: Notes


CASES = {
    "no_exact_match": Case("iPhone path:Garden", GARDEN, {**GARDEN, "b.md": "My iphone."}),
    "unknown_word": Case("mueler", {"a.md": "x.", "Mueller.md": "A hive."}, {"a.md": "Herr Mueler."}),
    "searched_instead": Case("mueler", {"a.md": "Herr Mueller."}, {"a.md": "Herr Mueler.", "b.md": "Mueller."}),
    "no_words": Case("???", {"a.md": "hive"}, {}),
    "none_of_the_words": Case("the hive", {"a.md": "the bread"}, {"a.md": "bread", "b.md": "hive"}),
    "none_of_the_words_here": Case("hive -bread", {"a.md": "hive bread", "b.md": "oats"}, {"a.md": "hive"}),
    "no_prefix": Case("hiv*", {"a.md": "bread"}, {"a.md": "bread", "b.md": "hives"}),
    "nearest": Case("hive", {"a.md": "bread"}, {"a.md": "bread", "b.md": "hive"}),
    "symbols_dropped": Case("hive == honey", {"a.md": BEES}, {}),
    "nothing_fits": Case(Query("hive", max_tokens=20), {"a.md": "A hive of honey bees, " * 20}, {"a.md": "hive"}),
    "nothing_to_compare": Case(Query(like="a.md", mode="related"), {"a.md": BEES}, {"a.md": BEES, "b.md": "hive"}),
    "unknown_folder": Case(Query("hive", under="Garden"), {"a.md": BEES}, {"Garden/a.md": "bread"}),
    "no_match_for_all": Case(
        "tag:bees type:recipe", {"a.md": BEES, "b.md": "---\ntype: recipe\n---\nx"}, {"a.md": BEES}
    ),
    "all_excluded": Case("-tag:bees", {"a.md": BEES}, {"a.md": BEES, "b.md": "bread"}),
    "no_property": Case(
        Query(filters=Filters(where={"mood": "good"})), {"a.md": BEES}, {"a.md": "---\nmood: bad\n---\nx"}
    ),
    "no_value": Case("status:closed", {"a.md": BEES}, {"a.md": BEES, "b.md": "---\nstatus: closed\n---\nx"}),
    "no_path": Case("path:Garden", {"a.md": BEES}, {"Garden/a.md": "bread"}),
    "no_tag": Case("tag:wasps", {"a.md": BEES}, {"a.md": BEES, "b.md": "---\ntags: [wasps/large]\n---\nx"}),
    "unknown_domain": Case("in:fitnes bees", {**DOMAINS, "a.md": BEES}, {"a.md": BEES}),
    "no_type": Case("type:recipe", {"a.md": BEES}, {"a.md": BEES, "b.md": "---\ntype: Recipe\n---\nx"}),
    "no_language": Case("lang:python", {"a.md": BEES}, {"a.py": "def hive(): pass"}),
    "no_day": Case("after:2025", {"a.md": BEES}, {"a.md": BEES, "b.md": "---\ndate: 2025-02-03\n---\nx"}),
    "no_task": Case("is:task", {"a.md": BEES}, {"a.md": BEES, "b.md": "- [x] feed the bees"}),
    "nothing_due": Case("due:<2020", {"a.md": "- [ ] feed 📅 2025-01-01"}, {"a.md": "- [ ] feed 📅 2019-01-01"}),
    "no_heading": Case("hive in:heading", {"a.md": "# Bees\n\nA hive."}, {"a.md": "# The hive\n\nBees."}),
    "no_chunk": Case('"honey hive"', {"a.md": BEES}, {"a.md": "The honey hive is here."}),
    "unknown_key": Case("statuss:open", {"a.md": BEES}, {"a.md": "---\nstatuss: open\n---\nx"}),
    "superseded": Case(
        "hive", {"a.md": "---\nsuperseded_by: '[[b]]'\n---\nhive", "b.md": "x"}, {"a.md": "---\nby: '[[b]]'\n---\nhive"}
    ),
    "unknown_like": Case("hive like:Wasps", {"a.md": BEES}, {"a.md": BEES, "Wasps.md": "hive"}),
}
# What was typed is said whatever the vault has; the store's own state, models and links are tested where they arise.
TYPED = {"empty_part", "invalid_date", "invalid_task", "too_many_parts", "too_many_places", "more_notices"}
ELSEWHERE = {
    "scaled",
    *("searching_without", "words_only", "other_embedder", "never_indexed", "skipped_files", "indexing_stopped"),
    *("settings_changed", "being_indexed", "changes_not_indexed", "files_left", "note_not_indexed", "indexing_begun"),
    *("indexing_now", "changes_being_indexed", "backup_of_another_vault", "links_out_of_date", "link_leads_elsewhere"),
    "files_gone",
    # tests/test_settings_files.py
    "settings_invalid",
    # tests/embed/test_remote_vault.py
    *("no_vectors", "indexed_by_words"),
    # tests/store/test_postgres_replicas.py
    *("replica_behind", "not_refreshed"),
    # tests/store/test_postgres_nodes.py
    "nodes_lost",
    # tests/index/test_workers.py
    "workers_lost",
    # tests/embed/test_rerank.py
    "not_reranked",
    # tests/curate/test_suggest.py, test_promote.py
    *("tags_without_model", "left_half_done"),
    # tests/test_origin.py
    *("store_rebuilt", "store_repaired", "store_of_another", "no_key"),
    # tests/chat/test_ask.py
    *("not_answered", "nothing_near", "model_failed", "model_silent", "model_endless", "model_slow"),
    *("answered_by_tools", "session_not_saved", "more_quotes"),
    # tests/search/test_expand.py
    *("expanded", "not_expanded"),
    # tests/entities
    *("no_entity", "no_entities", "extraction_stopped", "no_name_model"),
    *("no_relations", "relations_unread", "relations_left"),
    # tests/search/test_floor.py
    *("weak_hidden", "only_weak"),
}


def test_every_notice_is_in_the_table() -> None:
    assert CASES.keys() | TYPED | ELSEWHERE == WORDING.keys()


@pytest.mark.parametrize("code", CASES)
def test_a_notice_is_true_of_the_vault(code: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    for notes, expected in ((CASES[code].true, True), (CASES[code].false, False)):
        root = tmp_path_factory.mktemp("notes")
        for path, text in notes.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(text)
        with Vault.open(root, {"embed.model": "words", "search.floor": 0, "search.limit": 3}) as vault:
            vault.index()
            said = {notice.code for notice in vault.search(CASES[code].query).notices}
        assert (code in said) is expected, (notes, said)


@pytest.mark.parametrize("written", ["'[[a]]'", "''", "[]", "null", "'[[]]'"])
def test_a_note_that_names_itself_or_nothing_has_no_successor(make_vault: MakeVault, written: str) -> None:
    vault = make_vault({"a.md": f"---\nsuperseded_by: {written}\n---\nhive"})
    vault.index()
    assert vault.search("hive").notices == ()
