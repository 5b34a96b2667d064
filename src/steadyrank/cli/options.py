"""The options of the command line, each said once, in groups that commands share.

A group is a class whose attributes are the options, explained in its docstring, which the help shows; a
command asks for one, and :func:`takes` hands it over filled in. What can be said about the data comes
from the declarations of their kinds: one option for each name, explained by every kind that has it. Only
the options of the command that runs are built.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from inspect import Parameter, Signature, cleandoc, get_annotations
from pathlib import Path
from types import MappingProxyType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    dataclass_transform,
    get_type_hints,
)

import typer
from typer.core import TyperCommand

from steadyrank.errors import (
    InvalidValueError,
    SteadyrankError,
    UnwritableFileError,
    typed_name,
)
from steadyrank.reading.declarations import Setting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from steadyrank.reading.declarations import Kind, Role

COLUMNS = "Columns (guessed from their names; every guess is shown)"
READING = "Reading the file"
COMMON = "Options"
"""The panel that the help shows first: what most people need."""

ENDINGS = {
    "text": ".txt", "html": ".html", "json": ".json", "csv": ".csv", "markdown": ".md"
}  # fmt: skip
"""The forms of a result, and how a file that holds one ends; it may have no ending."""

TYPES: dict[str, type] = {"str": str, "int": int, "float": float, "bool": bool}
"""What an option may hold, by the first word of its annotation."""

NEEDED: Any = Parameter.empty
"""The default of what must be given."""

TOLD = re.compile(
    r"^(\w+)((?:, -[\w-]+)*) : (\S+)(?: \((.+)\))?$((?:\n {4}.*)*)", re.MULTILINE
)
"""An option in the docstring of its group: its names, what it takes, the panel of its help, its text."""


def option(
    name: str,
    names: Sequence[str],
    metavar: str,
    panel: str,
    text: str,
    kind: type,
    default: Any = None,
) -> Parameter:
    """Return an option as typer takes it; the help shows its default where the text does not tell it."""
    quiet = (
        kind is bool
        or default in (None, NEEDED)
        or re.search("default|if not given", text)
    )
    takes = None if kind is bool else metavar
    # One name at least is spelt out, or else a flag would get a --no-... as well.
    spelt = names if names and "--" in names[-1] else [typed_name(name), *names]
    said: Any = typer.Argument(metavar=metavar, help=text)
    if panel != "Arguments":
        said = typer.Option(
            *spelt,
            help=text,
            rich_help_panel=panel,
            metavar=takes,
            show_default=not quiet,
        )
    held: Any = kind
    return Parameter(
        name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[held, said]
    )


@dataclass_transform(kw_only_default=True)
class Group:
    """Options that belong together, with their defaults; the docstring tells what each means."""

    def __init__(self, **given: Any) -> None:
        vars(self).update(given)
        self.check()

    def check(self) -> None:
        """Complain about what cannot be before any work is done."""


def declared(group: type[Group]) -> dict[str, Parameter]:
    """Return the options of a group, those of the groups that it extends first.

    What no docstring tells of is no option; a group may tell anew of one that it has from another.
    """
    found: dict[str, Parameter] = {}
    texts: dict[str, str] = {}
    hints: dict[str, str] = {}
    for base in reversed(group.__mro__):
        hints |= get_annotations(base)
        for name, names, metavar, panel, text in TOLD.findall(
            cleandoc(base.__doc__ or "")
        ):
            texts[name] = " ".join(text.split()) or texts[name]
            kind = TYPES[hints[name].partition(" ")[0]]
            said = (
                name,
                names.split(", ")[1:],
                metavar,
                panel or COMMON,
                texts[name],
                kind,
            )
            found[name] = option(*said, getattr(group, name))
    return found


def form_of(output: str | None, forms: Sequence[str], asked: str | None = None) -> str:
    """Return the form that a result is written in: as asked for, or as the file is called.

    Parameters
    ----------
    output : str, optional
        Where it is written; an ending that does not fit is refused.
    forms : sequence of str
        Those that the result may have, the usual one first.
    asked : str, optional
        The one that was asked for.

    Examples
    --------
    >>> form_of("top.json", ["text", "json"]), form_of("/dev/stdout", ["text", "json"])
    ('json', 'text')
    """
    ending = Path(output or "").suffix
    form = next((form for form in forms if ENDINGS[form] == ending.lower()), None)
    if ending and (form is None or asked not in {None, form}):
        fitting = [ENDINGS[form] for form in forms if asked in {None, form}]
        raise UnwritableFileError(
            f"{output!r} ends in {ending}, but the result is {asked or ' or '.join(forms)}",
            way_out=f"Let its name end in {' or '.join(fitting)}, or give it no ending.",
        )
    return form or asked or forms[0]


class SplitOptions(Group):
    """Whether categories are looked at one by one.

    split : COLUMN (The answer)
        Also answer for each value of this column by itself, such as each language.
    """

    split: str | None = None


class WritingOptions(Group):
    """Where a result goes, and the form in which it is written."""

    FORMS: ClassVar[tuple[str, ...]] = ("html",)
    output: str | None = None
    as_json: bool = False

    def check(self) -> None:
        """Find the form of the result, one of ``FORMS``; complain about an ending that does not fit."""
        asked = [form for form in self.FORMS if getattr(self, f"as_{form}", False)]
        if len(asked) > 1:
            told = " and ".join(f"--{form}" for form in asked)
            raise InvalidValueError(f"{told} cannot go together: give one of them.")
        self.form = form_of(self.output, self.FORMS, *asked)


class InputOptions(Group):
    """Where the data are and how to read them.

    What depends on the kinds of data and formats that there are is left to :func:`data_options`:
    ``kind``, ``format`` and the ``arguments`` of the kind.

    file : FILE (Arguments)
        CSV, TSV, JSON, JSON lines, Parquet (all also gzipped) or Excel; PrefLib, STV, Dominion,
        PGN or MovieLens;
        results of lm-eval, HELM, inspect, MTEB, SWE-bench, AlpacaEval or TREC, or a folder
        of them; or - for standard input. Files that match a pattern in quotes are taken together:
        of Parquet, such as 'ratings/*.parquet', an engine scans them; others are read into memory.
    encoding : NAME (Reading the file)
        Encoding of a text file; UTF-8 if not given, or UTF-16 by its byte order mark.
    engine : ENGINE (Reading the file)
        memory (the default), duckdb (the default for several Parquet files) or spark; engines scan
        Parquet alone.
    memory_limit : SIZE (Reading the file)
        With duckdb: the most memory it may use, such as 2GB.
    spark_master : URL (Reading the file)
        With spark: where it runs, such as local[4].
    """

    file: str = NEEDED
    kind: str | None = None
    format: str | None = None
    encoding: str | None = None
    engine: str | None = None
    memory_limit: str | None = None
    spark_master: str | None = None
    arguments: Mapping[str, Any] = MappingProxyType({})

    @property
    def layout(self) -> dict[str, str | None]:
        """How the file is written, as far as that was said."""
        return {"format": self.format, "encoding": self.encoding}


class ScorerOptions(InputOptions):
    """The same, and how data become scores.

    min_count : N (The answer)
        Leave out items with fewer observations (votes, ratings, battles) than this.
    scorer : NAME (The answer)
        How to score the data, if not in the usual way, such as mean-rating:shrinkage=5.
    """

    min_count: int | None = None
    scorer: str | None = None
    k: int | None = None


class TargetOptions(ScorerOptions):
    """The same, and how far answers are inflated: by an eps, or by the one that a target takes.

    eps : NUMBER (The answer)
        The inflation, on the scale of the scores: the inflated answer of the paper.
    delta : SHARE (The answer)
        Or: the share of units that may break the answer; none if not given.
    """

    eps: float | None = None
    delta: float = 0.0


class AnswerOptions(TargetOptions):
    """The same, and whether a proof is asked for.

    proved : flag (The answer)
        Take only what is proved for every dataset of this size, without removing any unit.
    """

    proved: bool = False


class OutputOptions(WritingOptions):
    """What to show, and where.

    output, -o : PATH
        Write to this file; its ending chooses text, JSON, CSV or Markdown.
    as_json, --json : flag
        Write the result as JSON (documented, versioned).
    as_csv, --csv : flag (Output)
        Write the table as CSV; text that looks like a formula gets an apostrophe in front.
    as_markdown, --markdown : flag (Output)
        Write tables and words as Markdown, for GitHub.
    everything, --all : flag (Output)
        Show every row of long tables.
    verbose : flag (Output)
        Also show eps, and the reasons behind each claim.
    """

    FORMS: ClassVar[tuple[str, ...]] = ("text", "json", "csv", "markdown")
    as_csv: bool = False
    as_markdown: bool = False
    everything: bool = False
    verbose: bool = False


class TopKOptions(OutputOptions, AnswerOptions, SplitOptions):
    """What ``topk`` takes.

    k : K
        How many items you want.
    removals : UNITS (The answer)
        How many units may be removed together; 1 if not given.
    """

    k: int = NEEDED
    removals: int = 1


class RankOptions(OutputOptions, AnswerOptions):
    """What ``rank`` takes."""


class AuditOptions(OutputOptions, TargetOptions):
    """What ``audit`` takes.

    k : 5,10,20
        One k or several.
    """

    k: str = NEEDED  # type: ignore[assignment]


class ExplainOptions(OutputOptions, ScorerOptions):
    """What ``explain`` takes.

    explained : ITEM (Arguments)
        The item to explain.
    k : K
        The border after this rank; after the item's own rank if not given.
    """

    explained: str = NEEDED


class CheckOptions(OutputOptions, ScorerOptions, SplitOptions):
    """What ``check`` takes.

    k : K
        How many items you want.
    max_delta : SHARE (The answer)
        The largest share of units that may change it.
    min_margin : UNITS (The answer)
        Also: fail if removing fewer units than this can change the answer.
    """

    k: int = NEEDED
    max_delta: float = 0.0
    min_margin: int | None = None


class MarginOptions(OutputOptions, ScorerOptions):
    """What ``margin`` takes.

    k : K
        The top k in question; the full ranking if not given.
    one_item, --of : ITEM (The answer)
        How many units it takes to flip this item: out of the top k, or into it.
    """

    one_item: str | None = None


class CompareOptions(OutputOptions, ScorerOptions, SplitOptions):
    """What ``compare`` takes: all that is said about the data is said about both files.

    output, -o : PATH
        Write to this file; its ending chooses text, JSON, CSV, Markdown or an HTML page.
    file : OLD (Arguments)
    new_file : NEW (Arguments)
        Read as OLD is.
    k : K
        Also say which items entered the top k and which left it.
    """

    FORMS = (*OutputOptions.FORMS, "html")
    new_file: str = NEEDED


class ConfidenceOptions(OutputOptions, ScorerOptions):
    """What ``confidence`` takes.

    k : K
        Also say which items may truly be among the k best.
    level : LEVEL
        The confidence.
    draws : N (The answer)
        How often units are drawn again.
    seed : SEED (The answer)
        Seed of the draws.
    """

    level: float = 0.95
    draws: int = 1000
    seed: int = 0


class ReportOptions(WritingOptions, AnswerOptions, SplitOptions):
    """What ``report`` takes.

    output, -o : PATH
        The file to write.
    k : K
        How many items you want; if not given, 10, or half of fewer than 20 items.
    title : TEXT (Output)
        A heading of your own.
    item_name : WORD (Output)
        What one item is called, such as model; if not given, as its column is.
    unit_name : WORD (Output)
        What one unit is called, such as judge; if not given, as its column is.
    opened, --open : flag
        Show the report in the browser.
    table : PATH (Output)
        Also write the table for a web page, as .html.
    """

    output: str = "report.html"
    title: str | None = None
    item_name: str | None = None
    unit_name: str | None = None
    opened: bool = False
    table: str | None = None

    def check(self) -> None:
        """Refuse a table whose ending does not fit, or that is the report itself."""
        super().check()
        if self.table is None:
            return
        form_of(self.table, ["html"])
        if self.table == self.output:
            raise UnwritableFileError(
                f"{self.table!r} is named for two files",
                way_out="Give each a file of its own.",
            )


class InspectOptions(WritingOptions, InputOptions):
    """What ``inspect`` takes.

    output, -o : PATH
        Write to this file; its ending chooses text or JSON.
    as_json, --json : flag
        Write the result as JSON (documented, versioned).
    """

    FORMS = ("text", "json")


class DemoOptions(WritingOptions):
    """What ``demo`` takes.

    output, -o : PATH
        Where to write its report.
    data : FOLDER
        Instead: copy the data sets into this folder.
    """

    output: str = "demo-report.html"
    data: str | None = None


def data_options(kinds: Sequence[Kind], formats: Iterable[str]) -> dict[str, Parameter]:
    """Return the options for kind and format, and one for every argument that a kind declares."""
    meant: dict[str, dict[str, list[str]]] = {}
    parts: dict[str, Role | Setting] = {}
    for kind in kinds:
        for name, part in kind.declared.items():
            meant.setdefault(name, {}).setdefault(part.means, []).append(kind.name)
            parts.setdefault(name, part)
    known = ", ".join(sorted(kind.name for kind in kinds))
    what = f"What the data are: {known}; if not given, it is recognised."
    readable = f"{', '.join(formats)}; if not given, it is recognised."
    found = {
        "kind": option("kind", (), "KIND", COMMON, what, str),
        "format": option("format", (), "FORMAT", READING, readable, str),
    }
    for name, part in parts.items():
        panel, value, flag = COMMON if name == "unit" else COLUMNS, "COLUMN", False
        if isinstance(part, Setting):
            panel, value, flag = READING, part.takes, part.flag
        value = "A,B,..." if part.several else value
        text = _explained(meant[name], len(kinds))
        found[name] = option(name, (), value, panel, text, bool if flag else str)
    return found


def _explained(explanations: dict[str, list[str]], every: int) -> str:
    """Return what an option means, kind by kind unless it means the same for every one."""
    text = "; ".join(
        f"{', '.join(kinds)}: {means}" if len(kinds) < every else means
        for means, kinds in explanations.items()
    )
    return f"{text[:1].upper()}{text[1:]}."


def takes(
    command: Callable[[Any], int | None], data: Callable[[], dict[str, Parameter]]
) -> tuple[Callable[..., int | None], type[TyperCommand]]:
    """Give a command the options of its group, and those of the data if the group reads some.

    Returns what typer calls with them, and the class of the command, which parses them.
    """
    group = get_type_hints(command)["options"]
    own = declared(group)
    every = own | data() if issubclass(group, InputOptions) else own
    needed = sorted(
        every, key=lambda name: every[name].default is not NEEDED
    )  # as Python wants it

    @functools.wraps(command)
    def wrapped(**values: Any) -> int | None:
        known = {name: value for name, value in values.items() if hasattr(group, name)}
        others = {name: value for name, value in values.items() if name not in known}
        try:
            return command(group(**known, arguments=others))
        except SteadyrankError as error:
            error.problem = as_typed(error.problem, values)
            raise

    wrapped.__signature__ = Signature([every[name] for name in needed])  # type: ignore[attr-defined]
    wrapped.__annotations__ = {}
    return wrapped, _command(
        {name: one.annotation.__origin__ for name, one in every.items()}
    )


def _command(kinds: dict[str, type]) -> type[TyperCommand]:
    """Return a command of typer that takes plain values as they are and each option once.

    Typer checks every option with pydantic, which takes longer to load than a small file to read. What
    is not plain (a request for help, a value that is missing) is left to it all the same.
    """

    class Command(TyperCommand):
        def format_help(self, ctx: Any, formatter: Any) -> None:
            for part in self.get_params(
                ctx
            ):  # what it takes in our words, not as a type of Python
                takes = "" if part.param_type_name == "argument" else part.metavar or ""
                vars(part)["display_type_rich"] = lambda takes=takes, **_: takes
            super().format_help(ctx, formatter)

        def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
            found, rest, order = self.make_parser(ctx).parse_args(args=[*args])
            for part in order:
                if order.count(part) > 1:
                    raise InvalidValueError(
                        f"{part.opts[0]} was given {order.count(part)} times",
                        way_out="Give it once.",
                    )
            given = {
                part: found[part.name]
                for part in order
                if found.get(part.name) is not None
            }
            absent = [
                part for part in self.params if part.required and part not in given
            ]
            if (
                absent
                or rest
                or ctx.resilient_parsing
                or any(part.name not in kinds for part in given)
            ):
                return super().parse_args(ctx, args)
            ctx.params.update(
                {
                    part.name: _value(part, kinds[part.name], given[part])
                    for part in given
                }
            )
            return rest

    return Command


def _value(part: Any, kind: type, text: Any) -> Any:
    """Return what was typed as the option takes it."""
    try:
        return kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise InvalidValueError(
            f"{part.opts[0]} must be {what}, but is {text!r}"
        ) from None


def as_typed(problem: str, values: Mapping[str, Any]) -> str:
    """Return a problem of the library with the argument or scorer at fault as it was typed.

    Examples
    --------
    >>> as_typed("items_in must be rows or columns", {"items_in": "x"})
    '--items-in must be rows or columns'
    >>> as_typed("MeanRating needs ratings", {"scorer": "mean-rating:shrinkage=1"})
    'mean-rating needs ratings'
    """
    scorer = str(values.get("scorer")).partition(":")[0]
    problem = problem.replace(scorer.title().replace("-", ""), scorer)
    for name in values:
        # A word with an underscore is nobody's English; any other is meant only where a rule begins.
        place = (
            rf"(?<!['\"\w-])(){name}(?!['\"\w=])"
            if "_" in name
            else rf"(^|: ){name}(?= must )"
        )
        problem = re.sub(place, rf"\1{typed_name(name)}", problem)
    return problem
