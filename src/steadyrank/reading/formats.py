"""The table of file formats: how each is told by its content, read, and scanned by engines."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from glob import glob, has_magic
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypeAlias

from steadyrank import errors
from steadyrank.errors import listing, shorten
from steadyrank.reading.delimited import COLONS, TABBED, read_delimited, read_movielens
from steadyrank.reading.files import EVAL_LOG, PARQUET, SPREADSHEET, OpenFile, Source, open_source
from steadyrank.reading.table import Table
from steadyrank.text import counted

DELIMITERS = ",;\t|"
RUN = re.compile(rb"\s*\S+\s+(Q0|q0|0)\s+\S+\s+\d+\s+[-+.\deE]+\s+\S+\s*\Z")
EVALUATED = re.compile(
    rb"runid\s*\tall\t|(num_|map|gm_|Rprec|bpref|recip_rank|iprec_at|P_|recall_|ndcg|Rndcg|success_|set_|11pt_"
    rb"|infAP|relative_P|utility)[\w.]*\s*\t\s*\S+\s*\t\s*[-+.\deE]+\s*\Z"
)
"""The first line of a TREC run, and of what trec_eval says of one."""
PREFLIB = (b"# FILE NAME", b"# DATA TYPE", b"# NUMBER ALTERNATIVES", b"# ALTERNATIVE NAME")
Looks: TypeAlias = Callable[[OpenFile], bool]
"""Tells by the beginning of an open file whether it is of a format."""


@dataclass(frozen=True)
class Format:
    """One format of files.

    Parameters
    ----------
    name : str
        What users call it.
    looks : callable
        Tells by the beginning of an open file whether it is of this format.
    read : callable
        Reads the file.
    on_engine : {"parquet", "delimited"}, optional
        How an engine gets it: reads it itself, or as stretches of rows that ``read`` hands to its
        argument ``take``. Without it the format is read into memory only.
    folders : bool
        Whether a folder or a list of files may be of this format.
    among_others : bool
        Whether its files stand in a folder among others of their tool, which are not read.
    answers_to : tuple of str
        The arguments for some formats alone that it knows.
    also_as_csv : bool
        Whether its data also go round as ordinary tables, which users call by the same name.
    """

    name: str
    looks: Looks
    read: Callable[..., Table]
    on_engine: Literal["parquet", "delimited"] | None = None
    folders: bool = False
    also_as_csv: bool = False
    among_others: bool = False
    answers_to: tuple[str, ...] = ()


def _read_delimited(
    file: OpenFile, *, delimiter: str | None = None, take: Callable[[Table], None] | None = None
) -> Table:
    delimiter = delimiter or delimiter_of(file)
    table = read_delimited(file.blocks(), delimiter, source=file.name, take=take)
    if delimiter not in ",\t":
        table.notes.insert(0, f"fields read as separated by {delimiter!r}")
    if all(name.replace(".", "", 1).isdecimal() for name in table.names):
        table.notes.append("the first line, all numbers, read as the names of the columns")
    return table


def _later(place: str) -> Callable[..., Any]:
    """Return a function of another module, which is loaded when it is called: few formats are met."""
    module, _, name = place.rpartition(".")

    def call(*given: Any, **named: Any) -> Any:
        return getattr(import_module(f"steadyrank.reading.{module}"), name)(*given, **named)

    return call


_of_tool = partial(Format, folders=True, among_others=True)


def _of_scores(name: str, looks: Looks, entries: str, *answers_to: str) -> Format:
    """Return a format of an evaluation tool, which comes down to scores."""
    read = partial(_later("adapters.documents.read_scores"), _later(f"adapters.{entries}"))
    return _of_tool(name, looks, read, answers_to=answers_to or ("metric",))


def _first_line(*patterns: re.Pattern[bytes]) -> Looks:
    return lambda file: any(pattern.match(file.first_line) for pattern in patterns)


def _head(pattern: bytes) -> Looks:
    return lambda file: re.match(pattern, file.text_head.lstrip()) is not None


def _json(opening: bytes, *names: str) -> Looks:
    return lambda file: file.begins_with(opening, *names)


def _zipped(names: tuple[bytes, ...]) -> Looks:
    return lambda file: file.zipped.startswith(names)


def _any(*looks: Looks) -> Looks:
    return lambda file: any(one(file) for one in looks)


def _parquet(file: OpenFile) -> bool:
    return file.head.startswith(PARQUET)


def _tabbed(file: OpenFile) -> bool:
    return file.first_line.count(b"\t") > file.first_line.count(b",")


def _preflib(file: OpenFile) -> bool:
    return file.text_head.startswith(b"#") and any(mark in file.text_head for mark in PREFLIB)


def _one_document(file: OpenFile) -> bool:
    opened = _any(_json(b"{"), _json(b"["))(file)
    return opened and bool(_later("typed_files.is_one_document")(file))


def _markup(file: OpenFile) -> bool:
    first = file.text_head.lstrip()
    bars = b"|" in file.first_line or first.startswith(b"\\begin{")
    return bars and bool(_later("adapters.markup.looks_like_markup")(file))


RESULTS = rb'\{\s*"results"\s*:\s*\{'
RESOLVED = rb'\{\s*"[^"]+"\s*:\s*\{[^{}]*"resolved"\s*:'
SAMPLE, LOG = ("doc_id", "doc", "target"), ("version", "status", "eval")
PREFERENCE = ("generator_1", "generator_2", "preference")
INSTANCE = ("instance_id", "train_trial_index", "stats")
OF_RUNS = ("resolved_ids", "resolved_instances", "no_generation", "leaderboards")
REPORTS = [_json(b"{", name) for name in OF_RUNS]
"""How files of evaluation tools begin, and what their beginning names."""

ENTRIES = (
    Format("parquet", _parquet, _later("typed_files.read_parquet"), on_engine="parquet"),
    Format("preflib", _preflib, _later("preflib.read_preflib")),
    Format("movielens", _first_line(TABBED, COLONS), read_movielens, also_as_csv=True),
    Format("excel", _zipped(SPREADSHEET), _later("typed_files.read_excel"), answers_to=("sheet",)),
    _of_scores("lm-eval", _any(_head(RESULTS), _json(b"{", *SAMPLE)), "harnesses.lm_eval_entries"),
    _of_scores("helm", _json(b"[", *INSTANCE), "harnesses.helm_entries"),
    _of_scores("inspect", _any(_zipped(EVAL_LOG), _json(b"{", *LOG)), "harnesses.inspect_entries"),
    _of_scores("mteb", _json(b"{", "mteb_version"), "harnesses.mteb_entries"),
    _of_scores("swe-bench", _any(_head(RESOLVED), *REPORTS), "harnesses.swe_bench_entries", "sheet"),
    _of_tool("alpaca-eval", _json(b"[", *PREFERENCE), _later("adapters.harnesses.read_alpaca_eval")),
    _of_scores("trec-run", _first_line(RUN), "trec.run_entries", "metric", "qrels"),
    _of_scores("trec-eval", _first_line(EVALUATED), "trec.trec_eval_entries"),
    Format("json", _one_document, _later("typed_files.read_json"), folders=True),
    Format("jsonl", _json(b"{"), _later("typed_files.read_json_lines"), folders=True),
    Format("markup", _markup, _later("adapters.markup.read_markup")),
    Format("tsv", _tabbed, partial(_read_delimited, delimiter="\t"), on_engine="delimited"),
    Format("csv", lambda _: True, _read_delimited, on_engine="delimited"),
)
FORMATS: dict[str, Format] = {entry.name: entry for entry in ENTRIES}
"""All formats by name, in the order in which a file is tried for them."""


def read_table(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 (the word users know from other readers)
    encoding: str = "utf-8",
    given: Mapping[str, Any] | None = None,
) -> Table:
    r"""Read a table from a path or a binary stream.

    Parameters
    ----------
    source : path or binary stream
    format : str, optional
        One of ``FORMATS``; told from the content where not given.
    encoding : str
        Of a text file.
    given : mapping, optional
        What the user said about the data; a format may need to know.

    Examples
    --------
    >>> import io
    >>> read_table(io.BytesIO(b"choice\nx\n")).names
    ['choice']
    """
    with closing(open_source(source, encoding=encoding)) as file:
        file.given = given or {}
        found, notes = (
            _format_of_files(file, format) if file.is_folder else (format_of(file, format), [])
        )
        table = found.read(file)
        notes = [*table.notes, *notes]
        return replace(table, format=found.name, answers_to=found.answers_to, notes=notes)


def format_of(file: OpenFile, name: str | None = None) -> Format:
    """Return the format of a file: as given, or told by its first bytes."""
    if name is not None and not _named(name).also_as_csv:
        return FORMATS[name]
    known = FORMATS.values() if name is None else [FORMATS[name]]
    return next((entry for entry in known if entry.looks(file)), FORMATS["csv"])


def _named(name: str) -> Format:
    if name not in FORMATS:
        raise errors.not_a_choice("format", name, tuple(FORMATS))
    return FORMATS[name]


def _format_of_files(file: OpenFile, name: str | None) -> tuple[Format, list[str]]:
    """Return the one format that a folder or a list of files is of, and say which are left unread.

    Its files are those that are to be read from here on.
    """
    if name is not None:
        _named(name)
    seen: dict[str, list[Path]] = {}
    for path in file.files():
        seen.setdefault(_seen_as(path, file.encoding, name), []).append(path)
    of_tools = [found for found in seen if found in FORMATS and FORMATS[found].among_others]
    chosen = [name] if name in seen else of_tools or list(seen)
    if len(chosen) != 1 or chosen[0] not in FORMATS or not FORMATS[chosen[0]].folders:
        told = listing(counted(len(paths), f"{found} file") for found, paths in seen.items())
        one, many = f"is a folder of {told or 'nothing'}", f"are {told}, which cannot be read as one"
        raise errors.NotRecognisedError(
            f"{file.name} {one if file.path else many}",
            way_out="Results of one evaluation tool, or files of JSON, are read together; of others "
            "give one file, or a pattern such as 'folder/*.csv', which an engine scans.",
        )
    file.several = seen.pop(chosen[0])
    others = [path.name for paths in seen.values() for path in paths]
    notes = [f"{counted(len(file.several), 'file')} read, {shorten(file.several[0].name)} the first"]
    if others:
        notes.append(f"{counted(len(others), 'other file')} not read: {listing(map(shorten, others))}")
    return FORMATS[chosen[0]], notes


def _seen_as(path: Path, encoding: str, name: str | None) -> str:
    """Return the format of a file among others, or what else it is."""
    try:
        with closing(open_source(path, encoding=encoding)) as file:
            if file.is_folder or (name is not None and not FORMATS[name].looks(file)):
                return "folder" if file.is_folder else "other"
            return name or format_of(file).name
    except errors.EmptyDataError:
        return "empty"
    except (errors.UnreadableFileError, OSError):
        return "unreadable"


def is_pattern(path: object) -> bool:
    """Tell whether a path stands for all files that match it."""
    return isinstance(path, str) and has_magic(path) and not Path(path).exists()


def read_together(pattern: object, name: str | None = None, encoding: str = "utf-8") -> list[str]:
    """Return the files of a pattern, in order, if no engine reads the format of the first of them."""
    found = glob(str(pattern), recursive=True) if is_pattern(pattern) else []  # noqa: PTH207
    files = sorted(path for path in found if Path(path).is_file())
    first = FORMATS.get(name or _seen_as(Path(files[0]), encoding, None)) if files else None
    return files if first is not None and first.on_engine is None else []


def delimiter_of(file: OpenFile) -> str:
    """Return what stands between the fields: the commonest delimiter of the first line."""
    first = file.first_line
    return max(DELIMITERS, key=lambda mark: first.count(mark.encode()))
