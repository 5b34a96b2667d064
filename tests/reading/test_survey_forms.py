"""What survey forms write: lists in cells, one question over several columns, headers of codes."""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections import Counter
from typing import Any

import pytest

from steadyrank import Ballots, read_any
from steadyrank.data.read import table_of
from steadyrank.errors import InvalidDataError, NotRecognisedError
from steadyrank.labels import marks_between, parted
from steadyrank.reading.formats import read_table
from suggested import suggested

BRANDS = ("Alba", "Bruma", "Costa (old, new)", "Duna")
FLAVOURS = ("mint", "plum", "rye")
QUESTION = "Order these projects by preference. You cannot give a rank twice. [{}]"


def stream(rows: list[list[Any]], before: str = "") -> io.BytesIO:
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    return io.BytesIO((before + text.getvalue()).encode())


def times(number: int) -> list[str]:
    return [f"2/6/2018 {9 + place // 60}:{place % 60:02}:07" for place in range(number)]


def some(rng: random.Random, names: tuple[str, ...]) -> list[str]:
    return [name for name in names if rng.random() < 0.6] or [names[0]]


def slowly_parted(text: str, marks: str) -> list[str]:
    """Go letter by letter; brackets that close again without others inside are one name."""
    found, at = [""], 0
    while at < len(text):
        whole = re.match(r"\([^()]*\)", text[at:])
        step = len(whole[0]) if whole else 1
        if whole or text[at] not in marks:
            found[-1] += text[at : at + step]
        else:
            found.append("")
        at += step
    return found


class TestLists:
    @pytest.mark.parametrize("marks", [",", ";", "\n;|,", "|", ">"])
    def test_parts_are_those_of_a_slow_reader(self, marks: str) -> None:
        rng = random.Random(5)
        for _ in range(3000):
            text = "".join(rng.choices("ab(),;|>\n ", k=rng.randrange(12)))
            assert parted(text, marks) == slowly_parted(text, marks), text

    def test_a_long_text_takes_no_longer_than_its_length(self) -> None:
        for text in ("(" * 200_000, "(a," * 100_000, "," * 200_000):
            assert "".join(parted(text, ",")) == text.replace(",", "")

    @pytest.mark.parametrize(
        ("texts", "marks"),
        [
            (["eyes (left, right);hair", "hair;none of these, really", "hair"], ";"),
            (["a, b", "c", "a; b, c"], ","),
            (["x\ny", "z"], "\n"),
            (["a", "b"], ","),
            (["a, b", "c; d"], "\n;|,"),
            ([*["a;b"] * 9, "other, like c"], ";"),
        ],
    )
    def test_the_mark_that_all_lists_share_comes_first(
        self, texts: list[str], marks: str
    ) -> None:
        assert marks_between(texts) == marks

    @pytest.mark.parametrize("mark", [";", ", ", "\n"])
    def test_checkboxes_of_a_form_are_proposed_as_approvals(self, mark: str) -> None:
        rng = random.Random(1)
        chosen = [some(rng, BRANDS) for _ in range(40)]
        rows = [
            [at, f"name{n}", rng.choice(("north", "south")), rng.randrange(1, 11), mark.join(brands),
             mark.join(some(rng, FLAVOURS)), rng.choice(("Once a week", "Never", "Daily"))]
            for n, (at, brands) in enumerate(zip(times(40), chosen, strict=True))
        ]  # fmt: skip
        names = ["Timestamp", "Name", "Area", "Rating", "Brands", "Flavor", "Frequency"]
        with pytest.raises(NotRecognisedError) as caught:
            read_any(stream([names, *rows]))
        asked = {one.roles.get("ballot"): one for one in caught.value.readings}
        assert {"Brands", "Flavor"} <= asked.keys()
        data = asked["Brands"].read()
        assert (asked["Brands"].typed[:5], data.items) == (
            ["--kind", "ballots", "--ballot", "Brands", "--approval"], BRANDS,
        )  # fmt: skip
        counted = Counter(brand for brands in chosen for brand in brands)
        assert dict(zip(data.items, data.item_counts.tolist(), strict=True)) == counted

    def test_orders_part_at_the_mark_that_all_share(self) -> None:
        orders = [["Ann, senior", "Bob"], ["Bob", "Cy (left, right)", "Ann, senior"]]
        rows = [["ballot"], *([";".join(one)] for one in orders)]
        assert list(Ballots.read(stream(rows)).units.labels) == [
            " > ".join(one) for one in orders
        ]

    def test_lists_without_a_time_may_be_genres(self) -> None:
        rng = random.Random(2)
        rows = [
            [f"film {n}", ", ".join(some(rng, FLAVOURS)), rng.randrange(10)]
            for n in range(40)
        ]
        with pytest.raises(NotRecognisedError) as caught:
            read_any(stream([["title", "genres", "rating"], *rows]))
        lists = [one.points for one in caught.value.readings if "ballot" in one.roles]
        assert all(points < 1 for points in lists)


class TestHeaders:
    TEXTS = ("Recorded Date", "How do you like the food?", "How do you like the room?")

    def rows(self) -> list[list[Any]]:
        return [[at, n % 5 + 1, (3 * n) % 5 + 1] for n, at in enumerate(times(12))]

    def test_a_line_of_questions_and_one_of_a_tool(self) -> None:
        tool = [json.dumps({"ImportId": f"QID{n}"}) for n in range(3)]
        found = read_table(
            stream(
                [["RecordedDate", "Q1", "Q2_1"], list(self.TEXTS), tool, *self.rows()]
            )
        )
        assert (found.names, len(found)) == (list(self.TEXTS), 12)
        assert found.notes[0].startswith("3 lines read as one header")

    def test_questions_that_are_asked_twice_keep_their_codes(self) -> None:
        tool = ['{"ImportId":"a"}'] * 3
        found = read_table(
            stream(
                [
                    ["RecordedDate", "Q1", "Q2"],
                    ["when", "why", "why"],
                    tool,
                    *self.rows(),
                ]
            )
        )
        assert (found.names, len(found)) == (["RecordedDate", "Q1", "Q2"], 12)

    def test_names_below_codes(self) -> None:
        rows = [[n, n % 5 + 1, (3 * n) % 5 + 1] for n in range(1, 12)]
        found = read_table(stream([["No", "Q1", "Q2"], ["No", "food", "room"], *rows]))
        assert (found.names, len(found)) == (["No", "food", "room"], 11)
        given = table_of(
            stream([["No", "Q1", "Q2"], ["No", "food", "room"], *rows]), {"header": 1}
        )
        assert (given.names, len(given)) == (["No", "Q1", "Q2"], 12)

    @pytest.mark.parametrize(
        "first",
        [["ann", "no", "yes"], ["ann", "3", "good"], ["ann", "", ""], ["", "", ""]],
    )
    def test_answers_below_codes_are_no_names(self, first: list[str]) -> None:
        rows = [[f"p{n}", n, "yes"] for n in range(8)]
        found = read_table(stream([["No", "Q1", "Q2"], first, *rows]))
        assert found.names == ["No", "Q1", "Q2"]

    @pytest.mark.parametrize("marks", [1, 2, 3])
    def test_byte_order_marks_are_no_letters(self, marks: int) -> None:
        rows = [["a b", "c"], [1, 2]]
        for encoding in ("utf-8", "utf-16-le"):
            text = "\ufeff" * marks + '"a b",c\n1,2\n'
            found = read_table(io.BytesIO(text.encode(encoding)), encoding=encoding)
            assert found.names == rows[0]


class TestBallots:
    def test_repeats_are_skipped_in_a_long_table_too(self) -> None:
        text = b"user,item,rank\n1,a,2\n1,b,1\n1,a,3\n2,a,1\n2,a,1\n2,b,2\n"
        with pytest.raises(InvalidDataError, match="names 'a' twice"):
            Ballots.read(io.BytesIO(text))
        data = Ballots.read(io.BytesIO(text), repeats="skip")
        assert list(data.units.labels) == ["b > a", "a > b"]
        assert any(
            note.startswith("2 ballots with an item twice") for note in data.notes
        )

    def test_choices_without_a_header_whose_names_drift_apart(self) -> None:
        rng = random.Random(9)
        rows = []
        for n in range(14):
            order = sorted(range(12), key=lambda name: name + 5 * rng.random())
            kept = [f"piece {name}" for name in order][: rng.randrange(7, 12)]
            rows.append([f"voter {n}", n % 3 + 2, *kept, *[""] * (11 - len(kept))])
        data = suggested(stream(rows))
        assert (data.kind.name, data.n_units) == ("ballots", 14)
        held = {name for row in rows for name in row[2:]} - {""}
        assert {*data.items} == held
