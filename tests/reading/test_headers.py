"""Exact headers of known tools: taken as a whole, or not at all."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

import steadyrank
from steadyrank.errors import ColumnError
from steadyrank.reading.resolve import resolve
from steadyrank.reading.table import open_table
from written_tables import reading, refusal

CONVENTIONS = Path(steadyrank.__file__).with_name("reading") / "conventions.toml"

# Headers as their tools write them, and the roles of their columns.
KNOWN = [
    ("userId,movieId,rating,timestamp", "unit=userId item=movieId rating=rating"),
    (
        "user_id:token,item_id:token,rating:float,timestamp:float",
        "unit=user_id:token item=item_id:token rating=rating:float",
    ),
    ("userID,itemID,rating,timestamp", "unit=userID item=itemID rating=rating"),
    ("user,item,rating", "unit=user item=item rating=rating"),
    ("user_id,book_id,rating", "unit=user_id item=book_id rating=rating"),
    (
        "rating,title,text,images,asin,parent_asin,user_id,timestamp,verified_purchase",
        "unit=user_id item=parent_asin rating=rating",
    ),
    (
        "review_id,user_id,business_id,stars,useful,funny,cool,text,date",
        "unit=user_id item=business_id rating=stars",
    ),
    (
        "userID,placeID,rating,food_rating,service_rating",
        "unit=userID item=placeID rating=rating",
    ),
    (",user,rating,comment,ID,name", "unit=user item=name rating=rating"),
    (
        "question_id,model_a,model_b,winner,judge,turn,language,tstamp",
        "left=model_a right=model_b winner=winner",
    ),
    (
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie",
        "left=model_a right=model_b left_score=winner_model_a right_score=winner_model_b",
    ),
    ("left,right,winner", "left=left right=right winner=winner"),
    ("worker,left,right,label", "left=left right=right winner=label unit=worker"),
    ("left,right,label", "left=left right=right winner=label"),
    (
        "date,home_team,away_team,home_score,away_score,tournament,city,country,neutral",
        "left=home_team right=away_team left_score=home_score right_score=away_score",
    ),
    (
        "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,FTR,HTHG,HTAG,HTR",
        "left=HomeTeam right=AwayTeam left_score=FTHG right_score=FTAG",
    ),
    (
        "season,date,league,team1,team2,spi1,spi2,prob1,prob2,probtie,score1,score2",
        "left=team1 right=team2 left_score=score1 right_score=score2",
    ),
    ("Event,Site,White,Black,Result,ECO", "left=White right=Black winner=Result"),
    (
        "id,rated,turns,victory_status,winner,white_id,white_rating,black_id,moves",
        "left=white_id right=black_id winner=winner",
    ),
    ("ATP,Location,Date,Surface,Round,Winner,Loser,WRank,LRank", "winner=Winner loser=Loser"),
    (
        "tourney_id,winner_id,winner_name,loser_id,loser_name,score",
        "winner=winner_name loser=loser_name",
    ),
    (
        "Season,DayNum,WTeamID,WScore,LTeamID,LScore,WLoc,NumOT",
        "winner=WTeamID loser=LTeamID",
    ),
    ("id,choice", "choice=choice"),
    ("county,precinct,office,party,candidate,votes", "choice=candidate count=votes"),
    (
        "year,state,office,candidate,party,candidatevotes,totalvotes",
        "choice=candidate count=candidatevotes",
    ),
    ("ballotID,precinct,rank1,rank2,rank3", "ranks=rank1,rank2,rank3"),
    ("Rank 1,Rank 2", "ranks=Rank 1,Rank 2"),
    ("voter_id,candidate,rank", "unit=voter_id item=candidate rank=rank"),
    ("model,task,score", "item=model unit=task score=score"),
    ("model_name,dataset,metric,score", "item=model_name unit=dataset score=score"),
    ("question_id,model,judge,score,turn", "item=model unit=question_id score=score"),
    (
        "id,task,framework,constraint,fold,type,result,metric",
        "item=framework unit=task score=result",
    ),
    (
        "nr,task_id,learner_id,resampling_id,iters,classif.acc",
        "item=learner_id unit=task_id score=classif.acc",
    ),
    (
        "eval_id,task_name,model,score_headline_name,score_headline_value",
        "item=model unit=task_name score=score_headline_value",
    ),
    ("age,sex,bmi,target", "response=target"),
    ("model,mmlu,arc", "item=model wide=True"),
    ("Task,gpt,claude", "unit=Task wide=True"),
]  # fmt: skip
WORDS = {"winner": "tie", "label": "x", "Result": "1-0", "result": "1"}


def table(header: str) -> str:
    """Return a file with such a header and three rows that fit it."""
    names = header.split(",")
    rows = []
    for row in range(1, 4):
        cells = []
        for place, name in enumerate(names):
            if name in {"left", "Winner"}:
                cells.append("x")
            elif name in WORDS and names[place - 1] != "type":
                cells.append(WORDS[name])
            else:
                cells.append(f"{row + place}")
        rows.append(",".join(cells))
    return "\n".join([header, *rows]) + "\n"


@pytest.mark.parametrize(("header", "roles"), KNOWN)
def test_known_headers_are_read_by_their_roles(header: str, roles: str) -> None:
    read = reading(table(header))
    by_hand: dict[str, Any] = {}
    for part in roles.replace(" 1,", "_1,").replace("k 2", "k_2").split(" "):
        role, column = part.split("=")
        by_hand[role] = column.replace("_1", " 1").replace("k_2", "k 2")
    by_hand = {
        role: tuple(name.split(",")) if role == "ranks" else name
        for role, name in by_hand.items()
    }
    if "wide" in by_hand:
        by_hand["wide"] = True
    assert read.roles == by_hand
    assert read.header is not None


def test_every_known_tool_is_tried() -> None:
    lines = tomllib.loads(CONVENTIONS.read_text(encoding="utf-8"))["headers"]
    assert len(lines) >= 45
    for line in lines:
        columns = [
            name
            for role, name in line.items()
            if role not in {"tool", "without", "lower_is_better", "beside"}
        ]
        header = ",".join([*columns, *line.get("beside", []), "x"])
        header = header.replace("rank#", "rank1,rank2").replace(
            "choice#", "choice1,choice2"
        )
        header = header.replace("ranking#", "ranking1,ranking2")
        rows = "".join(",".join(["1"] * len(header.split(","))) + "\n" for _ in "ab")
        assert reading(f"{header}\n{rows}").header is not None, header


NOT_TAKEN = [
    ("titel,kunde,note", "no tool"),
    ("userId,movieId", "one of the header is not there"),
    ("user_id,userId,movieId,rating", "two columns of one name"),
    ("winner,loser,Draw", "draws may be counted as wins"),
    ("winner_name,loser_name,is_tie", "the same"),
    ("model_a,model_b,winner,tie", "the same"),
    ("choice,weight", "votes may count differently"),
    ("candidate,votes,count", "the same"),
    ("userId,movieId,rating,count", "the same"),
    ("voter_id,candidate,rank,weight", "the same"),
    ("user,item,rating,model", "an item beside a model is a question"),
    ("userId,movieId,rating,model,task,score", "of two users"),
    ("model_a,model_b,winner,choice", "of two kinds"),
    ("rank_2003,rank_2012", "years are no ranks"),
    ("rank1,rank3", "there is no second choice"),
    ("rank1", "one rank is no order"),
    ("team1,team2,score1,score2,winner", "two ways to tell who won"),
    ("user_id,book_id,rating,is_read", "0 means nothing rated"),
    ("y,x1,x2", "y may be anything"),
    ("models,a,b", "not called exactly so"),
    ("a,model,b", "not the first column"),
    ("model,a", "no table of one column"),
    ("model,a,weight", "a weight is no task"),
]


@pytest.mark.parametrize(("header", "why"), NOT_TAKEN)
def test_other_headers_are_not_taken(header: str, why: str) -> None:
    assert "has the header of no known tool" in refusal(table(header)), why


def test_wide_tables_hold_numbers_alone() -> None:
    assert "no known tool" in refusal("model,a,b\nx,1,2\ny,3,low\n")
    assert "no known tool" in refusal("task,a,b\nx,1,\ny,3,\n")
    assert reading("task,a,b\nx,1,\ny,3,2\n").skipped is not None


def test_a_regression_by_its_header_has_numbers_alone() -> None:
    assert "no known tool" in refusal("name,x,target\na,1,2\n")


def test_what_is_said_beside_a_header_takes_the_place_of_its_own() -> None:
    text = "userId,movieId,rating,day\n1,7,4,mon\n2,7,3,tue\n"
    read = reading(text, unit="day", lower_is_better=True)
    assert read.roles == {
        "item": "movieId",
        "rating": "rating",
        "unit": "day",
        "lower_is_better": True,
    }
    read = reading("choice,weight\na,2\nb,1\n", weight="weight")
    assert read.roles == {"choice": "choice", "weight": "weight"}


def test_a_role_that_defines_a_kind_leaves_the_header_alone() -> None:
    text = "userId,movieId,rating,mark\n1,7,4,0\n2,8,3,1\n"
    told = refusal(text, item="movieId")
    assert "item is said, but not what else the data need" in told
    read = reading(text, item="userId", score="mark")
    assert read.header is None
    assert read.roles == {"item": "userId", "score": "mark"}


RECIPES = [
    ("196,242,3,881250949", "no-header"),
    ("1::1193::5::978300760", "double-colon"),
    ("doc_id,doc,target,resps", "lm-eval"),
    ("instruction,generator_1,generator_2,preference", "alpacaeval"),
    ("resolved_ids,error_ids", "swe-bench"),
    ("dataset_revision,task_name,scores", "mteb"),
]


@pytest.mark.parametrize(("header", "recipe"), RECIPES)
def test_files_of_other_tools_name_their_recipe(header: str, recipe: str) -> None:
    columns = {name: ["x"] for name in header.split(",")}
    with open_table(columns) as opened, pytest.raises(ColumnError) as caught:
        resolve(opened, {})
    assert f"recipes.md#{recipe}" in str(caught.value)
