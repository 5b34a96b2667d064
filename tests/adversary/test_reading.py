"""Files that damage, chance or malice made: each is read as a slow twin reads it, or refused by name."""

from __future__ import annotations

import encodings.aliases
import gzip
import io
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from oracles import reading_twins as twins
from oracles.damaged_files import TEXTS, damaged
from steadyrank.cli import main
from steadyrank.data import Ballots, Ratings, Votes, read_any
from steadyrank.errors import (
    EmptyDataError,
    InvalidDataError,
    InvalidSettingError,
    NotANumberError,
    SteadyrankError,
    UnreadableFileError,
)
from steadyrank.labels import encode
from steadyrank.reading import files
from steadyrank.reading.files import OpenFile, open_source
from steadyrank.reading.formats import FORMATS, read_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Cases = Callable[[int], Iterator[np.random.Generator]]


class Drip(io.BytesIO):
    """A stream that gives a few bytes at a time, as pipes do."""

    most = 3
    name = "the file"

    def read(self, size: int | None = -1) -> bytes:
        return super().read(
            self.most if size is None or size < 0 else min(size, self.most)
        )


def drip(rng: np.random.Generator, content: bytes) -> OpenFile:
    """Open a file that is looked at and read a few bytes at a time, so that every border is met."""
    stream = Drip(content)
    look_at, stream.most = rng.choice([3, 16, 1 << 16], 2).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "HEAD", look_at)
        return open_source(stream)


def cells(table: Any) -> Any:
    return [(name, table.cells(name)) for name in table.names]


def ballots_of(table: Any) -> Any:
    tiers = [
        [tier if isinstance(tier, list) else [tier] for tier in order]
        for order in table.cells("ballot")
    ]
    return tiers, table.cells("count")


SAID = (
    "columns without a name", "fewer fields than columns",
    "the first line is data", "2 lines read as one header",
    "3 lines read as one header", "blank fields beyond", "blanks before",
)  # fmt: skip
"""How notes begin about a file that a strict reader refuses, or reads in another way."""

READ: dict[str, tuple[Callable[[bytes], Any], Callable[[Any], Any]]] = {
    "csv": (twins.read_csv, cells),
    "tsv": (lambda content: twins.read_csv(content, "\t"), cells),
    "jsonl": (twins.read_json_lines, cells),
    "preflib": (twins.read_preflib, ballots_of),
}


GRAMMARS = {"pgn", "stv"}


def test_every_text_format_has_its_files() -> None:
    """Those of evaluation tools, and what a program packs, are made in tests/data/layouts.

    Tables of Markdown and LaTeX, and grammars of ballots and games, are in tests/reading.
    """
    of_tools = {name for name, found in FORMATS.items() if found.among_others}
    elsewhere = {"parquet", "excel", "json", "markup"}
    assert set(TEXTS) == set(FORMATS) - elsewhere - of_tools - GRAMMARS


@pytest.mark.parametrize("name", READ)
def test_sound_files_are_read_as_the_twin_reads_them(name: str) -> None:
    twin, shown = READ[name]
    expected = twin(TEXTS[name])
    assert expected is not None
    assert repr(shown(read_table(io.BytesIO(TEXTS[name]), format=name))) == repr(
        expected
    )


@pytest.mark.parametrize("name", READ)
def test_damaged_files_are_read_as_the_twin_reads_them_or_refused(
    name: str, cases: Cases
) -> None:
    """What the strict twin refuses may be read, too, where a note says how."""
    twin, shown = READ[name]
    read = 0
    for rng in cases(600):
        content = damaged(rng, TEXTS[name])
        expected = twin(content)
        file = drip(rng, content)
        try:
            table = FORMATS[name].read(file)
            found = shown(table)
        except InvalidDataError:
            found, table = None, None
        if table is None or not any(note.startswith(SAID) for note in table.notes):
            assert repr(found) == repr(expected), content
        read += found is not None
    assert read > 50  # or nothing was compared


@pytest.mark.parametrize("name", TEXTS)
def test_damaged_files_of_any_kind_end_in_data_or_in_an_error_of_ours(
    name: str, cases: Cases
) -> None:
    for rng in cases(250):
        content = damaged(rng, TEXTS[name])
        with suppress(SteadyrankError):
            assert read_any(io.BytesIO(content)).n_units >= 0


def test_damaged_gzip_is_what_gzip_says_or_refused(cases: Cases) -> None:
    sound = gzip.compress(b"".join(b"%d,x\n" % row for row in range(50)), mtime=0)
    for rng in cases(300):
        content = damaged(rng, sound)
        if not content.startswith(b"\x1f\x8b"):
            continue
        try:
            expected = gzip.decompress(content)
        except (EOFError, OSError, ValueError, gzip.zlib.error):
            expected = None
        try:
            found = drip(rng, content).read_all()
        except UnreadableFileError:
            found = None
        except EmptyDataError:
            found = b""
        assert found == expected


ENCODINGS = sorted(
    {
        *encodings.aliases.aliases.values(),
        "idna",
        "punycode",
        "undefined",
        "no\0name",
        "",
    }
)


@pytest.mark.parametrize(
    "content",
    [b"choice\nann\nbob\n", "choice\né\n日本\n".encode("utf-16-le"), b"\xff\xfe"],
)
def test_every_encoding_reads_or_is_refused(content: bytes) -> None:
    for encoding in ENCODINGS:
        with suppress(SteadyrankError):
            read_table(io.BytesIO(content), encoding=encoding, format="csv")


@pytest.mark.parametrize("mark", [True, False], ids=["marked", "unmarked"])
@pytest.mark.parametrize(
    "encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be", "utf-8"]
)
def test_utf_16_with_and_without_a_mark(encoding: str, mark: bool) -> None:
    text = "choice,count\nann,3\n日本,1\n"
    content = (("\ufeff" if mark else "") + text).encode(encoding)
    table = read_table(io.BytesIO(content), encoding=encoding)
    assert cells(table) == [("choice", ["ann", "日本"]), ("count", ["3", "1"])]
    whole = encoding[:6]
    if mark:
        assert cells(
            read_table(io.BytesIO(content), encoding=whole.rstrip("-"))
        ) == cells(table)
    elif whole != "utf-8":
        with pytest.raises(
            UnreadableFileError,
            match=r"is not text in utf-..: .*utf-16-le or utf-16-be",
        ):
            read_table(io.BytesIO(content), encoding=whole)


@pytest.mark.parametrize("look", ["fifo", "process substitution"])
def test_pipes_are_read_once_and_whole(look: str, tmp_path: Path) -> None:
    content = b"choice,count\n" + b"".join(b"x%d,1\n" % row for row in range(50_000))
    if look == "fifo":
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
        writer = threading.Thread(
            target=lambda: (tmp_path / "pipe").write_bytes(content)
        )
    else:
        reading, writing = os.pipe()
        path = f"/dev/fd/{reading}"

        def write() -> None:
            with os.fdopen(writing, "wb") as out:
                out.write(content)

        writer = threading.Thread(target=write)
    writer.start()
    assert read_any(path).n_units == 50_000
    writer.join()
    if look != "fifo":
        os.close(reading)


def test_a_forked_child_reads_after_its_parent_did() -> None:
    code = """
import io, os, warnings
from steadyrank.reading.formats import read_table
warnings.simplefilter("ignore")
text = b"choice,count\\n" + b"".join(b"x%d,1\\n" % (row % 7) for row in range(100_000))
read = lambda: len(read_table(io.BytesIO(text)))
first = read()
child = os.fork()
if child == 0:
    os._exit(0 if read() == first else 3)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


NUMBERS = [
    0,
    1,
    7,
    255,
    2**31,
    2**32 - 1,
    2**53,
    2**53 + 1,
    2**63 - 1,
    2**63,
    2**63 + 1,
    2**64 - 2,
    2**64 - 1,
]


def test_whole_labels_of_every_width_keep_their_value(cases: Cases) -> None:
    for rng in cases(400):
        dtype = np.dtype(
            rng.choice(
                [
                    "int8",
                    "uint8",
                    "int16",
                    "uint16",
                    "int32",
                    "uint32",
                    "int64",
                    "uint64",
                ]
            )
        )
        least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        base = int(rng.choice([least, most, 0, most // 2, most // 2 + 1]))
        spread = int(rng.choice([3, 50, 10**6]))
        near = [
            base + int(step)
            for step in rng.integers(-spread, spread + 1, rng.integers(1, 30))
        ]
        values = [min(max(value, least), most) for value in near]
        codes, labels = encode(np.array(values, dtype=dtype))
        assert labels == tuple(sorted(set(values)))
        assert [labels[code] for code in codes] == values


PLAIN = ["-7", "100000", *(str(number) for number in NUMBERS if number < 2**63)]
WORDS = [
    "007",
    "+7",
    "1e5",
    "1.0",
    " 1",
    "-0",
    "٣",
    *PLAIN,
    *PLAIN,
    str(2**63),
    str(2**64),
]


def test_ids_of_text_files_are_neither_rounded_nor_merged(cases: Cases) -> None:
    for rng in cases(200):
        words = [str(word) for word in rng.choice(WORDS, rng.integers(1, 4))]
        lines = "".join(f"{word},1\n" for word in words)
        items = Votes.read(io.BytesIO(f"choice,count\n{lines}".encode())).items
        plain = all(word in PLAIN for word in words)
        assert items == tuple(sorted(set(map(int, words)) if plain else set(words)))


def test_ids_of_typed_files_are_neither_rounded_nor_merged(cases: Cases) -> None:
    for rng in cases(200):
        labels = [NUMBERS[place] for place in rng.integers(0, len(NUMBERS), 5)]
        text = "".join(json.dumps({"choice": label}) + "\n" for label in labels)
        assert Votes.read(io.BytesIO(text.encode())).items == tuple(sorted(set(labels)))


def test_labels_with_nul_stay_apart(cases: Cases) -> None:
    for rng in cases(50):
        drawn = rng.integers(0, 2, (6, 3))  # NumPy itself would drop a NUL at the end
        labels = ["x", *("".join("\0x"[letter] for letter in word) for word in drawn)]
        lines = "".join(
            json.dumps({"choice": label}) + "\n" for label in labels
        ).encode()
        for votes in (Votes(labels), Votes.read(io.BytesIO(lines))):
            assert votes.items == tuple(sorted(set(labels)))
        with pytest.raises(UnreadableFileError, match="NUL byte on line 2"):
            Votes.read(io.BytesIO(f"choice\nx\0{labels[0]}\n".encode()))


def test_means_of_huge_repeated_ratings(cases: Cases) -> None:
    for rng in cases(200):
        values = rng.choice(
            [1e308, -1.7976931348623157e308, 1e100, -1e100, 1.0, 1 / 3, 5e-324, 0.0],
            rng.integers(2, 6),
        )
        rows = "".join(f"1,a,{value}\n" for value in values.tolist())
        try:
            found = Ratings.read(
                io.BytesIO(f"user,item,rating\n{rows}".encode()), duplicates="mean"
            ).values
        except NotANumberError:
            assert sum(map(abs, map(Fraction, values.tolist()))) > Fraction(1.79e308)
            continue
        except InvalidSettingError:
            sizes = np.abs(values[values != 0])
            far = Fraction(sizes.max()) / Fraction(sizes.min()) > 2**1000
            assert far or not 1e-120 < sizes.max() < 1e120
            continue
        parts = [Fraction(value) / len(values) for value in values.tolist()]
        rounding = Fraction(1, 2**52) * sum(map(abs, parts)) + len(values) * Fraction(
            5e-324
        )
        assert abs(Fraction(float(found[0])) - sum(parts)) <= len(values) * rounding


ORDER_PARTS = ["a", "b", "c", ",", ",", "{", "}", "{b,c}", "{d, e}", " ", "{}"]


def test_braces_are_refused_by_name(cases: Cases) -> None:
    for rng in cases(200):
        text = "".join(rng.choice(ORDER_PARTS, rng.integers(1, 9)))
        if set("{}") & set(text):
            with pytest.raises(
                InvalidDataError, match=r"ties in braces.*Write ties as in a > b = c"
            ):
                Ballots.from_frame({"ballot": [text, "z"]}, ballot="ballot")


class Panic(BaseException):
    """What Rust throws through Python: no ``Exception``."""


def test_no_failure_ends_in_the_exit_code_of_unstable(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*args: object, **options: object) -> None:
        raise Panic("index out of bounds")

    monkeypatch.setattr("steadyrank.cli.inputs.read_checked", broken)
    assert main(["check", "votes.csv", "-k", "1"]) == 2
    assert "Panic: index out of bounds" in capsys.readouterr().err
    monkeypatch.setattr("steadyrank.cli.app.make_app", broken)
    assert main(["check", "votes.csv", "-k", "1"]) == 2


def test_a_header_longer_than_the_first_look_is_whole() -> None:
    names = [f"column number {place}" for place in range(10_000)]
    file = open_source(
        io.BytesIO((",".join(names) + "\n" + ",".join("1" for _ in names)).encode())
    )
    assert file.first_line.decode().split(",") == names
