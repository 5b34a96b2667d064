"""Tables of Markdown and LaTeX are read as the tables that they show."""

from __future__ import annotations

import io

import pytest

from steadyrank import read_any
from steadyrank.errors import UnreadableFileError

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
    with pytest.raises(UnreadableFileError, match="line 4 of the stream has 3 cells instead of 4"):
        read_any(io.BytesIO(MARKDOWN.replace(" | 85 |", " |").encode()))


def test_bars_between_fields_are_no_markdown() -> None:
    assert read_any(io.BytesIO(b"candidate|votes\nann|3\nbob|2\n")).n_units == 5
