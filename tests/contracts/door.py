"""The only file of the contracts that knows the project.

A case goes in as raw rows, by way of the classes, of a file with told roles or of an
engine. Answers come out as plain facts: dictionaries, lists, numbers, text, with items
by name and units as the case calls them. When classes, options or the heart of the
project change, this file changes and the contracts do not.
"""

from __future__ import annotations

import csv
import io
import json
import pickle
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import asdict
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import steadyrank as sr
from contracts.draws import COUNTED, NAMED, Case, Row, Unit
from steadyrank.cli import main
from steadyrank.scorers.registry import scorer_names
from steadyrank.scorers.sums import scores_of_copies

ROLES: dict[str, dict[str, str]] = {
    "votes": {"choice": "choice"},
    "ballots": {"ballot": "ballot"},
    "approvals": {"choice": "choice", "unit": "person"},
    "ratings": {"item": "item", "rating": "value", "unit": "person"},
    "scores": {"item": "item", "score": "value", "unit": "person"},
    "battles": {"left": "left", "right": "right", "winner": "winner"},
}
ON_ENGINES = ("votes", "battles")  # counted there; ratings and scores are added up
ADDED_UP = ("ratings", "scores")

SCANNED_IN_MEMORY = ("elo", "mean-rank", "mean-win-rate", "median", "trimmed-mean")
SETTINGS_WITH_RANGE = ("mean", "median", "trimmed-mean")

Scores = dict[str, float]


class RefusedError(Exception):
    """The project gives no answer, and says why."""


@contextmanager
def refusals() -> Iterator[None]:
    try:
        yield
    except sr.SteadyrankError as error:
        raise RefusedError(str(error)) from error


def registered_scorers() -> set[str]:
    return set(scorer_names())


# Cases go in.


def from_values(case: Case) -> Any:
    """The data of a case, from Python values."""
    about: dict[str, Any] = {}
    if case.weighted:
        about["weights"] = [float(row.weight) for row in case.rows]
    if case.grouped:
        about |= {"units": [row.group for row in case.rows], "unit_kind": "group"}
    if case.kind in COUNTED and case.counted:
        about["counts"] = [row.count for row in case.rows]
    if case.declared and case.kind not in ("scores", "regression"):
        about["items"] = case.declared
    contents = [row.content for row in case.rows]
    people = [row.person for row in case.rows]
    if case.kind == "votes":
        return sr.Votes(contents, **about)
    if case.kind == "ballots":
        return sr.Ballots([[list(tier) for tier in b] for b in contents], **about)
    if case.kind == "approvals":
        return sr.Ballots([list(b) for b in contents], approval=True, **about)
    if case.kind == "ratings":
        items = [item for item, _ in contents]
        return sr.Ratings(
            people, items, [float(value) for _, value in contents], **about
        )
    if case.kind == "battles":
        return sr.Battles(*zip(*contents, strict=True), **about)
    about |= {"items": case.items, "rows": people}
    if case.kind == "scores":
        cells = [[float(row.get(i) or "nan") for i in case.items] for row in contents]
        return sr.ScoreMatrix(cells, missing="available", **about)
    features = [[float(value) for value in features] for features, _ in contents]
    return sr.Regression(features, [float(y) for _, y in contents], **about)


def csv_text(case: Case) -> str:
    """The rows of a case as the text of a file."""
    records = [record for row in case.rows for record in records_of(case, row)]
    columns = list(dict.fromkeys(column for record in records for column in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def records_of(case: Case, row: Row) -> list[dict[str, object]]:
    """The lines of a file for one row of a case."""
    about: dict[str, object] = {"person": row.person}
    if case.counted:
        about["n"] = row.count
    if case.weighted:
        about["w"] = row.weight
    if case.grouped:
        about["g"] = row.group
    content = row.content
    if case.kind == "votes":
        return [{**about, "choice": content}]
    if case.kind == "ballots":
        tiers = [" = ".join(tier) for tier in content]
        return [{**about, "ballot": " > ".join(tiers)}]
    if case.kind == "approvals":
        return [{**about, "choice": item} for item in content]
    if case.kind == "ratings":
        item, value = content
        return [{**about, "item": item, "value": value}]
    if case.kind == "scores":
        cells = [(item, value) for item, value in content.items() if value is not None]
        return [{**about, "item": item, "value": value} for item, value in cells]
    left, right, winner = content
    return [{**about, "left": left, "right": right, "winner": winner}]


def roles_of(case: Case) -> dict[str, Any]:
    """What to say of the columns of the file."""
    roles: dict[str, Any] = dict(ROLES[case.kind])
    if case.counted:
        roles["count"] = "n"
    if case.weighted:
        roles["weight"] = "w"
    if case.grouped:
        roles["unit"] = "g"
        if case.kind == "scores":
            roles["row"] = "person"
    if case.declared and case.kind != "scores":
        roles["catalogue"] = list(case.declared)
    return roles


def sayable(case: Case) -> bool:
    """Whether a file with roles can hold the case.

    The columns of a regression are standardised. Of a unit with several rows the votes
    are approvals, unless rows are counted; an approval of nothing has no row. A unit
    has one weight, and an item some value of a row that counts.
    """
    if case.kind == "regression":
        return False
    if case.kind == "votes" and case.grouped and not case.counted:
        return False
    if case.kind == "approvals":
        sizes = [len(row.content) for row in case.rows]
        if case.grouped or case.counted or min(sizes) == 0 or max(sizes) == 1:
            return False
    if case.kind == "scores":
        heavy = [row.content for row in case.rows if row.weight_as_fraction]
        valued = {i for row in heavy for i, value in row.items() if value is not None}
        if valued != set(case.items):
            return False
    weights = {(row.group, row.weight) for row in case.rows}
    return not case.grouped or len(weights) == len({row.group for row in case.rows})


def options_of(case: Case) -> list[str]:
    """The same as options of the command line."""
    options = []
    for role, value in roles_of(case).items():
        text = ",".join(value) if isinstance(value, list) else value
        options += [f"--{role}", text]
    return options


def asked(case: Case, scorer: str) -> Asked:
    """Ask about the values of a case."""
    with refusals():
        return Asked(case, sr.Study(from_values(case), scorer))


def asked_of_file(case: Case, scorer: str, path: Path) -> Asked:
    """Write the rows of a case into a file, read it with told roles, and ask."""
    path.write_text(csv_text(case))
    with refusals():
        return Asked(case, sr.Study(path, scorer, **roles_of(case)))


def asked_of_engine(case: Case, scorer: str, path: Path) -> Asked | None:
    """The same in DuckDB; None where data of this kind are not scanned."""
    if scorer.partition(":")[0] in SCANNED_IN_MEMORY:
        return None
    # Entries stay in the engine where units are people and values have few digits.
    plain = not (case.weighted or case.grouped)
    stays = case.kind in ADDED_UP and plain and case.shape not in ("near", "extreme")
    if not (case.kind in ON_ENGINES or stays):
        return None
    path.write_text(csv_text(case))
    with refusals():
        relation = duckdb.connect().read_csv(str(path))
        return Asked(case, sr.Study(relation, scorer, **roles_of(case)))


def command(case: Case, scorer: str, path: Path, *words: str) -> Any:
    """Run a command on the file of a case, and return its JSON document."""
    path.write_text(csv_text(case))
    question, *rest = words
    options = [*rest, "--scorer", scorer, *options_of(case), "--json"]
    code, printed, complaint = run([question, str(path), *options])
    if code:
        raise RefusedError(f"exit code {code}: {complaint}")
    return json.loads(printed)


def run(words: list[str]) -> tuple[int, str, str]:
    """Run a command in this process: its exit code, output and errors."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    err = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(out), redirect_stderr(err):
        code = main(words)
    texts = []
    for stream in (out, err):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())  # type: ignore[attr-defined]
    return code, *texts


def with_stated_range(scorer: str) -> str:
    """The scorer for values that are known to lie between -2 and 5."""
    name, _, settings = scorer.partition(":")
    if name not in SETTINGS_WITH_RANGE:
        return scorer
    return f"{name}:{settings}{',' if settings else ''}value_range=-2..5"


# Units: the project numbers and labels them, a case names them.


def labels_of_units(case: Case) -> dict[str, Unit]:
    """The distinct units that have no name of their own, by what they are called."""
    places = {item: place for place, item in enumerate(case.items)}
    has_weights = any(Fraction(row.weight) != 1 for row in case.rows)
    units = {}
    for unit in case.units:
        content, weight = unit  # type: ignore[misc]
        label = LABELS[case.kind](content, places.__getitem__)
        units[f"{label}, weight {float(weight):g}" if has_weights else label] = unit
    return units


def label_of_vote(item: str, listed: Any) -> str:
    return item


def label_of_ballot(tiers: Any, listed: Any) -> str:
    return " > ".join(" = ".join(sorted(tier, key=listed)) for tier in tiers)


def label_of_approval(named: Any, listed: Any) -> str:
    return "{" + ", ".join(sorted(named, key=listed)) + "}"


def label_of_battle(battle: Any, listed: Any) -> str:
    one, other, result = battle
    if result == "tie":
        return " ties ".join(sorted((one, other), key=listed))
    return f"{one} beats {other}"


LABELS = {
    "votes": label_of_vote,
    "ballots": label_of_ballot,
    "approvals": label_of_approval,
    "battles": label_of_battle,
}


def units_by_number(case: Case, data: Any) -> list[Unit]:
    """What the case calls each distinct unit of the data."""
    labels = [str(label) for label in data.units.labels]
    if case.grouped or case.kind in NAMED:
        return list(labels)
    if case.ordered:
        return [place for place, row in enumerate(case.rows) if row.weight_as_fraction]
    units = labels_of_units(case)
    return [units[label] for label in labels]


class Asked:
    """One case and one scorer, to be asked questions; answers are plain facts."""

    def __init__(self, case: Case, study: Any) -> None:
        self.case = case
        self.study = study

    @cached_property
    def items(self) -> tuple[str, ...]:
        return tuple(self.study.items)

    @cached_property
    def numbered(self) -> list[Unit]:
        return units_by_number(self.case, self.study.data)

    @property
    def units(self) -> dict[Unit, int]:
        """Distinct units, with the number of their copies."""
        counts = self.study.units.counts.tolist()
        return dict(zip(self.numbered, counts, strict=True))

    def by_item(self, row: Any) -> Scores:
        return dict(zip(self.items, row.tolist(), strict=True))

    def units_with(self, numbers: Iterable[int]) -> set[Unit]:
        return {self.numbered[number] for number in numbers}

    # Scores

    def scores(self) -> Scores:
        with refusals():
            return self.by_item(self.study.scores)

    def scores_of_a_copy(self) -> Scores:
        """The scores by a scorer that went through a pickle."""
        scorer = pickle.loads(pickle.dumps(self.study.scorer))
        with refusals():
            return self.by_item(scorer.score(self.study.data))

    @property
    def _rows(self) -> Any:
        """Scores without each distinct unit: (n_units, n_items)."""
        out = self.study.facts.leave_one_out
        return np.vstack([block.dense(out.scores) for block in out.blocks()])

    def scores_without_each_unit(self) -> dict[Unit, Scores]:
        with refusals():
            rows = self._rows
        return {u: self.by_item(r) for u, r in zip(self.numbered, rows, strict=True)}

    def scores_of_items_without_each_unit(self, items: list[str]) -> dict[Unit, Scores]:
        """The same for some items, from the units that move them."""
        places = np.array(sorted(self.items.index(item) for item in items))
        out = self.study.facts.leave_one_out
        scores = np.tile(out.scores[places], (len(self.numbered), 1))
        for units, columns in out.columns(places):
            scores[units] = columns
        names = [self.items[place] for place in places]
        return {
            unit: dict(zip(names, row.tolist(), strict=True))
            for unit, row in zip(self.numbered, scores, strict=True)
        }

    def scores_of_touched_items(self, items: list[str]) -> list[tuple[Unit, Scores]]:
        """Each unit that touches some of these items, and what it makes of its own."""
        places = np.array(sorted(self.items.index(item) for item in items))
        found = []
        for block in self.study.facts.leave_one_out.touching(places) or ():
            for number in range(len(block)):
                span = slice(*block.indptr[number : number + 2])
                names = [self.items[place] for place in block.items[span]]
                scores = dict(zip(names, block.scores[span].tolist(), strict=True))
                found.append((self.numbered[block.start + number], scores))
        return found

    def scores_without(self, removed: list[Unit]) -> dict[str, Scores | None]:
        """The scores without several units, by every way in which they are computed."""
        data = self.study.data
        scorer = self.study.scorer
        copies = data.units.counts.copy()
        for unit, number in Counter(removed).items():
            copies[self.numbered.index(unit)] -= number
        ways: dict[str, Scores | None] = {}
        try:
            ways["scored again"] = self.by_item(scorer.score(data.with_copies(copies)))
        except sr.SteadyrankError:
            ways["scored again"] = None
        quick = scores_of_copies(scorer, data, copies[np.newaxis])
        if quick is not None and copies.any():
            row = self.by_item(quick[0])
            ways["by copies"] = row if np.isfinite(quick[0]).all() else None
        return ways

    def score_ranges(self, *, outer: bool) -> dict[str, tuple[float, float]]:
        low, high = self.study.facts.leave_one_out.bounds(outer=outer)
        pairs = zip(low.tolist(), high.tolist(), strict=True)
        return dict(zip(self.items, pairs, strict=True))

    def moves(self) -> dict[Unit, float]:
        """How far the scores move without each unit."""
        shifts = self.study.facts.leave_one_out.shifts().tolist()
        return dict(zip(self.numbered, shifts, strict=True))

    def units_that_change_the_order(self) -> set[Unit]:
        out = self.study.facts.leave_one_out
        return self.units_with(out.reordered(self.study.facts.order).tolist())

    def proved_move(self) -> float | None:
        """How far one unit can move the scores, whatever it says."""
        bound = self.study.scorer.sensitivity(self.study.data)
        return None if bound is None else bound.eps

    # Answers

    def order(self) -> list[str]:
        """All items, best first."""
        return [self.items[place] for place in self.study.facts.order]

    def standings(self, k: int) -> dict[str, str]:
        """Whether each item is sure, a contender or out of a top k."""
        return dict(self.study.topk(k).standing_of)

    def topk_document(self, k: int) -> Any:
        """The JSON of the answer."""
        return json.loads(json.dumps(self.study.topk(k).findings()))

    def ranking_document(self) -> Any:
        return json.loads(json.dumps(self.study.ranking().findings()))

    def topk(self, k: int, **settings: Any) -> dict[str, Any]:
        """The list for a top k and what is said of it."""
        with refusals():
            answer = self.study.topk(k, **settings)
        found = {
            "list": list(answer),
            "order": [self.items[place] for place in answer.order],
            "delta": answer.certificate.delta,
            "status": answer.certificate.status,
            "promise": answer.certificate.promise,
            "claim": answer.certificate.sentence,
            "headline": answer.sentence,
            "eps": answer.eps,
        }
        if answer.deletions is None:
            return found
        n_items = len(self.items)
        shares = (answer.deletions.inside / answer.n_units).tolist()
        found |= {
            "sure": list(answer.sure),
            "contenders": list(answer.contenders),
            "shares": dict(zip(self.items, shares, strict=True)),
            "ranks": self.ranks_in(answer),
            "n_changing": answer.deletions.changing_units(),
            "n_uncovered": {
                size: answer.deletions.uncovered_units(size)
                for size in range(k, min(n_items, k + 9))
            },
        }
        return found

    def rows(self, k: int) -> dict[str, dict[str, Any]]:
        """The table of a top k, by item."""
        return {
            row.item: facts_of_row(asdict(row)) for row in self.study.topk(k).rows()
        }

    def flips(self, k: int) -> dict[Unit, tuple[int, frozenset[str], frozenset[str]]]:
        """For each unit that changes the top k: copies, what drops out, what comes in."""
        return {
            self.numbered[flip.number]: (
                flip.count,
                frozenset(flip.leaves),
                frozenset(flip.enters),
            )
            for flip in self.study.flips(k)
        }

    def ranking(self) -> dict[str, Any]:
        with refusals():
            answer = self.study.ranking()
        return {
            "order": list(answer),
            "n_changing": answer.changing,
            "ranks": self.ranks_in(answer),
            "tiers": [list(tier) for tier in answer.tiers],
            "headline": answer.sentence,
            "promise": answer.certificate.promise,
        }

    def ranks_in(self, answer: Any) -> dict[str, tuple[int, int]]:
        """Best and worst rank, of the items of which both are known."""
        ranks = answer.ranks
        if not ranks.exact:
            return {}
        pairs = zip(ranks.best.tolist(), ranks.worst.tolist(), strict=True)
        return dict(zip(self.order(), pairs, strict=False))

    def margin(self, k: int | None = None, **settings: Any) -> dict[str, Any]:
        """The fewest units whose removal changes something: between two numbers."""
        with refusals():
            found = self.study.margin(k, **settings)
        passed, passing = found.pair
        removed = np.repeat(np.arange(len(found.leaving)), found.leaving)
        return {
            "lower": found.lower,
            "upper": found.upper,
            "exact": found.exact,
            "never": found.never,
            "removed": [self.numbered[number] for number in removed.tolist()],
            "passed": passed,
            "passing": passing,
            "leaves": set(found.leaves),
            "enters": set(found.enters),
            "sentence": found.sentence,
        }

    def audit(
        self, ks: Iterable[int], eps: float, methods: list[str] | None = None
    ) -> dict[Any, dict[str, Any]]:
        """For each method and k: the share of units that break it, its size, Jaccard."""
        table = self.study.audit(ks, eps=eps, methods=methods).table
        return {
            (row.method, row.k): {
                "delta": row.delta,
                "size": row.size,
                "jaccard": row.jaccard,
            }
            for row in table
        }

    def curve(self, k: int, eps: float) -> dict[str, float]:
        """The point of the curve of a top k at an inflation."""
        curve = self.study.curve(k)
        return {"delta": float(curve.delta(eps)), "size": int(curve.size(eps))}

    def smallest_eps(self, k: int, delta: float) -> float:
        return self.study.curve(k).smallest_eps(delta)

    def compare(self, newer: Asked) -> dict[str, dict[str, Any]]:
        """What moved from here to newer data, by item."""
        with refusals():
            rows = self.study.compare(newer.study).rows()
        wanted = ("old_place", "new_place", "verdict")
        return {row["item"]: {name: row[name] for name in wanted} for row in rows}

    def explain(self, k: int, item: str) -> dict[str, Any]:
        with refusals():
            found = self.study.explain(k, item)
        gaps = found.gaps_without.tolist()
        contributions = found.contributions.tolist()
        return {
            "rivals": [rival.item for rival in found.rivals],
            "gap": found.gap,
            "gaps_without": dict(zip(self.numbered, gaps, strict=True)),
            "contributions": dict(zip(self.numbered, contributions, strict=True)),
            "adds_up": found.additive,
            "sentence": found.sentence,
        }

    # Inflated sets of many rows at once, for large data.

    def n_broken_inflated(self, k: int, eps: float) -> int:
        """Units whose removal leaves fewer than k items common to both inflated lists."""
        rows = np.vstack([self.study.scores, self._rows])
        inside = sr.inflated_topk_mask(rows, k, eps)
        broken = (inside[0] & inside[1:]).sum(axis=1) < k
        return int(self.study.units.counts @ broken)


def facts_of_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """One line of the table of an answer."""
    return {
        "standing": row["standing"],
        "share": row["share"],
        "rank": row["rank"],
        "ranks": (row["best_rank"], row["worst_rank"]),
        "scores": (row["lowest_score"], row["highest_score"]),
        "score": row["score"],
        "listed": row["listed"],
        "to_flip": row["away"],
    }


def claims_of(promise: str) -> dict[str, Any]:
    """What the words of a promise claim."""
    removed = re.search(r"We removed each of the ([\d,]+) ", promise)
    within = re.search(r"always stayed within these ([\d,]+) names", promise)
    shares = re.search(r"made again shares at least ([\d,]+) ", promise)
    exceptions = re.search(r", except without ([\d,]+) of them", promise)
    return {
        "n_units": number_in(removed),
        "within": number_in(within),
        "shares": number_in(shares),
        "except": number_in(exceptions) or 0,
        "never_changed": "never changed" in promise,
        "within_ranges": "Every rank always stayed within its range" in promise,
        "says_nothing": "This says nothing here" in promise,
        "condition": "as long as every item keeps" in promise,
    }


def number_in(match: re.Match[str] | None) -> int | None:
    return None if match is None else int(match[1].replace(",", ""))


def facts_of_document(document: dict[str, Any]) -> dict[str, Any]:
    """The same facts, from the JSON of an answer."""
    rows = {row["item"]: facts_of_row(row) for row in document["rows"]}
    facts = {"rows": rows, "n_units": document["n_units"]}
    if document["document"] == "ranking":
        return facts
    summary = document["summary"]
    flips: Counter[Any] = Counter()
    for flip in document["flips"]["plain"]["listed"]:
        move = frozenset(flip["leaves"]), frozenset(flip["enters"])
        flips[move] += flip["count"]
    return facts | {
        "n_sure": summary["sure"],
        "n_contenders": summary["contenders"],
        "n_changing": summary["changing_units"],
        "flips": flips,
    }


def matrices(asked: Asked) -> tuple[Any, Any, Any]:
    """Large data as arrays: scores, scores without each distinct unit, copies."""
    return asked.study.scores, asked._rows, asked.study.units.counts
