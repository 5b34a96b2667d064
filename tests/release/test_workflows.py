"""The workflows, the citation and the check before a release: settings that agree with each other."""

from __future__ import annotations

import os
import re
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

import steadyrank
from docs.page_examples import DOCS
from release.repository import ROOT, script, settings_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WORKFLOWS = sorted(
    path.relative_to(ROOT).as_posix() for path in ROOT.glob(".github/workflows/*.yml")
)


def steps(settings: Any) -> Iterator[dict[str, Any]]:
    for job in settings["jobs"].values() if "jobs" in settings else [settings["runs"]]:
        yield from job["steps"]


def injections(settings: Any) -> list[str]:
    """Return the scripts into which something from outside would be written."""
    return [step["run"] for step in steps(settings) if "${{" in step.get("run", "")]


@pytest.mark.parametrize("name", [*WORKFLOWS, "action.yml"])
def test_no_script_has_an_expression_in_it(name: str) -> None:
    assert injections(settings_in(name)) == []


def test_a_planted_expression_is_seen() -> None:
    assert injections(
        {"runs": {"steps": [{"run": "echo ${{ inputs.file }}"}, {"uses": "x"}]}}
    )


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_read_alone_unless_a_job_says_more(name: str) -> None:
    assert settings_in(name)["permissions"] == {"contents": "read"}


def test_every_python_that_is_promised_is_tested() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    tested = settings_in(".github/workflows/ci.yml")["jobs"]["pythons"]["strategy"][
        "matrix"
    ]["python"]
    promised = [
        one[-4:] for one in project["classifiers"] if re.search(r":: 3\.\d+$", one)
    ]
    assert promised
    assert set(promised) <= set(tested)
    assert project["requires-python"] == f">={min(promised)}"


def test_a_release_is_checked_tested_built_and_then_published() -> None:
    jobs = settings_in(".github/workflows/release.yml")["jobs"]
    assert [jobs[name].get("needs") for name in ("build", "publish", "attach")] == [
        "test",
        "build",
        "publish",
    ]
    said = [step.get("run", "") for step in jobs["test"]["steps"]]
    assert 'python scripts/release_check.py "$TAG"' in said
    assert ".ci/run" in said
    assert os.access(ROOT / ".ci" / "run", os.X_OK)
    more = {
        name: job["permissions"] for name, job in jobs.items() if "permissions" in job
    }
    assert more == {"publish": {"id-token": "write"}, "attach": {"contents": "write"}}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A repository that is ready for the release of 1.2.3."""
    (tmp_path / "src" / "steadyrank").mkdir(parents=True)
    (tmp_path / "src" / "steadyrank" / "__init__.py").write_text(
        '__version__ = "1.2.3"\n'
    )
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 1.2.3 (2026-02-01)\n\n## 1.2.2 (2026-01-01)\n"
    )
    (tmp_path / "CITATION.cff").write_text("cff-version: 1.2.0\nversion: 1.2.3\n")
    return tmp_path


@pytest.mark.parametrize(
    ("tag", "file", "old", "new", "found"),
    [
        ("v1.2.3", "CITATION.cff", "", "", 0),
        ("1.2.3", "CITATION.cff", "", "", 1),
        ("v1.2.30", "CITATION.cff", "", "", 1),
        ("v1.2.3", "CITATION.cff", "version: 1.2.3", "version: 1.2.2", 1),
        ("v1.2.3", "CHANGELOG.md", "2026-02-01", "unreleased", 1),
        ("v1.2.3", "CHANGELOG.md", "## 1.2.3", "## 1.2.4", 1),
        ("v1.2.3", "CHANGELOG.md", "## 1.2.3 (2026-02-01)\n\n", "", 1),
        ("v1.2.4", "src/steadyrank/__init__.py", "1.2.3", "1.2.4", 2),
    ],
)
def test_what_disagrees_is_found(
    release: Path, tag: str, file: str, old: str, new: str, found: int
) -> None:
    text = (release / file).read_text(encoding="utf-8")
    (release / file).write_text(
        text.replace(old, new) if old else text, encoding="utf-8"
    )
    assert len(script("release_check").disagreements(tag, release)) == found


def test_a_second_home_of_the_version_is_refused(release: Path) -> None:
    home = release / "src" / "steadyrank" / "__init__.py"
    home.write_text(home.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(SystemExit, match="found 2"):
        script("release_check").disagreements("v1.2.3", release)


def test_this_version_is_cited_and_changed_for_a_reason() -> None:
    made = script("release_check")
    assert (
        made.version_of()
        == steadyrank.__version__
        == settings_in("CITATION.cff")["version"]
    )
    disagreeing = made.disagreements(f"v{steadyrank.__version__}")
    assert all(
        "CHANGELOG.md begins with" in one and "(unreleased)" in one
        for one in disagreeing
    )


def test_the_citation_names_the_paper() -> None:
    paper = settings_in("CITATION.cff")["preferred-citation"]
    assert [one["family-names"] for one in paper["authors"]] == [
        "Liang",
        "Soloff",
        "Barber",
        "Willett",
    ]
    assert (paper["title"], paper["year"]) == (
        "Assumption-free stability for ranking problems",
        2025,
    )


def test_the_page_uses_the_action_and_the_hook_as_they_are() -> None:
    import yaml

    text = (DOCS / "guides" / "ci.md").read_text(encoding="utf-8")
    blocks = [
        yaml.safe_load(block)
        for block in re.findall(r"^```yaml\n(.*?)^```$", text, re.M | re.S)
    ]
    [workflow] = [block for block in blocks if "jobs" in block]
    uses = [
        step for step in steps(workflow) if "with" in step and "file" in step["with"]
    ]
    assert uses
    action = settings_in("action.yml")
    for step in uses:
        assert set(step["with"]) <= set(action["inputs"])
    listed = set(re.findall(r"^\| `([\w-]+)` \|", text, re.MULTILINE))
    assert listed == {*action["inputs"], *action["outputs"]}
    [hooks] = [block["repos"][0]["hooks"] for block in blocks if "repos" in block]
    assert {hook["id"] for hook in hooks} == {
        hook["id"] for hook in settings_in(".pre-commit-hooks.yaml")
    }
