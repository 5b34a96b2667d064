"""The first sentences of an answer, with names in them: each is literally true of these data."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

import numpy as np

from steadyrank.text import counted, in_words, plural, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from steadyrank.study.answers import Answer, StableRanking, StableTopK

PLACES = (
    "First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth", "Ninth", "Tenth",
)  # fmt: skip

NAMES = 5
"""How many items a sentence names; the rest is counted."""

LONGEST_NAME = 40

FIRST_LISTED = "the one listed first counts as ahead."


def topk_headline(answer: StableTopK) -> str:
    """Return who is in, who contends and how many units decide.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> votes = Votes(["cyd"] * 40 + ["bob"] * 30 + ["abe"] * 30)
    >>> print(topk_headline(stable_topk(votes, 2)))  # doctest: +NORMALIZE_WHITESPACE
    Second place hangs on single votes: remove any one of 30 of the 100, and bob replaces abe.
    >>> topk_headline(stable_topk(votes, 1))
    'cyd comes first, no matter which one of the 100 votes is removed.'
    """
    k, units = answer.k, f"the {counted(answer.n_units, answer.unit)}"
    best = named(answer.labels(answer.order[:k]), "and")
    if answer.deletions is None:
        return f"Top {k:,} by score: {best}. No {answer.unit} was removed to see how well that holds."
    if k == len(answer.items):
        every = f"there {'is' if k == 1 else 'are'} {counted(k, answer.item_name)}"
        return f"The top {k:,} holds every {answer.item_name}: {every}."
    changing = answer.deletions.changing_units()
    if not changing:
        what = "comes first" if k == 1 else f"are the top {k:,}"
        return f"{best} {what}, no matter which one of {units} is removed."
    contenders, places = answer.contenders, k - len(answer.sure)
    if places > 1:
        whoever = f"any one of {changing:,} of {units}" if changing > 1 else f"1 of {units}"
        free = "all" if places == k else f"{in_words(places)} of the"
        contend = f"{counted(len(contenders), answer.item_name)} contend for {free} {in_words(k)} places"
        return f"{contend}: {named(contenders, 'and')}. Removing {whoever} changes the top {k:,}."
    # A sure item that comes k-th somewhere takes the last place there itself.
    last = answer.ranks is not None and len(answer.ranks) >= k and k not in answer.ranks.worst[:k]
    place = f"The top {k:,}"
    if last or k == 1:
        place = f"{PLACES[k - 1]} place" if k <= len(PLACES) else f"The last place in the top {k:,}"
    holder = answer.items[next(index for index in answer.order[:k] if answer.items[index] in contenders)]
    rivals = [item for item in contenders if item != holder]
    hangs = f"one of {units}: remove that one"
    if changing > 1:
        whoever = f"{changing:,} of the {answer.n_units:,}" if changing < answer.n_units else "them"
        hangs = f"single {plural(answer.unit)}: remove any one of {whoever}"
    rival = named(rivals, "or") if len(rivals) <= NAMES else f"one of {len(rivals):,} others"
    return f"{place} hangs on {hangs}, and {rival} replaces {named([holder], 'or')}."


def ranking_headline(answer: StableRanking) -> str:
    """Return how many items hold their rank, and how many units change the order.

    Examples
    --------
    >>> from steadyrank import Votes, stable_ranking
    >>> votes = Votes(["cyd"] * 4 + ["bob"] * 2 + ["abe"] * 2)
    >>> print(ranking_headline(stable_ranking(votes)))  # doctest: +NORMALIZE_WHITESPACE
    1 of 3 items keeps its rank, no matter which vote is removed; 2 of the 8 votes change the order when
    removed.
    """
    items, units = len(answer.items), f"the {counted(answer.n_units, answer.unit)}"
    if answer.ranks is None:
        every = counted(items, answer.item_name)
        return f"{every} by score. No {answer.unit} was removed to see how well that holds."
    known = len(answer.ranks)
    fixed = int((answer.ranks.best == answer.ranks.worst).sum())
    change = "changes" if answer.changing == 1 else "change"
    if fixed == items:
        each = f"All {counted(items, answer.item_name)} keep their"
        each = f"The only {answer.item_name} keeps its" if items == 1 else each
        return f"{each} rank, no matter which one of {units} is removed."
    among = f"{fixed:,} of {'' if known == items else 'the first '}{counted(known, answer.item_name)}"
    kept = f"{among} {'keeps its' if fixed == 1 else 'keep their'} rank"
    removed = f"{answer.changing:,} of {units} {change} the order when removed"
    return f"{kept}, no matter which {answer.unit} is removed; {removed}."


def named(labels: Sequence[object], last: str, most: int = NAMES) -> str:
    """Return some names as a part of a sentence; of too many the first ones, and how many more.

    Examples
    --------
    >>> named(["a", "b", "c"], "or"), named("abcdefg", "and"), named(["a"], "or")
    ('a, b or c', 'a, b, c, d and 3 more', 'a')
    """
    texts = [shortened(str(label), LONGEST_NAME) for label in labels]
    if len(texts) > most:
        texts[most - 1 :] = [f"{len(texts) - most + 1:,} more"]
        last = "and"
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def border_warnings(answer: StableTopK) -> Iterator[str]:
    """Yield a warning if the list of items decides who is in the plain top k."""
    k, scores = answer.k, answer.scores[answer.order]
    if k < len(scores) and scores[k - 1] == scores[k]:
        tied = answer.labels(np.flatnonzero(answer.scores == scores[k]))
        yield f"Ranks {k:,} and {k + 1:,} have equal scores ({named(tied, 'and')}): {FIRST_LISTED}"


def ranking_warnings(answer: StableRanking) -> Iterator[str]:
    """Yield a warning if the list of items decides about some of the order."""
    scores, counts = np.unique(answer.scores, return_counts=True)
    if (shared := counts > 1).any():
        tied = named(answer.labels(np.flatnonzero(answer.scores == scores[shared][-1])), "and")
        yield f"Some {plural(answer.item_name)} have equal scores, such as {tied}: {FIRST_LISTED}"


def suggestions(answer: Answer) -> list[dict[str, Any]]:
    """Return what else could be the unit, as the file has it."""
    candidates = answer.study.data.unit_candidates if answer.has_study else ()
    return [
        {
            "text": f"Column {column!r} ({counted(number, 'value')}) was not used. As the unit, each of "
            "its values is removed with all its rows.",
            "option": f"--unit {quote(column)}",
        }
        for column, number in candidates
    ]
