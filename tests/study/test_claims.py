"""What answers claim: proved, observed or not at all, and never more than is so."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest

from steadyrank import ScoreMatrix, Study, Votes, ball_topk, inflated_topk
from steadyrank.errors import InvalidValueError, NoProofError
from steadyrank.operators.inflation import just_above
from steadyrank.operators.topk_sets import cover_factor
from steadyrank.scorers import (
    Bagged,
    BradleyTerry,
    Mean,
    Plurality,
    Refit,
    Ridge,
)
from study.answer_cases import (
    approvals,
    ballots,
    battles,
    gappy,
    matrix,
    medians,
    ratings,
    regression,
    votes,
)


@pytest.mark.parametrize(
    ("data", "scorer", "words"),
    [
        (votes(), None, "for any votes"),
        (approvals(), None, "for any ballots"),
        (ballots(), None, "for any ballots"),
        (matrix(), Mean(value_range=(0, 1)), "for any values from 0 to 1"),
        (
            ratings(),
            Mean(1.0, value_range=(1, 5)),
            "that these users give to the items they rated",
        ),
        (gappy(), Mean(value_range=(0, 3)), "where there is one now"),
        (battles(), BradleyTerry(ridge=0.01), "for any battles"),
    ],
    ids=[
        "votes",
        "approval",
        "Borda",
        "column means",
        "mean rating",
        "column means with gaps",
        "Bradley-Terry with a ridge",
    ],
)
def test_proved_answers_have_delta_0_and_state_what_they_hold_for(data, scorer, words):
    study = Study(data, scorer)
    least = just_above(study.scorer.sensitivity(study.data).eps)
    for guarantee, eps in (("overlap", least), ("cover", None)):
        for answer in (
            study.topk(2, proved=True, eps=eps),
            study.ranking(proved=True, eps=eps),
        ):
            certificate, ball = (
                answer.certificate,
                guarantee == "cover" and answer.k is not None,
            )
            factor = (
                cover_factor(data.n_items - 1)
                if guarantee == "cover" and not ball
                else 1.0
            )
            assert (certificate.status, certificate.delta) == ("proved", 0.0)
            assert certificate.guarantee == guarantee
            assert certificate.vacuous == (
                answer.k is not None and answer.size == data.n_items
            )
            assert words in certificate.sentence
            result = Study(data, scorer).audit(k=2, eps=answer.eps)
            assert result.share_reaching_eps == 0
            if ball:
                observed = Study(data, scorer).topk(2)
                assert set(observed.members) <= set(answer.members)
                assert (
                    answer.indices.tolist()
                    == ball_topk(answer.scores, 2, answer.eps).tolist()
                )
                wide = inflated_topk(
                    answer.scores, 2, cover_factor(data.n_items - 2) * answer.eps
                )
                assert set(answer.indices.tolist()) <= set(wide)
            else:
                rows = (result.row("inflated_topk", 2), result.row("inflated_ranking"))
                assert all(row.delta == 0 for row in rows)
                if (
                    guarantee == "cover"
                ):  # of a ranking: every one without a unit is in the set
                    study = Study(data, scorer)
                    for block in study.facts.leave_one_out.blocks():
                        for scores in block.dense(study.scores):
                            assert np.argsort(-scores, kind="stable") in answer.rankings
            bound = factor * certificate.numbers["bound"]
            assert (
                factor * result.shifts.max() <= bound < answer.eps < bound * (1 + 1e-4)
            )


@pytest.mark.parametrize(
    ("data", "scorer"),
    [
        (matrix(), Mean()),
        (ratings(), Mean(1.0)),
        (battles(), BradleyTerry()),
        (regression(), Ridge(penalty=1.0)),
        (matrix(), Refit(medians)),
        (matrix(), Bagged(Mean(), bags=3)),
        (votes(), Bagged(Plurality(), bags=3, size=21)),
    ],
    ids=[
        "matrix",
        "ratings",
        "battles",
        "ridge",
        "refit",
        "bagged, no range",
        "bags of everything",
    ],
)
def test_no_proof_is_made_up(data, scorer):
    for ask in (
        lambda: Study(data, scorer).topk(1, proved=True),
        lambda: Study(data, scorer).ranking(proved=True),
    ):
        with pytest.raises(NoProofError, match="Omit proved=True") as caught:
            ask()
        assert scorer.name in str(caught.value)


def test_no_bagging_proves_delta_0():
    with pytest.raises(NoProofError, match="delta = 0"):
        Study(votes(), Bagged(Plurality(), bags=9)).topk(1, delta=0, proved=True)


@pytest.mark.parametrize("n", [2, 3, 7, 49, 1000, 123_457])
def test_for_votes_just_above_root_2_over_n_is_proved(n):
    data = Votes(["x", "y"], counts=[n - 1, 1])
    edge = math.sqrt(2) / n
    study, bound = Study(data), cover_factor(1) * edge
    assert bound < study.ranking(proved=True).eps == pytest.approx(bound, rel=1e-5)
    assert edge < study.topk(1, proved=True).eps == pytest.approx(edge, rel=1e-5)
    for ask in (partial(study.topk, 1), study.ranking):
        assert ask(eps=just_above(edge), proved=True).certificate.status == "proved"
        with pytest.raises(
            NoProofError, match=r"an eps below .* Give a larger eps=..."
        ):
            ask(eps=edge, proved=True)
    # The theorem is tight: the one vote against n - 1 moves the shares by exactly that much.
    on_edge, off_edge = (
        Study(data).audit(k=1, eps=eps) for eps in (edge, edge * (1 + 1e-8))
    )
    assert on_edge.share_reaching_eps == (1 if n == 2 else 1 / n)
    assert off_edge.share_reaching_eps == 0


@pytest.mark.parametrize("n", [3, 7, 49, 1000])
def test_an_eps_that_rounding_cannot_tell_from_the_bound_is_not_proved(n):
    """The operators lower eps by more than one unit in the last place, so a proof needs more."""
    data = Votes(["x", "y"], counts=[n - 1, 1])
    bound = Plurality().sensitivity(data)
    assert Study(data).topk(1, proved=True).eps > math.nextafter(bound.eps, 1)
    # An eps that is given is audited, and this one holds on these data.
    observed = Study(data).topk(1, eps=math.nextafter(bound.eps, 1)).certificate
    assert (observed.status, observed.delta) == ("observed", 0.0)


def test_a_delta_never_exceeds_its_bound_on_the_boundary():
    """Rounding makes the shift a hair less than eps, and the operators call it a boundary case."""
    found = 0
    for n in range(2, 60):
        gap = 1 / (2 * n - 1)
        rest = np.full((n - 1, 2), 0.5) + np.array([-gap, gap]) / 2
        one = n * (np.array([0.5 + gap / 2, 0.5 - gap / 2])) - rest.sum(axis=0)
        data = ScoreMatrix(np.vstack([one, rest]))
        eps = float(Study(data).audit(k=1, eps=1.0, methods=[]).shifts[0])
        for nudged in (np.nextafter(eps, 0), eps, np.nextafter(eps, 1)):
            result = Study(data).audit(k=1, eps=nudged)
            for row in result.table[1::2]:
                assert row.delta <= result.share_reaching_eps
                found += row.delta > 0
    assert found  # these are boundary cases indeed


def test_an_eps_given_by_hand_is_audited():
    data = votes()
    for eps in (0.001, 0.5):
        found = Study(data).topk(2, eps=eps).certificate
        assert (found.status, found.rule) == ("observed", "audit")
        assert (
            found.delta == Study(data).audit(k=2, eps=eps).row("inflated_topk", 2).delta
        )
        assert Study(data).ranking(eps=eps).certificate.status == "observed"


def test_a_bagged_scorer_is_audited_unless_a_proof_is_asked_for():
    scorer = Bagged(Plurality(), bags=40, seed=3)
    observed = Study(votes(), scorer).topk(2, eps=0.02).certificate
    assert observed.status == "observed"
    audited = Study(votes(), scorer).audit(k=2, eps=0.02).row("inflated_topk", 2)
    assert observed.delta == audited.delta
    assert (
        Study(votes(), scorer).topk(2, delta=0.3, proved=True).certificate.rule
        == "bagging"
    )


def test_an_eps_given_for_a_ranking_is_audited():
    data = matrix()
    for eps in (0.01, 0.05, 0.1):
        row = Study(data).audit(k=1, eps=eps).row("inflated_ranking")
        assert Study(data).ranking(eps=eps).certificate.delta == row.delta
        assert Study(data).ranking(eps=eps).certificate.guarantee == "overlap"


def test_no_ranking_is_made_for_a_share_of_units():
    with pytest.raises(InvalidValueError, match=r"Omit delta=\.\.\., or give eps="):
        Study(matrix()).ranking(delta=0.1)


def test_bagging_proves_a_share_for_an_eps_and_an_eps_for_a_share():
    study = Study(votes(), Bagged(Plurality(), bags=400, seed=3))
    covering = study.topk(2, delta=0.3, proved=True)
    overlapping = study.topk(2, eps=covering.eps, proved=True).certificate
    assert overlapping.delta == pytest.approx(0.3, rel=1e-5)
    assert (overlapping.status, overlapping.guarantee) == ("proved", "overlap")
    wider = study.topk(2, eps=1.2 * covering.eps, proved=True).certificate
    assert wider.delta == pytest.approx(0.3 / 1.44, rel=1e-5)
