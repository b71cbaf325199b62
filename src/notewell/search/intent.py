"""Intent: what kind of query a text is, and how that changes the weights of words and meaning."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from notewell.search.query import QUOTED
from notewell.search.rules import Rules, SearchRules
from notewell.terms import TOKEN, stop_terms, token_terms
from notewell.types.query import Intent, Plan

# The share of its weight that a model keeps for queries whose letters say more than their meaning.
KEPT_WEIGHT = 0.2
# The intents for which models count less: the encoder for a single word, both for text that a program wrote. Paths are
# not a clear case, and for questions and keywords the best weights are the same (docs/concepts/ranking.md).
FINE = ("one word", "identifier", "reference", "code", "error text")
VECTOR = ("identifier", "reference", "code", "error text")
# The beginning shows the kind; a pasted page is not read to its end for it.
HEAD = 300

QUOTE = re.compile(rf"(?:{QUOTED})[.,;:!?]?")
SUFFIXES = (
    "md txt rst org tex log csv tsv pdf doc docx xls xlsx ppt pptx epub ipynb html htm css xml json yaml yml toml ini "
    "cfg conf env lock py js jsx ts tsx rs go java c h cc cpp sh sql rb php swift kt png jpg jpeg svg"
)
PATH = re.compile(
    rf"""
    (?:~|\.{{1,2}}|[A-Za-z]:)?[/\\][^\s:*?"<>|]+(?:\ [^\s:*?"<>|]+)*   # /etc/hosts, ~/notes/My note.md, C:\notes
    | [\w.@~-]+(?:/[\w.@~-]+)*/                                        # notes/garden/
    | [\w.@~-]+(?:/[\w.@~-]+){{2,}}                                    # src/notewell/search
    | (?:[\w.@~ -]+/)*[\w@~-][\w.@~ -]*\.(?:{SUFFIXES.replace(" ", "|")})   # garden/Old bees.md
    """,
    re.VERBOSE,
)
# Error messages: a name that ends like one, a level and a colon, a code, a number, a known sentence.
ERROR = re.compile(
    r"""
    [A-Za-z]\w*(?:Error|Exception|Warning)\b(?!\()
    | \bTraceback\ \( | \b0x[0-9A-Fa-f]{8}\b | \b(?:ERR|SQLITE|HRESULT)_[A-Z_]+\b
    | \bE(?:ACCES|ADDRINUSE|CONN[A-Z]+|EXIST|INVAL|ISDIR|MFILE|NOENT|NOSPC|NOTFOUND|PERM|PIPE|TIMEDOUT)\b
    | (?i:\b(?:error|fatal|panic|warning|err!|exception|fehler)\s?(?:\[\w+\])?:\s*\S)
    | (?i:\b(?:exit|exited\ with|return|status)\ (?:code|status)\ -?\d+|\berrno\b)
    | (?i:segmentation\ fault|core\ dumped|command\ not\ found|no\ such\ file\ or\ directory|permission\ denied)
    """,
    re.VERBOSE,
)
# One token of a program: an identifier, an option, a variable, a ticket, a version, a hash.
IDENTIFIER = re.compile(
    r"""
    (?:_*[A-Za-z]\w*_\w+ | _+[A-Za-z]\w* | [a-z]+\d*(?:[A-Z][a-z0-9]*)+ | (?:[A-Z][a-z0-9]+){2,} | [A-Z]{2,}[a-z]\w*
      | [A-Za-z_]\w*(?:(?:\.|::|->|\#)[A-Za-z_]\w*)+)(?:\(\))?
    | [A-Za-z_]\w*\(\) | --?[a-z][\w-]+ | \$\{?[A-Za-z_]\w*\}? | @[a-z][\w-]*(?:/[\w.-]+)?
    | [A-Z]{2,}-\d+(?:-\d+)? | v?\d+\.\d+\.\d+[\w.+-]* | (?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}
    """,
    re.VERBOSE,
)
# A word of a reference (to a place in a work, a standard, a day): a number, an abbreviation (SGB, MarkenG, Art.), a
# letter, a sign, a word that comes before numbers.
NUMBER = re.compile(r"[(#§]*[\w.:/§-]*\d[\w.:/()-]*[,;]?")
ABBREVIATION = re.compile(
    r"""
    \w*[A-Z]\w*[A-Z][\w/-]*[,;]? | [^\W\d_]{1,5}\.,? | [^\W\d_],? | [§\#&+-]+
    | (?i:absatz|abs|satz|artikel|art|paragraph|para|nummer|nr|ziffer|kapitel|teil|buch|seite|anlage|anhang
      |section|sec|chapter|article|clause|part|page|appendix|annex|table|figure|version|chapitre|alin[eé]a|annexe)
    """,
    re.VERBOSE,
)
# A reference of more words would be a sentence.
REFERENCE_WORDS = 8
# Signs that prose does not have, and words that begin a line of code or a command.
CODE = re.compile(
    r"""
    [{};]\s*$ | => | [=!<>]= | && | \|\| | :: | -> | </?[a-z]+[^<>]*> | \w\[["'\w]+\] | \s--[a-z][\w-]+
    | \w\(\) | \w\.\w+\( | \b[a-z_]\w*\((?!e?s\))[^()]*\)(?:[.:{;]|$) | ^[\w.\[\]"']+\s=\s\S | \w=\S+\s+\w+=\S
    | ^(?:def|class|func|fn)\ \w+\s*[(:<{] | ^(?:let|const|var)\ \w+\s*[=:;] | ^from\ \S+\ import\b | ^\#include\b
    | ^import\ [\w.]+(?:\ as\ \w+)?;?$
    | ^(?:return|raise)\ .*\w\( | ^(?:if|elif|for|while|with|except)\ .*\S:$
    | ^SELECT\ .+\ FROM\b
    | (?i:^(?:select\ \*\ from|insert\ into|create\ (?:table|index)|update\ \S+\ set|delete\ from)\ )
    | ^(?:\$\ )?(?:sudo|git|docker|kubectl|npm|pip|curl|ssh|cargo|apt|brew|grep|sed|awk)\ [a-z./"'-].*(?:\s-|/)
    """,
    re.VERBOSE,
)
QUESTION = re.compile(
    r"""
    (?:how|what|why|when|where|who|whom|whose|which|is|are|was|were|do|does|did|can|could|should|would|will|has|have
      |wie|was|warum|wann|wo|wer|wen|wem|wessen|welche[rsnm]?|wieso|weshalb|woher|wohin|womit|ist|sind|hat|kann|darf|muss)
    (?:['’]\w+)?\ .*
    | .*[?？]
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)

# Candidates if more than the text of a chunk decides: a new note may be the fiftieth by its words, and the first once
# age counts; of a note with many similar chunks, only one is shown; a work has a number in many of its sections; and a
# note called by one word may be the fiftieth by that word, which others use more often.
MANY_CANDIDATES = 100
MANY = ("reference", "one word")


def read_intent(text: str) -> Intent:
    """Return the kind of query that a text is.

    >>> [read_intent(text) for text in ("getTenantId", "how do bees winter?", "hive", "bee hive")]
    ['identifier', 'question', 'one word', 'keywords']
    """
    head = text.strip()[:HEAD]
    return next((intent for intent, fits in SIGNS.items() if fits(head)), "keywords")


def adapt(rules: Rules, plan: Plan) -> SearchRules:
    """Return the settings of a search adapted to a plan: how many hits and candidates, and the weights."""
    settings = rules.settings
    if rules.mode.seeds:
        settings = replace(settings, limit=rules.mode.seeds)
    if rules.by_age(plan) or plan.related or plan.intent in MANY:
        settings = replace(settings, candidates=max(settings.candidates, MANY_CANDIDATES))
    return weigh(plan, settings)


def weigh(plan: Plan, rules: SearchRules) -> SearchRules:
    """Return the rules with the weights for the plan's kind of query.

    >>> weigh(Plan("the hive", ("hive",), intent="one word"), SearchRules(fine_weight=1)).fine_weight
    0.2
    """
    if not rules.intent or plan.intent not in (*VECTOR, *FINE):
        return rules
    vector, fine = (KEPT_WEIGHT if plan.intent in kinds else 1.0 for kinds in (VECTOR, FINE))
    return replace(rules, vector_weight=rules.vector_weight * vector, fine_weight=rules.fine_weight * fine)


def _is_one_word(text: str) -> bool:
    """Tell whether a text has one word that is not a stop word."""
    return sum(not stop_terms().issuperset(token_terms(token)) for token in set(TOKEN.findall(text))) == 1


def _is_reference(text: str) -> bool:
    """Tell whether a text is made of numbers and of what stands with numbers; a number alone is a word.

    >>> [_is_reference(text) for text in ("§164 Absatz 4 SGB 5", "RFC 2119", "2024-05-03", "42", "top 10 notes")]
    [True, True, True, False, False]
    """
    words = text.split(maxsplit=REFERENCE_WORDS)
    numbers = [word for word in words if NUMBER.fullmatch(word)]
    alone = len(words) == 1 and not re.search(r"§|\d-\d", text)
    return bool(numbers) and not alone and all(word in numbers or ABBREVIATION.fullmatch(word) for word in words)


# The first that matches is the intent.
SIGNS: dict[Intent, Callable[[str], object]] = {
    "quoted": QUOTE.fullmatch,
    "path": PATH.fullmatch,
    "error text": ERROR.search,
    "identifier": IDENTIFIER.fullmatch,
    "code": CODE.search,
    "reference": _is_reference,
    "one word": _is_one_word,
    "question": QUESTION.fullmatch,
}
