"""The commands ``python -m paper regression``, ``netflix`` and ``baselines``."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from paper import figures as pictures, tables
from paper.baselines import baselines as compared_with_rivals
from paper.dimensions import STUDY_FEATURES, STUDY_TRIALS, dimension_study
from paper.full_ranking import regression_experiment
from paper.lookalike import DEFAULT_SEED, lookalike_population
from paper.movie_lists import TRIALS as NETFLIX_TRIALS, netflix_experiment
from paper.population import STUDY_USERS, population_study, study_work
from paper.prize_files import read_prize
from paper.regression import AUTHORS_SEED, TRIALS as REGRESSION_TRIALS
from paper.sources import ScriptSource, StoredSource
from steadyrank.errors import InvalidSettingError

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Iterator, Sequence

    from paper.population import PopulationStudy
    from paper.sources import RatingsSource
    from paper.tables import TextTable

ABOUT = (
    "The paper's experiments, beside its published figures, and some that it could "
    "not afford."
)


def run(arguments: Sequence[str]) -> None:
    """Run one command."""
    parser = ArgumentParser("python -m paper", description=ABOUT, allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command, options in (
        (regression, _regression_options),
        (netflix, _netflix_options),
        (baselines, _baselines_options),
    ):
        about = command.__doc__
        taking = commands.add_parser(
            command.__name__, help=about, description=about, allow_abbrev=False
        )
        options(taking)
        taking.add_argument(
            "--json", action="store_true", help="print JSON instead of a table"
        )
        taking.add_argument(
            "--figures",
            metavar="DIR",
            type=Path,
            help="also write the figures, as SVG and PNG, to DIR",
        )
        taking.set_defaults(command=command)
    asked = parser.parse_args(arguments)
    asked.command(asked)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _there(text: str) -> Path:
    if not Path(text).exists():
        raise ArgumentTypeError(f"there is no {text!r}")
    return Path(text)


def _regression_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--beta",
        choices=("script", "text"),
        default="script",
        help="coefficients 0..4 (the authors' script and table) or 1..5 (the text)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=AUTHORS_SEED,
        help="of the generator; the default is the authors'",
    )
    parser.add_argument(
        "--trials",
        type=_positive,
        help="how many datasets; by default 1000, or 100 with --study",
    )
    parser.add_argument(
        "--study",
        action="store_true",
        help="beyond the paper: 5, 20, 100 and 500 features",
    )


def regression(asked: Namespace) -> None:
    """Table 2: the stability of the ranking of the features of a regression."""
    if asked.study:
        number = asked.trials or STUDY_TRIALS
        with _progress("features", number * len(STUDY_FEATURES)) as progress:
            found = dimension_study(
                beta=asked.beta, seed=asked.seed, trials=number, progress=progress
            )
        drawn = pictures.dimension_figure(found, asked.figures) if asked.figures else []
        _show(found.to_dict(), [tables.dimension_table(found)], drawn, asked)
        return
    number = asked.trials or REGRESSION_TRIALS
    with _progress("regressions", number) as progress:
        result = regression_experiment(
            beta=asked.beta, seed=asked.seed, trials=number, progress=progress
        )
    drawn = pictures.regression_figure([result], asked.figures) if asked.figures else []
    _show(result.to_dict(), [tables.regression_table(result)], drawn, asked)


def _netflix_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--data", metavar="DIR", type=_there, help="the folder of the true Prize files"
    )
    parser.add_argument(
        "--lookalike",
        action="store_true",
        help="a population made from published figures (default)",
    )
    parser.add_argument(
        "--ties",
        choices=("text", "script"),
        default="text",
        help="plain ties: smallest index (the text) or an unstable sort (the script)",
    )
    parser.add_argument(
        "--draws",
        choices=("seed", "script"),
        default="seed",
        help="how users are drawn from --data: by --seed, or as the authors' script does",
    )
    parser.add_argument(
        "--files",
        metavar="NAME,NAME",
        default="",
        help="for --draws script: the order of the files, by which users first appear",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=DEFAULT_SEED,
        help="makes the look-alike and draws the users",
    )
    parser.add_argument(
        "--trials",
        type=_positive,
        default=NETFLIX_TRIALS,
        help="how many samples of users",
    )
    parser.add_argument(
        "--population",
        action="store_true",
        help="beyond the paper: audit everybody at once",
    )
    parser.add_argument(
        "--study",
        action="store_true",
        help="beyond the paper: from 1,000 users up to everybody",
    )


def _check_netflix(asked: Namespace) -> None:
    by_script = asked.draws == "script"
    for wrong, problem in (
        (asked.lookalike and asked.data, "--lookalike and --data exclude each other"),
        (
            by_script and asked.data is None,
            "--draws script needs --data: the script draws from the Prize files",
        ),
        (
            by_script and (asked.population or asked.study),
            "--draws script is for Tables 1 and 3: the script draws 1,000 users",
        ),
        (
            asked.files and not by_script,
            "--files is for --draws script: otherwise the order does not matter",
        ),
    ):
        if wrong:
            raise InvalidSettingError(problem)


def netflix(asked: Namespace) -> None:
    """Tables 1 and 3: the stability of lists of the best rated movies."""
    _check_netflix(asked)
    source = _source(asked)
    trials = asked.trials
    figures = asked.figures
    if asked.population or asked.study:
        users = [n for n in STUDY_USERS if n <= source.n_users] if asked.study else []
        with _progress("users", study_work(source.n_users, users, trials)) as progress:
            found = population_study(
                source, users=users, trials=trials, progress=progress
            )
        drawn = []
        if figures and asked.study:
            drawn = pictures.population_figure(found, figures)
        shown = _population_tables(found, study=asked.study)
        _show(found.to_dict(), shown, drawn, asked)
        return
    with _progress("trials", trials) as progress:
        result = netflix_experiment(
            source, trials=trials, ties=asked.ties, progress=progress
        )
    drawn = pictures.netflix_figure([result], figures) if figures else []
    _show(result.to_dict(), [tables.netflix_table(result)], drawn, asked)


def _baselines_options(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--page", metavar="FILE", type=_there, help="write the tables into this page"
    )


def baselines(asked: Namespace) -> None:
    """Propositions 5 and 9: by how much other rules with the same guarantee are larger."""
    found = compared_with_rivals()
    shown = [
        tables.top_k_rivals_table([*found.top_k, *found.generated]),
        tables.ranking_rivals_table([*found.rankings, *found.generated_rankings]),
    ]
    if asked.page is not None:
        text = asked.page.read_text(encoding="utf-8")
        for table in shown:
            text = table.put_into(text)
        asked.page.write_text(text, encoding="utf-8")
    drawn = pictures.baselines_figure(found, asked.figures) if asked.figures else []
    _show(found.to_dict(), shown, drawn, asked)


def _source(asked: Namespace) -> RatingsSource:
    if asked.data is None:
        return lookalike_population(seed=asked.seed)
    if asked.draws == "script":
        files = asked.files.split(",") if asked.files else []
        return ScriptSource.read(asked.data, files)
    return StoredSource(read_prize(asked.data), asked.seed)


def _population_tables(found: PopulationStudy, *, study: bool) -> list[TextTable]:
    if not study:
        return [tables.everybody_table(found)]
    return [
        tables.population_table(found),
        tables.size_table(found),
        tables.needed_table(found),
        tables.everybody_table(found),
    ]


def _show(
    result: dict[str, Any],
    shown: Sequence[TextTable],
    drawn: Sequence[Path],
    asked: Namespace,
) -> None:
    if asked.json:
        sys.stdout.write(f"{json.dumps(result)}\n")
    else:
        text = "\n\n".join("\n".join(table.lines()) for table in shown)
        greek = (sys.stdout.encoding or "").lower().startswith("utf")
        text = text if greek else text.translate(tables.IN_ASCII)
        sys.stdout.write(f"{text}\n")
    for path in drawn:
        sys.stderr.write(f"wrote {path}\n")


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], object] | None]:
    """Show on the terminal how far the work is; nothing where there is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    done = 0

    def advance(number: int) -> None:
        nonlocal done
        done += number
        sys.stderr.write(f"\r{what}: {done:,}/{total:,}")
        sys.stderr.flush()

    yield advance
    sys.stderr.write("\n")
