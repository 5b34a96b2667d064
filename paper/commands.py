"""The commands ``python -m paper regression``, ``netflix`` and ``baselines``."""

from __future__ import annotations

import json
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paper.population import PopulationStudy
    from paper.sources import RatingsSource
    from paper.tables import TextTable

app = typer.Typer(
    help="The paper's experiments, beside its published figures, and some that it could not afford.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


class Beta(StrEnum):
    """Which true coefficients."""

    script = "script"
    text = "text"


class Ties(StrEnum):
    """How the plain top-k breaks exact ties."""

    text = "text"
    script = "script"


class Draws(StrEnum):
    """How the users of a trial are drawn from the Prize files."""

    seed = "seed"
    script = "script"


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]
Figures = Annotated[
    Path | None,
    typer.Option(
        "--figures",
        metavar="DIR",
        help="Also write the figures, as SVG and PNG, to DIR.",
    ),
]


@app.command()
def regression(
    *,
    beta: Annotated[
        Beta,
        typer.Option(
            help="Coefficients 0..4 (the authors' script and table) or 1..5 (the text)."
        ),
    ] = Beta.script,
    seed: Annotated[
        int, typer.Option(help="Of the generator; the default is the authors'.")
    ] = AUTHORS_SEED,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many datasets; by default 1000, or 100 with --study."
        ),
    ] = None,
    study: Annotated[
        bool,
        typer.Option("--study", help="Beyond the paper: 5, 20, 100 and 500 features."),
    ] = False,
    as_json: AsJson = False,
    figures: Figures = None,
) -> None:
    """Table 2: the stability of the ranking of the features of a regression."""
    if study:
        number = STUDY_TRIALS if trials is None else trials
        with _progress("features", number * len(STUDY_FEATURES)) as progress:
            found = dimension_study(
                beta=beta.value, seed=seed, trials=number, progress=progress
            )
        drawn = pictures.dimension_figure(found, figures) if figures else []
        _show(found.to_dict(), [tables.dimension_table(found)], drawn, as_json=as_json)
        return
    number = REGRESSION_TRIALS if trials is None else trials
    with _progress("regressions", number) as progress:
        result = regression_experiment(
            beta=beta.value, seed=seed, trials=number, progress=progress
        )
    drawn = pictures.regression_figure([result], figures) if figures else []
    _show(result.to_dict(), [tables.regression_table(result)], drawn, as_json=as_json)


@app.command()
def netflix(  # noqa: PLR0913 (options of a command)
    *,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="The folder of the true Prize files.",
            exists=True,
        ),
    ] = None,
    lookalike: Annotated[
        bool,
        typer.Option(
            "--lookalike", help="A population made from published figures (default)."
        ),
    ] = False,
    ties: Annotated[
        Ties,
        typer.Option(
            help="Plain ties: smallest index (the text) or an unstable sort (the script)."
        ),
    ] = Ties.text,
    draws: Annotated[
        Draws,
        typer.Option(
            help="How users are drawn from --data: by --seed, or as the authors' script does."
        ),
    ] = Draws.seed,
    files: Annotated[
        str,
        typer.Option(
            metavar="NAME,NAME",
            help="For --draws script: the order of the files, by which users first appear.",
        ),
    ] = "",
    seed: Annotated[
        int, typer.Option(help="Makes the look-alike and draws the users.")
    ] = DEFAULT_SEED,
    trials: Annotated[
        int, typer.Option(min=1, help="How many samples of users.")
    ] = NETFLIX_TRIALS,
    population: Annotated[
        bool,
        typer.Option("--population", help="Beyond the paper: audit everybody at once."),
    ] = False,
    study: Annotated[
        bool,
        typer.Option(
            "--study", help="Beyond the paper: from 1,000 users up to everybody."
        ),
    ] = False,
    as_json: AsJson = False,
    figures: Figures = None,
) -> None:
    """Tables 1 and 3: the stability of lists of the best rated movies."""
    if lookalike and data is not None:
        raise typer.BadParameter("--lookalike and --data exclude each other.")
    if draws is Draws.script and data is None:
        raise typer.BadParameter(
            "--draws script needs --data: the script draws from the Prize files."
        )
    if draws is Draws.script and (population or study):
        raise typer.BadParameter(
            "--draws script is for Tables 1 and 3: the script draws 1,000 users."
        )
    if files and draws is Draws.seed:
        raise typer.BadParameter(
            "--files is for --draws script: otherwise the order does not matter."
        )
    by_script = draws is Draws.script
    source = _source(data, seed, files.split(",") if files else [], by_script=by_script)
    if population or study:
        users = [n for n in STUDY_USERS if n <= source.n_users] if study else []
        with _progress("users", study_work(source.n_users, users, trials)) as progress:
            found = population_study(
                source, users=users, trials=trials, progress=progress
            )
        drawn = pictures.population_figure(found, figures) if figures and study else []
        _show(
            found.to_dict(),
            _population_tables(found, study=study),
            drawn,
            as_json=as_json,
        )
        return
    with _progress("trials", trials) as progress:
        result = netflix_experiment(
            source, trials=trials, ties=ties.value, progress=progress
        )
    drawn = pictures.netflix_figure([result], figures) if figures else []
    _show(result.to_dict(), [tables.netflix_table(result)], drawn, as_json=as_json)


@app.command()
def baselines(
    *,
    page: Annotated[
        Path | None,
        typer.Option(
            "--page",
            metavar="FILE",
            help="Write the tables into this page.",
            exists=True,
        ),
    ] = None,
    as_json: AsJson = False,
    figures: Figures = None,
) -> None:
    """Propositions 5 and 9: by how much other rules with the same guarantee are larger."""
    found = compared_with_rivals()
    shown = [
        tables.top_k_rivals_table([*found.top_k, *found.generated]),
        tables.ranking_rivals_table([*found.rankings, *found.generated_rankings]),
    ]
    if page is not None:
        text = page.read_text(encoding="utf-8")
        for table in shown:
            text = table.put_into(text)
        page.write_text(text, encoding="utf-8")
    drawn = pictures.baselines_figure(found, figures) if figures else []
    _show(found.to_dict(), shown, drawn, as_json=as_json)


def _source(
    data: Path | None, seed: int, files: list[str], *, by_script: bool
) -> RatingsSource:
    if data is None:
        return lookalike_population(seed=seed)
    if by_script:
        return ScriptSource.read(data, files)
    return StoredSource(read_prize(data), seed)


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
    *,
    as_json: bool,
) -> None:
    from rich.console import Console

    if as_json:
        typer.echo(json.dumps(result))
    else:
        console = Console(highlight=False, markup=False, emoji=False)
        for table in shown:
            table.show(console)
    for path in drawn:
        typer.echo(f"wrote {path}", err=True)


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], object] | None]:
    """Show a bar on the terminal while the work goes on; nothing where there is no terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (
        TextColumn(what),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)
