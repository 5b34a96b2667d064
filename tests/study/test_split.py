"""Who is sure where: every sentence counted again by hand, category by category."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from steadyrank import Split, Study
from steadyrank.errors import InvalidSettingError, InvalidValueError
from steadyrank.report.export import to_csv, to_json
from steadyrank.report.html import render_html
from steadyrank.report.markdown import to_markdown
from steadyrank.report.terminal import Terminal
from steadyrank.report.text import plain_text


def top(votes, items, k):
    """Return the k items with most votes; of equal ones the first in the list."""
    counts = Counter(votes)
    return set(sorted(items, key=lambda item: (-counts[item], item))[:k])


def standings(votes, k):
    """Remove every vote in turn, by hand."""
    items = sorted(set(votes))
    tops = [top(votes, items, k)]
    tops += [top(votes[:row] + votes[row + 1 :], items, k) for row in range(len(votes))]
    every, some = set.intersection(*tops), set.union(*tops)
    return {
        item: "sure" if item in every else "contender" if item in some else "out"
        for item in items
    }


def poll(seed, n=60):
    rng = np.random.default_rng(seed)
    choices = rng.choice([*"abcdef"], n, p=[0.3, 0.2, 0.2, 0.1, 0.1, 0.1]).tolist()
    return {"choice": choices, "city": rng.choice(["Bonn", "Kiel", "Ulm"], n).tolist()}


def by_hand(rows, k):
    """Return where each item stands in each city that has more than k of them, and of all rows."""
    cities = sorted(set(rows["city"]))
    pairs = list(zip(rows["choice"], rows["city"], strict=True))
    votes = {city: [one for one, there in pairs if there == city] for city in cities}
    return standings(rows["choice"], k), {
        city: standings(some, k) for city, some in votes.items() if len(set(some)) > k
    }


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("k", [1, 3])
def test_who_is_sure_where_is_what_removing_every_vote_shows(seed, k):
    rows = poll(seed)
    found = Split(rows, "city").ask(lambda study: study.topk(k))
    whole, cities = by_hand(rows, k)
    told = {row["item"]: row for row in found.rows()}
    for item in "abcdef":
        assert told[item]["whole"] == whole[item]
        for stood in ("sure", "contender", "out"):
            assert told[item][stood] == [
                c for c, one in cities.items() if one.get(item) == stood
            ]
    most = max(len(row["sure"]) for row in told.values())
    leaders = {item for item, row in told.items() if most and len(row["sure"]) == most}
    lead, _, rest = found.headline.partition(" sure of ")
    assert rest.startswith(f"the top {k} in {most or 'any'} of 3 categories")
    said = set(lead.replace("No choice", "").replace(",", " ").split())
    assert leaders == said - {"is", "are", "each", "and"}


@pytest.mark.parametrize("seed", range(20))
def test_a_gate_holds_only_if_it_holds_in_each_category_and_for_all_rows(seed):
    rows = poll(seed, 90)
    found = Split(rows, "city").ask(lambda study: study.check(1))
    whole, cities = by_hand(rows, 1)
    held = ["contender" not in one.values() for one in cities.values()]
    assert found.stable == (all(held) and "contender" not in whole.values())
    word = "STABLE" if found.stable else "UNSTABLE"
    assert found.headline.startswith(
        f"{word}: top 1, stable in {sum(held)} of 3 categories, "
    )
    assert ("not stable for all rows" in found.headline) == (
        "contender" in whole.values()
    )


def test_a_standing_that_is_wrong_is_noticed(monkeypatch):
    from steadyrank.study.answers import StableTopK

    monkeypatch.setattr(
        StableTopK,
        "standing_of",
        property(lambda self: dict.fromkeys(self.items, "sure")),
    )
    with pytest.raises(AssertionError):
        test_who_is_sure_where_is_what_removing_every_vote_shows(0, 3)


def leagues():
    """Return two leagues that never meet, and a cup in which one side won everything."""
    round_robin = [(a, b) for a in range(4) for b in range(4) if a != b]
    rows = [(f"x{a}", f"x{b}", "left", "x") for a, b in round_robin * 2]
    rows += [(f"y{a}", f"y{b}", "left", "y") for a, b in round_robin * 2]
    rows += [
        ("x0", "x1", "left", "cup"),
        ("x1", "x2", "left", "cup"),
        ("x2", "x3", "left", "cup"),
    ]
    return dict(
        zip(
            ("left", "right", "winner", "league"),
            map(list, zip(*rows, strict=True)),
            strict=True,
        )
    )


def test_what_cannot_be_ranked_is_said_and_the_rest_is_answered():
    found = Split(leagues(), "league").ask(lambda study: study.topk(1))
    document = found.findings(source="leagues.csv")
    assert [(one["category"], one["problem"] is None) for one in document["categories"]] == [
        (None, False), ("cup", False), ("x", True), ("y", True),
    ]  # fmt: skip
    assert found.headline.endswith("of 3 categories; 1 has no answer.")
    text = plain_text(document)
    assert "no answer for all rows: Bradley-Terry scores do not exist" in text
    assert "no answer for cup: Bradley-Terry scores do not exist" in text
    assert found.answers["x"].items == ("x0", "x1", "x2", "x3")


@pytest.mark.parametrize(("margin", "stable"), [(0, None), (99, False)])
def test_no_verdict_is_not_taken_for_an_unstable_one(margin, stable):
    found = Split(leagues(), "league", "bradley-terry").ask(
        lambda study: study.check(3, max_delta=0.99, min_margin=margin)
    )
    assert found.stable is stable
    assert found.headline.startswith("NO VERDICT" if stable is None else "UNSTABLE")


def test_a_top_k_of_all_items_is_no_answer():
    rows = {"choice": [*"aaabbc", *"aab"], "city": [*"uuuuuu", *"vvv"]}
    found = Split(rows, "city").ask(lambda study: study.check(2, max_delta=0.99))
    assert found.stable is None
    assert (
        str(found.answers["v"])
        == "there are only 2 items, so a top 2 would hold them all."
    )


def test_a_question_that_no_study_can_answer_is_refused():
    with pytest.raises(
        InvalidSettingError, match="k must be a whole number from 1 to 6"
    ):
        Split(poll(0), "city").ask(lambda study: study.topk(7))


def test_other_questions_are_refused():
    with pytest.raises(InvalidValueError, match="a comparison, not 'ranking'"):
        Split(poll(0), "city").ask(lambda study: study.ranking())


def test_few_observations_are_counted_in_each_category():
    rows = {"choice": [*"aaab", *"abbb"], "city": [*"uuuu", *"vvvv"]}
    split = Split(rows, "city", min_count=2)
    assert {name: study.items for name, study in split.studies.items()} == {
        None: ("a", "b"), "u": ("a",), "v": ("b",),
    }  # fmt: skip


def test_two_versions_are_compared_category_by_category():
    old, new = poll(1), poll(2)
    new["city"] = ["Jena" if city == "Ulm" else city for city in new["city"]]
    found = Split(old, "city").ask(
        lambda one, two: one.compare(two, 2), Split(new, "city")
    )
    assert [name for name in found.answers if name] == ["Bonn", "Kiel", "Ulm", "Jena"]
    assert str(found.answers["Ulm"]) == "it is not in the new data."
    assert str(found.answers["Jena"]) == "it is not in the old data."
    for city in ("Bonn", "Kiel"):
        alone = [
            Study(
                {
                    "choice": [
                        c
                        for c, there in zip(*rows.values(), strict=True)
                        if there == city
                    ]
                }
            )
            for rows in (old, new)
        ]
        expected = alone[0].compare(alone[1], 2)
        assert found.answers[city].sentence == expected.sentence
        assert list(found.answers[city].rows()) == list(expected.rows())
    beyond = {
        c for c, one in found.results.items() if c and "beyond" in one.places["verdict"]
    }
    assert (
        f"could explain in {len(beyond)} of 4 categories; 2 have no answer."
        in found.headline
    )


def test_every_form_holds_every_category():
    split = Split({**poll(3), "city": [*["<i>", "::x", "=1"] * 20]}, "city")
    found = split.ask(lambda study: study.topk(2))
    document = found.findings(source="poll.csv")
    assert json.loads(to_json(document)) == document
    assert [one["category"] for one in document["categories"]] == [
        None,
        "::x",
        "<i>",
        "=1",
    ]
    for one, result in zip(document["categories"], found.answers.values(), strict=True):
        assert one["findings"] == result.findings(source="poll.csv")
    lines = to_csv(document).splitlines()
    assert lines[0].startswith("category,rank,item,")
    assert {line.split(",")[0] for line in lines[1:]} == {"", "::x", "<i>", "'=1"}
    assert len(lines) == 1 + sum(len(result.items) for result in found.answers.values())
    assert "<i>" not in render_html(document)
    assert to_markdown(document).startswith(
        "### Split, `poll.csv`\n\n| city | items | votes |"
    )
    assert found.headline in " ".join(str(found).split())


def test_a_proof_says_that_nobody_was_removed():
    found = Split(poll(4), "city").ask(lambda study: study.topk(2, proved=True))
    assert found.headline == "No vote was removed to see who is sure of the top 2."
    assert found.rows() == []
    assert render_html(found.findings())


def test_a_page_is_written(tmp_path):
    found = Split(poll(5), "city").ask(lambda study: study.topk(2))
    page = found.report(
        tmp_path / "page.html", title="By city", source="poll.csv"
    ).read_text()
    assert page.count("<template>") == 4
    assert page.count("<option ") == 4


def test_a_page_shows_no_options_and_names_the_category_on_its_pictures():
    document = Split(leagues(), "league").ask(lambda study: study.topk(1)).findings()
    assert any("--scorer" in (one["problem"] or "") for one in document["categories"])
    page = render_html(document, title="Leagues")
    overview = page.partition('<section id="split"')[2].partition("</section>")[0]
    assert "no answer for cup: Bradley-Terry scores do not exist" in overview
    assert "--" not in overview
    data = json.loads(page.partition('id="report-data">')[2].partition("</script>")[0])
    assert ["Leagues: x" in data[0]["image"], "Leagues: y" in data[1]["image"]] == [
        True,
        True,
    ]


def test_no_name_of_a_category_steers_a_terminal():
    rows = {"choice": [*"aaabbc", *"aab"], "city": ["\x1b[31mu"] * 6 + ["v\u202e"] * 3}
    found = Split(rows, "city").ask(lambda study: study.topk(1))
    for everything in (False, True):
        text = plain_text(found.findings(), Terminal(everything=everything))
        assert not {"\x1b", "\u202e"} & set(text)
        assert "\\x1b[31mu" in text


@pytest.mark.parametrize("width", [24, 40, 80])
def test_lines_are_no_wider_than_the_terminal(width):
    found = Split(poll(6), "city").ask(lambda study: study.topk(2))
    text = plain_text(found.brief(), Terminal(width=width, encoding="ascii"))
    assert text.isascii()
    assert max(map(len, text.splitlines())) <= width
    assert ("each" in text.split()) == ("Each:" in text)


def test_a_column_cannot_steer_markdown():
    columns = {
        ("@x|`y`" if name == "city" else name): cells for name, cells in poll(4).items()
    }
    found = Split(columns, "@x|`y`").ask(lambda study: study.topk(2))
    assert "\n| `` @x\\|`y` `` | items |" in to_markdown(found.findings())
