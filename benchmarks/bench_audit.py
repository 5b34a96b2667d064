"""The audit against the authors' way, against the cost of scoring, and against one fit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

import authors_way
from measure import Row, anew, at_most, best_times, peak_memory, shown
from paper.lookalike import lookalike_population
from steadyrank import Battles, Ratings, ScoreMatrix, Study, read, topk
from steadyrank.scorers import BradleyTerry, Mean
from steadyrank.scorers.base import known

if TYPE_CHECKING:
    from paper.lookalike import Lookalike

KS = (5, 10, 20, 50, 100)
TOPK = ("topk", "inflated_topk")
SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
RESULTS = {"wins_a": "left", "wins_b": "right", "ties": "tie", "ties_bothbad": "tie"}
ARENA_PAIRS = {
    "left": "model_a",
    "right": "model_b",
    "winner": "result",
    "count": "number",
    "sql": " UNION ALL ".join(
        f"FROM data SELECT model_a, model_b, '{result}' AS result, {column} AS number"
        for column, result in RESULTS.items()
    ),
}
"""The Arena's table has a row for each pair, with a column for each result."""


def run(quick: bool) -> list[Row]:
    population = lookalike_population()
    return [
        authors_row(population, quick),
        answer_row(population.trial(0, n=1000), repeats=10),
        *population_rows(population, quick),
        *battle_rows(quick),
        *matrix_rows(quick),
        *ballot_rows(),
        *margin_rows(),
    ]


def topk_audit(data: Any, k: Any = KS, eps: float = 0.01) -> Any:
    return Study(anew(data)).audit(k=k, eps=eps, methods=TOPK)


def authors_row(population: Lookalike, quick: bool) -> Row:
    """Compare on the paper's shape; the results must be equal before any time is taken."""
    data = population.trial(0, n=1000)
    frame = authors_way.ratings_frame(data.indptr, data.rated, data.values)
    users = list(range(100 if quick else data.n_units))
    start = perf_counter()
    theirs = authors_way.audit_ratings(frame, data.n_items, KS, eps=0.01, users=users)
    base = perf_counter() - start
    if not quick:
        agree(theirs, topk_audit(data))
    (mine,) = best_times([lambda: topk_audit(data)], 10)
    factor = 50 if quick else 500
    return Row(
        f"audit of {len(users):,} users, {len(data.rated):,} ratings, five k, against the authors' way",
        base,
        mine,
        base / mine,
        f"at least {factor}x faster",
        base / mine >= factor,
        "" if quick else "equal deltas, Jaccards and sizes, checked first",
    )


def agree(theirs: Any, ours: Any) -> None:
    """Complain unless every delta, Jaccard and size is the same."""
    for row in ours.table:
        expected = theirs[row.k][
            "inflated top-k" if row.method == "inflated_topk" else "top-k"
        ]
        if (
            abs(expected.delta - row.delta) > 1e-12
            or abs(expected.jaccard - row.jaccard) > 1e-12
        ):
            raise AssertionError(f"{row} differs from the authors' way: {expected}")
        if expected.size != row.size:
            raise AssertionError(f"{row} differs in size: {expected}")


def population_rows(population: Lookalike, quick: bool) -> list[Row]:
    """Audit everybody, against scoring alone; the goal is 1.6 times that, the row fails beyond 3.

    Scoring looks at each rating once, in 2.2 ns; the audit looks at each once more, to find those of the
    items near rank k: 1.0 ns to look its item up and 0.4 ns to list what was found, all of it NumPy's.
    So nothing is below 1.6, and with the rows of units that touch such items it is about 1.95.
    """
    rows = []
    everybody = (
        population.ratings_of(np.arange(10_000)) if quick else population.everybody()
    )
    sizes = [1_000] if quick else [10_000, 100_000]
    for users in [*sizes, everybody.n_units]:
        data = (
            everybody if users == everybody.n_units else first_users(everybody, users)
        )
        row = at_most(
            f"audit of {users:,} users, {len(data.rated):,} ratings, five k, against scoring alone",
            lambda data=data: Mean(1.0).score(anew(data)),
            lambda data=data: topk_audit(data),
            3,
            repeats=3,
        )
        row = replace(row, peak=peak_memory())
        # The target is for the whole population; the smaller ones show how time grows.
        whole = users == everybody.n_units
        rows.append(row if whole else replace(row, target="shown", met=None))
    rows.append(
        at_most(
            f"margin of the top 20, {everybody.n_units:,} users, against scoring alone",
            lambda: Mean(1.0).score(anew(everybody)),
            lambda: Study(anew(everybody)).margin(20),
            10,
            repeats=3,
        )
    )
    rows.append(answer_row(everybody))
    result = topk_audit(everybody)
    rows.append(
        shown(
            f"... and the whole delta(eps) curve for k=20, {everybody.n_units:,} users",
            lambda: result.curve(20),
        )
    )
    return rows


def answer_row(data: Ratings, repeats: int = 3) -> Row:
    """Compare the answer for one k, standings, ranks, shares and cover, with an audit of five."""
    return at_most(
        f"top 20 of {data.n_units:,} users with standings, ranks, shares and cover, against an audit",
        lambda: topk_audit(data),
        lambda: Study(anew(data)).topk(20),
        1.5,
        repeats=repeats,
    )


def first_users(data: Ratings, users: int) -> Ratings:
    stop = int(data.indptr[users])
    return Ratings.from_csr(
        data.indptr[: users + 1],
        data.rated[:stop],
        data.values[:stop],
        items=data.n_items,
    )


def battle_rows(quick: bool) -> list[Row]:
    small, large = (
        league(200, 60_000),
        league(*((300, 60_000) if quick else (1_000, 300_000))),
    )
    rows = [
        fits_row("top 10", small, 30, repeats=5, eps=0.001, methods=TOPK),
        *(
            fits_row(f"{method} alone", large, 30, repeats=2, methods=[method])
            for method in TOPK
        ),
        # A fit of so many is by conjugate gradients, and does without a matrix in most of its steps. One
        # pass over the scores without each battle, 250 million numbers, takes as long as 13 of them.
        fits_row("all four methods", large, 60, repeats=2),
        fits_row(
            "all four methods, ridge 1",
            season(),
            None,
            repeats=3,
            scorer=BradleyTerry(ridge=1.0),
        ),
    ]
    path = SHARED / "battles" / "arena_pairs.csv"
    if path.exists():
        arena = read(path, **ARENA_PAIRS)
        rows.insert(
            0, fits_row("top 10", arena, 30, repeats=10, eps=0.001, methods=TOPK)
        )
        rows.append(arena_margin_row(arena))
    return rows


def arena_margin_row(arena: Battles) -> Row:
    """The interval of how many battles must leave, against one fit, beside a first-order attack."""
    found = Study(anew(arena)).margin(10)
    first = first_order_attack(arena, 10)
    row = at_most(
        f"Bradley-Terry margin of the top 10, {arena.n_units:,} battles, against one fit",
        lambda: BradleyTerry().score(arena),
        lambda: Study(anew(arena)).margin(10),
        100,
        repeats=3,
        note=f"{found.lower} to {found.upper} battles; {first} by first-order influence alone",
    )
    return (
        row
        if found.upper is not None and found.upper <= first
        else replace(row, met=False)
    )


def first_order_attack(data: Battles, k: int) -> int:
    """Take the battles with the largest influence on the gap at rank k away until the top k changes."""
    study = Study(data)
    order = np.argsort(-study.scores, kind="stable")
    scores, items = study.scores, len(data.items)
    chance = 1 / (1 + np.exp(scores[np.newaxis] - scores[:, np.newaxis]))
    turned = data.outcome < 0
    winner, loser = (
        np.where(turned, data.right, data.left),
        np.where(turned, data.left, data.right),
    )
    tied = data.outcome == 0
    weight = data.counts * chance[winner, loser] * chance[loser, winner]
    hessian = np.zeros((items, items))
    for one, other in ((winner, loser), (loser, winner)):
        np.add.at(hessian, (one, one), weight)
        np.add.at(hessian, (one, other), -weight)
    pull = np.linalg.pinv(hessian)[order[k - 1]] - np.linalg.pinv(hessian)[order[k]]
    surprise = np.where(tied, 0.5, 1.0) - chance[winner, loser]
    influence = surprise * (pull[winner] - pull[loser])
    by_influence = np.argsort(-influence, kind="stable")
    before = set(order[:k].tolist())

    def changed(number: int) -> bool:
        upto = np.cumsum(data.counts[by_influence])
        leaving = np.clip(
            number - (upto - data.counts[by_influence]), 0, data.counts[by_influence]
        )
        counts = data.counts.copy()
        counts[by_influence] -= leaving
        names = np.array(["right", "tie", "left"])[data.outcome + 1]
        kept = Battles(data.left, data.right, names, counts=counts, items=range(items))
        return set(topk(BradleyTerry().score(kept), k).tolist()) != before

    low, high = 0, 1
    while not changed(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if changed(middle) else (middle, high)
    return high


def fits_row(
    name: str,
    data: Battles,
    limit: float | None,
    *,
    repeats: int = 1,
    scorer: Any = None,
    **how: Any,
) -> Row:
    """Compare an audit of the top 10 of battles with one fit of them."""
    scorer = BradleyTerry() if scorer is None else scorer
    nearly = scorer.leave_one_out(data).shifts(
        known
    )  # exact ones of all units would take minutes
    eps = how.get("eps") or float(np.quantile(nearly, 0.95))

    def audited() -> None:
        Study(anew(data), scorer).audit(10, **{"eps": eps} | how)

    row = at_most(
        f"Bradley-Terry audit, {name}, {data.n_units:,} battles over {data.n_items:,}, against one fit",
        lambda: scorer.score(data),
        audited,
        limit or 0,
        repeats=repeats,
        note=f"{len(data.units):,} distinct battles left out; eps "
        + ("given" if "eps" in how else "from the shifts"),
    )
    return row if limit else replace(row, target="shown", met=None)


def league(models: int, battles: int) -> Battles:
    """Models of normal strength that meet at random."""
    rng = np.random.default_rng(0)
    strength = rng.normal(size=models)
    left = rng.integers(models, size=battles)
    right = (left + rng.integers(1, models, size=battles)) % models
    return fought(rng, strength, left, right)


def season(players: int = 443, matches: int = 3_076) -> Battles:
    """A season of tennis, as far as its shape goes: the strong play many matches, most play few."""
    rng = np.random.default_rng(0)
    strength = 1.2 * np.sort(rng.normal(size=players))[::-1]
    share = (np.arange(players) + 15.0) ** -1.2
    left, right = rng.choice(players, size=(2, 2 * matches), p=share / share.sum())
    left, right = (side[left != right][:matches] for side in (left, right))
    return fought(rng, strength, left, right)


def fought(rng: np.random.Generator, strength: Any, left: Any, right: Any) -> Battles:
    chance = 1 / (1 + np.exp(strength[right] - strength[left]))
    winner = np.where(rng.random(len(left)) < chance, "left", "right")
    return Battles(left, right, winner, items=range(len(strength)))


def matrix_rows(quick: bool) -> list[Row]:
    rng = np.random.default_rng(1)
    rows = 1_000 if quick else 10_000
    data = ScoreMatrix(
        (rng.random((rows, 200)) < np.linspace(0.6, 0.4, 200)).astype(float)
    )
    score, full = best_times(
        [lambda: Mean().score(anew(data)), lambda: topk_audit(data)], 3
    )
    name = f"audit of a {rows:,} x 200 score matrix, five k, against scoring alone"
    return [Row(name, score, full, full / score, "shown", None)]


def ballot_rows() -> list[Row]:
    path = SHARED / "ballots" / "00001-00000003.soi"
    if not path.exists():
        return []
    data = read(path)
    name = (
        f"Borda audit of {data.n_units:,} ballots x {data.n_items} candidates, k=1,3,5"
    )
    return [shown(name, lambda: topk_audit(data, k=(1, 3, 5), eps=0.001), repeats=3)]


def margin_rows() -> list[Row]:
    """Margins of k = 1 to 20, the cost of one of them, against the audit of one k."""
    complete = "SELECT * FROM data WHERE COLUMNS(*) <> ''"
    files: dict[str, dict[str, Any]] = {
        "ballots/00001-00000003.soi": {},
        "ratings/jester5k.csv.gz": {"item": "joke", "rating": "rating", "unit": "user"},
        "scores/cls_bin_mean.csv": {"wide": True, "unit": "Dataset", "sql": complete},
    }
    return [
        margin_row(read(SHARED / name, **said))
        for name, said in files.items()
        if (SHARED / name).exists()
    ]


def margin_row(data: Any) -> Row:
    ks = range(1, min(20, data.n_items - 1) + 1)

    def margins() -> None:
        study = Study(anew(data))
        for k in ks:
            study.margin(k)

    one, all_of_them = best_times(
        [lambda: topk_audit(data, k=min(10, len(ks)), eps=0.001), margins], 3
    )
    each = all_of_them / len(ks)
    name = f"margin of one k of 1 to {len(ks)}, {data.n_units:,} {data.units.kind}s, {data.n_items} items"  # noqa: E501
    ratio = each / one
    return Row(
        f"{name}, against an audit",
        one,
        each,
        ratio,
        "at most 5x the baseline",
        ratio <= 5,
    )
