"""HELM: ``per_instance_stats.json`` of a run, with ``run_spec.json`` beside it."""

from __future__ import annotations

import re
from contextlib import closing

from steadyrank.errors import InvalidDataError
from steadyrank.reading.adapters.documents import load
from steadyrank.reading.adapters.entries import Entry, Found, folder_of
from steadyrank.reading.files import OpenFile, open_source

BESIDE = ("run_spec.json", "scenario_state.json")
"""What names the model, in the same folder; the first is small."""

MODEL = re.compile(r"(?:^|[:,])model(?:_deployment)?=([^,]*)")


def helm_entries(file: OpenFile) -> Found:
    """Yield the instances of runs; a task is a scenario."""
    for part in file.parts():
        model, run = _run(part)
        task = MODEL.sub("", run).strip(":,")
        for node in load(part):
            if node["perturbation"].value is not None:
                yield "perturbed instance left out"
                continue
            means: dict[str, list[object]] = {}
            for stat in node["stats"]:
                values = means.setdefault(stat["name"]["name"].label(), [])
                values += [stat["mean"].value] if stat["mean"].value not in values else []
            # A name that stands for several numbers here is none that could be chosen.
            scores = {name: values[0] for name, values in means.items() if len(values) == 1}
            trial = f"/{node['train_trial_index'].value}" if node["train_trial_index"].value else ""
            yield Entry(model, f"{task}/{node['instance_id'].label()}{trial}", task, scores, node)


def _run(file: OpenFile) -> tuple[str, str]:
    """Return the model and the name of a run, which the file itself does not tell."""
    name = folder_of(file)
    for beside in BESIDE:
        path = file.path.with_name(beside) if file.path else None
        if path is not None and path.exists():
            with closing(open_source(path, encoding=file.encoding)) as other:
                top = load(other)
            return top["adapter_spec"]["model"].label(), str(top["name"].value or name)
    if found := MODEL.search(name):
        return found[1], name
    raise InvalidDataError(
        f"{file.name} does not say of which model it is",
        way_out=f"Keep {' or '.join(BESIDE)} of the run in the same folder, and give the path.",
    )
