"""Certificates: sentences that say it all, numbers that are complete, and bounds that hold."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

from steadyrank import Ballots, Ratings, ScoreMatrix, Study, Votes, topk
from steadyrank.errors import NoProofError
from steadyrank.report.export import to_json
from steadyrank.report.markdown import to_markdown
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text
from steadyrank.scorers import (
    Approval,
    Bagged,
    Borda,
    ConstrainedLeastSquares,
    Mean,
    Plurality,
)
from steadyrank.study.certificate import CAVEAT, NOTHING_LEFT_OUT, Claims
from steadyrank.text import counted, plural, rounded_up

# What sentences say.


def flipping(rows=20):
    """A matrix whose plain answers flip easily: two items a hair apart."""
    rng = np.random.default_rng(0)
    return ScoreMatrix(rng.random((rows, 4)))


def every_certificate():
    votes = Votes(["x"] * 30 + ["y"] * 12)
    bagged = Bagged(Plurality(), bags=500, seed=1)
    yield "proved", Study(votes).topk(1, proved=True)
    yield "proved", Study(votes).ranking(proved=True)
    yield "proved", Study(votes).topk(2)
    yield "proved", Study(votes).ranking()
    yield "proved", Study(votes).topk(1, removals=3)
    yield (
        "observed",
        Study(votes, Bagged(Plurality(), bags=500, seed=1)).topk(1),
    )
    yield "observed", Study(votes).topk(1, eps=0.01)
    yield "observed", Study(flipping()).topk(1, eps=1e-6)
    yield "observed", Study(flipping()).ranking(eps=1e-6)
    yield "proved", Study(votes, bagged).topk(1, delta=0.1, proved=True)


def test_sentences_name_n_the_unit_delta_and_what_they_are_not():
    for status, answer in every_certificate():
        certificate = answer.certificate
        assert certificate.status == status
        assert certificate.eps == answer.eps
        assert str(certificate) == certificate.sentence
        assert certificate.sentence.endswith(CAVEAT)
        assert "\n" not in certificate.sentence
        assert certificate.sentence.startswith(("Proved", "Observed on this dataset"))
        assert f"{answer.n_units} {plural(answer.unit)}" in certificate.sentence
        assert f"delta = {rounded_up(certificate.delta)}" in certificate.sentence
        assert "delta" in certificate.sentence


def test_proved_sentences_claim_no_more_than_the_kind_of_data_that_they_name():
    ratings = Ratings(["u", "v", "v"], ["film", "film", "book"], [5, 3, 4])
    weighted = Votes(["x", "y", "x"], weights=[2, 1, 1])
    kinds = {
        "for any ratings from 1 to 5 that these users give to the items they rated": Study(
            ratings, Mean(1.0, value_range=(1, 5))
        ).topk(1, proved=True),
        "for any votes with these weights": Study(weighted).topk(1, proved=True),
    }
    for kind, answer in kinds.items():
        sentence = answer.certificate.sentence
        assert sentence.startswith(
            "Proved for every dataset of this size and the kind named here: "
        )
        assert kind in sentence


def test_sentences_count_in_the_singular_and_the_plural():
    votes = Votes(["x"] * 3 + ["y"] * 2)
    overlap = {"eps": 0.01}
    assert (
        "at least 1 item with" in Study(votes).topk(1, **overlap).certificate.sentence
    )
    assert (
        "at least 2 items with" in Study(votes).topk(2, **overlap).certificate.sentence
    )
    assert "shares a ranking with" in Study(votes).ranking(eps=0.1).certificate.sentence
    for made in (Study(votes).topk(2), Study(votes).ranking()):
        assert "It is not promised" not in made.certificate.promise
    for made in (Study(votes).topk(2, **overlap), Study(votes).ranking(eps=0.1)):
        assert "It is not promised that the new" in made.certificate.promise
    how = {"ties": False}
    assert (
        "every time (delta = 0)"
        in Claims(20, "row", 3, "overlap").observed(0.1, 0, **how).sentence
    )
    assert (
        "except without 1 of them (delta = 0.05)"
        in Claims(20, "row", 3, "overlap").observed(0.1, 1, **how).sentence
    )
    assert (
        "except without 2 of them (delta = 0.6667)"
        in Claims(3, "row", 3, "overlap").observed(0.1, 2, **how).sentence
    )
    assert (
        "each of the 10 countries was"
        in Claims(10, "country", 3, "overlap").observed(0.1, 0, **how).sentence
    )
    assert (
        "dataset of 1 country"
        in Claims(1, "country", 3, "overlap").observed(0.1, 0, **how).sentence
    )


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("vote", "votes"),
        ("ballot", "ballots"),
        ("user", "users"),
        ("battle", "battles"),
        ("row", "rows"),
        ("group", "groups"),
        ("country", "countries"),
        ("survey", "surveys"),
        ("batch", "batches"),
        ("prompt_id", "prompt_ids"),
        ("y", "ys"),
    ],
)
def test_plurals_of_what_units_are_called(one, many):
    assert plural(one) == many
    assert counted(1, one) == f"1 {one}"
    assert counted(1234, one) == f"1,234 {many}"


def test_the_delta_of_a_chosen_eps_is_exact_and_said_to_be_chosen():
    """More units move the scores by eps than break the ranking: the sentence counts those that break."""
    data = ScoreMatrix(np.random.default_rng(0).random((40, 12)))
    answer = Study(data).topk(6, delta=0.2)
    certificate = answer.certificate
    audited = Study(data).audit(k=6, eps=answer.eps)
    assert 0 < certificate.delta <= 0.2
    assert certificate.delta < audited.share_reaching_eps
    broken = round(certificate.delta * 40)
    assert certificate.numbers == {"n": 40, "broken": broken}
    assert f"except without {broken} of them (delta = {certificate.delta:.3g})" in str(
        certificate
    )
    for chosen in (answer, Study(data).topk(2, delta=0.1)):
        told = chosen.certificate.sentence
        assert told.startswith("Proved for every dataset")
        assert "Observed on this dataset of 40 rows, at eps = " in told
        assert (
            ", chosen on it and kept fixed while rows were left out: each of the"
            in told
        )
        assert chosen.certificate.rule == "covering eps"
    for by_hand in (
        Study(data).ranking(eps=answer.eps),
        Study(data).topk(1, eps=1e-6),
    ):
        assert ", which was given: each of the" in by_hand.certificate.sentence
        assert by_hand.certificate.rule == "audit"


def test_an_eps_that_inflates_ties_alone_is_not_told_as_if_it_said_something():
    told = Study(Votes(["x"] * 9 + ["y"] * 2)).topk(1, delta=0.1).certificate
    assert "eps" not in told.sentence
    assert "with equal scores kept together" in told.sentence
    assert "eps" not in told.promise


def test_bounds_are_rounded_outward():
    """A probability that is below 1 is never shown as 1, nor a delta above 0 as 0."""
    votes = Votes(["x"] * 30 + ["y"] * 12)
    scorer = Bagged(Plurality(), bags=400, size=2, seed=1)
    numbers = scorer.bagging_numbers(votes)
    told = (
        Claims(42, "vote", 1, "overlap").proved_by_bagging(0.1, 1e-6, numbers).promise
    )
    assert "probability at least 0.9999 (delta = 1e-06)" in told
    million = Claims(10**9, "vote", 3, "cover").observed(1e-9, 1, ties=False)
    assert "(delta = 1e-09)" in million.sentence
    assert "at eps = 1e-09" in million.sentence


def test_an_audited_eps_counts_what_breaks():
    data = flipping()
    certificate = Study(data).topk(1, eps=1e-6).certificate
    audited = Study(data).audit(k=1, eps=1e-6).row("inflated_topk", 1)
    assert certificate.delta == audited.delta > 0
    assert certificate.numbers == {"n": 20, "broken": len(audited.broken)}


def test_a_bagged_certificate_has_all_numbers_of_its_bound():
    votes = Votes(["x"] * 30 + ["y"] * 12)
    scorer = Bagged(Plurality(), bags=400, size=10, seed=1)
    certificate = Study(votes, scorer).topk(1, delta=0.2, proved=True).certificate
    numbers = certificate.numbers
    assert set(numbers) == {
        "n", "size", "bags", "replace", "p", "q", "C", "finite_bags", "radius_squared",
    }  # fmt: skip
    assert (numbers["n"], numbers["size"], numbers["bags"]) == (42, 10, 400)
    assert numbers["finite_bags"] == 2 / 400
    assert numbers["radius_squared"] == 0.5
    assert numbers["C"] == pytest.approx((10 / 42) / (1 - 10 / 42) / 41)
    bound = 0.5 * (numbers["C"] + 2 / 400)
    assert certificate.eps**2 * certificate.delta == pytest.approx(bound, rel=1e-5)
    assert certificate.eps**2 * certificate.delta > bound
    assert "2/B = 0.005" in certificate.sentence
    assert "400 bags" in certificate.sentence
    assert not certificate.vacuous


def test_a_bagged_bound_that_promises_nothing_is_no_proof():
    """The eps that delta takes exceeds the distance of any two possible outputs."""
    votes = Votes(["x"] * 30 + ["y"] * 12)
    few = Bagged(Plurality(), bags=2, seed=1)
    asked = {"proved": True}
    study = Study(votes, few)
    for ask in (study.ranking, lambda **asked: study.topk(1, **asked)):
        with pytest.raises(
            NoProofError, match=r"proves nothing.*more bags, smaller bags"
        ):
            ask(delta=0.01, **asked)
    numbers = few.bagging_numbers(votes)
    edge = (numbers["C"] + numbers["finite_bags"]) / 4
    assert study.topk(1, delta=edge * 1.01, **asked).eps < 2 * math.sqrt(0.5)
    with pytest.raises(NoProofError):
        study.topk(1, delta=edge, **asked)
    for eps in (2 * math.sqrt(0.5) * 1.01, math.sqrt((numbers["C"] + 1) / 2) / 2):
        with pytest.raises(NoProofError, match="proves nothing"):
            study.topk(1, eps=eps, **asked)


def test_certificates_are_values():
    one, two = (
        Study(Votes(["x", "x", "y"])).topk(1, proved=True).certificate for _ in range(2)
    )
    assert one == two
    assert hash(one) == hash(two)
    assert copy.deepcopy(one) == one
    assert dataclasses.asdict(one)["numbers"] == {
        "n": 3,
        "L": 2,
        "bound": one.numbers["bound"],
    }


# What bounds promise: sensitivity, end to end.

L, N = 4, 6
orders = st.permutations(list("abcd"))
sets = st.sets(st.sampled_from("abcd"))
ordinary = st.floats(0, 1).map(lambda value: value if value > 1e-110 else 0.0)
cells = st.one_of(st.sampled_from([0.0, 1.0]), ordinary)


def proved_and_kept(data, scorer=None):
    """Return how near the largest shift comes to the proved bound, having checked that it holds."""
    ks = range(1, data.n_items + 1)
    answer = Study(data, scorer).topk(data.n_items, proved=True)
    result = Study(data, scorer).audit(k=ks, eps=answer.eps)
    assert result.share_reaching_eps == 0
    assert all(
        row.delta == 0 for row in result.table if row.method.startswith("inflated")
    )
    return float(result.shifts.max()) / answer.certificate.numbers["bound"]


@given(st.lists(st.integers(0, L - 1), min_size=2, max_size=12))
def test_votes_keep_their_promise(choices):
    assert proved_and_kept(Votes(choices, items=range(L))) <= 1 + 1e-12


@given(
    st.lists(orders, min_size=2, max_size=8),
    st.lists(st.integers(1, 4), min_size=8, max_size=8),
)
def test_borda_points_keep_their_promise(ballots, lengths):
    partial = [
        list(order[:length]) for order, length in zip(ballots, lengths, strict=False)
    ]
    assert proved_and_kept(Ballots(partial, items=list("abcd")), Borda()) <= 1 + 1e-12


@given(st.lists(sets, min_size=2, max_size=8))
def test_approvals_keep_their_promise(ballots):
    data = Ballots(ballots, items=list("abcd"), approval=True)
    assert proved_and_kept(data, Approval()) <= 1 + 1e-12


@given(st.lists(st.lists(cells, min_size=3, max_size=3), min_size=2, max_size=7))
def test_bounded_column_means_keep_their_promise(values):
    assert proved_and_kept(ScoreMatrix(values), Mean(value_range=(0, 1))) <= 1 + 1e-12


@given(st.data())
def test_bounded_ratings_keep_their_promise(draw):
    pairs = [(user, film) for user in range(4) for film in range(3)]
    chosen = draw.draw(st.lists(st.sampled_from(pairs), min_size=4, unique=True))
    users, films = zip(*sorted(chosen), strict=True)
    if len(set(users)) < 2:
        users = (*users, 9)
        films = (*films, 0)
    values = draw.draw(
        st.lists(st.integers(1, 5), min_size=len(users), max_size=len(users))
    )
    data = Ratings(users, films, values, items=range(3))
    assert proved_and_kept(data, Mean(1.0, value_range=(1, 5))) <= 1 + 1e-9


def test_every_bound_is_reached():
    """One unit against all the others: the bounds cannot be smaller."""
    ends = np.vstack([np.ones((1, L)), np.zeros((N - 1, L))])
    extremes = [
        (Votes([0] + [1] * (N - 1)), None),
        (Ballots([list("abcd")] + [list("dcba")] * (N - 1)), Borda()),
        (Ballots([set("abcd")] + [set()] * (N - 1), approval=True), Approval()),
        (ScoreMatrix(ends), Mean(value_range=(0, 1))),
        (
            ScoreMatrix(np.repeat(ends, 2, axis=0), units=np.arange(2 * N) // 2),
            Mean(value_range=(0, 1)),
        ),
        (
            Ratings([0, 0, 1, 1], [0, 1, 0, 1], [5, 5, 0, 0]),
            Mean(1.0, value_range=(0, 5)),
        ),
    ]
    reached = [proved_and_kept(data, scorer) for data, scorer in extremes]
    assert reached == pytest.approx([1.0] * len(extremes), rel=1e-9)


# What bounds promise: bagging, by simulation.


def squared_shifts(data, make, repetitions):
    """Return the squared shifts, one row for each seed: the expectation is over the bags."""
    return np.array(
        [make(seed).leave_one_out(data).shifts() ** 2 for seed in range(repetitions)]
    ) @ (data.units.counts / data.units.total)


@pytest.mark.parametrize(
    ("size", "replace", "bags"),
    [(4, False, 5), (1, False, 1), (6, False, 3), (5, True, 4)],
)
def test_bagging_keeps_its_promise_on_average_over_the_bags(size, replace, bags):
    data = Votes([0, 0, 0, 1, 1, 2, 3, 3])

    def make(seed):
        return Bagged(Plurality(), bags=bags, size=size, replace=replace, seed=seed)

    squares = squared_shifts(data, make, 250)
    numbers = make(0).bagging_numbers(data)
    bound = numbers["radius_squared"] * (numbers["C"] + numbers["finite_bags"])
    error = squares.std() / math.sqrt(len(squares))
    assert squares.mean() - 3 * error <= bound


def test_the_price_of_finitely_many_bags_is_real():
    """Bags of one vote, all votes different: the 2/B term is reached, and C alone is far exceeded."""
    data = Votes(range(10))
    squares = squared_shifts(
        data, lambda seed: Bagged(Plurality(), bags=2, size=1, seed=seed), 250
    )
    numbers = Bagged(Plurality(), bags=2, size=1).bagging_numbers(data)
    radius = numbers["radius_squared"]
    assert squares.mean() > 20 * radius * numbers["C"]
    assert squares.mean() == pytest.approx(radius * numbers["finite_bags"], rel=0.05)


def test_the_share_that_breaks_stays_below_the_proved_delta():
    data = Votes([0] * 5 + [1] * 5 + [2] * 2)
    broken, uncovered = [], []
    for seed in range(30):
        scorer = Bagged(Plurality(), bags=40, size=2, seed=seed)
        study = Study(data, scorer)
        covering = study.topk(1, delta=0.4, proved=True)
        listed = set(covering.indices.tolist())
        uncovered.append(
            sum(
                int(count)
                for block in study.facts.leave_one_out.blocks()
                for row, count in zip(
                    block.dense(study.scores), study.units.counts, strict=True
                )
                if not {*topk(row, 1).tolist()} <= listed
            )
            / data.n_units
        )
        answer = study.topk(1, eps=covering.eps, proved=True)
        assert answer.certificate.delta == pytest.approx(0.4, rel=1e-5)
        result = study.audit(k=1, eps=answer.eps, methods=["inflated_topk"])
        assert result.table[0].delta <= result.share_reaching_eps
        broken.append(result.share_reaching_eps)
    assert np.mean(broken) <= 0.4
    assert np.mean(uncovered) <= 0.4


def test_radii_hold_every_output():
    rng = np.random.default_rng(0)
    votes, ballots = Votes([0, 1, 2]), Ballots([[0, 1, 2]])
    centre = {Plurality: 1 / 3, Borda: 1.0, Approval: 0.5}
    for scorer, data in ((Plurality(), votes), (Borda(), ballots)):
        radius = scorer.output_radius_squared(data)
        for _ in range(50):
            other = (
                Votes(rng.integers(0, 3, 4), items=range(3))
                if scorer == Plurality()
                else Ballots(
                    [rng.permutation(3)[: rng.integers(1, 4)].tolist()], items=range(3)
                )
            )
            distance = ((scorer.score(other) - centre[type(scorer)]) ** 2).sum()
            assert distance <= radius * (1 + 1e-12)
    assert Plurality().output_radius_squared(votes) == pytest.approx(2 / 3)
    assert Borda().output_radius_squared(ballots) == 2.0
    assert Approval().output_radius_squared(ballots) == 0.75
    matrix = ScoreMatrix(np.eye(3))
    assert Mean(value_range=(-1, 3)).output_radius_squared(matrix) == 12.0
    assert Mean().output_radius_squared(matrix) is None
    assert Mean(1.0, value_range=(1, 5)).output_radius_squared(matrix) == 3 * 25 / 4
    assert ConstrainedLeastSquares(radius=2.0).output_radius_squared(matrix) == 4.0


# An eps that was given reads back; a list of every item claims nothing.


@pytest.mark.parametrize("eps", [0.10101525, 1 / 3, 0.5, 2.0, 1e-7, 0.1 + 0.2])
def test_a_given_eps_is_printed_so_that_it_reads_back(eps):
    data = ScoreMatrix(np.random.default_rng(3).random((30, 5)))
    study, page = Study(data), Terminal(verbose=True)
    votes = Study(Votes(["x"] * 30 + ["y"] * 12))
    answers = [
        study.topk(2, eps=eps),
        study.ranking(eps=eps),
        votes.topk(1, eps=eps),
    ]
    texts = [text for one in answers for text in (repr(one), one.certificate.sentence)]
    found = [*answers, study.audit(2, eps=eps)]
    texts += [view for one in found for view in views(one, page)]
    for text in texts:
        numbers = re.findall(r"\beps ?= ?([-+.e0-9]*[0-9])", text)
        assert all(float(number) == eps for number in numbers), text
    for answer in answers:
        assert re.search(r"eps = \S", answer.certificate.sentence)
        assert answer.certificate.guarantee == "overlap"
        assert json.loads(to_json(answer.findings()))["certificate"]["eps"] == eps


def views(found, page):
    document = found.findings()
    yield plain_text(document, page)
    yield to_markdown(document, page)
    yield found._repr_html_()


def test_a_chosen_eps_is_still_rounded_up():
    answer = Study(flipping()).topk(1, delta=0.1)
    assert answer.certificate.guarantee == "cover"
    assert (
        f"at eps = {rounded_up(answer.eps)}, chosen on it"
        in answer.certificate.sentence
    )


def test_a_list_of_every_item_says_that_it_claims_nothing():
    votes = Votes(["x"] * 30 + ["y"] * 12)
    for answer in (
        Study(votes).topk(2),
        Study(votes).topk(2, proved=True),
        Study(votes).topk(2, eps=0.5),
        Study(votes).topk(2, removals=3),
        Study(Votes(["x"] * 3)).topk(1),
    ):
        assert answer.certificate.vacuous
        assert answer.certificate.promise.endswith(NOTHING_LEFT_OUT)
        assert NOTHING_LEFT_OUT in answer.certificate.sentence
    assert not Study(votes).topk(1).certificate.vacuous
