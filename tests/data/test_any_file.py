"""Files as people have them: each is read as a person would, or refused with a way out that works."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest

from steadyrank import read_any
from steadyrank.cli import main
from steadyrank.data import Ballots, Battles, ScoreMatrix, Votes
from steadyrank.errors import InvalidDataError, InvalidLabelError, NotRecognisedError
from suggested import suggested

if TYPE_CHECKING:
    from pathlib import Path


def read(text: str, **given: Any) -> Any:
    return read_any(stream(text), **given)


def stream(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


def tally(votes: Votes) -> dict[object, int]:
    return dict(zip(votes.items, votes.tally.tolist(), strict=True))


class TestElections:
    STATES = "state,candidate,{}\nOhio,ann,30\nOhio,bob,26\nIowa,ann,8\nIowa,bob,9\n"

    def test_votes_for_each_candidate_are_counts(self) -> None:
        text = "state,candidate,candidatevotes,totalvotes\nOhio,ann,30,56\nOhio,bob,26,56\nIowa,bob,9,9\n"  # noqa: E501
        assert tally(read(text)) == {"ann": 30, "bob": 35}

    def test_a_column_that_may_be_the_count_is_not_passed_over(self) -> None:
        text = self.STATES.format("total_votes")
        with pytest.raises(NotRecognisedError, match="count='total_votes'"):
            read(text)
        assert tally(read(text, count="total_votes")) == {"ann": 38, "bob": 35}
        assert tally(read(text, ignore=["total_votes"])) == {"ann": 2, "bob": 2}

    @pytest.mark.parametrize("more", ["Percent", "seats"])
    def test_shares_and_seats_may_stand_beside_votes(self, more: str) -> None:
        assert tally(read(f"party,votes,{more}\nred,12,55\nblue,10,45\n")) == {
            "red": 12,
            "blue": 10,
        }

    def test_shares_alone_are_not_one_vote_each(self) -> None:
        with pytest.raises(NotRecognisedError, match="'Party', 'Percent'"):
            read("Party,Percent\nred,45.1\nblue,36.6\ngreen,18.3\n")

    @pytest.mark.parametrize("more", ["id", "weight"])
    def test_an_id_or_a_weight_is_no_share(self, more: str) -> None:
        assert isinstance(read(f"{more},choice\n1,ann\n2,bob\n"), Votes)

    def test_a_sum_is_no_candidate(self) -> None:
        text = "Party,Votes\nred,12\nblue,10\nTotal,22\n"
        with pytest.raises(InvalidDataError, match=r"'Total'.*line 4.*drop=\"Total\""):
            read(text)
        assert tally(read(text, drop="Total")) == {"red": 12, "blue": 10}
        assert tally(read("party,votes\nred,12\nTotal,3\n")) == {"red": 12, "Total": 3}


class TestFirstLines:
    def test_a_file_without_a_header(self) -> None:
        with pytest.raises(InvalidLabelError, match=r"not a header.*'pizza'.*line 3"):
            read("pizza\npasta\npizza\nsoup\n")
        with pytest.raises(InvalidLabelError, match=r"not a header.*'A1'.*line 3"):
            read("A1,B0,5.0,1365811200\nA2,B0,4.0,1365811201\nA1,B1,3.0,1365811202\n")

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("candidate,region\nann,n\nbob,s\nann,n\ncandidate,region\n", "candidate"),
            ("user,item,rating\n1,x,5\n2,y,4\n2,item,3\n", "item"),
        ],
    )
    def test_a_header_that_comes_again(
        self, text: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = tmp_path / "joined.csv"
        path.write_text(text)
        command = ["topk", str(path), "-k", "1"]
        assert main(command) == 2
        assert f"--drop {name}" in " ".join(capsys.readouterr().err.split())
        assert main([*command, "--drop", name]) == 0


class TestGames:
    def test_sides_by_their_ids(self) -> None:
        text = "id,rated,winner,white_id,white_rating,black_id,black_rating\n"
        battles = read(
            text + "1,TRUE,white,ann,1500,bob,1400\n2,TRUE,draw,bob,1400,cat,1300\n"
        )
        assert isinstance(battles, Battles)
        assert list(battles.units.labels) == ["ann beats bob", "bob ties cat"]

    @pytest.mark.parametrize(
        "header",
        [
            "TEAM_ID_home,TEAM_ID_away,PTS_home,PTS_away", "p1,p2,p1_score,p2_score",
            "home_team_api_id,away_team_api_id,home_team_goal,away_team_goal",
        ],
    )  # fmt: skip
    def test_names_of_sides_and_points(self, header: str) -> None:
        battles = read(f"{header}\n10,11,100,98\n11,12,90,95\n")
        assert list(battles.units.labels) == ["10 beats 11", "12 beats 11"]

    def test_a_winner_whose_opponent_nobody_knows_is_no_table_of_scores(self) -> None:
        text = "R_fighter,B_fighter,Winner,R_age,B_age\nx,y,Red,30,31\ny,z,Blue,31,25\n"
        with pytest.raises(NotRecognisedError, match="'Winner'"):
            read(text)

    def test_the_best_method_of_a_row_may_be_called_its_winner(self) -> None:
        text = "dataset,alpha,beta,winner\nd1,1,2,beta\nd2,2,1,alpha\n"
        assert suggested(stream(text)).items == ("alpha", "beta")

    def test_drivers_are_items_of_races(self) -> None:
        text = "raceId,driverId,position,points\n1,ham,1,25\n1,ver,2,18\n2,ver,1,25\n2,ham,3,15\n"
        data = suggested(stream(text))  # not at once: it could be the position, too
        assert (data.items, data.values.sum()) == (("ham", "ver"), 83)


class TestScores:
    def test_a_row_of_averages_is_no_task(self) -> None:
        text = "task,alpha,beta\nAverage,0.6,0.5\nt1,0.5,0.6\nt2,0.7,0.4\n"
        matrix = read(text, kind="scores")
        assert list(matrix.row_labels) == ["t1", "t2"]
        assert any(
            "'Average' left out" in getattr(note, "brief", "") for note in matrix.notes
        )
        assert len(read(text, kind="scores", items=["alpha", "beta"]).row_labels) == 3

    def test_places_and_weights_are_those_of_the_other_rows(self) -> None:
        text = "task,alpha,beta,weight\nMean,0.6,0.5,9\nt1,0.5,0.6,1\nt2,,0.4,2\n"
        with pytest.raises(InvalidDataError, match="line 4"):
            read(text, kind="scores")
        assert read(text, kind="scores", missing="available").weights.tolist() == [1, 2]

    @pytest.mark.parametrize("dash", ["-", "–", "—", "<NA>"])
    def test_a_dash_is_a_gap(self, dash: str) -> None:
        text = f"task,alpha,beta\nt1,0.5,0.6\nt2,{dash},0.4\nt3,0.8,-0.9\n"
        matrix = read(text, kind="scores", missing="available")
        assert isinstance(matrix, ScoreMatrix)
        assert matrix.values[2].tolist() == [0.8, -0.9]

    def test_engines_refuse_items_in_rows(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        duckdb, path = pytest.importorskip("duckdb"), tmp_path / "wide.parquet"
        rows = "from (values ('a', 1, 2), ('b', 2, 4)) t(model, t1, t2)"
        duckdb.sql(rows).write_parquet(str(path))
        said = ["--engine", "duckdb", "--kind", "scores", "--items-in", "rows"]
        assert main(["topk", str(path), "-k", "1", *said]) == 2
        assert "one row per score" in " ".join(capsys.readouterr().err.split())


class TestApprovals:
    def test_approved_items_have_no_order(self) -> None:
        ballots = read('voter,approved\n1,"ann, bob"\n2,bob\n3,"ann, cat"\n')
        assert isinstance(ballots, Ballots)
        assert ballots.approval

    @pytest.mark.parametrize("name", ["ballot", "ranking"])
    def test_ballots_have(self, name: str) -> None:
        assert not read(f'{name}\n"ann, bob"\nbob\n').approval

    def test_orders_stay_orders(self) -> None:
        assert not read("approved\nann > bob\nbob\n").approval


class TestWaysOut:
    """What an error tells the user to type is what reads the file."""

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            (
                "task,model,loss\nt1,1,0.1\nt1,2,0.2\nt2,1,0.3\nt2,2,0.1\n",
                {"score": "loss", "row": "task"},
            ),
            (
                "player,round,net\nx,1,70\nx,2,71\ny,1,69\ny,2,75\n",
                {"score": "net", "row": "round"},
            ),
        ],
    )
    def test_a_score_that_is_called_otherwise(
        self, text: str, told: dict[str, str]
    ) -> None:
        with pytest.raises(NotRecognisedError) as caught:
            read(text)
        first = caught.value.readings[0]
        assert {name: first.arguments[name] for name in told} == told
        assert len(first.read().items) == len(read(text, **told).items) == 2

    def test_numbered_runs_are_no_items(self) -> None:
        text = "task,run,alpha,beta\nt1,1,3,4\nt1,2,3,5\nt2,1,1,2\n"
        assert read(text, kind="scores", items_in="columns").items == ("alpha", "beta")

    @pytest.mark.parametrize(
        ("text", "given"),
        [
            ("choice,region\na,n\nb,\n", {"unit": "region"}),
            ("choice,weight\na,1\nb,\n", {}),
        ],
    )
    def test_only_rows_without_an_answer_are_dropped(
        self, text: str, given: dict[str, str]
    ) -> None:
        with pytest.raises(InvalidDataError, match=r"line 3.*out of the table"):
            read(text, **given)

    def test_rows_without_a_count_can_be_dropped(self) -> None:
        text = "choice,votes\na,1\nb,\nc,3\n"
        with pytest.raises(InvalidDataError, match=r"line 3.*drop=\"\"") as caught:
            read(text)
        assert caught.value.readings[0].arguments["drop"] == [""]
        assert tally(read(text, drop="")) == {"a": 1, "c": 3}

    def test_points_between_thousands_of_counts(self) -> None:
        text = "choice;votes\nann;1.500\nbob;2.345\n"
        with pytest.raises(InvalidDataError, match=r"decimal=\",\""):
            read(text)
        assert tally(read(text, decimal=",")) == {"ann": 1500, "bob": 2345}

    def test_a_list_of_items_needs_no_kind(self) -> None:
        assert read("choice\na\nb\n", items=["a", "b", "c"]).items == ("a", "b", "c")

    def test_names_for_ids_in_the_header(self) -> None:
        text = "task,1,2\nt1,3,4\nt2,5,6\n"
        assert read(text, kind="scores", labels={1: "ann", 2: "bob"}).items == (
            "ann",
            "bob",
        )

    def test_sides_without_a_result_are_said_to_lack_one(self) -> None:
        with pytest.raises(
            NotRecognisedError, match=r"left=\"home\" and right=\"away\" as winner="
        ):
            read("home,away,score\nx,y,2-1\ny,x,0-0\n")

    def test_an_outcome_is_shown_as_it_stands(self) -> None:
        with pytest.raises(InvalidDataError, match="unknown outcome 7 "):
            read("team1,team2,result\nx,y,1\ny,x,0\nx,y,7\n")


class TestLooks:
    @pytest.mark.parametrize("engine", ["memory", "duckdb"])
    def test_items_that_differ_in_blanks_or_case_are_pointed_out(
        self, engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        duckdb, path = pytest.importorskip("duckdb"), tmp_path / "typed.parquet"
        rows = "from (values (1, 'ann', 5), (2, 'Ann ', 4), (2, 'bob', 3)) t(user, item, rating)"
        duckdb.sql(rows).write_parquet(str(path))
        assert main(["topk", str(path), "-k", "1", "--engine", engine]) == 0
        assert "kept apart: 'Ann ' and 'ann'" in " ".join(
            capsys.readouterr().out.split()
        ).replace("· ", "")

    def test_benchmarks_in_a_column_without_a_name_are_the_rows(self) -> None:
        assert read(",a,b,c\nMMLU,1,2,3\nARC,3,1,2.5\n").items == ("a", "b", "c")
