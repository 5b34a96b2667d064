"""How results of battles are spelled, in files and in lists."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

TIES = ("tie", "draw", "both_bad", "bothbad", "tie (bothbad)", "tie (both_bad)")
SPELLINGS: Mapping[str, tuple[Sequence[str], Sequence[str], Sequence[str]]] = {
    "left/right/tie": (("left",), ("right",), TIES),
    "model_a/model_b/tie": (("model_a",), ("model_b",), TIES),
    "A/B/tie": (("a",), ("b",), TIES),
    "A>B/B>A/A=B": (("a>b", "a>>b"), ("b>a", "b>>a"), ("a=b",)),
    "leftvote/rightvote/tievote": (
        ("leftvote",),
        ("rightvote",),
        ("tievote", "bothbad_vote"),
    ),
    "1-0/0-1/1/2-1/2": (("1-0",), ("0-1",), ("1/2-1/2",)),
    "H/A/D": (("h",), ("a",), ("d",)),
    "white/black/draw": (("white",), ("black",), TIES),
    "home/away/draw": (("home",), ("away",), TIES),
}
SHARE = "the share that the left side won: 1, 0.5, 0"
LABEL = "the label of a side"
COLUMN = "the name of a side's column"
MEANS = {1: "left wins", 0: "a tie", -1: "right wins"}
TRUTHS = {"true": 1, "yes": 1, "1": 1, "false": 0, "no": 0, "0": 0}
