"""What is said where a table cannot be read: its columns, and what to say of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from steadyrank.errors import ColumnError, Option, shorten
from steadyrank.reading.roles import BESIDE, FORMS, ROLES, Form, value_text

if TYPE_CHECKING:
    from steadyrank.reading.table import Table

SHOWN_COLUMNS = 30
SHOWN_WIDTH = 30
RECIPES_PAGE = "docs/guides/recipes.md"


@dataclass(frozen=True)
class Recipe:
    """A file of a known tool that one statement of SQL reads, or the tool itself.

    Parameters
    ----------
    name : str
        The heading of the recipe on its page.
    what : str
        What such a file is.
    made : callable
        Tells by the names of the columns whether it is one.
    """

    name: str
    what: str
    made: Callable[[Sequence[str]], bool]


def _with(*names: str) -> Callable[[Sequence[str]], bool]:
    return {*names}.issubset


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


RECIPES = (
    Recipe("no-header", "a file without a header", lambda names: all(map(_is_number, names))),
    Recipe("double-colon", "fields between ::", lambda names: any("::" in n for n in names)),
    Recipe("lm-eval", "the results of lm-eval", _with("results", "n-shot")),
    Recipe("lm-eval", "samples of lm-eval", _with("doc_id", "doc", "resps")),
    Recipe("helm", "results of HELM", _with("name", "count", "mean", "variance")),
    Recipe("alpacaeval", "annotations of AlpacaEval", _with("generator_1", "preference")),
    Recipe("swe-bench", "a report of SWE-bench", _with("resolved_ids", "error_ids")),
    Recipe("dominion", "cast votes of Dominion", _with("ElectionId", "Sessions")),
    Recipe("mteb", "results of MTEB", _with("dataset_revision", "scores")),
    Recipe("inspect", "a log of Inspect", _with("eval", "plan", "samples")),
)  # fmt: skip


def recipe_hint(names: Sequence[str]) -> str:
    """Return where the recipe for such a file is, by the names of its columns, or nothing."""
    for recipe in RECIPES:
        if names and recipe.made(names):
            return f"This looks like {recipe.what}: see {RECIPES_PAGE}#{recipe.name}.\n"
    return ""


def check_columns(table: Table, roles: Mapping[str, Any]) -> None:
    """Refuse columns that are not there, lists without columns, and columns listed twice."""
    for name, value in roles.items():
        takes = ROLES[name].takes
        if takes not in {"column", "columns"}:
            continue
        columns = value if isinstance(value, tuple) else (value,)
        for column in columns:
            if column not in table.columns:
                raise _no_column(table, name, column)
        if not columns or len({*columns}) < len(columns):
            problem = "names no column" if not columns else "names a column twice"
            raise ColumnError(
                f"{name} {problem}",
                source="",
                way_out=["Name different columns with ", ROLES[name].option(), "."],
            )


def _no_column(table: Table, role: str, column: object) -> ColumnError:
    near = get_close_matches(str(column), table.columns, n=1)
    folded = [
        name for name in table.columns if name.casefold() == str(column).casefold()
    ]
    way_out: list[str | Option] = []
    if meant := folded or near:
        way_out += ["Did you mean ", ROLES[role].option(meant[0]), "?\n"]
    return ColumnError(
        f"{table.source} has no column {shorten(column)} ({role})",
        source="",
        way_out=[*way_out, _columns(table), *_reshape()],
    )


def choose_form(table: Table, roles: Mapping[str, Any]) -> Form:
    """Return the one form that takes the roles that were said, and needs no more."""
    defining = [name for name in roles if name not in BESIDE]
    listed = " and ".join(defining)
    possible = [form for form in FORMS if {*defining} <= form.own]
    if not possible:
        problem = f"{listed} do not go together"
        raise ColumnError(problem, source="", way_out=_forms(roles, FORMS))
    complete = [form for form in possible if form.is_complete(roles)]
    if not complete:
        problem = f"{listed} is said, but not what else the data need"
        way_out: list[str | Option] = [_columns(table), *_forms(roles, possible)]
        raise ColumnError(problem, source="", way_out=way_out)
    (form,) = complete
    for name in roles:
        if name not in form.own:
            problem = f"{name} does not go with {' and '.join(form.needs)}"
            way_out = ["Leave out ", ROLES[name].option(value_text(roles[name])), "."]
            raise ColumnError(problem, source="", way_out=way_out)
    return form


def unknown_header(table: Table, roles: Mapping[str, Any]) -> ColumnError:
    """Return the refusal of a table of which nothing was said, with what can be said."""
    hint = recipe_hint(table.columns)
    return ColumnError(
        f"{table.source} has the header of no known tool",
        source="",
        way_out=[hint, _columns(table), *_forms(roles, FORMS)],
    )


def _columns(table: Table) -> str:
    """Return a line for each column with its first values, as a block of its own."""
    examples = table.examples(3)
    shown = list(examples.items())[:SHOWN_COLUMNS]
    width = max((len(shorten(name, SHOWN_WIDTH)) for name, _ in shown), default=0)
    lines = ["Its columns and their first values:"]
    for name, values in shown:
        cells = ", ".join(shorten(value, SHOWN_WIDTH) for value in values)
        lines.append(f"  {shorten(name, SHOWN_WIDTH):<{width}}  {cells}")
    if len(examples) > len(shown):
        lines.append(f"  and {len(examples) - len(shown):,} more columns")
    return "\n".join(lines) + "\n"


def _forms(roles: Mapping[str, Any], forms: Sequence[Form]) -> list[str | Option]:
    """Return a line for each form, filled in with what was said."""
    parts: list[str | Option] = ["Say what the columns are, in one of these ways:\n"]
    width = max(len(form.says) for form in forms)
    for form in forms:
        parts.append(f"  {form.says:<{width}} ")
        for name in form.needs:
            value = value_text(roles[name]) if name in roles else None
            parts += [" ", ROLES[name].option(value)]
        if "unit" in form.may and "unit" not in form.needs:
            parts += [" [", ROLES["unit"].option(roles.get("unit")), "]"]
        parts.append("\n")
    return [*parts, *_reshape()]


def _reshape() -> list[str | Option]:
    return ["To reshape the table first: ", Option("sql", "SELECT ... FROM data"), "."]
