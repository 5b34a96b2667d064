"""Stable answers for every kind of data and scorer: what is promised, what is shown, what is refused."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from oracles.leaving_out import brute_audit, differences
from steadyrank import (
    Ballots,
    Battles,
    Ratings,
    Regression,
    ScoreMatrix,
    Study,
    Votes,
    audit,
    critical_eps,
    inflated_ranking,
    inflated_topk,
    rank_intervals,
    stable_ranking,
    stable_topk,
    tiers,
    topk,
)
from steadyrank.errors import (
    InvalidKError,
    InvalidValueError,
    NoProofError,
    SteadyrankError,
    WrongDataError,
)
from steadyrank.scorers import (
    Approval,
    Bagged,
    Borda,
    BradleyTerry,
    ColumnMeans,
    ConstrainedLeastSquares,
    MeanRating,
    OrdinaryLeastSquares,
    Plurality,
    Refit,
    Ridge,
)
from steadyrank.stability.calibration import allowed_units, exceeded_by_at_most

MODELS = ("Ärger", "模型", "gpt 4", "z")


def votes():
    return Votes(["Ärger"] * 7 + ["模型"] * 6 + ["gpt 4"] * 6 + ["z"] * 2, items=MODELS)


def ballots():
    orders = [[1, 2, 3, 4], [2, (1, 3)], [3, 1], [(1, 2), 4], [4, 3, 2, 1]]
    return Ballots(orders, counts=[3, 2, 2, 1, 2])


def approvals():
    return Ballots([{"x", "y"}, {"y"}, set(), {"z", "x"}], counts=[4, 3, 1, 3], approval=True)


def ratings():
    rng = np.random.default_rng(1)
    pairs = [(user, film) for user in range(9) for film in range(6) if rng.random() < 0.6]
    users, films = zip(*pairs, strict=True)
    return Ratings(users, films, rng.integers(1, 6, len(pairs)))


def battles(units=None):
    rng = np.random.default_rng(2)
    left = rng.integers(0, 4, 60)
    right = (left + rng.integers(1, 4, 60)) % 4
    outcome = np.where(rng.random(60) < 0.15, 0.5, rng.random(60) < 0.5 + 0.1 * (left - right))
    groups = None if units is None else [f"worker {code}" for code in rng.integers(0, 12, 60)]
    names = np.array(MODELS)
    return Battles(names[left], names[right], outcome, units=groups, unit_kind="worker")


def matrix(**settings):
    rng = np.random.default_rng(3)
    return ScoreMatrix(rng.random((12, 5)), items=list("abcde"), **settings)


def gappy():
    rng = np.random.default_rng(4)
    values = rng.integers(0, 4, (10, 5)).astype(float)
    values[rng.random((10, 5)) < 0.2] = np.nan
    return ScoreMatrix(values, missing="available")


def regression():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(14, 4))
    return Regression(X, X @ [0.4, 0.3, 0.25, 0.0] + rng.normal(size=14), items=MODELS)


def medians(data):
    return np.median(data.values, axis=0)


CASES = {
    "votes": (votes, Plurality()),
    "ballots": (ballots, Borda()),
    "approvals": (approvals, Approval()),
    "approvals by Borda": (approvals, Borda()),
    "ratings": (ratings, MeanRating()),
    "ratings, shrinkage 3": (ratings, MeanRating(shrinkage=3.0)),
    "battles": (battles, BradleyTerry(ridge=0.01)),
    "workers": (lambda: battles("worker"), BradleyTerry(ridge=0.5)),
    "matrix": (matrix, ColumnMeans()),
    "groups of rows": (lambda: matrix(units=[0, 1, 1, 2, 2, 2, 3, 4, 4, 5, 6, 7]), ColumnMeans()),
    "matrix with gaps": (gappy, ColumnMeans()),
    "constrained": (regression, ConstrainedLeastSquares()),
    "ridge": (regression, Ridge(penalty=1.0)),
    "least squares": (regression, OrdinaryLeastSquares()),
    "refit": (matrix, Refit(medians)),
    "bagged": (votes, Bagged(Plurality(), bags=30, seed=1)),
}

TARGETS = (0.0, 0.1, 0.3)


@pytest.fixture(params=CASES, scope="module")
def case(request):
    make, scorer = CASES[request.param]
    return make(), scorer


@pytest.mark.parametrize("delta", TARGETS)
def test_a_stable_topk_keeps_to_its_target_and_a_smaller_eps_does_not(case, delta):
    data, scorer = case
    for k in range(1, data.n_items + 1):
        answer = stable_topk(data, k, delta=delta, guarantee="overlap", scorer=scorer)
        result = audit(data, k=k, eps=answer.eps, scorer=scorer, methods=["inflated_topk"])
        audited = result.row("inflated_topk", k)
        assert audited.delta == answer.certificate.delta <= delta
        assert audited.size == answer.size
        curve = result.curve(k)
        if answer.eps != curve.tie_eps:
            less = answer.eps * (1 - 1e-5)
            assert curve.delta(less) > delta
            smaller = audit(data, k=k, eps=less, scorer=scorer, methods=["inflated_topk"])
            assert smaller.table[0].delta > delta
        else:  # ties alone decide: no unit beyond the target breaks at any eps
            assert (curve.counts[curve.breaking_eps > 0].sum()) / data.n_units <= delta


@pytest.mark.parametrize("delta", TARGETS)
def test_a_stable_ranking_keeps_to_its_target_and_a_smaller_eps_does_not(case, delta):
    data, scorer = case
    answer = stable_ranking(data, delta=delta, guarantee="overlap", scorer=scorer)
    result = audit(data, k=1, eps=answer.eps, scorer=scorer, methods=["inflated_ranking"])
    assert result.row("inflated_ranking").delta == answer.certificate.delta <= delta
    curve = result.ranking_curve()
    assert curve.delta(answer.eps) == answer.certificate.delta <= result.share_reaching_eps
    if answer.eps != curve.tie_eps:
        less = answer.eps * (1 - 1e-5)
        smaller = audit(data, k=1, eps=less, scorer=scorer, methods=["inflated_ranking"])
        assert smaller.table[0].delta == curve.delta(less) > delta
    else:  # ties alone decide: no unit beyond the target breaks at any eps
        assert (curve.counts[curve.breaking_eps > 0].sum()) / data.n_units <= delta


# The bags of a bagged scorer depend on the number of the unit: see test_refits.py.
@pytest.mark.parametrize("name", [name for name in CASES if name != "bagged"])
def test_the_audit_at_the_chosen_eps_is_that_of_brute_force(name):
    data, scorer = CASES[name][0](), CASES[name][1]
    ks = [1, 2, data.n_items]
    for eps in (stable_topk(data, 2, delta=0.1, scorer=scorer).eps, 0.07):
        result = audit(data, k=ks, eps=eps, scorer=scorer)
        assert not differences(result, brute_audit(data, scorer, ks, eps), tolerance=1e-9)


def test_what_a_topk_shows_is_what_the_operators_say(case):
    data, scorer = case
    for k in (1, 2, data.n_items):
        answer = stable_topk(data, k, eps=0.05, scorer=scorer, claim="none")
        plain = inflated_topk(answer.scores, k, answer.eps)
        assert answer.members == tuple(data.items[j] for j in plain.indices)
        with pytest.raises(SteadyrankError, match="no unit was left out"):
            _ = answer.sure
        assert (answer.k, answer.size) == (k, len(plain))
        np.testing.assert_array_equal(answer.critical_eps, critical_eps(answer.scores, k))
        np.testing.assert_array_equal(answer.rank_intervals, rank_intervals(answer.scores, 0.05))
        rows = list(answer.rows())
        assert [row.item for row in rows] == [data.items[j] for j in topk(answer.scores, data.n_items)]
        assert [row.rank for row in rows] == list(range(1, data.n_items + 1))
        for row in rows:
            blank = (row.standing, row.best_rank, row.worst_rank, row.share, row.away)
            assert set(blank) == {None}  # nobody was left out
            # A member is what the critical eps and the best rank of the set say it is.
            member = row.item in answer.members
            assert member == (row.critical_eps < answer.eps) == (row.inflated_best <= k)
        assert list(answer.rows(2)) == rows[:2]


def test_what_a_ranking_shows_is_what_the_operators_say(case):
    data, scorer = case
    answer = stable_ranking(data, eps=0.05, scorer=scorer, claim="none")
    orders = [tuple(order.tolist()) for order in inflated_ranking(answer.scores, 0.05)]
    assert answer.rankings.count() == len(orders)
    assert answer.ranking == tuple(data.items[j] for j in orders[0])
    assert [len(tier) for tier in answer.tiers] == [len(t) for t in tiers(answer.scores, 0.05)]
    assert sum(answer.tiers, ()) == answer.ranking
    for row in answer.rows():
        places = {order.index(data.items.index(row.item)) + 1 for order in orders}
        assert (row.inflated_best, row.inflated_worst) == (min(places), max(places))
        assert {row.standing, row.best_rank, row.worst_rank, row.critical_eps} == {None}


def test_labels_units_and_policies_survive_to_the_answer(case):
    data, scorer = case
    for answer in (stable_topk(data, 1, scorer=scorer), stable_ranking(data, scorer=scorer)):
        assert answer.items == data.items
        assert answer.unit == data.units.kind
        assert answer.n_units == data.units.total
        assert answer.scorer == scorer.name
        assert set(data.notes) < set(answer.notes)
        assert any(f"one {data.units.kind}, of {data.n_units}" in note for note in answer.notes)
        assert any("equal scores" in note for note in answer.notes)
    assert audit(data, k=1, eps=0.1, scorer=scorer).notes == answer.notes


def test_numbers_stay_numbers_and_foreign_letters_stay_themselves():
    assert stable_topk(ballots(), 4, delta=0).members == stable_ranking(ballots(), delta=0).ranking
    assert set(stable_topk(ballots(), 4, delta=0).members) == {1, 2, 3, 4}
    assert stable_topk(votes(), 1, delta=0).members == ("Ärger",)
    assert stable_topk(votes(), 1, eps=0.2).members == ("Ärger", "模型", "gpt 4")


def test_missing_values_are_said_with_the_answer():
    assert any("missing values left out of the means" in note for note in stable_topk(gappy(), 2).notes)


@pytest.mark.parametrize(
    ("data", "scorer", "words"),
    [
        (votes(), None, "for any votes"),
        (approvals(), None, "for any ballots"),
        (ballots(), None, "for any ballots"),
        (matrix(), ColumnMeans(value_range=(0, 1)), "for any values from 0 to 1"),
        (ratings(), MeanRating(value_range=(1, 5)), "that these users give to the items they rated"),
        (gappy(), ColumnMeans(value_range=(0, 3)), "where there is one now"),
        (battles(), BradleyTerry(ridge=0.01), "for any battles"),
        (regression(), Ridge(1.0, feature_bound=10, response_bound=9), "|y| <= 9.0, and eps"),
        (regression(), None, "for any data"),
    ],
    ids=[
        "votes",
        "approval",
        "Borda",
        "column means",
        "mean rating",
        "column means with gaps",
        "Bradley-Terry with a ridge",
        "ridge",
        "size of the ball",
    ],
)
def test_proved_answers_have_delta_0_and_state_what_they_hold_for(data, scorer, words):
    for guarantee, factor in (("overlap", 1.0), ("cover", 2 + math.sqrt(2))):
        for answer in (
            stable_topk(data, 2, scorer=scorer, claim="proved", guarantee=guarantee),
            stable_ranking(data, scorer=scorer, claim="proved", guarantee=guarantee),
        ):
            certificate = answer.certificate
            assert (certificate.status, certificate.delta) == ("proved", 0.0)
            everything = (critical_eps(answer.scores, answer.k or 1) < answer.eps).all()
            assert certificate.vacuous == everything
            assert words in certificate.sentence
            result = audit(data, k=2, eps=answer.eps, scorer=scorer)
            assert result.share_reaching_eps == 0
            for row in (result.row("inflated_topk", 2), result.row("inflated_ranking")):
                assert row.delta == 0
                assert guarantee == "overlap" or row.uncovered == 0
            bound = factor * certificate.numbers["bound"]
            assert factor * result.shifts.max() <= bound < answer.eps < bound * (1 + 1e-4)


@pytest.mark.parametrize(
    ("data", "scorer"),
    [
        (matrix(), ColumnMeans()),
        (ratings(), MeanRating()),
        (battles(), BradleyTerry()),
        (regression(), Ridge(penalty=1.0)),
        (matrix(), Refit(medians)),
        (matrix(), Bagged(ColumnMeans(), bags=3)),
        (votes(), Bagged(Plurality(), bags=3, size=21)),
    ],
    ids=["matrix", "ratings", "battles", "ridge", "refit", "bagged, no range", "bags of everything"],
)
def test_no_proof_is_made_up(data, scorer):
    for ask in (
        lambda: stable_topk(data, 1, scorer=scorer, claim="proved"),
        lambda: stable_ranking(data, scorer=scorer, claim="proved"),
    ):
        with pytest.raises(NoProofError, match='claim="observed"') as caught:
            ask()
        assert scorer.name in str(caught.value)


def test_no_bagging_proves_delta_0():
    with pytest.raises(NoProofError, match="delta = 0"):
        stable_topk(votes(), 1, delta=0, scorer=Bagged(Plurality(), bags=9), claim="proved")


@pytest.mark.parametrize("n", [2, 3, 7, 49, 1000, 123_457])
def test_root_2_over_n_is_not_proved_for_votes_and_just_above_is(n):
    data = Votes(["x", "y"], counts=[n - 1, 1])
    edge = math.sqrt(2) / n
    for guarantee, bound in (("overlap", edge), ("cover", (2 + math.sqrt(2)) * edge)):
        asked = {"claim": "proved", "guarantee": guarantee}
        with pytest.raises(NoProofError, match="no rule proves anything"):
            stable_topk(data, 1, eps=bound, **asked)
        with pytest.raises(NoProofError):
            stable_ranking(data, eps=bound, **asked)
        above = stable_topk(data, 1, eps=bound * (1 + 1e-8), **asked).certificate
        assert (above.status, above.delta) == ("proved", 0.0)
        assert stable_topk(data, 1, **asked).eps == pytest.approx(bound, rel=1e-5)
    # The theorem is tight: the one vote against n - 1 moves the shares by exactly that much.
    on_edge, off_edge = (audit(data, k=1, eps=eps) for eps in (edge, edge * (1 + 1e-8)))
    assert on_edge.share_reaching_eps == (1 if n == 2 else 1 / n)
    assert off_edge.share_reaching_eps == 0


@pytest.mark.parametrize("n", [3, 7, 49, 1000])
def test_an_eps_that_rounding_cannot_tell_from_the_bound_is_not_proved(n):
    """The operators lower eps by more than one unit in the last place, so a proof needs more."""
    data = Votes(["x", "y"], counts=[n - 1, 1])
    bound = Plurality().sensitivity(data)
    with pytest.raises(NoProofError):
        stable_topk(data, 1, eps=math.nextafter(bound.eps, 1), claim="proved")
    # Without a proof it is audited instead, and holds on these data.
    observed = stable_topk(data, 1, eps=math.nextafter(bound.eps, 1)).certificate
    assert (observed.status, observed.delta) == ("observed", 0.0)


def test_a_delta_never_exceeds_its_bound_on_the_boundary():
    """Rounding makes the shift a hair less than eps, and the operators call it a boundary case."""
    found = 0
    for n in range(2, 60):
        gap = 1 / (2 * n - 1)
        rest = np.full((n - 1, 2), 0.5) + np.array([-gap, gap]) / 2
        one = n * (np.array([0.5 + gap / 2, 0.5 - gap / 2])) - rest.sum(axis=0)
        data = ScoreMatrix(np.vstack([one, rest]))
        eps = float(audit(data, k=1, eps=1.0, methods=[]).shifts[0])
        for nudged in (np.nextafter(eps, 0), eps, np.nextafter(eps, 1)):
            result = audit(data, k=1, eps=nudged)
            for row in result.table[1::2]:
                assert row.delta <= result.share_reaching_eps
                found += row.delta > 0
    assert found  # these are boundary cases indeed


def test_an_eps_given_by_hand_is_claimed_as_asked():
    data = votes()
    none = stable_topk(data, 2, eps=0.5, claim="none").certificate
    assert (none.status, none.delta, none.rule) == ("none", None, "given")
    # 0.5 is far above sqrt(2)/21: a proof for all votes covers these, without leaving any out.
    assert stable_topk(data, 2, eps=0.5).certificate.status == "proved"
    low = stable_topk(data, 2, eps=0.001).certificate
    assert (low.status, low.rule) == ("observed", "audit")
    assert low.delta == audit(data, k=2, eps=0.001).row("inflated_topk", 2).uncovered
    assert stable_ranking(data, eps=0.001).certificate.status == "observed"


def test_a_bagged_scorer_is_audited_unless_a_proof_is_asked_for():
    scorer = Bagged(Plurality(), bags=40, seed=3)
    observed = stable_topk(votes(), 2, eps=0.02, scorer=scorer).certificate
    assert observed.status == "observed"
    audited = audit(votes(), k=2, eps=0.02, scorer=scorer).row("inflated_topk", 2)
    assert observed.delta == audited.uncovered
    assert stable_topk(votes(), 2, eps=0.02, scorer=scorer, claim="proved").certificate.vacuous


def test_an_eps_given_for_a_ranking_is_audited():
    data = matrix()
    for eps in (0.01, 0.05, 0.1):
        row = audit(data, k=1, eps=eps).row("inflated_ranking")
        for guarantee, share in (("cover", row.uncovered), ("overlap", row.delta)):
            assert stable_ranking(data, eps=eps, guarantee=guarantee).certificate.delta == share


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"delta": 0.1, "eps": 0.1}, InvalidValueError, "either delta or eps, not both"),
        ({"delta": 1}, InvalidValueError, "from 0 to below 1"),
        ({"delta": -0.1}, InvalidValueError, "-0.1"),
        ({"delta": float("nan")}, InvalidValueError, "nan"),
        ({"delta": True}, InvalidValueError, "True"),
        ({"delta": "0.1"}, InvalidValueError, "'0.1'"),
        ({"eps": 0}, InvalidValueError, "eps must be a positive"),
        ({"eps": float("inf")}, InvalidValueError, "inf"),
        ({"claim": "sure"}, InvalidValueError, "observed, proved, none"),
        ({"claim": "none"}, InvalidValueError, "goes with an eps"),
        ({"delta": 0.1, "claim": "none"}, InvalidValueError, "goes with an eps"),
        ({"guarantee": "both"}, InvalidValueError, "overlap, cover"),
        ({"removals": 0}, InvalidValueError, "whole number from 1 to 20"),
    ],
)
def test_arguments_that_make_no_sense_are_refused(arguments, error, words):
    for ask in (
        lambda: stable_topk(votes(), 1, **arguments),
        lambda: stable_ranking(votes(), **arguments),
    ):
        with pytest.raises(error) as caught:
            ask()
        assert words in str(caught.value)


@pytest.mark.parametrize("k", [0, 5, 1.0, "1", None, True])
def test_a_k_that_is_none_is_refused(k):
    with pytest.raises(InvalidKError):
        stable_topk(votes(), k)
    with pytest.raises(InvalidKError):
        audit(votes(), k=k, eps=0.1)


def test_what_is_no_data_is_refused_by_name():
    for scorer in (None, Plurality()):
        with pytest.raises(WrongDataError, match="list"):
            stable_topk([1, 2], 1, scorer=scorer)
        with pytest.raises(WrongDataError, match="list"):
            audit([1, 2], k=1, eps=0.1, scorer=scorer)
    with pytest.raises(WrongDataError, match="Borda needs ballots, but was given votes"):
        stable_topk(votes(), 1, scorer=Borda())


def test_nothing_is_left_out_before_all_arguments_are_checked():
    calls = []

    def counting(data):
        calls.append(1)
        return medians(data)

    for arguments in ({"k": 9, "eps": 1}, {"k": 1, "eps": -1}, {"k": 1, "eps": 1, "methods": ["x"]}):
        with pytest.raises(InvalidValueError):
            audit(matrix(), scorer=Refit(counting), **arguments)
    for arguments in ({"delta": 2}, {"eps": -1}, {"claim": "?"}):
        with pytest.raises(InvalidValueError):
            stable_topk(matrix(), 1, scorer=Refit(counting), **arguments)
    assert not calls


def test_answers_and_audits_cannot_be_changed():
    answer, result = stable_topk(matrix(), 2), audit(matrix(), k=2, eps=0.1)
    for array in (answer.scores, answer.critical_eps, result.scores, result.shifts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    for array in (result.curve(2).breaking_eps, result.curve(2).critical_eps):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(AttributeError):
        answer.eps = 1
    with pytest.raises(TypeError):
        answer.certificate.numbers["n"] = 1


def test_answers_are_collections_of_their_labels(case):
    data, scorer = case
    study = Study(data, scorer)
    answer, ranking, result = study.topk(2), study.ranking(), study.audit([1, 2])
    assert list(answer) == list(answer.members)
    assert len(answer) == answer.size
    assert all(item in answer for item in answer.members)
    assert "nobody" not in answer
    assert list(ranking) == list(ranking.ranking)
    assert len(ranking) == data.n_items
    assert list(result) == list(result.table)
    assert len(result) == 6
    assert {one.study for one in (answer, ranking, result)} == {study}
    assert str(answer.members[0]) in repr(answer)
    assert str(ranking.ranking[0]) in repr(ranking)


def test_a_repr_is_short_and_steers_nothing():
    items = ["\x1b[31m red", "x" * 500, *range(60)]
    answer = stable_topk(ScoreMatrix(np.eye(62), items=items), 30, eps=0.3, claim="none")
    for text in (repr(answer), repr(stable_ranking(answer.study))):
        assert "\x1b" not in text
        assert len(text) < 250
        assert "56 more" in text


def test_answers_travel_between_processes(case):
    data, scorer = case
    answer = pickle.loads(pickle.dumps(stable_topk(data, 2, scorer=scorer)))
    again = stable_topk(data, 2, scorer=scorer)
    assert answer.members == again.members
    assert answer.certificate == again.certificate
    assert hash(answer.certificate) == hash(again.certificate)
    assert str(answer).splitlines()[-1] == str(again).splitlines()[-1]
    with pytest.raises(SteadyrankError, match="Make the study anew"):
        answer.study.topk(1)


def test_printing_shows_what_the_command_line_shows(tmp_path, capsys, monkeypatch):
    pytest.importorskip("typer")
    from steadyrank.cli import main

    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "votes.csv"
    path.write_text("choice,count\nÄrger,7\n模型,6\ngpt 4,6\nz,2\n", encoding="utf-8")
    study = Study(Votes.read(path))
    for command, result in (
        (["topk", "-k", "1"], study.topk(1)),
        (["rank"], study.ranking()),
        (["audit", "-k", "1,2"], study.audit([1, 2])),
        (["check", "-k", "2"], study.check(2)),
    ):
        main([command[0], str(path), *command[1:]])
        terminal = capsys.readouterr().out.splitlines()
        printed = str(result).splitlines()
        if command[0] != "check":  # which does not name its file
            assert terminal[0] == f"votes.csv: {printed[0]}"
            terminal, printed = terminal[1:], printed[1:]
        said = next(line for line in terminal if line.startswith("Guessed: votes (--kind"))
        assert terminal.index(said) <= 1
        terminal.remove(said)
        assert terminal == printed


def test_printing_shows_a_short_table_and_the_certificate():
    answer = stable_topk(votes(), 1, claim="proved")
    text = str(answer)
    assert text.splitlines()[0] == "votes, 4 items, 21 votes"
    assert text.index("Ärger") < text.index("模型") < text.index("gpt 4")
    assert answer.certificate.promise in " ".join(text.split())
    many = stable_ranking(ScoreMatrix(np.eye(50)), eps=0.3, claim="none")
    assert len(str(many).splitlines()) < 60
    assert "--" not in str(many)  # there are no options here


def test_printing_an_audit_shows_one_line_for_each_row():
    result = audit(votes(), [1, 2], eps=0.1)
    text = str(result)
    assert text.splitlines()[0] == "votes, 4 items, 21 votes"
    assert sum("top-k" in line or "ed ranking" in line for line in text.splitlines()) == 5
    assert text.count("plain ranking") == 1
    assert str(result.curve(1)) == "delta(eps) of the top 1: 0 at eps = 0.0238095 with 1 member"
    assert str(result.flips(1)).startswith("0 of 21 votes change the plain top 1")


def test_nothing_is_left_out_to_print_what_claims_nothing():
    calls = []

    def counting(data):
        calls.append(1)
        return medians(data)

    answer = stable_topk(matrix(), 2, eps=0.1, claim="none", scorer=Refit(counting))
    assert "Nothing is claimed" in " ".join(str(answer).split())
    assert answer._repr_html_()
    assert answer.findings()["summary"]["changing_units"] is None
    assert len(calls) == 1


def test_labels_cannot_move_the_cursor():
    data = Votes(["x\n\x1b[31m", "y", "y"])
    assert "\x1b" not in str(stable_topk(data, 2))
    assert "x\\n\\x1b[31m" in str(stable_topk(data, 2))


@pytest.mark.parametrize("backend", ["polars", "pandas", "pyarrow"])
def test_frames_hold_labels_of_any_kind(backend):
    for items in (["a", "b", "c"], [1, 2, 3], ["a", 2, 3.5], [("t", 1), ("t", 2), "u"]):
        answer = stable_topk(ScoreMatrix(np.eye(3) * [3, 2, 1], items=items), 2)
        frame = answer.to_frame(backend)
        shown = frame["item"].to_pylist() if backend == "pyarrow" else frame["item"].to_list()
        assert list(map(str, shown)) == list(map(str, items))
        assert len(frame) == 3


@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), min_size=1, max_size=8),
    st.one_of(st.floats(0, 0.999), st.sampled_from([0.05, 0.1, 0.29, 0.3, 1 / 3, 0.57])),
)
def test_the_value_that_few_exceed_is_the_smallest_such(pairs, delta):
    values = np.array([value for value, _ in pairs], dtype=float)
    counts = np.array([count for _, count in pairs])
    found = exceeded_by_at_most(delta, values, counts)

    def share_above(threshold):
        return counts[values > threshold].sum() / counts.sum()

    assert share_above(found) <= delta
    assert all(share_above(value) > delta for value in values if value < found)


@given(st.integers(1, 10**6), st.floats(0, 0.9999))
def test_allowed_units_are_as_many_as_the_share_allows(total, delta):
    number = allowed_units(delta, total)
    assert number / total <= delta < (number + 1) / total
