"""Retrievers side by side: by words, by strings as they are written, by meaning; and by date, for filters alone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from notewell.search.calibrate import nearest
from notewell.search.embedding import Embedders
from notewell.search.exact import find_verbatim
from notewell.search.fuse import Fused
from notewell.search.rules import SearchRules
from notewell.store import Matching, Snapshot
from notewell.store.filters import task_filters, tasks_match
from notewell.types.candidates import Ranking
from notewell.types.query import Filter, Plan
from notewell.types.results import Step

# Rankings go deeper than their candidates, so that a chunk that one retriever finds has a score from the other too, and
# so that the worst of them is a fair zero. 100 and 400 were no better.
DEPTH = 300
# A note this many days older than the newest has half its score.
HALF_DAYS = 365
# Chunks with tasks that are compared. A task without a day comes after all that have one.
MOST_TASKS = 1_000
NO_DAY = "9999-12-31"
# The share of the best score that notes of the day have that a query is: a text that names the day comes before them.
OF_THE_DAY = 0.9
# A note without a date comes last.
OLDEST = "1970-01-01"


def retrieve(plan: Plan, store: Snapshot, embedders: Embedders, rules: SearchRules) -> list[Ranking]:
    """Return the rankings of the retrievers that have a weight; without vectors, that of words alone."""
    if plan.only_filters:
        return []
    depth = max(rules.reach, DEPTH)
    rankings = []
    by_meaning = rules.vector_weight and embedders.quick is not None and (plan.text or plan.passage or plan.like)
    if (rules.lexical_weight and plan.by_words) or not by_meaning:
        by_words = _weigh_notes(_match(plan, store, depth), rules.note_weight)
        best = [chunk_id for chunk_id, _ in by_words.found[: rules.reach]]
        rankings += [by_words, *find_verbatim(plan, store, best)]
    if by_meaning:
        rankings.append(nearest(plan, store, embedders.quick, embedders.others, depth))
    rankings = [ranking._replace(reach=rules.reach) for ranking in rankings]
    wants_passage = plan.intent == "question" or plan.related
    return [_of_passages(ranking) for ranking in rankings] if wants_passage else rankings


def _of_passages(ranking: Ranking) -> Ranking:
    """Return the ranking without what it knows of whole notes: the answer to a question is a passage.

    That need not repeat the words of the question, and a note that does need not answer it.
    """
    return ranking._replace(complete=frozenset(), firsts={})


def _match(plan: Plan, store: Matching, depth: int) -> Ranking:
    """Return the chunks with words of the plan; if one word is asked for, those that have it as written come first."""
    written = plan.written
    found = store.match(written, plan.scope, depth, stand_ins=plan.stand_ins)
    if len(written) > 1 or not plan.stand_ins:
        return found
    asked = dict(store.match(written, plan.scope, depth).found)
    above = found.found[0][1] if found.found else 0.0
    others = [(chunk_id, score) for chunk_id, score in found.found if chunk_id not in asked]
    return found._replace(found=(*((chunk_id, above + score) for chunk_id, score in asked.items()), *others))


def _weigh_notes(ranking: Ranking, weight: float) -> Ranking:
    """Return a ranking by words in which the part of whole notes counts this many times as much.

    >>> _weigh_notes(Ranking("lexical", ((7, 5.0), (5, 4.0)), of_notes={7: 4.0}), 0.5).found
    ((5, 4.0), (7, 3.0))
    """
    if weight == 1:
        return ranking
    more = {chunk_id: (weight - 1) * part for chunk_id, part in ranking.of_notes.items()}
    weighed = ((chunk_id, score + more.get(chunk_id, 0.0)) for chunk_id, score in ranking.found)
    found = tuple(sorted(weighed, key=lambda item: (-item[1], item[0])))
    return ranking._replace(found=found, of_notes={key: weight * part for key, part in ranking.of_notes.items()})


def find_listed(plan: Plan, store: Matching, rules: SearchRules) -> Fused:
    """Return the chunks in the scope of a plan that has only filters: tasks by the day they are due, notes by date."""
    asked = task_filters(plan.scope)
    return _find_tasks(asked, plan, store) if asked else find_newest(plan, store, rules)


def add_of_day(fused: Fused, plan: Plan, store: Matching, rules: SearchRules) -> Fused:
    """Return the fused chunks with those of the notes from a day, if the query is that day: `2024-05-03`.

    The date of a note, in its front matter or its name, is no text that words could find.
    """
    if not plan.asks_for_day or plan.when is None:
        return fused
    inside = plan.scope._replace(filters=(*plan.scope.filters, Filter("date", (plan.when,))))
    scores = {chunk_id: steps[-1].score for chunk_id, steps in fused.items()}
    least, why = OF_THE_DAY * max(scores.values(), default=1.0), f"dated {plan.when.low}"
    return fused | {
        chunk_id: (*fused.get(chunk_id, ()), Step("dated", why, max(least, scores.get(chunk_id, 0.0))))
        for chunk_id, _ in store.newest(inside, rules.limit)
    }


def _find_tasks(asked: Sequence[Filter], plan: Plan, store: Matching) -> Fused:
    """Return the chunks with tasks in the plan's scope, by the day they are due, then the newest first."""
    chunks = store.chunks(store.within(plan.scope, MOST_TASKS))
    facts = store.notes({chunk.path for chunk in chunks.values()})
    days = {chunk_id: chunk.day or facts[chunk.path].day for chunk_id, chunk in chunks.items()}
    due = {
        chunk_id: min((task.due for task in chunk.tasks if task.due and tasks_match(asked, [task])), default=NO_DAY)
        for chunk_id, chunk in chunks.items()
    }
    newest = sorted(chunks, key=lambda chunk_id: (days[chunk_id], chunks[chunk_id].path), reverse=True)
    ranked = enumerate(sorted(newest, key=lambda chunk_id: due[chunk_id]), start=1)
    return {chunk_id: (Step("tasks", "by the day they are due", 1 / place),) for place, chunk_id in ranked}


def find_newest(plan: Plan, store: Matching, rules: SearchRules) -> Fused:
    """Return one chunk of each of the newest notes in the plan's scope, scored by date."""
    written = dict(store.newest(plan.scope, rules.limit))
    days = {chunk_id: date.fromisoformat(day or OLDEST) for chunk_id, day in written.items()}
    newest = max(days.values(), default=date.min)
    return {
        chunk_id: (
            Step(
                "newest",
                f"dated {written[chunk_id]}" if written[chunk_id] else "without a date",
                HALF_DAYS / (HALF_DAYS + (newest - day).days),
            ),
        )
        for chunk_id, day in days.items()
    }
