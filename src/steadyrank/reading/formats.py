"""The table of file formats: how each is told by its content, and read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from glob import glob, has_magic
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from steadyrank import errors
from steadyrank.errors import listing, shorten
from steadyrank.reading.delimited import COLONS, TABBED, joined, movielens, stretches
from steadyrank.reading.files import HEAD, ZIP, OpenFile, Source, open_source
from steadyrank.reading.headers import LOOKED_AT, header_size
from steadyrank.reading.table import Table
from steadyrank.reading.text_columns import number_in
from steadyrank.text import counted

PARQUET = b"PAR1"
SPREADSHEET = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"xl/")
EVAL_LOG = (b"_journal/", b"header.json", b"samples/", b"summaries.json")
"""How the first name begins in those zip archives that are files of a format."""
DELIMITERS = ",;\t|"
QUOTED, BLANKS, AROUND = (
    re.compile(part) for part in (rb'"[^"]*"', rb"[ \t]+", rb"(?m)^ +| +(?=\r?$)")
)
RUN = re.compile(rb"\s*\S+\s+(Q0|q0|0)\s+\S+\s+\d+\s+[-+.\deE]+\s+\S+\s*\Z")
EVALUATED = re.compile(
    rb"runid\s*\tall\t|(num_|map|gm_|Rprec|bpref|recip_rank|iprec_at|P_|recall_|ndcg|Rndcg|success_|set_|11pt_"
    rb"|infAP|relative_P|utility)[\w.]*\s*\t\s*\S+\s*\t\s*[-+.\deE]+\s*\Z"
)
"""The first line of a TREC run, and of what trec_eval says of one."""
PREFLIB = (
    b"# FILE NAME",
    b"# DATA TYPE",
    b"# NUMBER ALTERNATIVES",
    b"# ALTERNATIVE NAME",
)
STV = rb"\d++,\d++,?[ \r]*+\n(?:\d++(?:,\d++)++,[ \r]*+\n)++"
BLT = (
    rb"(?:#.*+\n)*+\d++ ++\d++[ \t\r]*+(?:#.*+)?+\n(?:-\d.*+\n)*+"
    rb"\d++(?: ++(?:-|[1-9][\d=]*+))*+ ++0[ \t\r]*+(?:#.*+)?+\n"
)
PGN = rb'\[[A-Z]\w++ ++".*"\][ \r]*+\n'
ORDERS = (
    rb"(?:#.*+\n\s*+)*+(?:[^\n|]*+\|\|)?[^\n,;\t|<>]*[^\n,;\t|<>=-]>"
    rb"[^\n,;\t|<]*[^\s,;|<>=][ \r]*+(?:\n|\Z)"
)
"""The first lines of grammars; those of orders alone are not read."""
Looks: TypeAlias = Callable[[OpenFile], bool]
"""Tells by the beginning of an open file whether it is of a format."""
LISTED = ("csv", "tsv")
"""Formats of which files in a list, though not in a folder, are read as one table."""


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
    folders : bool
        Whether a folder or a list of files may be of this format.
    among_others : bool
        Whether its files stand in a folder among others of their tool, which are not read.
    answers_to : tuple of str
        The arguments for some formats alone that it knows.
    """

    name: str
    looks: Looks
    read: Callable[..., Table]
    folders: bool = False
    among_others: bool = False
    answers_to: tuple[str, ...] = ()


def _text(file: OpenFile, delimiter: str | None = None) -> Table:
    """Return the rows of a file, or of each in a list, as one table."""
    tables = [joined(_delimited(part, delimiter)) for part in file.parts()]
    if not file.is_folder:
        return tables[0]
    for table in tables:
        table.lines = [
            file.place(line, table.source) for line in np.asarray(table.lines).tolist()
        ]
    whole = joined(tables)
    blank = [
        name
        for name in whole.names
        if any(name not in table.columns for table in tables)
    ]
    some = [
        f"columns that not all files have, blank there: {listing(map(shorten, blank))}"
    ]
    notes = dict.fromkeys(note for table in tables for note in table.notes)
    return replace(whole, source=file.name, notes=[*notes, *(some if blank else [])])


def _delimited(file: OpenFile, delimiter: str | None) -> Iterator[Table]:
    file.needs("cli", "polars")
    delimiter, blocks = delimiter or delimiter_of(file), file.blocks()
    if delimiter == " ":
        blocks = (BLANKS.sub(b"\t", AROUND.sub(b"", block)) for block in blocks)
    header, between = header_size(file.given), delimiter.replace(" ", "\t")
    notes = [] if delimiter in ",\t" else [f"fields read as separated by {delimiter!r}"]
    yield from stretches(blocks, between, source=file.name, header=header, notes=notes)


def _later(place: str) -> Callable[..., Any]:
    """Return a function of another module, which is loaded when it is called: few formats are met."""
    module, _, name = place.rpartition(".")

    def call(*given: Any, **named: Any) -> Any:
        return getattr(import_module(f"steadyrank.reading.{module}"), name)(
            *given, **named
        )

    return call


_of_tool = partial(Format, folders=True, among_others=True)


def _of_scores(name: str, looks: Looks, entries: str, *answers_to: str) -> Format:
    """Return a format of an evaluation tool, which comes down to scores."""
    read = partial(
        _later("adapters.documents.read_scores"), _later(f"adapters.{entries}")
    )
    return _of_tool(name, looks, read, answers_to=answers_to or ("metric",))


def _first_line(*patterns: re.Pattern[bytes]) -> Looks:
    return lambda file: any(pattern.match(file.first_line) for pattern in patterns)


def _begun(mark: bytes) -> Looks:
    return lambda file: file.head.startswith(mark)


def _head(pattern: bytes) -> Looks:
    return lambda file: re.match(pattern, file.text_head.lstrip()) is not None


def _json(opening: bytes, *names: str) -> Looks:
    return lambda file: file.begins_with(opening, *names)


def _zipped(names: tuple[bytes, ...]) -> Looks:
    return lambda file: file.zipped.startswith(names)


def _any(*looks: Looks) -> Looks:
    return lambda file: any(one(file) for one in looks)


def _preflib(file: OpenFile) -> bool:
    return file.text_head.startswith(b"#") and any(
        mark in file.text_head for mark in PREFLIB
    )


def _stv(file: OpenFile) -> bool:
    ballots = re.match(STV, file.text_head)
    # Ballots are of many lengths; the names come after them, perhaps beyond what is looked at.
    ragged = (
        ballots is not None
        and len({line.count(b",") for line in ballots[0].splitlines()}) > 2
    )
    return ragged and (b'"Candidate 1"' in file.text_head or len(file.head) >= HEAD)


def _blt(file: OpenFile) -> bool:
    # Some leave out the 0 that ends each ballot; then only its name tells what the file is.
    return _head(rb"\d++ ++\d++\s" if file.name.endswith(".blt") else BLT)(file)


def _one_document(file: OpenFile) -> bool:
    opened = _any(_json(b"{"), _json(b"["))(file)
    return opened and bool(_later("records.is_one_document")(file))


def _markup(file: OpenFile) -> bool:
    lines = file.text_head.splitlines()
    rules = (
        two
        for one, two in pairwise(lines)
        if b"|" in one and b"|" in two and b"-" in two
    )
    latex = any(
        b"\\begin{%b" % name in file.text_head for name in (b"tabular", b"longtable")
    )
    return latex or any(not two.strip(b" \t:|-") for two in rules)


RESULTS = rb'\{\s*"results"\s*:\s*\{'
RESOLVED = rb'\{\s*"[^"]+"\s*:\s*\{[^{}]*"resolved"\s*:'
SAMPLE, LOG = ("doc_id", "doc", "target"), ("version", "status", "eval")
PREFERENCE = ("generator_1", "generator_2", "preference")
INSTANCE = ("instance_id", "train_trial_index", "stats")
OF_RUNS = ("resolved_ids", "resolved_instances", "no_generation", "leaderboards")
REPORTS = [_json(b"{", name) for name in OF_RUNS]
"""How files of evaluation tools begin, and what their beginning names."""

ENTRIES = (
    Format("parquet", _begun(PARQUET), _later("typed_files.read_parquet")),
    Format("preflib", _preflib, _later("adapters.ballot_files.read_preflib")),
    Format("stv", _any(_stv, _blt), _later("adapters.ballot_files.read_stv")),
    Format("pgn", _head(PGN), _later("adapters.ballot_files.read_pgn")),
    Format(
        "movielens", _first_line(TABBED, COLONS), lambda file: joined(movielens(file))
    ),
    Format(
        "excel",
        _zipped(SPREADSHEET),
        _later("typed_files.read_excel"),
        answers_to=("sheet", "header"),
    ),
    _of_scores(
        "lm-eval",
        _any(_head(RESULTS), _json(b"{", *SAMPLE)),
        "harnesses.lm_eval_entries",
    ),
    _of_scores("helm", _json(b"[", *INSTANCE), "harnesses.helm_entries"),
    _of_scores(
        "inspect",
        _any(_zipped(EVAL_LOG), _json(b"{", *LOG)),
        "harnesses.inspect_entries",
    ),
    _of_scores("mteb", _json(b"{", "mteb_version"), "harnesses.mteb_entries"),
    _of_scores(
        "swe-bench",
        _any(_head(RESOLVED), *REPORTS),
        "harnesses.swe_bench_entries",
        "sheet",
    ),
    _of_tool(
        "alpaca-eval",
        _json(b"[", *PREFERENCE),
        _later("adapters.harnesses.read_alpaca_eval"),
    ),
    _of_scores(
        "trec-run", _first_line(RUN), "harnesses.run_entries", "metric", "qrels"
    ),
    _of_scores("trec-eval", _first_line(EVALUATED), "harnesses.trec_eval_entries"),
    _of_tool(
        "dominion",
        _json(b"{", "ElectionId", "Sessions"),
        _later("adapters.ballot_files.read_dominion"),
        answers_to=("sheet",),
    ),
    Format(
        "json",
        _one_document,
        _later("records.read_json"),
        folders=True,
        answers_to=("sheet",),
    ),
    Format("jsonl", _json(b"{"), _later("records.read_json_lines"), folders=True),
    Format(
        "markup", _markup, _later("adapters.markup.read_markup"), answers_to=("sheet",)
    ),
    Format(
        "tsv",
        lambda file: delimiter_of(file) == "\t",
        partial(_text, delimiter="\t"),
        answers_to=("header",),
    ),
    Format("csv", lambda _: True, _text, answers_to=("header",)),
)
FORMATS: dict[str, Format] = {entry.name: entry for entry in ENTRIES}
"""All formats by name, in the order in which a file is tried for them."""

BY_YQ = "Write it as JSON, for example by yq -o=json."
WITH_HEADER = (
    "Write order above all lines; with counts order,count, and A > B,5 for A > B * 5."
)
UNPACK = "Unpack it, or export as CSV."
UNREAD: tuple[tuple[Looks, str, str], ...] = (
    (_begun(ZIP), "is a zip archive or spreadsheet of no known format", UNPACK),
    (
        lambda file: file.name.endswith((".yml", ".yaml")),
        "is YAML, which is not read",
        BY_YQ,
    ),
    (_head(ORDERS), "begins with an order such as A > B, and no header", WITH_HEADER),
)
"""What would be taken for a table and is none, and what to do about it."""


def read_table(
    source: Source,
    *,
    format: str | None = None,  # noqa: A002 (the word users know from other readers)
    encoding: str | None = None,
    given: Mapping[str, Any] | None = None,
) -> Table:
    r"""Read a table from a path or a binary stream.

    Parameters
    ----------
    source : path or binary stream
    format : str, optional
        One of ``FORMATS``; told from the content where not given.
    encoding : str, optional
        Of a text file; UTF-8, or UTF-16 by its byte order mark, where not given.
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
        if format is not None and format not in FORMATS:
            raise errors.not_a_choice("format", format, tuple(FORMATS))
        if file.is_folder:
            found, notes = _format_of_files(file, format)
        else:
            found, notes = FORMATS[format] if format else format_of(file), []
        table = found.read(file)
        notes = [*table.notes, *notes]
        return replace(
            table, format=found.name, answers_to=found.answers_to, notes=notes
        )


def format_of(file: OpenFile) -> Format:
    """Return the format of a file, as its first bytes tell it."""
    found = next(entry for entry in FORMATS.values() if entry.looks(file))
    for looks, told, way_out in UNREAD if found.name in {"csv", "tsv"} else ():
        if looks(file):
            raise file.wrong(told, way_out)
    return found


def _format_of_files(file: OpenFile, name: str | None) -> tuple[Format, list[str]]:
    """Return the one format that a folder or a list of files is of, and say which are left unread.

    Its files are those that are to be read from here on.
    """
    seen: dict[str, list[Path]] = {}
    for path in file.files():
        seen.setdefault(_seen_as(path, file.encoding, name), []).append(path)
    of_tools = [
        found for found in seen if found in FORMATS and FORMATS[found].among_others
    ]
    chosen = [name] if name in seen else of_tools or list(seen)
    only = FORMATS.get(chosen[0]) if len(chosen) == 1 else None
    # Tables in a folder are seldom parts of one; those that somebody lists are.
    if only is None or not (
        only.folders or (only.name in LISTED and file.path is None)
    ):
        each = {
            found: listing(shorten(path.name) for path in paths)
            for found, paths in seen.items()
        }
        told = listing(
            f"{counted(len(seen[one]), f'{one} file')} ({each[one]})" for one in seen
        )
        one, many = (
            f"is a folder of {told or 'nothing'}",
            f"are {told}, which cannot be read as one",
        )
        raise errors.NotRecognisedError(
            f"{file.name} {one if file.path else many}",
            way_out="Give one file, unpacked, or a pattern, such as 'folder/*.csv'. Read together are "
            "only results of one evaluation tool, files of JSON, and CSV or TSV files of a pattern.",
        )
    file.several = seen.pop(only.name)
    others = [path.name for paths in seen.values() for path in paths]
    notes = [
        f"{counted(len(file.several), 'file')} read, {shorten(file.several[0].name)} the first"
    ]
    if others:
        notes.append(
            f"{counted(len(others), 'other file')} not read: {listing(map(shorten, others))}"
        )
    return only, notes


def _seen_as(path: Path, encoding: str | None, name: str | None) -> str:
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


def read_together(
    path: object, name: str | None = None, encoding: str | None = None
) -> list[str] | None:
    """Return the files of a pattern, in order; none if an engine scans them, None if it is no pattern.

    An engine does if the first is of Parquet.
    """
    if not isinstance(path, str) or not has_magic(path) or Path(path).exists():
        return None
    files = sorted(one for one in glob(path, recursive=True) if Path(one).is_file())  # noqa: PTH207
    scanned = (
        not files or (name or _seen_as(Path(files[0]), encoding, None)) == "parquet"
    )
    return [] if scanned else files


def delimiter_of(file: OpenFile) -> str:
    """Return what stands between the fields.

    That is what each of the first lines has as often as the first; else the commonest of the first line
    that has any. A blank stands for blanks of any number between words and numbers.
    """
    first, *more = file.text_head.splitlines() or [b""]
    whole = [line for line in (first, *more[:LOOKED_AT][:-1]) if line.strip()]
    lines = [QUOTED.sub(b"", line) for line in whole] or [b""]
    steady = [
        mark for mark in "\t;|," if len({_times(line, mark) for line in lines}) == 1
    ]
    steady = [mark for mark in steady if len(lines) > 1 and _times(lines[0], mark)]
    if steady:
        return steady[0]
    told = next(
        (line for line in lines if any(_times(line, mark) for mark in DELIMITERS)), b""
    )
    if told:
        return max(DELIMITERS, key=partial(_times, told))
    words = [line.split() for line in lines]
    table = (
        len(lines) > 2 and len({len(row) for row in words}) == 1 and len(words[0]) > 1
    )
    numbers = all(
        any(number_in(word.decode("utf-8", "replace")) is not None for word in row)
        for row in words[1:]
    )
    return " " if table and numbers else ","


def _times(line: bytes, mark: str) -> int:
    return line.count(mark.encode())
