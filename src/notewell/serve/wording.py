"""Notices in plain English: one sentence for each code, side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from notewell.types.notices import Fact, Notice
from notewell.types.results import Compared

Noticed = TypeVar("Noticed")

# Notices that are the answer to a question themselves.
REFUSALS = ("not_answered", "nothing_near")

# A pair has a singular, for a `count` of one, and a plural.
WORDING: Mapping[str, str | tuple[str, str]] = {
    # Models
    "searching_without": "{reason}. Searching without it",
    "words_only": "{reason}. Searching by words alone",
    "other_embedder": "The store's vectors come from {embedder}. Searching by words alone; run `notewell index`",
    "scaled": "These domains use other embedding models, so their scores by meaning are scaled: {domains}",
    "expanded": "Also searched for a passage that {model} at {server} wrote",
    "not_reranked": "{reason}. The hits are not reranked",
    "not_expanded": "{reason}. Searching without a passage written by a model",
    "no_vectors": "The notes have no vectors yet. Searching by words alone; run `notewell index`",
    # Indexing
    "indexed_by_words": "{reason}. Indexed by words alone; `notewell index` adds vectors once the server answers",
    "workers_lost": (
        "The workers lost 1 group of notes. It was prepared in this process",
        "The workers lost {count} groups of notes. They were prepared in this process",
    ),
    "never_indexed": "This vault was never indexed. Run `notewell index`",
    "skipped_files": (
        "1 file was not indexed. See `notewell status`",
        "{count} files were not indexed. See `notewell status`",
    ),
    "indexing_stopped": "Searched only the {done} of {total} notes indexed so far. The next search continues indexing",
    "settings_invalid": "The previous settings are still in use: {reason}",
    "settings_changed": "This vault was indexed with other settings or by another version. Run `notewell index` again",
    "being_indexed": "Another process is indexing this vault. The latest changes may be missing from these results",
    "changes_not_indexed": (
        "1 changed file was not indexed: {reason}",
        "{count} changed files were not indexed: {reason}",
    ),
    "not_refreshed": "{reason}. The latest changes may be missing from these results",
    "replica_behind": (
        "The replica that answered lacks the latest changes (it has state {generation}, the database {newest})"
    ),
    "nodes_lost": (
        "1 note is missing from these results: the database cannot reach {nodes}",
        "{count} notes are missing from these results: the database cannot reach {nodes}",
    ),
    "files_left": (
        "1 new or changed file is not indexed yet. Run `notewell index`",
        "{count} new or changed files are not indexed yet. Run `notewell index`",
    ),
    "superseded": "{path} says that {by} replaces it",
    "files_gone": (
        "1 result was left out because its file no longer exists",
        "{count} results were left out because their files no longer exist",
    ),
    "note_not_indexed": "{path} is not indexed yet: {reason}",
    "indexing_begun": "Indexing has begun. Search again in a minute to find everything",
    "indexing_now": "Indexing ({done} of {total} notes). Search again in a minute to find everything",
    "changes_being_indexed": "Looking for changed files. The latest changes may be missing from these results",
    "store_rebuilt": "The store was altered, or made elsewhere or by an older version. It was rebuilt from your notes",
    "store_repaired": "The store was damaged. It was rebuilt from your notes",
    "store_of_another": "The store {file} belongs to another user or machine. Yours is {own}",
    "no_key": "{reason}. The store is rebuilt after each restart; set XDG_STATE_HOME to a folder that can be written",
    "backup_of_another_vault": "This backup was made in another folder, {vault}. Run `notewell index` to update it",
    # Curating
    "left_half_done": "A killed run changed {path}, and somebody has edited it since",
    "tags_without_model": "{reason}. The tags come from similar notes and the taxonomy instead",
    # Links
    "links_out_of_date": "Links may be out of date: {reason}",
    "link_leads_elsewhere": "[[{name}]] leads to {path}",
    # Entities
    "extraction_stopped": "Read {done} of {total} new or changed notes. The next `notewell entities` continues",
    "no_name_model": "{reason}. Names in text are found by their capitals alone; run `pip install 'notewell[ner]'`",
    "no_relations": "{reason}. No relations were read; set llm.model, or start Ollama",
    "relations_unread": (
        "1 note was left without relations: {reason}",
        "{count} notes were left without relations: {reason}",
    ),
    "relations_left": (
        "1 note is still to be read for relations. Run `notewell entities --relations` again",
        "{count} notes are still to be read for relations. Run `notewell entities --relations` again",
    ),
    # How the query was read
    "empty_part": "{part} has no value, so it was read as text",
    "invalid_date": "{text} is not a date, so it was read as text",
    "unknown_key": 'No note has the property "{key}", so it was read as text',
    "too_many_parts": "Only the first {most} {parts} count; the others were read as text",
    "unknown_like": "{fact}, so it was read as text. {hint}",
    "too_many_places": "A query can have at most {most} like: parts, so like:{place} was read as text",
    # What was not found
    "no_exact_match": 'No exact match for "{text}"',
    "unknown_word": 'No note contains "{word}"',
    "searched_instead": 'No note contains "{word}". Searched for {instead} instead',
    "no_words": "There are no words to search for",
    "none_of_the_words": "No note contains {words}",
    "none_of_the_words_here": "No passage that matches the filters contains {words}",
    "no_prefix": 'No word begins with "{prefix}"',
    "nearest": "These results are closest in meaning",
    "symbols_dropped": "Cannot search for {symbols}: symbols alone are ignored",
    "weak_hidden": (
        "1 weaker result is hidden. Show it with {all}",
        "{count} weaker results are hidden. Show them with {all}",
    ),
    "only_weak": (
        "No good match; 1 weak result is hidden. Show it with {all}",
        "No good match; {count} weak results are hidden. Show them with {all}",
    ),
    "nothing_to_compare": "There is no other note here to compare with",
    "nothing_fits": "No result fits into {tokens} tokens",
    # Asking
    "not_answered": "Your notes do not answer this. These passages are the nearest",
    "nothing_near": "Your notes do not answer this",
    "model_failed": "{reason}. The answer is quotes from your notes instead",
    "model_endless": "The model {model} did not come to an end. The answer is quotes from your notes instead",
    "model_slow": "The model {model} took too long. The answer is quotes from your notes instead",
    "answered_by_tools": "Your notes do not answer this. The answer rests on {tools}",
    "model_silent": "The model {model} wrote no answer. The answer is quotes from your notes instead",
    "session_not_saved": "This question and its answer were not saved: {reason}",
    "more_quotes": "Only the first {most} quotes were checked",
    # What no note has
    "unknown_folder": 'No indexed note is at or under "{path}"',
    "no_match_for_all": "No note matches all of this: {conditions}",
    "all_excluded": "Every note has what you excluded: {condition}",
    "no_property": 'No note has the property "{key}"',
    "no_value": "No note has {condition}",
    "unknown_domain": 'This vault has no domain "{name}", so in:{name} was read as text',
    "no_path": 'No indexed note has the path "{value}"',
    "no_tag": 'No note has the tag "{value}"',
    "no_entity": 'No entity is called "{value}"; `notewell entities` lists them',
    "no_entities": "No entities were extracted yet, so entity: finds nothing. Run `notewell entities`",
    "no_type": 'No note has the type "{value}"',
    "no_language": 'No note has the file type or the `lang` property "{value}". The language of prose is not detected',
    "no_day": "No note is from {days}",
    "invalid_task": "{text} was read as text. Find tasks with is:task, is:open or is:done",
    "no_task": "No note {condition}",
    "nothing_due": "No due date matches {days}",
    "no_heading": "No heading contains all of these words",
    "no_chunk": "No passage contains {condition}",
    "more_notices": "… and {count} more notices",
}


def sentence_of(notice: Notice, *, as_options: bool = False) -> str:
    """Return the sentence of a notice; names that may be meant follow it. A shell writes arguments `as_options`.

    >>> sentence_of(Notice("files_left", {"count": 2000}))
    '2,000 new or changed files are not indexed yet. Run `notewell index`'
    >>> sentence_of(Notice("no_tag", {"value": "bred", "near": ("bread",)}))
    'No note has the tag "bred". Did you mean bread?'
    >>> sentence_of(Notice("weak_hidden", {"count": 9}), as_options=True)
    '9 weaker results are hidden. Show them with --all'
    """
    named = {"all": "--all" if as_options else "`all`"}
    wording = WORDING[notice.code]
    if isinstance(wording, tuple):
        wording = wording[notice.facts["count"] != 1]
    sentence = wording.format_map(named | {name: _shown(name, fact) for name, fact in notice.facts.items()})
    near = notice.facts.get("near")
    return f"{sentence}. Did you mean {_shown('near', near)}?" if near else sentence


def sentences(notices: Iterable[Notice], *, as_options: bool = False) -> tuple[str, ...]:
    """Return notices in words."""
    return tuple(sentence_of(notice, as_options=as_options) for notice in notices)


def _shown(name: str, fact: Fact) -> str:
    if isinstance(fact, str):
        return fact
    if isinstance(fact, int):
        return f"{fact:,}"
    if name == "conditions":
        return "; ".join(fact)
    return " or ".join(fact if name == "near" else (f'"{each}"' for each in fact))


def with_notices(result: Noticed, notices: tuple[Notice, ...]) -> Noticed:
    """Return a result with more notices in front of its own."""
    ours: Any = result
    halves = ("fast", "deep") if isinstance(result, Compared) else ()
    more = {half: with_notices(getattr(ours, half), notices) for half in halves}
    made: Noticed = replace(ours, **(more or {"notices": (*notices, *ours.notices)}))
    return made
