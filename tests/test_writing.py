"""Every writer to every kind of place: what is there is kept, or replaced as a whole, or refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from signals import signals_as_usual
from steadyrank import Study, read
from steadyrank.cli import main
from steadyrank.data import ScoreMatrix
from steadyrank.errors import SteadyrankError, UnwritableFileError
from steadyrank.writing import write_whole

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="kinds of files that POSIX has"
)

VOTES = b"choice\n" + b"ann\n" * 5 + b"bob\n" * 3 + b"cyd\n" * 2
OLD = b"what was there before\n"
MATRIX = ScoreMatrix(np.arange(24.0).reshape(8, 3) ** 1.5 % 7)


def column_medians(data: Any) -> Any:
    return np.median(data.values, axis=0)


class RefusedError(Exception):
    """A command that ended with a message and exit code 2."""


def by_command(*arguments: str) -> Callable[[Path, Path], None]:
    def write(path: Path, data: Path) -> None:
        command, *options = arguments
        if main([command, str(data), *options, "-o", str(path)]) == 2:
            raise RefusedError

    return write


def by_report(path: Path, data: Path) -> None:
    Study(data).report(path, 1)


WRITERS: dict[str, Callable[[Path, Path], None]] = {
    "text": by_command("topk", "-k", "1"),
    "json": by_command("rank", "--json"),
    "csv": by_command("audit", "-k", "1", "--csv"),
    "check": by_command("check", "-k", "1"),
    "page": by_command("report", "-k", "1"),
    "report": by_report,
}
MARKS = {
    "json": b'{\n  "', "csv": b"method,k", "page": b"<!doctype html", "report": b"<!doctype html",
    "text": b"votes.csv: votes", "check": b"STABLE: top",
}  # fmt: skip
"""How the result of each begins, so that no other writer can have written it."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    file = tmp_path / "in" / "votes.csv"
    file.write_bytes(VOTES)
    return file


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "out").mkdir()
    return tmp_path / "out"


def names_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def refusal(writer: str, path: Path, data: Path) -> bool:
    before = {
        place: place.read_bytes() for place in path.parent.rglob("*") if place.is_file()
    }
    try:
        WRITERS[writer](path, data)
    except (SteadyrankError, RefusedError):
        after = {
            place: place.read_bytes()
            for place in path.parent.rglob("*")
            if place.is_file()
        }
        assert after == before, "a refusal leaves everything as it was"
        return True
    return False


@pytest.mark.parametrize("writer", WRITERS)
def test_a_new_file(writer: str, data: Path, folder: Path) -> None:
    WRITERS[writer](folder / "new", data)
    assert (folder / "new").read_bytes().startswith(MARKS[writer])
    mask = os.umask(0o027)
    try:
        WRITERS[writer](folder / "masked", data)
    finally:
        os.umask(mask)
    assert stat.S_IMODE((folder / "masked").stat().st_mode) == 0o640
    assert names_in(folder) == {"new", "masked"}


@pytest.mark.parametrize("writer", WRITERS)
def test_a_file_that_is_there_is_replaced_and_keeps_its_mode(
    writer: str, data: Path, folder: Path
) -> None:
    place = folder / "file"
    place.write_bytes(OLD)
    place.chmod(0o604)
    os.link(place, folder / "other name")
    WRITERS[writer](place, data)
    assert place.read_bytes().startswith(MARKS[writer])
    assert stat.S_IMODE(place.stat().st_mode) == 0o604
    assert (folder / "other name").read_bytes() == OLD
    assert names_in(folder) == {"file", "other name"}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("there", [True, False], ids=["to a file", "to nothing yet"])
def test_a_link_stays_and_what_it_names_is_written(
    writer: str, data: Path, folder: Path, there: bool
) -> None:
    inner = folder / "deep"
    inner.mkdir()
    if there:
        (inner / "file").write_bytes(b"")
    (inner / "link").symlink_to("file")
    (folder / "link").symlink_to("deep/link")
    WRITERS[writer](folder / "link", data)
    assert (folder / "link").is_symlink()
    assert (inner / "link").is_symlink()
    assert (inner / "file").read_bytes().startswith(MARKS[writer])
    assert names_in(inner) == {"file", "link"}


@pytest.mark.parametrize("writer", WRITERS)
def test_places_that_are_refused(writer: str, data: Path, folder: Path) -> None:
    (folder / "circle").symlink_to("circle")
    (folder / "sub").mkdir()
    with closing(socket.socket(socket.AF_UNIX)) as listening:
        listening.bind(str(folder / "socket"))
        for name in ("circle", "sub", "socket", "no/such/folder", "sub/", "."):
            assert refusal(writer, Path(f"{folder}/{name}"), data), name
    assert (folder / "socket").is_socket()


@pytest.mark.parametrize("writer", WRITERS)
def test_devices_and_pipes_are_written_into(
    writer: str, data: Path, folder: Path
) -> None:
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    found: list[bytes] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    WRITERS[writer](pipe, data)
    reader.join()
    assert found[0].startswith(MARKS[writer])
    assert pipe.is_fifo()
    WRITERS[writer](Path("/dev/null"), data)
    assert Path("/dev/null").is_char_device()
    with pytest.raises((UnwritableFileError, RefusedError)):
        WRITERS[writer](Path("/dev/full"), data)
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("writer", WRITERS)
def test_open_descriptors_are_written_into(
    writer: str, data: Path, folder: Path
) -> None:
    """As a shell would: after what is there already, into the very file that is open."""
    with (folder / "open").open("ab", buffering=0) as file:
        file.write(OLD)
        (folder / "link").symlink_to(f"/dev/fd/{file.fileno()}")
        before = (folder / "open").stat().st_ino
        WRITERS[writer](folder / "link", data)
    assert (folder / "open").stat().st_ino == before
    assert (folder / "open").read_bytes().startswith(OLD + MARKS[writer])


@pytest.mark.parametrize("writer", WRITERS)
def test_the_data_are_never_replaced(writer: str, data: Path, folder: Path) -> None:
    (folder / "link").symlink_to(data)
    os.link(data, folder / "other name")
    for place in (
        data,
        folder / "link",
        folder / "other name",
        data.parent / "../in/votes.csv",
    ):
        with pytest.raises((UnwritableFileError, RefusedError)):
            WRITERS[writer](place, data)
        assert data.read_bytes() == VOTES


def test_one_of_several_files_and_standard_input(
    data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("duckdb")
    second = data.with_name("votes2.csv")
    second.write_bytes(VOTES)
    pattern = str(data.with_name("*.csv"))
    assert main(["topk", pattern, "-k", "1", "--csv", "-o", str(second)]) == 2
    assert "holds the data that were read" in capsys.readouterr().err
    run = f"{sys.executable} -m steadyrank topk"
    for command in (
        f"{run} - -k 1 -o '{data}' < '{data}'",
        f"{run} '{data}' -k 1 >> '{data}'",
    ):
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert "holds the data that were read" in done.stderr
    assert data.read_bytes() == second.read_bytes() == VOTES


def test_a_folder_of_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        rows = [
            {"user": user, "item": f"film {number}", "rating": (user * number) % 5 + 1}
            for user in range(1, 9)
        ]
        (tmp_path / f"part {number}").write_text(json.dumps(rows), encoding="utf-8")
    assert main(["topk", str(tmp_path), "-k", "1", "-o", str(tmp_path / "part 2")]) == 2
    assert "holds the data that were read" in capsys.readouterr().err
    assert main(["topk", str(tmp_path), "-k", "1", "-o", str(tmp_path)]) == 2
    assert main(["topk", str(tmp_path), "-k", "1", "-o", str(tmp_path / "answer")]) == 0


def test_a_file_that_got_the_number_of_one_that_was_read_can_be_replaced(
    folder: Path,
) -> None:
    data = folder / "votes.csv"
    for _ in range(20):
        data.write_bytes(VOTES)
        read(data)
        data.unlink()
        (folder / "result").write_bytes(OLD)
        write_whole("new", folder / "result")
        assert (folder / "result").read_bytes() == b"new"
        (folder / "result").unlink()


AS_ANOTHER = """
import os, sys
from steadyrank.writing import UnwritableFileError, write_whole

if os.geteuid() == 0:  # who may write everywhere
    os.setresuid(65534, 65534, 65534)
try:
    write_whole("new", sys.argv[1])
except UnwritableFileError as error:
    print(error)
"""


def test_a_folder_or_a_file_that_may_not_be_written() -> None:
    folder = Path(
        tempfile.mkdtemp()
    )  # unlike those of pytest, it can be opened to others
    place = folder / "mine"
    place.write_bytes(OLD)
    for mode_of_file, mode_of_folder in ((0o444, 0o777), (0o666, 0o555)):
        place.chmod(mode_of_file)
        folder.chmod(mode_of_folder)
        command = [sys.executable, "-c", AS_ANOTHER, str(place)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert f"{str(place)!r} cannot be written: permission denied" in done.stdout
        assert place.read_bytes() == OLD
    folder.chmod(0o777)
    shutil.rmtree(folder)


STOPPED = """
import os, signal, sys
from pathlib import Path
from steadyrank.cli import main

moment, number = sys.argv[1], int(sys.argv[2])

def stop(*arguments):
    os.kill(os.getpid(), number)
    return before(*arguments)

home = {"replace": Path, "fsync": os}[moment]
before = getattr(home, moment)
setattr(home, moment, stop)
sys.exit(main(sys.argv[3:]))
"""


@pytest.mark.parametrize(
    ("moment", "number", "code"),
    [
        ("fsync", signal.SIGTERM, 143),
        ("replace", signal.SIGTERM, 143),
        ("replace", signal.SIGINT, 130),
        ("fsync", signal.SIGHUP, 129),
        ("replace", signal.SIGKILL, -9),
    ],
)
def test_nothing_is_left_of_a_result_that_was_stopped(
    data: Path, folder: Path, moment: str, number: int, code: int
) -> None:
    place = folder / "result.json"
    place.write_bytes(OLD)
    command = ["topk", str(data), "-k", "1", "--json", "-o", str(place)]
    stopped = [sys.executable, "-c", STOPPED, moment, str(int(number)), *command]
    done = subprocess.run(
        stopped,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=signals_as_usual,
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert place.read_bytes() == OLD
    if number != signal.SIGKILL:
        assert names_in(folder) == {"result.json"}
        assert done.stderr.count("\n") == 1
    assert main(command) == 0
    assert place.read_bytes().startswith(MARKS["json"])
