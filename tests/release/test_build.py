"""What is released: a wheel with all that the package needs, an sdist with all that its tests need."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

import pytest

import steadyrank
from release.repository import ROOT, files_of_the_repository

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


class Built(NamedTuple):
    """What the build backend made."""

    wheel: Path
    sdist: Path

    @property
    def in_wheel(self) -> set[str]:
        return set(zipfile.ZipFile(self.wheel).namelist())

    @property
    def in_sdist(self) -> set[str]:
        with tarfile.open(self.sdist) as archive:
            return {name.partition("/")[2] for name in archive.getnames()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-d", folder]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    [wheel], [sdist] = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Built(wheel, sdist)


def test_the_wheel_holds_the_package_and_nothing_else(built: Built) -> None:
    package = ROOT / "src" / "steadyrank"
    files = {f for f in files_of_the_repository() if f.startswith("src/")}
    assert {
        f"src/{name}" for name in built.in_wheel if ".dist-info/" not in name
    } == files
    for needed in (
        "py.typed",
        "__init__.pyi",
        "demo/benchmark.csv",
        "report/page/report.html",
    ):
        assert f"steadyrank/{needed}" in built.in_wheel
        assert (package / needed).is_file()
    about = f"steadyrank-{steadyrank.__version__}.dist-info"
    assert f"{about}/licenses/LICENSE" in built.in_wheel


def test_the_sdist_holds_the_whole_repository(built: Built) -> None:
    assert built.in_sdist - {"PKG-INFO"} == files_of_the_repository()


def test_the_metadata_say_what_the_project_says(built: Built) -> None:
    [name] = [name for name in built.in_wheel if name.endswith("METADATA")]
    said = Parser().parsestr(zipfile.ZipFile(built.wheel).read(name).decode())
    assert said["Version"] == steadyrank.__version__
    assert "version" not in PROJECT["project"], (
        "the version has one home: steadyrank/__init__.py"
    )
    needed = [one for one in said.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert sorted(re.split(r"[>=]", one)[0] for one in needed) == [
        "narwhals",
        "numpy",
        "scipy",
    ]
    assert said["License-Expression"] == "MIT"


def test_the_wheel_runs_where_there_is_no_repository(
    built: Built, tmp_path: Path
) -> None:
    zipfile.ZipFile(built.wheel).extractall(tmp_path / "installed")
    script = (
        "import steadyrank\nfrom steadyrank.demo import demo_file\n"
        "with demo_file('benchmark.csv') as path:\n"
        "    study = steadyrank.Study(path)\n"
        "    study.check(3).assert_stable()\n"
        "    study.report('report.html', 3)\n"
        "print(steadyrank.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "installed")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).is_relative_to(tmp_path)
    assert (tmp_path / "report.html").stat().st_size > 10_000


def test_every_file_that_is_no_python_has_its_licence_listed(built: Built) -> None:
    page = (ROOT / "docs" / "reference" / "licences.md").read_text(encoding="utf-8")
    listed = {pattern for row in re.findall(r"^\| (`.+?) \|", page, re.MULTILINE) for pattern in
              re.findall(r"`([^`]+)`", row)}  # fmt: skip
    bundled = {
        Path(name).relative_to("steadyrank").as_posix()
        for name in built.in_wheel
        if ".dist-info/" not in name and not name.endswith((".py", ".pyi", "py.typed"))
    }
    assert bundled
    assert bundled == listed
