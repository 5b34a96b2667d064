"""TREC: runs, evaluated with the judgements of ``qrels``, and what ``trec_eval -q`` writes of a run."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from steadyrank.errors import InvalidDataError, MissingPackageError, Option, UnreadableFileError, shorten
from steadyrank.reading.adapters.documents import Entry, Found, Node
from steadyrank.reading.files import OpenFile, open_source

RANKED = ("query", "Q0", "document", "rank", "score", "tag")
JUDGED = ("query", "iteration", "document", "relevance")
USUAL = "nDCG@10"


def trec_eval_entries(file: OpenFile) -> Found:
    """Yield the queries of each file, which is a run; lines about all queries are left out."""
    for part in file.parts():
        for here, (metric, query, text) in _lines(part, "metric", "query", "value"):
            if query == "all":
                yield "line about all queries together left out"
            elif metric != "relstring":
                node = Node(text, here.partition(" of ")[0], part.name)
                scores = {metric: _number(here, text)}
                yield Entry(Path(part.name).stem, query, "queries", scores, node)


def run_entries(file: OpenFile) -> Found:
    """Yield the queries of runs, evaluated by the judgements that the user names."""
    qrels, metric = file.given.get("qrels"), file.given.get("metric") or USUAL
    if qrels is None:
        raise InvalidDataError(
            f"{file.name} is a TREC run, which does not say what is relevant",
            way_out=["Give the file of judgements as ", Option("qrels")],
        )
    with closing(open_source(str(qrels), encoding=file.encoding)) as judged:
        if judged.is_folder:
            raise InvalidDataError(f"{judged.name} is a folder, not a file of judgements")
        relevant = _ranking(judged, JUDGED).get("", {})
    rankings = ((part.name, _ranking(part, RANKED)) for part in file.parts())
    runs = {(tag, name): run for name, found in rankings for tag, run in found.items()}
    tags = Counter(tag for tag, _ in runs)
    yield f"evaluated by {judged.name}"
    for (tag, name), run in runs.items():
        item = tag if tags[tag] == 1 else f"{tag} ({name})"
        yield from ["query without judgements left out"] * len(run.keys() - relevant.keys())
        for query, value in _evaluated(metric, relevant, run):
            if query not in run:
                yield "query for which a run returns nothing, counted as the measure does"
            yield Entry(item, query, "queries", {metric: value}, Node(None, f"query {query}", name))


def _lines(file: OpenFile, *names: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the fields of each line, with its place; there must be as many as names."""
    for line, text in file.lines():
        here, fields = f"line {line} of {file.name}", text.split()
        if len(fields) != len(names):
            raise _wrong(f"{here} has {len(fields)} fields instead of {' '.join(names)}")
        yield here, fields


def _number(here: str, text: str, kind: type[float] = float) -> float:
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        whole = "whole " * (kind is int)
        raise _wrong(f"{here} has {shorten(text)} where a {whole}number should be")
    return value


def _wrong(told: str) -> UnreadableFileError:
    return UnreadableFileError(told, way_out="Correct this line.")


def _ranking(file: OpenFile, names: tuple[str, ...]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return scores or relevances, by the tag of a run, the query and the document."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for here, (query, _, document, *rest) in _lines(file, *names):
        *_, value, tag = rest if names == RANKED else [*rest, ""]
        documents = found.setdefault(tag, {}).setdefault(query, {})
        if document in documents:
            raise _wrong(f"{here} names document {shorten(document)} again")
        documents[document] = _number(here, value, int if names == JUDGED else float)
    return found


def _evaluated(metric: str, relevant: dict[str, Any], run: dict[str, Any]) -> list[tuple[str, float]]:
    try:
        import ir_measures

        with warnings.catch_warnings():  # its parser uses what Python is about to drop
            warnings.simplefilter("ignore", DeprecationWarning)
            measure = ir_measures.parse_measure(metric)
        return [(one.query_id, one.value) for one in ir_measures.iter_calc([measure], relevant, run)]
    except ImportError:
        raise MissingPackageError("to evaluate TREC runs, ir_measures is needed", "trec") from None
    except Exception as error:  # whatever its parser, or the program behind the measure, stumbles over
        raise InvalidDataError(
            f"ir-measures has no {shorten(metric)}: {shorten(str(error), 120)}",
            way_out=["Common measures are ", Option("metric", USUAL), ", AP, RR, P@10 and R@1000."],
        ) from None
