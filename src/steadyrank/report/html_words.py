"""The verdict in words, from a results document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyrank.wording import counted

if TYPE_CHECKING:
    from collections.abc import Mapping


def verdict(document: Mapping[str, Any]) -> str:
    """Return what a top-k document says, in one or two sentences.

    Examples
    --------
    >>> from steadyrank import Votes, stable_topk
    >>> from steadyrank.report.schema import document
    >>> votes = Votes(["ann"] * 5 + ["bob"] * 3 + ["cyd"] * 3)
    >>> verdict(document(votes, stable_topk(votes, 2)))
    'Top 2 of 3 items: 1 surely in, 2 items contend for the last place.'
    """
    summary, k = document["summary"], document["k"]
    certain, contenders = summary["certain"], summary["contenders"]
    told = f"Top {k:,} of {document['n_items']:,} items: "
    if not contenders:
        return told + f"all {k:,} surely in, no other item comes close enough." + _stability(document)
    places = k - certain
    last = "the last place" if places == 1 else f"the last {places:,} places"
    if not certain:
        return told + f"none is surely in, {contenders:,} items contend for it." + _stability(document)
    told += f"{certain:,} surely in, {contenders:,} items contend for {last}."
    return told + _stability(document)


def _stability(document: Mapping[str, Any]) -> str:
    summary = document["summary"]
    plain, inflated = summary["plain_breaking_units"], summary["inflated_breaking_units"]
    if plain is None or inflated is None:
        return ""
    units = counted(document["n_units"], document["unit"])
    return f" Of {units}, {plain:,} change the plain answer when left out; {inflated:,} break this one."
