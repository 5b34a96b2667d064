"""Commands, one by one: a study, its findings, and the view that was asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steadyrank.cli.codes import ExitCode
from steadyrank.cli.inputs import item_named, open_study
from steadyrank.cli.options import (
    AnswerOptions,
    AuditOptions,
    CheckOptions,
    DemoOptions,
    ExplainOptions,
    MarginOptions,
    RankOptions,
    ReportOptions,
    TopKOptions,
    data_options,
    takes,
)
from steadyrank.cli.output import console, deliver, show, terminal_of, working
from steadyrank.data.kinds import KINDS
from steadyrank.errors import InvalidValueError, shorten
from steadyrank.reading.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

    from steadyrank.stability.study import Study


def with_options(command: Callable[[Any], int | None]) -> Callable[..., int | None]:
    """Return a command with all its options, those of the data included."""
    return takes(command, data_options((known.kind for known in KINDS.values()), FORMATS))


def topk(options: TopKOptions) -> None:
    """Show the k best items, where each stands, and a list that holds whichever unit leaves."""
    _answer(options, lambda study: study.topk(options.k, removals=options.removals, **_how(options)))


def rank(options: RankOptions) -> None:
    """Rank all items, each with the ranks that one unit more or less could give it."""
    _answer(options, lambda study: study.ranking(removals=options.removals, **_how(options)))


def audit(options: AuditOptions) -> None:
    """Leave every unit out in turn, and measure how stable each method's answer is.

    With --removals, random sets of several units leave instead: observed, with exact limits.
    """
    ks = parse_ks(options.k)
    names = ("eps", "delta", "guarantee", "removals", "samples", "seed", "recalibrate")
    asked = {name: getattr(options, name) for name in names}
    _answer(options, lambda study: study.audit(ks, **asked))


def explain(options: ExplainOptions) -> None:
    """Show what holds an item on its side of a border: its rivals, the units for and against it."""
    _answer(options, lambda study: study.explain(options.k, item_named(study, options.explained)))


def check(options: CheckOptions) -> int:
    """Pass (exit 0) if the top k is stable, fail (exit 1) if it is not: a gate for CI.

    Checked is the plain top k; with --eps, the inflated one.
    """
    from steadyrank.stability.calibration import check_delta

    most, fewest = check_delta(options.max_delta), options.min_margin
    found = _answer(
        options, lambda study: study.check(options.k, max_delta=most, eps=options.eps, min_margin=fewest)
    )
    return ExitCode.FINE if found.stable else ExitCode.UNSTABLE


def margin(options: MarginOptions) -> None:
    """Say how many units must leave before the answer changes, which ones, and what rests on it."""

    def ask(study: Study) -> Any:
        item = None if options.one_item is None else item_named(study, options.one_item)
        return study.margin(options.k, item=item, eps=options.eps, by=options.by)

    _answer(options, ask)


def report(options: ReportOptions) -> None:
    """Write one HTML file to look at: verdict, charts with live sliders, a table to search."""
    from steadyrank.report.lines import Line

    study, about = open_study(options, options.output)
    k = study.usual_k if options.k is None else options.k
    with working("Writing the report"):
        study.report(options.output, k, title=options.title, **about, **_how(options))
    screen = console()
    where = terminal_of(screen).safe(options.output)
    told = f"Wrote the report of the top {k:,} of {len(study.items):,} items to {where}"
    show([Line(told)], screen)


def demo(options: DemoOptions) -> None:
    """See it work on three bundled data sets, in a minute's read."""
    from steadyrank.cli.tour import tour

    tour(options.output, options.data)


def parse_ks(text: str) -> list[int]:
    """Return the whole numbers in a list such as ``5,10,20``.

    Examples
    --------
    >>> parse_ks("5,10, 20")
    [5, 10, 20]
    """
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InvalidValueError(
            f"-k takes whole numbers separated by commas, such as 5,10,20, but is {shorten(text)}"
        ) from None


def _how(options: AnswerOptions) -> dict[str, Any]:
    """Return the settings of an answer as the library takes them; it checks the claim."""
    return {name: getattr(options, name) for name in ("eps", "delta", "guarantee", "claim")}


def _answer(options: Any, ask: Callable[[Study], Any]) -> Any:
    """Read the data, ask a study of them one question, show what it found, and return the result."""
    study, about = open_study(options, options.output)
    with working("Leaving every unit out"):
        result = ask(study)
        found = result.findings(**about)
    _view(found, options)
    return result


def _view(found: dict[str, Any], options: Any) -> None:
    from steadyrank.cli.failures import say
    from steadyrank.report.export import GUARD_NOTE, has_guards, to_csv, to_json
    from steadyrank.report.text import lines

    screen, shown = console(), {"everything": options.everything, "verbose": options.verbose}
    if options.as_json:
        deliver(to_json(found), options.output)
    elif options.as_csv:
        deliver(to_csv(found), options.output)
        if has_guards(found):
            say(f"note: {GUARD_NOTE}.", ExitCode.FINE)
    elif options.output is not None:
        told = lines(found, replace(terminal_of(screen, "utf-8"), **shown))
        deliver("\n".join(line.text for line in told), options.output)
    else:
        show(lines(found, replace(terminal_of(screen), **shown)), screen)
