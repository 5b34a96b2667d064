"""SWE-bench: reports of an instance, of a run, of a submission, and ``leaderboards.json``."""

from __future__ import annotations

from steadyrank.errors import ColumnError, Option, listing, shorten
from steadyrank.reading.adapters.documents import Node, load
from steadyrank.reading.adapters.entries import Entry, Found, folder_of
from steadyrank.reading.files import OpenFile

LISTS = ("completed", "incomplete", "empty_patch", "submitted", "unresolved", "error", "resolved")
"""Of the report of a run, where ``_ids`` follows."""


def swe_bench_entries(file: OpenFile) -> Found:
    """Yield instances, with 1 where one was resolved."""
    submissions: list[tuple[str, Node]] = []
    for part in file.parts():
        top = load(part)
        if top["leaderboards"].value is not None:
            yield from _leaderboards(top["leaderboards"], file.given.get("sheet"))
        elif (listed := top["resolved_ids"]).value is not None:
            yield "instances that were not tried, had no patch or failed count as not resolved"
            resolved = set(listed.labels())
            for instance in dict.fromkeys(one for kind in LISTS for one in top[f"{kind}_ids"].labels()):
                yield _entry(part.name.removesuffix(".json"), instance, instance in resolved, listed)
        elif isinstance(top["resolved"].value, list):
            submissions.append((folder_of(part, "results"), top))
        else:
            for instance, node in top.inside().items():
                yield _entry(folder_of(part, instance, "logs"), instance, node["resolved"].value, node)
    yield from _submissions(submissions)


def _submissions(every: list[tuple[str, Node]]) -> Found:
    """Yield what submissions say that name only some instances that they did not resolve."""
    lists = [ids for _, top in every for ids in top.inside().values() if isinstance(ids.value, list)]
    known = dict.fromkeys(instance for ids in lists for instance in ids.labels())
    for item, top in every:
        yield "resolved ones alone are listed: all others that some file names count as not resolved"
        resolved = set(top["resolved"].labels())
        yield from (_entry(item, one, one in resolved, top["resolved"]) for one in known)


def _leaderboards(boards: Node, asked: str | None) -> Found:
    """Yield the instances of one leaderboard, or what each leaderboard says where none has instances."""
    named = {board["name"].label(): list(board["results"]) for board in boards}
    details = {name: [one for one in results if _has_details(one)] for name, results in named.items()}
    wanted = [name for name in named if (name == asked if asked else details[name])]
    if len(wanted) != 1 and (asked or wanted):
        told = f"no leaderboard {shorten(asked)}" if asked else "several leaderboards with instances"
        raise ColumnError(
            f"there are {told}; the leaderboards are {listing(map(shorten, named))}",
            way_out=["Choose one as ", Option("sheet")],
        )
    for name in wanted or named:
        for result in named[name]:
            item = result["name"].label()
            if not details[name]:
                yield _entry(item, name, result["resolved"].value, result)
            elif _has_details(result):
                for instance, node in result["per_instance_details"].inside().items():
                    yield _entry(item, instance, node["resolved"].value, node)
            else:
                yield f"result of {shorten(name)} without a list of its instances left out"
    if wanted:
        yield f"the leaderboard {shorten(wanted[0])} taken of {listing(map(shorten, named))}"


def _has_details(result: Node) -> bool:
    return bool(result["per_instance_details"].value)


def _entry(item: str, row: str, value: object, node: Node) -> Entry:
    return Entry(item, row, "resolved", {"resolved": value}, node)
