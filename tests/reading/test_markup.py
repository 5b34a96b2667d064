"""Tables of Markdown and LaTeX are read as the tables that they show."""

from __future__ import annotations

import io

import pytest

from steadyrank import read_any
from steadyrank.errors import UnreadableFileError
from steadyrank.reading.formats import read_table

MARKDOWN = """| Model | MMLU | GSM8K | ARC |
|:------|-----:|------:|----:|
| **alpha-7b** | 70.1 ± 0.2 | **90.0** ± 1 | 80 |
| beta | 80.0 ± 0.1 | 60.2 ± 3 | 85 |
"""
LATEX = r"""\begin{tabular}{lrrr}
\toprule
Model & MMLU & GSM8K & ARC \\
\midrule
alpha-7b & 70.1 & \textbf{90.0} & 80 \\
beta & 80.0 $\pm$ 0.1 & 60.2 & 85 \\
\bottomrule
\end{tabular}
"""


@pytest.mark.parametrize("text", [MARKDOWN, LATEX])
def test_a_leaderboard(text: str) -> None:
    data = read_any(io.BytesIO(text.encode()))
    assert data.items == ("alpha-7b", "beta")
    assert data.values.tolist() == [[70.1, 80.0], [90.0, 60.2], [80.0, 85.0]]
    assert any("after ±" in note for note in data.notes)


def test_a_line_that_is_too_short() -> None:
    with pytest.raises(
        UnreadableFileError, match="line 4 of the stream has 3 cells instead of 4"
    ):
        read_any(io.BytesIO(MARKDOWN.replace(" | 85 |", " |").encode()))


def test_bars_between_fields_are_no_markdown() -> None:
    assert read_any(io.BytesIO(b"candidate|votes\nann|3\nbob|2\n")).n_units == 5


PAPER = r"""
Some words \begin{tabular}{ll} key & word \\ a & b \\ \end{tabular} before it.
\begin{tabular*}{\textwidth}{@{\extracolsep{\fill}}lccc}
\toprule
 & \multicolumn{2}{c}{Accuracy} & Cost \\
\cmidrule(lr){2-3}
Model & \makecell{Task\\one} & two & all \\ \midrule
% gone & 1 & 2 & 3 \\
a\_b & \textbf{91.3}$_{0.2}$ & 80 & 70 \\
\rowcolor{gray!20} c & 90.0$^\dagger$ & 81 & 71 \\
\addlinespace[2pt]
d\textsuperscript{*} & 90.1\std{0.3} & \underline{82} & 72 \\
\bottomrule
\end{tabular*}
"""
README = """# Results

| option | default |
|---|---|
| seed | 1 |
| size | 2 |

| Model | MMLU<br>(5-shot) | a\\|b | t3 |
|---|---|---|---|
| [snake_case](https://x.y)[^1] | **70.5** | 1† | 3 |
| `other_one`<sup>2</sup> | _71.0_ | ~~2~~ | 4 |
| third | 69.5 | 3 ★ | 5 |

[^1]: a note | with a bar
"""


def test_merged_headers_remarks_and_marks_of_a_paper() -> None:
    found = read_table(io.BytesIO(PAPER.encode()))
    assert found.names == ["Model", "Accuracy Task one", "Accuracy two", "Cost all"]
    assert found.labels("Model").tolist() == ["a_b", "c", "d"]
    assert found.numbers("Accuracy Task one").tolist() == [91.3, 90.0, 90.1]
    assert found.numbers("Accuracy two").tolist() == [80, 81, 82]
    assert list(found.lines) == [9, 10, 12]


def test_one_of_several_tables_with_links_and_footnotes() -> None:
    found = read_table(io.BytesIO(README.encode()))
    assert found.names == ["Model", "MMLU (5-shot)", "a|b", "t3"]
    assert found.labels("Model").tolist() == ["snake_case", "other_one", "third"]
    assert found.numbers("MMLU (5-shot)").tolist() == [70.5, 71, 69.5]
    assert found.numbers("a|b").tolist() == [1, 2, 3]
    assert found.guessed == {"sheet": "2"}
    other = read_table(io.BytesIO(README.encode()), given={"sheet": "1"})
    assert other.labels("option").tolist() == ["seed", "size"]


def test_a_long_table_says_its_header_on_each_page() -> None:
    head = "Model & t1 & t2 \\\\\n"
    rows = "x & 1 & 2 \\\\\n\\endhead\n" + head + "y & 3 & 4 \\\\\n"
    text = (
        "\\begin{longtable}{lrr}\n"
        + head
        + "\\endfirsthead\n"
        + head
        + rows
        + "\\end{longtable}\n"
    )
    assert read_table(io.BytesIO(text.encode())).labels("Model").tolist() == ["x", "y"]
