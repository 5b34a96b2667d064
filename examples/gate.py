"""A gate for CI: fail if a single task can change the winners that we are about to publish."""

from __future__ import annotations

import sys

from steadyrank import Study
from steadyrank.demo import demo_file

K, LEAST = 3, 2

with demo_file("benchmark.csv") as path:
    study = Study(path)

margin = study.margin(K)
print(margin.sentence)
for flip in study.flips(K).plain:
    print(f"  without {flip.unit}: {flip.leaves} out, {flip.enters} in")
sys.exit(margin.lower < LEAST)
