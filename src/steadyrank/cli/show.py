"""Commands, one by one: a study, its findings, and the view that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steadyrank.cli.inputs import open_study
from steadyrank.cli.output import check_output, console, deliver, named, show, terminal_of, working
from steadyrank.errors import InvalidValueError, shorten

if TYPE_CHECKING:
    from steadyrank.cli.options import (
        AnswerOptions,
        InputOptions,
        OutputOptions,
        ScoringOptions,
        TargetOptions,
    )

UNSTABLE = 1
LEAVING_OUT = "Leaving every unit out"


def show_topk(source: InputOptions, answer: AnswerOptions, output: OutputOptions, k: int) -> int:
    """Show a stable top-k."""
    check_output(output)
    opened = open_study(source, answer.scorer)
    with working(LEAVING_OUT):
        found = opened.study.topk(k, **_how(answer)).findings(**opened.about)
    return _view(found, output)


def show_ranking(source: InputOptions, answer: AnswerOptions, output: OutputOptions) -> int:
    """Show a stable ranking."""
    check_output(output)
    opened = open_study(source, answer.scorer)
    with working(LEAVING_OUT):
        found = opened.study.ranking(**_how(answer)).findings(**opened.about)
    return _view(found, output)


def show_audit(source: InputOptions, target: TargetOptions, output: OutputOptions, k: str) -> int:
    """Show an audit."""
    check_output(output)
    ks = parse_ks(k)
    opened = open_study(source, target.scorer)
    with working(LEAVING_OUT):
        result = opened.study.audit(ks, eps=target.eps, delta=target.delta)
        found = result.findings(**opened.about)
    return _view(found, output)


def show_check(
    source: InputOptions, scoring: ScoringOptions, output: OutputOptions, k: int, max_delta: float
) -> int:
    """Show whether a top-k passes, and return the exit code that says so."""
    from steadyrank.stability.shifts import check_delta

    check_output(output)
    check_delta(max_delta)
    opened = open_study(source, scoring.scorer)
    with working(LEAVING_OUT):
        result = opened.study.check(k, max_delta=max_delta, eps=scoring.eps)
        found = result.findings(**opened.about)
    _view(found, output)
    return 0 if result.stable else UNSTABLE


def save_report(
    source: InputOptions, answer: AnswerOptions, k: int | None, output: str, title: str | None
) -> int:
    """Write the HTML report and say where it is."""
    from steadyrank.report.text import Line
    from steadyrank.safe_text import shown

    opened = open_study(source, answer.scorer)
    study = opened.study
    wanted = study.usual_k if k is None else k
    with named(output), working("Writing the report"):
        study.report(output, wanted, title=title, **opened.about, **_how(answer))
    screen = console()
    where = shown(output, screen.encoding)
    told = f"Wrote the report of the top {wanted:,} of {len(study.items):,} items to {where}"
    show([Line(told)], screen)
    return 0


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


def _how(answer: AnswerOptions) -> dict[str, Any]:
    """Return the settings of an answer as the library takes them; it checks the claim."""
    return {"eps": answer.eps, "delta": answer.delta, "claim": answer.claim}


def _view(found: dict[str, Any], output: OutputOptions) -> int:
    from steadyrank.report.export import to_csv, to_json
    from steadyrank.report.terminal import Terminal
    from steadyrank.report.text import lines

    if output.as_json:
        deliver(to_json(found), output.output)
    elif output.as_csv:
        text = to_csv(found)
        deliver(text, output.output)
        _say_if_guarded(text)
    elif output.output is not None:
        paper = Terminal(max(40, console().width), options=True)
        told = lines(found, paper, everything=output.everything)
        deliver("\n".join(line.text for line in told), output.output)
    else:
        screen = console()
        show(lines(found, terminal_of(screen), everything=output.everything), screen)
    return 0


def _say_if_guarded(text: str) -> None:
    """Say on standard error that names were guarded, if any was."""
    import csv
    import io

    from steadyrank.cli.failures import say
    from steadyrank.report.export import GUARD, GUARD_NOTE

    if any(cell.startswith(GUARD) for row in csv.reader(io.StringIO(text)) for cell in row):
        say(f"note: {GUARD_NOTE}.", 0)
