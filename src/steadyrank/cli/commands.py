"""Commands, one by one: a study of the data, a question, and the view that was asked for."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from steadyrank.cli.endings import ExitCode, message_of, say
from steadyrank.cli.inputs import check_sources, item_named, open_study, source_name
from steadyrank.cli.output import deliver, show, terminal, working
from steadyrank.errors import InvalidSettingError, SteadyrankError, UnwritableFileError
from steadyrank.report.terminal import Line, Terminal
from steadyrank.report.text import lines
from steadyrank.study.study import Study, usual_k
from steadyrank.text import counted, today
from steadyrank.writing import append_whole, target_of, write_whole

if TYPE_CHECKING:
    from argparse import Namespace

SUMMARY = "GITHUB_STEP_SUMMARY"
"""Set on GitHub to a file of Markdown, which is shown on the page of the workflow."""


def topk(asked: Namespace) -> None:
    """Show the k best items, and where each stands."""
    view(_topk(asked), asked)


def _topk(asked: Namespace) -> dict[str, Any]:
    how = _answer_settings(asked)
    if asked.removals is not None:
        how["removals"] = asked.removals
    return answer(asked, lambda k, study: study.topk(k, **how))


def rank(asked: Namespace) -> None:
    """Show all items, with the ranks that each may have."""
    how = _answer_settings(asked)
    if asked.confidence is None:
        found = answer(asked, lambda _, study: study.ranking(**how))
    elif how:
        raise InvalidSettingError(
            "--confidence asks another question than --eps, --delta and --proved",
            way_out="Omit one of them.",
        )
    else:
        level = asked.confidence
        found = answer(asked, lambda _, study: study.confidence(level))
    view(found, asked)


def audit(asked: Namespace) -> None:
    """Show how often each answer breaks when one unit is removed."""
    how = _given(asked, "eps", "delta")
    view(answer(asked, lambda k, study: study.audit(k, **how)), asked)


def check(asked: Namespace) -> int:
    """Pass if the top k is stable, fail if it is not; on GitHub, write the summary."""
    limits = _given(asked, "max_delta", "min_margin")
    found = answer(asked, lambda k, study: study.check(k, **limits))
    view(found, asked)
    if os.environ.get(SUMMARY):
        _summarise(found, asked)
    if found["stable"] is None:  # no category is unstable, but some have no answer
        return ExitCode.FAILED
    return ExitCode.FINE if found["stable"] else ExitCode.UNSTABLE


def _summarise(found: dict[str, Any], asked: Namespace) -> None:
    """Add a check to the summary of a step; a failure to write changes no verdict."""
    try:
        append_whole(f"\n{_markdown(found, asked)}", os.environ[SUMMARY])
    except UnwritableFileError as error:
        say(f"note: nothing was added to ${SUMMARY}: {message_of(error)}")


def explain(asked: Namespace) -> None:
    """Show the margin of the top k, or what holds one item where it is."""
    if len(asked.words) == 1:
        view(answer(asked, lambda k, study: study.margin(k)), asked)
        return
    name = asked.words[1]

    def ask(_: int, study: Study) -> Any:
        return study.explain(asked.k, item_named(study, name))

    view(answer(asked, ask), asked)


def compare(asked: Namespace) -> None:
    """Show what moved from OLD to NEW, and what one unit of OLD could explain."""
    old, new = asked.words
    check_sources(old, new)
    try:
        newer = open_study(asked, new)
    except SteadyrankError as error:
        error.problem = f"NEW: {error.problem}"  # both may have one name
        raise

    def ask(_: int, *studies: Study) -> Any:
        moved = studies[0].compare(studies[1], asked.k)
        return replace(moved, new_source=source_name(new))

    view(answer(asked, ask, newer), asked)


def report(asked: Namespace) -> None:
    """Write one HTML page: the answer, and what decides it."""
    from steadyrank.report.html import render_html

    asked.output = asked.output or "report.html"
    found = _topk(asked)
    write_whole(render_html(found, date=today()), asked.output)
    if not asked.quiet:
        every = found.get("categories", [{"findings": found}])
        whole = next(one["findings"] for one in every if one["findings"] is not None)
        items = counted(whole["n_items"], whole["item_name"])
        wrote = (
            f"Wrote the report of the top {found['k']:,} of {items} to {asked.output}"
        )
        show([Line(wrote)], terminal(), whole=True)


def demo(asked: Namespace) -> None:
    """Show three bundled data sets, or copy them."""
    from steadyrank.cli.tour import copied, tour

    if asked.data is not None:
        copied(asked.data)
    else:
        tour(asked.output or "demo-report.html")


def _answer_settings(asked: Namespace) -> dict[str, Any]:
    """Return how an answer is made, as the library takes it."""
    how = _given(asked, "eps", "delta")
    if asked.proved:
        how["proved"] = True
    return how


def _given(asked: Namespace, *names: str) -> dict[str, Any]:
    values = {name: getattr(asked, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def answer(
    asked: Namespace, question: Callable[..., Any], *newer: Any
) -> dict[str, Any]:
    """Read the data, ask a question of them, and return the document of the answer.

    Parameters
    ----------
    asked : Namespace
        The options.
    question : callable
        Takes k, which is the usual one if not given, and a study; of a comparison,
        both studies.
    newer : Study or Split, optional
        Of newer data.
    """
    opened = open_study(asked, asked.words[0])
    if asked.output is not None:  # before the work, once it is known what was read
        target_of(asked.output)
    with working("Removing each unit in turn", quiet=asked.quiet):
        k = usual_k(len(opened.items)) if asked.k is None else asked.k

        def ask(*studies: Study) -> Any:
            return question(k, *studies)

        one = asked.split is None
        result = ask(opened, *newer) if one else opened.ask(ask, *newer)
        source = source_name(asked.words[0])
        if asked.form != "text":
            return dict(result.findings(source=source))
        return dict(result.brief(source=source, everything=bool(asked.all)))


def view(found: dict[str, Any], asked: Namespace) -> None:
    """Write a document in the form that was asked for."""
    if asked.form == "text":
        _text(found, asked)
    else:
        deliver(_written(found, asked), asked.output)


def _written(found: dict[str, Any], asked: Namespace) -> str:
    if asked.form == "markdown":
        return _markdown(found, asked)
    if asked.form == "html":
        from steadyrank.report.html import render_html

        return render_html(found, date=today())
    from steadyrank.report.export import to_csv, to_json

    return to_json(found) if asked.form == "json" else to_csv(found)


def _text(found: dict[str, Any], asked: Namespace) -> None:
    page = terminal(
        "utf-8" if asked.output else None,
        everything=bool(asked.all),
        verbose=bool(asked.verbose),
        quiet=bool(asked.quiet),
    )
    first, *rest = lines(found, page)
    answered = [found, *found.get("audit", ())]
    k = next((part["k"] for part in answered if part.get("k") is not None), None)
    if asked.k is None and k is not None and not asked.quiet:
        first = first._replace(text=_with_k(first.text, k))
    if asked.output is None:
        show([first, *rest], page)
    else:
        texts = (f"{line.text}\n" for line in page.fitting([first, *rest]))
        deliver("".join(texts), asked.output)


def _with_k(text: str, k: int) -> str:
    """Return the first line with the k that was chosen."""
    top = "" if text.endswith(f"top {k:,}") else f" top {k:,}"
    return f"{text},{top} as no -k was given"


def _markdown(found: dict[str, Any], asked: Namespace) -> str:
    """Return a document as Markdown, the same however wide the terminal is."""
    from steadyrank.report.markdown import to_markdown

    page = Terminal(
        options=True, everything=bool(asked.all), verbose=bool(asked.verbose)
    )
    return to_markdown(found, page)
