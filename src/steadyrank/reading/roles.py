"""Which column plays which part, guessed from common names.

Names are compared without case, spaces and punctuation: ``userId``, ``user_id`` and ``User ID``
are one name. Earlier names win over later ones, and every guess is said in the notes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

COMMON_NAMES: dict[str, tuple[str, ...]] = {
    "choice": (
        "choice", "vote", "candidate", "pick", "selected", "selection", "option", "answer",
        "party", "item",
    ),
    "count": (
        "count", "counts", "votes", "ballots", "n", "frequency", "freq", "weight", "multiplicity",
        "voters",
    ),
    "user": (
        "user", "userid", "username", "customer", "customerid", "custid", "rater", "raterid",
        "reviewer", "reviewerid", "judge", "judgeid", "voter", "voterid", "person", "personid",
        "member", "memberid", "annotator", "worker", "uid", "u",
    ),
    "item": (
        "item", "itemid", "movie", "movieid", "film", "filmid", "joke", "jokeid", "product",
        "productid", "asin", "book", "bookid", "isbn", "song", "songid", "track", "trackid",
        "artist", "artistid", "beer", "business", "businessid", "restaurant", "candidate",
        "model", "method", "system", "option", "alternative", "i",
    ),
    "rating": (
        "rating", "ratings", "score", "stars", "star", "value", "overall", "grade", "mark",
        "points", "r",
    ),
    "outcome": ("winner", "outcome", "result", "verdict", "preference", "preferred", "win"),
    "ties": ("ties", "tie", "draws", "draw"),
    "ties_bothbad": ("tiesbothbad", "tiebothbad", "bothbad"),
    "ballot": (
        "ballot", "order", "ranking", "preferences", "preference", "approved", "approvals",
        "approves", "choices",
    ),
    "voter": ("ballot", "ballotid", "voter", "voterid", "user", "userid", "judge", "id"),
    "rank": ("rank", "position", "place", "level", "tier"),
    "row": ("row", "rowid", "question", "questionid", "task", "taskid", "prompt", "dataset",
            "judge", "benchmark", "id"),
    "value": ("value", "score", "rating", "result", "accuracy", "points"),
    "response": ("y", "target", "response", "label"),
}  # fmt: skip
"""For each part, the names that a column may have, best first."""

SIDES: tuple[tuple[str, str], ...] = (
    ("left", "right"),
    *((f"{what}a", f"{what}b") for what in ("model", "player", "team", "item", "system", "option")),
    *((f"{what}1", f"{what}2") for what in ("model", "player", "team", "item", "system", "option")),
    *((f"{what}x", f"{what}y") for what in ("model", "item", "system")),
    ("home", "away"),
    ("hometeam", "awayteam"),
    ("white", "black"),
    ("first", "second"),
    ("winner", "loser"),
    ("a", "b"),
)
"""Names of the two sides of a battle, best first."""

WINS: tuple[tuple[str, str], ...] = (
    ("winsa", "winsb"),
    ("wins1", "wins2"),
    ("winsleft", "winsright"),
    ("leftwins", "rightwins"),
    ("winsx", "winsy"),
    ("awins", "bwins"),
)
"""Names of the two columns of wins in a table of pairs, best first."""


def simplify(name: object) -> str:
    """Return a name without case, spaces and punctuation.

    Examples
    --------
    >>> simplify("User_ID"), simplify("ties (bothbad)")
    ('userid', 'tiesbothbad')
    """
    return "".join(letter for letter in str(name).casefold() if letter.isalnum())


def guess(part: str, columns: Sequence[str], taken: Iterable[str] = ()) -> str | None:
    """Return the column that most likely plays ``part``, or None.

    Examples
    --------
    >>> guess("user", ["movieId", "userId", "rating"])
    'userId'
    """
    free = {simplify(name): name for name in reversed(columns) if name not in set(taken)}
    return next((free[name] for name in COMMON_NAMES[part] if name in free), None)


def guess_all(
    parts: Sequence[str], columns: Sequence[str], given: Mapping[str, str | None] | None = None
) -> list[str] | None:
    """Return a column for each of the parts, as given or else guessed; None if one has none.

    Examples
    --------
    >>> guess_all(["voter", "item", "rank"], ["voter", "candidate", "rank"])
    ['voter', 'candidate', 'rank']
    """
    found: list[str] = []
    for part in parts:
        name = (given or {}).get(part) or guess(part, columns, found)
        if name is None:
            return None
        found.append(name)
    return found


def guess_pair(pairs: Sequence[tuple[str, str]], columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the first pair of ``pairs`` whose two names are both among the columns, or None.

    Examples
    --------
    >>> guess_pair(SIDES, ["model_a", "model_b", "winner"])
    ('model_a', 'model_b')
    """
    found = {simplify(name): name for name in reversed(columns)}
    return next(((found[one], found[two]) for one, two in pairs if one in found and two in found), None)
