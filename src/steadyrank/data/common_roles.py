"""Roles that several kinds of data share: a name means the same wherever it stands."""

from __future__ import annotations

from steadyrank.reading.kinds import Role, Setting

ITEM_NAMES = (
    "item", "itemid", "movie", "movieid", "film", "filmid", "joke", "jokeid", "product", "productid",
    "asin", "book", "bookid", "isbn", "song", "songid", "track", "trackid", "artist", "artistid", "beer",
    "business", "businessid", "restaurant", "candidate", "model", "method", "system", "option",
    "alternative", "i",
)  # fmt: skip

COUNT = Role(
    "how often a row occurred",
    (
        "count", "counts", "votes", "ballots", "n", "frequency", "freq", "weight", "multiplicity",
        "voters",
    ),
    holds="counts",
    argument="counts",
)  # fmt: skip

UNIT = Role("rows with equal values here are left out together (a worker, a prompt)", argument="units")

ITEM_LIST = Setting("the list of items, in order, also those without data", several=True)
