"""TREC: runs, evaluated with the judgements of ``qrels``, and what ``trec_eval -q`` writes of a run."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from steadyrank.errors import InvalidDataError, MissingPackageError, Option, shorten
from steadyrank.reading.adapters.documents import Entry, Found, Node
from steadyrank.reading.files import OpenFile, open_source

RANKED = ("query", "Q0", "document", "rank", "score", "tag")
JUDGED = ("query", "iteration", "document", "relevance")
USUAL, CORRECT = "nDCG@10", "Correct this line."
MEASURES = ("Common measures are ", Option("metric", USUAL), ", AP, RR, P@10 and R@1000.")


def trec_eval_entries(file: OpenFile) -> Found:
    """Yield the queries of each file, which is a run; lines about all queries are left out."""
    for part in file.parts():
        for line, (metric, query, text) in _lines(part, "metric", "query", "value"):
            if query == "all":
                yield "line about all queries together left out"
            elif metric != "relstring":
                node, scores = Node(text, f"line {line}", part.name), {metric: _number(part, line, text)}
                yield Entry(Path(part.name).stem, query, "queries", scores, node)


def run_entries(file: OpenFile) -> Found:
    """Yield the queries of runs, evaluated by the judgements that the user names."""
    qrels, metric = file.given.get("qrels"), file.given.get("metric") or USUAL
    if qrels is None:
        told = f"{file.name} is a TREC run, which does not say what is relevant"
        raise InvalidDataError(told, way_out=["Give the file of judgements as ", Option("qrels")])
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


def _lines(file: OpenFile, *names: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of each line, with its number; there must be as many as names."""
    for line, text in file.lines():
        fields = text.split()
        if len(fields) != len(names):
            told = f"has {len(fields)} fields instead of {' '.join(names)}"
            raise file.wrong(told, CORRECT, line)
        yield line, fields


def _number(file: OpenFile, line: int, text: str, kind: type[float] = float) -> float:
    with suppress(ValueError):
        if math.isfinite(value := kind(text)):
            return value
    whole = "whole " * (kind is int)
    raise file.wrong(f"has {shorten(text)} where a {whole}number should be", CORRECT, line)


def _ranking(file: OpenFile, names: tuple[str, ...]) -> dict[str, dict[str, dict[str, Any]]]:
    """Return scores or relevances, by the tag of a run, the query and the document."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for line, (query, _, document, *rest) in _lines(file, *names):
        *_, value, tag = rest if names == RANKED else [*rest, ""]
        documents = found.setdefault(tag, {}).setdefault(query, {})
        if document in documents:
            raise file.wrong(f"names document {shorten(document)} again", CORRECT, line)
        documents[document] = _number(file, line, value, int if names == JUDGED else float)
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
        told = f"ir-measures has no {shorten(metric)}: {shorten(str(error), 120)}"
        raise InvalidDataError(told, way_out=MEASURES) from None
