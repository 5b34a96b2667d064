"""Commands, one by one: a job, its document, and the view that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyrank.cli.output import check_output, console, deliver, look_of, named, show, working
from steadyrank.cli.work import Job, parse_ks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.text import Text

    from steadyrank.cli.options import (
        AnswerOptions,
        InputOptions,
        OutputOptions,
        ScoringOptions,
        TargetOptions,
    )
    from steadyrank.report.bars import Look

UNSTABLE = 1


def show_topk(source: InputOptions, answer: AnswerOptions, output: OutputOptions, k: int) -> int:
    """Show a stable top-k."""
    from steadyrank.report.schema import answer_csv
    from steadyrank.report.text import topk_text

    check_output(output)
    made = Job(source, answer.scorer).topk(k, **_how(answer))
    return _view(
        made, output, answer_csv, lambda look: topk_text(made, look, everything=output.everything)
    )


def show_ranking(source: InputOptions, answer: AnswerOptions, output: OutputOptions) -> int:
    """Show a stable ranking."""
    from steadyrank.report.schema import answer_csv
    from steadyrank.report.text import ranking_text

    check_output(output)
    made = Job(source, answer.scorer).ranking(**_how(answer))
    return _view(
        made, output, answer_csv, lambda look: ranking_text(made, look, everything=output.everything)
    )


def show_audit(source: InputOptions, target: TargetOptions, output: OutputOptions, k: str) -> int:
    """Show an audit."""
    from steadyrank.report.schema import audit_csv
    from steadyrank.report.text import audit_text

    check_output(output)
    ks = parse_ks(k)
    made = Job(source, target.scorer).audit(ks, eps=target.eps, delta=target.delta)
    return _view(made, output, audit_csv, lambda look: audit_text(made, look))


def show_check(
    source: InputOptions, scoring: ScoringOptions, output: OutputOptions, k: int, max_delta: float
) -> int:
    """Show whether a top-k passes, and return the exit code that says so."""
    from steadyrank.report.schema import check_csv
    from steadyrank.report.text import check_text
    from steadyrank.stability.curve import check_delta

    check_output(output)
    check_delta(max_delta)
    made = Job(source, scoring.scorer).check(k, max_delta, eps=scoring.eps)
    _view(made, output, check_csv, lambda look: check_text(made, look))
    return 0 if made["stable"] else UNSTABLE


def save_report(
    source: InputOptions, answer: AnswerOptions, k: int | None, output: str, title: str | None
) -> int:
    """Write the HTML report and say where it is."""
    from steadyrank.report.html import write_report
    from steadyrank.report.text import line
    from steadyrank.safe_text import shown

    job = Job(source, answer.scorer)
    if k is None:
        k = usual_k(len(job.data.items))
    with named(output), working("Writing the report"):
        write_report(
            job.data, k, output, scorer=job.scorer, title=title, source=job.source, **_how(answer)
        )
    screen = console()
    where = shown(output, screen.encoding)
    show(
        [line(f"Wrote the report of the top {k:,} of {len(job.data.items):,} items to {where}")], screen
    )
    return 0


def usual_k(items: int) -> int:
    """Return the k of a report that nobody asked a k for.

    Examples
    --------
    >>> usual_k(100), usual_k(7), usual_k(1)
    (10, 3, 1)
    """
    return max(1, min(10, items // 2))


def _how(answer: AnswerOptions) -> dict[str, Any]:
    """Return the settings of an answer as the library takes them; it checks the claim."""
    return {"eps": answer.eps, "delta": answer.delta, "claim": answer.claim}


def _view(
    made: dict[str, Any],
    output: OutputOptions,
    as_csv: Callable[[dict[str, Any]], str],
    as_text: Callable[[Look], Iterator[Text]],
) -> int:
    from steadyrank.report.schema import to_json

    if output.as_json:
        deliver(to_json(made), output.output)
    elif output.as_csv:
        text = as_csv(made)
        deliver(text, output.output)
        _say_if_guarded(text)
    elif output.output is not None:
        deliver(_plain(as_text), output.output)
    else:
        screen = console()
        show(as_text(look_of(screen)), screen)
    return 0


def _plain(as_text: Callable[[Look], Iterator[Text]]) -> str:
    """Return the text view for a file: no colours, UTF-8."""
    import io

    from rich.console import Console

    from steadyrank.report.bars import Look

    width = max(40, console().width)
    screen = Console(file=io.StringIO(), markup=False, emoji=False, highlight=False, width=width)
    with screen.capture() as captured:
        for text in as_text(Look(width=width)):
            screen.print(text, no_wrap=True, overflow="ignore", crop=False)
    return captured.get()


def _say_if_guarded(text: str) -> None:
    """Say on standard error that names were guarded, if any was."""
    import csv
    import io

    from steadyrank.cli.failures import say
    from steadyrank.report.cells import GUARD, GUARD_NOTE

    if any(cell.startswith(GUARD) for row in csv.reader(io.StringIO(text)) for cell in row):
        say(f"note: {GUARD_NOTE}.", 0)
