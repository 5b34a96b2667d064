"""Published figures about the Netflix Prize data, as data.

The Prize files may not be redistributed. These facts, gathered from several public analyses,
are what the look-alike of :mod:`paper.lookalike` is made from and tested against.
"""

from __future__ import annotations

from dataclasses import dataclass

USERS = 480_189
MOVIES = 17_770
RATINGS = 100_480_507

STARS = (1, 2, 3, 4, 5)
STAR_SHARES = (0.04596, 0.10084, 0.28673, 0.33590, 0.23057)
MEAN_RATING = 3.604
SD_RATING = 1.085

USER_MEAN_COUNT = 209
USER_SD_COUNT = 302
USER_MAX_COUNT = 17_653
USERS_WITH_ONE_RATING = 1_269
USERS_WITH_FEWER_THAN_TEN = 16_419
USER_COUNT_QUANTILES = (
    (0.05, 12),
    (0.10, 18),
    (0.25, 39),
    (0.50, 96),
    (0.75, 259),
    (0.90, 545),
    (0.95, 790),
    (0.99, 1_450),
    (0.999, 2_600),
)
"""(share of users, ratings): the quartiles are exact, the others rough."""

MOVIE_COUNT_QUARTILES = ((0.25, 192), (0.50, 561), (0.75, 2_668))
MOVIE_MEAN_COUNT = 5_655
MOVIE_SD_COUNT = 16_910
MOVIE_MIN_COUNT = 3
MOVIE_MAX_COUNT = 232_944

MOVIE_MEAN_OF_MEANS = 3.228
MOVIE_SD_OF_MEANS = 0.526
MOVIE_MEAN_QUARTILES = ((0.25, 2.897), (0.50, 3.255), (0.75, 3.616))
MOVIE_MEAN_RANGE = (1.288, 4.723)
FAVOURITES = ((299, 4.70), (300, 4.717), (301, 4.723))
"""(place in popularity, mean) of the three best rated movies: about 73,000 ratings each."""


@dataclass(frozen=True)
class PopularityBin:
    """Movies next to each other in order of popularity (first and last place, from 1)."""

    first: int
    last: int
    count_first: int
    count_last: int
    means: tuple[float, ...]

    @property
    def size(self) -> int:
        """The number of movies in the bin."""
        return self.last - self.first + 1


MEAN_QUANTILES = (0.0, 0.05, 0.15, 0.30, 0.50, 0.70, 0.85, 0.95, 1.0)
"""Where the ``means`` of each bin stand in the order of its movies' mean ratings."""

POPULARITY_BINS = (
    PopularityBin(
        1,
        40,
        232_944,
        145_540,
        (3.210, 3.332, 3.394, 3.511, 3.720, 3.897, 4.161, 4.331, 4.461),
    ),
    PopularityBin(
        41,
        120,
        145_519,
        108_528,
        (3.044, 3.183, 3.372, 3.623, 3.778, 3.972, 4.200, 4.346, 4.593),
    ),
    PopularityBin(
        121,
        300,
        108_354,
        73_353,
        (2.798, 3.235, 3.345, 3.525, 3.679, 3.869, 4.055, 4.300, 4.717),
    ),
    PopularityBin(
        301,
        600,
        73_337,
        42_457,
        (2.757, 3.080, 3.318, 3.473, 3.658, 3.827, 3.974, 4.163, 4.723),
    ),
    PopularityBin(
        601,
        1_000,
        42_307,
        25_797,
        (2.602, 2.983, 3.207, 3.413, 3.558, 3.750, 3.945, 4.135, 4.513),
    ),
    PopularityBin(
        1_001,
        1_600,
        25_727,
        14_045,
        (2.405, 2.941, 3.164, 3.365, 3.559, 3.748, 3.918, 4.110, 4.543),
    ),
    PopularityBin(
        1_601,
        2_500,
        14_042,
        7_205,
        (1.946, 2.851, 3.088, 3.279, 3.517, 3.710, 3.924, 4.250, 4.671),
    ),
    PopularityBin(
        2_501,
        4_000,
        7_202,
        3_238,
        (1.810, 2.759, 3.028, 3.267, 3.494, 3.705, 3.916, 4.167, 4.582),
    ),
    PopularityBin(
        4_001,
        6_000,
        3_237,
        1_508,
        (1.505, 2.635, 2.924, 3.165, 3.417, 3.694, 3.885, 4.103, 4.639),
    ),
    PopularityBin(
        6_001,
        8_500,
        1_507,
        647,
        (1.522, 2.474, 2.827, 3.064, 3.368, 3.625, 3.845, 4.008, 4.596),
    ),
    PopularityBin(
        8_501,
        11_500,
        647,
        284,
        (1.346, 2.277, 2.656, 2.928, 3.154, 3.440, 3.684, 3.902, 4.468),
    ),
    PopularityBin(
        11_501,
        14_500,
        284,
        153,
        (1.496, 2.138, 2.494, 2.794, 3.037, 3.303, 3.574, 3.856, 4.600),
    ),
    PopularityBin(
        14_501,
        17_770,
        153,
        3,
        (1.288, 2.038, 2.380, 2.667, 2.946, 3.196, 3.476, 3.764, 4.552),
    ),
)
