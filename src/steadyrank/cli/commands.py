"""Commands, one by one: a study, its findings, and the view that was asked for."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steadyrank.cli import options as group, output
from steadyrank.cli.inputs import (
    STANDARD_INPUT,
    item_named,
    open_study,
    telling_what_helps,
)
from steadyrank.data.kinds import KINDS
from steadyrank.errors import (
    InvalidSettingError,
    InvalidValueError,
    UnwritableFileError,
    shorten,
)
from steadyrank.reading.formats import FORMATS
from steadyrank.text import counted, today

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from steadyrank.report.terminal import Line
    from steadyrank.study.study import Study


SUMMARY = "GITHUB_STEP_SUMMARY"
"""Set on GitHub to a file of Markdown, which is shown on the page of the workflow."""


def with_options(name: str) -> tuple[Callable[..., int | None], Any]:
    """Return a command with all its options, those of the data included, and what parses them."""
    kinds = list(KINDS.values())
    return group.takes(globals()[name], lambda: group.data_options(kinds, FORMATS))


def topk(options: group.TopKOptions) -> None:
    """Show the k best items, where each stands, and a list that holds no matter which unit is removed.

    For example:
    steadyrank topk restaurants.csv -k 5
    steadyrank topk chat_battles.csv -k 3 --unit judge
    steadyrank topk benchmark.csv -k 4 -o top.json
    """
    _answer(
        options,
        lambda study: study.topk(options.k, removals=options.removals, **_how(options)),
    )


def rank(options: group.RankOptions) -> None:
    """Rank all items, each with the ranks that it takes when any one unit is removed.

    For example:
    steadyrank rank chat_battles.csv
    steadyrank rank chat_battles.csv --unit judge --json
    steadyrank rank restaurants.csv --scorer mean-rating:shrinkage=5
    """
    _answer(options, lambda study: study.ranking(**_how(options)))


def audit(options: group.AuditOptions) -> None:
    """Remove every unit in turn, and measure how stable each method's answer is.

    For example:
    steadyrank audit restaurants.csv -k 3,5,10
    steadyrank audit chat_battles.csv -k 3 --unit judge --csv
    steadyrank audit benchmark.csv -k 4 --eps 0.01
    """
    ks = parse_ks(options.k)
    asked = _given(options, "eps", "delta")
    _answer(options, lambda study: study.audit(ks, **asked))


def explain(options: group.ExplainOptions) -> None:
    """Show what keeps an item in the top k or out of it: its rivals, and the units for and against it.

    For example:
    steadyrank explain restaurants.csv 'Ivy Court' -k 5
    steadyrank explain benchmark.csv GaussNet
    steadyrank explain chat_battles.csv 'Heron 2' -k 6 --unit judge
    """
    _answer(
        options,
        lambda study: study.explain(options.k, item_named(study, options.explained)),
    )


def check(options: group.CheckOptions) -> int:
    """Pass (exit 0) if the top k is stable, fail (exit 1) if it is not: a gate for CI.

    On GitHub it writes the step summary.

    For example:
    steadyrank check benchmark.csv -k 3
    steadyrank check restaurants.csv -k 5 --max-delta 0.2
    steadyrank check benchmark.csv -k 3 --min-margin 2 --json
    """
    asked = _given(options, "max_delta", "min_margin")
    found = _answer(options, lambda study: study.check(options.k, **asked))
    if os.environ.get(SUMMARY):
        _summarise(_markdown(found, options), os.environ[SUMMARY])
    if found["stable"] is None:  # no category is unstable, but some have no answer
        return output.ExitCode.FAILED
    return output.ExitCode.FINE if found["stable"] else output.ExitCode.UNSTABLE


def margin(options: group.MarginOptions) -> None:
    """Say how few units must be removed to change the answer, and which.

    For example:
    steadyrank margin restaurants.csv -k 5
    steadyrank margin benchmark.csv -k 4 --of GaussNet
    steadyrank margin chat_battles.csv --unit judge
    """

    def ask(study: Study) -> Any:
        item = None if options.one_item is None else item_named(study, options.one_item)
        return study.margin(options.k, item=item)

    _answer(options, ask)


def compare(options: group.CompareOptions) -> None:
    """Show what moved from OLD to NEW, and whether removing one unit of OLD could explain it.

    All options apply to both files. For a page to read: -o page.html.

    For example:
    steadyrank compare benchmark.csv benchmark_next.csv
    steadyrank compare benchmark.csv benchmark_next.csv -k 4 -o moves.html
    steadyrank compare benchmark.csv benchmark_next.csv --csv
    """
    if options.file == options.new_file == STANDARD_INPUT:
        raise InvalidSettingError(
            "OLD and NEW cannot both be standard input, which holds only one of them",
            way_out="Give the other as a file.",
        )
    newer = group.CompareOptions(**vars(options) | {"file": options.new_file})
    new, about = open_study(newer, options.output, lead="NEW: ")

    def ask(old: Study, new: Study) -> Any:
        return replace(old.compare(new, options.k), new_source=about["source"])

    _answer(options, ask, "Removing every unit in turn", new)


def confidence(options: group.ConfidenceOptions) -> None:
    """Say which ranks the true scores may have, if the units are a random sample: not stability.

    Also for a file of scores with standard errors, which has no units.

    For example:
    steadyrank confidence benchmark.csv
    steadyrank confidence restaurants.csv -k 5 --level 0.9
    steadyrank confidence chat_battles.csv --unit judge --json
    """

    def ask(study: Study) -> Any:
        found = study.confidence(options.level, draws=options.draws, seed=options.seed)
        return found if options.k is None else found.asking(options.k)

    _answer(options, ask, "Drawing new samples")


def report(options: group.ReportOptions) -> None:
    """Write one HTML page: the answer, who decides it, and what more removals would do.

    For example:
    steadyrank report restaurants.csv -k 5
    steadyrank report chat_battles.csv --unit judge -o battles.html
    steadyrank report benchmark.csv -k 4 --title Methods --open
    """
    import webbrowser

    from steadyrank.report.html import render_html
    from steadyrank.report.sharing import table_fragment
    from steadyrank.report.terminal import Line
    from steadyrank.study.study import usual_k, with_names
    from steadyrank.writing import write_whole

    asked = [options.k] if options.k is not None else []

    def ask(study: Study) -> Any:
        asked.append(usual_k(len(study.items)))  # the first counts: that of all rows
        named = with_names(study, options.item_name, options.unit_name)
        return named.topk(asked[0], **_how(options))

    found = _found(options, ask, "Writing the report")
    about: dict[str, Any] = {"title": options.title, "date": today()}
    shown = [one["findings"] for one in found.get("categories", [{"findings": found}])]
    pages = {options.output: render_html(found, **about)}
    if options.table is not None:
        if shown[0] is None:
            raise InvalidValueError("--table shows all rows, which have no answer")
        pages[options.table] = table_fragment(shown[0])
    for path, content in pages.items():  # all were made before anything is written
        write_whole(content, path)
    first = next(filter(None, shown))
    size = counted(first["n_items"], first["item_name"])
    wrote = f"Wrote the report of the top {found['k']:,} of {size} to {options.output}"
    output.show([Line(wrote)], whole=True)
    page = Path(options.output)
    if options.opened and not (
        page.is_file() and webbrowser.open(page.resolve().as_uri())
    ):
        output.say("note: no browser could be opened; open the file yourself.")


def inspect(options: group.InspectOptions) -> None:
    """Show how a file is read, which columns could be the unit, and the command to use.

    For example:
    steadyrank inspect chat_battles.csv
    steadyrank inspect benchmark.csv --kind scores
    steadyrank inspect restaurants.csv --json
    """
    from steadyrank.cli.inspection import inspection, inspection_lines

    with output.working("Reading"):
        found = inspection(options)
    _view(found, options, inspection_lines)


def demo(options: group.DemoOptions) -> None:
    """See it work on three bundled data sets, in a minute.

    For example:
    steadyrank demo
    steadyrank demo -o tour.html
    steadyrank demo --data examples
    """
    from steadyrank.cli.tour import copied, tour

    if options.data is None:
        tour(options.output)
    else:
        copied(options.data)


def parse_ks(text: str) -> list[int]:
    """Return the whole numbers in a list such as ``5,10,20``.

    For example:
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


def _how(options: group.AnswerOptions) -> dict[str, Any]:
    """Return the settings of an answer as the library takes them."""
    return _given(options, "eps", "delta", "proved")


def _given(options: Any, *names: str) -> dict[str, Any]:
    """Return some of the options by name."""
    return {name: getattr(options, name) for name in names}


def _markdown(found: dict[str, Any], options: Any) -> str:
    """Return a document as Markdown, which is the same however wide the terminal is."""
    from steadyrank.report.markdown import to_markdown
    from steadyrank.report.terminal import Terminal

    page = Terminal(
        options=True, everything=options.everything, verbose=options.verbose
    )
    return to_markdown(found, page)


def _summarise(text: str, path: str) -> None:
    """Add a check to the summary of a step; that it cannot be written changes no verdict."""
    from steadyrank.writing import append_whole

    try:
        append_whole(f"\n{text}", path)
    except UnwritableFileError as error:
        output.say(f"note: nothing was added to ${SUMMARY}: {output.message_of(error)}")


def _answer(
    options: Any,
    ask: Callable[..., Any],
    work: str = "Removing every unit in turn",
    *newer: Any,
) -> Any:
    """Ask a study of the data one question, and return what was found, once it is shown."""
    from steadyrank.report.text import lines

    found = _found(options, ask, work, *newer)
    _view(found, options, lines)
    return found


def _found(
    options: Any, ask: Callable[..., Any], work: str, *newer: Any
) -> dict[str, Any]:
    """Read the data, and return what a study of them answers.

    What is newer is a study of newer data; of a split, all of them are splits.
    """
    opened, about = open_study(options, options.output, getattr(options, "table", None))

    def question(study: Study, *others: Study) -> Any:
        with telling_what_helps(study, options):
            return ask(study, *others)

    with output.working(work):
        result = (
            opened.ask(question, *newer)
            if hasattr(opened, "ask")
            else question(opened, *newer)
        )
        if options.form != "text":
            return dict(result.findings(**about))
        return dict(result.brief(**about, everything=options.everything))


def _view(
    found: dict[str, Any], options: Any, told: Callable[..., Iterable[Line]]
) -> None:
    """Write a document in the form that was asked for; ``told`` puts it into lines for a terminal."""
    wanted = {name: getattr(options, name, False) for name in ("everything", "verbose")}
    page = output.terminal("utf-8" if options.output else None, **wanted)
    if options.form in {"json", "csv"}:
        from steadyrank.report.export import to_csv, to_json

        output.deliver(
            to_json(found) if options.form == "json" else to_csv(found), options.output
        )
    elif options.form == "markdown":
        output.deliver(_markdown(found, options), options.output)
    elif options.form == "html":
        from steadyrank.report.html import render_html

        output.deliver(render_html(found, date=today()), options.output)
    elif options.output is not None:
        text = "\n".join(line.text for line in page.fitting(told(found, page)))
        output.deliver(text, options.output)
    else:
        output.show(told(found, page), page)
